package schedule

import (
	"fmt"
	"strings"
)

// knownKinds are the kinds that an objective step may promise.
var knownKinds = map[string]bool{
	KindRaster: true, KindVector: true, KindTable: true, KindSeries: true, KindScalar: true, KindText: true, KindImage: true,
	KindNumber: true, KindInteger: true, KindString: true, KindBoolean: true, KindInstant: true, KindPeriod: true,
	KindPlace: true, KindBox: true, KindUnit: true, KindRecord: true,
}

// ParseType reads a type as an objective step promises it: "scalar[degC]",
// "raster", "list<scalar[km]>".
func ParseType(text string) (Type, error) {
	t := Type{}
	s := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(s, "list<"); ok && strings.HasSuffix(inner, ">") {
		t.List, s = true, strings.TrimSpace(strings.TrimSuffix(inner, ">"))
	}
	if i := strings.IndexByte(s, '['); i >= 0 && strings.HasSuffix(s, "]") {
		t.Unit, s = strings.TrimSpace(s[i+1:len(s)-1]), strings.TrimSpace(s[:i])
	}
	if !knownKinds[s] {
		return Type{}, fmt.Errorf("schedule: reading type %q: kinds are raster, vector, table, series, scalar, text, image and the literal kinds, "+
			"with a unit in brackets: scalar[degC]", text)
	}
	t.Kind = s
	return t, nil
}

// String writes a type as ParseType reads it; an unknown kind is "unknown".
func (t Type) String() string {
	s := t.Kind
	if s == "" {
		s = "unknown"
	}
	if t.Unit != "" {
		s += "[" + t.Unit + "]"
	}
	if t.List {
		s = "list<" + s + ">"
	}
	return s
}

// isArtifact tells whether a bare step name may stand for a field of this kind:
// the kinds that are large and that a tool takes whole.
func isArtifact(kind string) bool {
	switch kind {
	case KindRaster, KindVector, KindTable, KindSeries, KindText, KindImage:
		return true
	}
	return false
}

func isNumeric(kind string) bool {
	return kind == KindScalar || kind == KindNumber || kind == KindInteger || kind == "angle"
}

// listKind splits "list<number>" into its element's kind.
func listKind(kind string) (elem string, list bool) {
	if inner, ok := strings.CutPrefix(kind, "list<"); ok {
		return strings.TrimSuffix(inner, ">"), true
	}
	return kind, false
}

// kindFits tells whether a value of kind have, behind a reference, may be given
// where want is declared. An unknown kind fits everywhere.
func kindFits(want, have string) bool {
	if have == "" || want == have || want == KindAny {
		return true
	}
	switch want {
	case KindScalar, KindNumber, KindInteger, "angle":
		return isNumeric(have)
	case KindString:
		return isTextual(have)
	case KindPlace:
		return have == KindString || have == KindText
	case KindPeriod:
		return have == KindInstant || have == "season" || have == "month" || have == KindString || have == KindText
	case KindInstant, KindUnit:
		return have == KindString || have == KindText
	}
	return false
}

// isTextual tells whether values of the kind are short strings.
func isTextual(kind string) bool {
	switch kind {
	case KindString, KindText, KindPlace, KindInstant, KindUnit, "season", "month", "dataset", "variable", "comparison":
		return true
	}
	return false
}

// paramFits tells whether a type may be given to a parameter, by kind and by
// being a list or not.
func paramFits(p *Param, t Type) (kind, list bool) {
	for _, want := range p.Kinds {
		elem, isList := listKind(want)
		if !kindFits(elem, t.Kind) {
			continue
		}
		kind = true
		if t.Kind == "" || t.List == (p.List || isList) || want == KindAny && !p.List {
			return true, true
		}
	}
	return kind, false
}

// takesList tells whether a parameter is declared to take a list.
func takesList(p *Param) bool {
	if p.List {
		return true
	}
	for _, k := range p.Kinds {
		if _, list := listKind(k); !list {
			return false
		}
	}
	return len(p.Kinds) > 0
}

func (p *Param) takes(kind string) bool {
	for _, k := range p.Kinds {
		if elem, _ := listKind(k); elem == kind {
			return true
		}
	}
	return false
}

func hasAlias(aliases []string, name string) bool {
	for _, a := range aliases {
		if strings.EqualFold(a, name) {
			return true
		}
	}
	return false
}

// param finds a declared parameter by its exact name.
func (s *Signature) param(name string) *Param {
	for i := range s.Params {
		if s.Params[i].Name == name {
			return &s.Params[i]
		}
	}
	return nil
}

// soleRequired is the one required parameter, to which a positional argument
// belongs; nil when there are none or several. A tool without a required
// parameter and with a single one takes that.
func (s *Signature) soleRequired() *Param {
	var sole *Param
	for i := range s.Params {
		if s.Params[i].Required {
			if sole != nil {
				return nil
			}
			sole = &s.Params[i]
		}
	}
	if sole == nil && len(s.Params) == 1 {
		return &s.Params[0]
	}
	return sole
}

// agentOf cuts the agent from "agent.tool".
func agentOf(tool string) string {
	agent, _, _ := strings.Cut(tool, ".")
	return agent
}

func toolOf(name string) string {
	_, tool, _ := strings.Cut(name, ".")
	return tool
}
