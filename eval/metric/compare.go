package metric

import (
	"math"
	"slices"
)

// Converter converts a number between units; it fails for units of different dimensions.
type Converter func(value float64, from, to string, difference bool) (float64, error)

// matcher decides which calls of an episode are which calls of gold. Results are remembered; a pair that is being
// decided counts as different, so that even a malformed log with a cycle ends.
type matcher struct {
	p, g    *Trace
	convert Converter
	memo    map[[2]int]bool
}

func newMatcher(p, g *Trace, convert Converter) *matcher {
	return &matcher{p: p, g: g, convert: convert, memo: map[[2]int]bool{}}
}

// same reports whether predicted call i is gold call j: the same tool with equal arguments.
func (m *matcher) same(i, j int) bool {
	k := [2]int{i, j}
	if v, ok := m.memo[k]; ok {
		return v
	}
	m.memo[k] = false
	v := m.equalCalls(i, j)
	m.memo[k] = v
	return v
}

func (m *matcher) equalCalls(i, j int) bool {
	p, g := &m.p.calls[i], &m.g.calls[j]
	if p.Tool != g.Tool {
		return false
	}
	if p.isExpression() && g.isExpression() {
		if equal, ok := m.equalExpressions(i, j); ok {
			return equal
		}
	}
	for i := range g.Arguments {
		if m.argument(p, &g.Arguments[i]) != valueMatches {
			return false
		}
	}
	return len(extras(p, g)) == 0
}

// Outcomes of looking for one gold argument in a call.
const (
	valueAbsent = iota
	valueWrong
	valueMatches
)

func (m *matcher) argument(p *Call, g *Argument) int {
	a := p.argument(g.Name)
	switch {
	case a == nil && (g.Default || g.Rule == RuleNull):
		return valueMatches
	case a == nil || a.Rule == RuleNull && g.Rule != RuleNull && !g.Default:
		return valueAbsent
	case m.equal(a, g):
		return valueMatches
	}
	return valueWrong
}

// extras are the predicted arguments that gold does not have and that are not left at their default.
func extras(p, g *Call) []string {
	var out []string
	for i := range p.Arguments {
		a := &p.Arguments[i]
		if !a.Default && a.Rule != RuleNull && g.argument(a.Name) == nil {
			out = append(out, a.Name)
		}
	}
	return out
}

// equal compares one argument: by what it was made from, by its content, or by its value.
func (m *matcher) equal(p, g *Argument) bool {
	if p.Rule == RuleNull || g.Rule == RuleNull {
		return p.Rule == g.Rule || p.Default && g.Default
	}
	if m.sameOrigins(p.Origins, g.Origins) || m.sameContent(p, g) {
		return true
	}
	if p.Rule == RuleArtifact && g.Rule == RuleArtifact {
		return false
	}
	return m.equalValues(p, g)
}

// sameOrigins reports whether both were made of the same outputs of calls that are the same.
func (m *matcher) sameOrigins(p, g []Origin) bool {
	if len(p) == 0 || len(p) != len(g) {
		return false
	}
	for k := range p {
		if p[k].Member != g[k].Member || !m.sameOrigin(p[k], g[k]) {
			return false
		}
	}
	return true
}

func (m *matcher) sameOrigin(p, g Origin) bool {
	p, g = m.p.through(p), m.g.through(g)
	i, okP := m.p.byID[p.Call]
	j, okG := m.g.byID[g.Call]
	return okP && okG && p.Output == g.Output && m.p.calls[i].Success && m.same(i, j)
}

// sameContent compares content hashes, before and after looking through conversions.
func (m *matcher) sameContent(p, g *Argument) bool {
	hp, hg := m.p.hashes(p), m.g.hashes(g)
	for _, h := range hp {
		if slices.Contains(hg, h) {
			return true
		}
	}
	return false
}

func (t *Trace) hashes(a *Argument) []string {
	var out []string
	if a.Hash != "" {
		out = append(out, a.Hash)
	}
	if a.Rule == RuleArtifact && len(a.Origins) == 1 && a.Origins[0].Member == "" {
		if o := t.through(a.Origins[0]); o.Hash != "" {
			out = append(out, o.Hash)
		}
	}
	return out
}

// numbersEqual compares within 1e-9 relative or an absolute tolerance.
func numbersEqual(p, g, tolerance float64) bool {
	if p == g {
		return true
	}
	d := math.Abs(p - g)
	return d <= 1e-9*math.Abs(g) || d <= tolerance*(1+1e-12)
}
