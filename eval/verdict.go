package eval

import (
	"fmt"
	"math"
	"strings"

	"almanac/eval/metric"
	"almanac/eval/stats"
)

// NoScore reports whether no setup has any score.
func (r *Results) NoScore() bool {
	for _, s := range r.Setups {
		if !s.NoScore() {
			return false
		}
	}
	return true
}

// ExitCode is what a comparison ends with: 0 whatever the scores, 1 if the harness failed episodes or some were not
// run.
func (r *Results) ExitCode() int {
	if len(r.HarnessErrors) > 0 || len(r.Unstarted) > 0 || r.NoScore() {
		return 1
	}
	return 0
}

// VerdictLine says in one or two sentences who won, by how much, how sure that is and at what cost.
func (r *Results) VerdictLine() string {
	c := r.Verdict()
	switch {
	case r.NoScore():
		return fmt.Sprintf("There is no score: the harness failed all of the %d episodes.", len(r.HarnessErrors))
	case c == nil && len(r.Setups) == 1:
		return single(r.Setups[0])
	case c == nil:
		return r.noVerdict()
	}
	return c.Sentence()
}

// noVerdict says why nothing was compared: oracle and none bound what can be reached, they do not compete.
func (r *Results) noVerdict() string {
	var contenders []*Summary
	for _, s := range r.Setups {
		if !outside(s.Arm.Setup) {
			contenders = append(contenders, s)
		}
	}
	if len(contenders) == 1 {
		return single(contenders[0])
	}
	return "There is no verdict: no two setups have a task in common."
}

func single(s *Summary) string {
	e := s.Metrics["success"]
	return fmt.Sprintf("%s solves %s of %d episodes%s. No other setup contends: there is nothing to compare.", s.Arm.Setup,
		Percent(e.Mean), s.Episodes, interval(e.Lo, e.Hi))
}

// Sentence is a comparison in words.
func (c *Comparison) Sentence() string {
	if c.Diff == nil {
		return fmt.Sprintf("%s and %s cannot be compared: they have no task in common.", c.A.Setup, c.B.Setup)
	}
	m, _ := metric.Find(c.Metric)
	what := strings.ToLower(m.Title)
	var b strings.Builder
	switch c.Paired.Verdict {
	case stats.Better:
		fmt.Fprintf(&b, "%s is better than %s", c.A.Setup, c.B.Setup)
	case stats.Worse:
		fmt.Fprintf(&b, "%s is worse than %s", c.A.Setup, c.B.Setup)
	default:
		fmt.Fprintf(&b, "Inconclusive: %s and %s cannot be told apart", c.A.Setup, c.B.Setup)
	}
	fmt.Fprintf(&b, " in %s: %s against %s, a difference of %s points", what, Percent(c.MeanA), Percent(c.MeanB), Points(c.Diff))
	if c.Relative != nil {
		fmt.Fprintf(&b, " (%+.0f %% relative)", *c.Relative*100)
	}
	if c.Lo != nil && c.Hi != nil {
		fmt.Fprintf(&b, " (95 %% interval %s to %s; %s)", Points(c.Lo), Points(c.Hi), PText(c.PHolm))
	}
	fmt.Fprintf(&b, " on %s", tasksAndTemplates(c.Paired.Tasks, c.Templates))
	if c.Detectable != nil {
		fmt.Fprintf(&b, "; a difference below %.0f points could hardly have been shown", *c.Detectable*100)
	}
	b.WriteString(". ")
	b.WriteString(c.TokensSentence())
	return b.String()
}

func tasksAndTemplates(tasks, templates int) string {
	if tasks == templates {
		return fmt.Sprintf("%d tasks", tasks)
	}
	return fmt.Sprintf("%d tasks of %d templates", tasks, templates)
}

// TokensSentence says what the setups cost beside each other.
func (c *Comparison) TokensSentence() string {
	switch {
	case c.Tokens.Reason == stats.Unknown:
		return "What it costs is not known: the server did not count every token."
	case c.Tokens.Reason == stats.ZeroBase:
		return fmt.Sprintf("%s uses no tokens at all.", c.B.Setup)
	case c.Tokens.Mean == nil:
		return ""
	case *c.Tokens.Mean == 0:
		return fmt.Sprintf("%s uses no tokens at all.", c.A.Setup)
	}
	cost := fmt.Sprintf("It takes %s times the tokens", decimals(*c.Tokens.Mean))
	if c.Tokens.Lo != nil {
		cost += fmt.Sprintf(" (%s to %s)", decimals(*c.Tokens.Lo), decimals(*c.Tokens.Hi))
	}
	switch {
	case c.EarnsTokens == nil:
		return cost + "."
	case *c.EarnsTokens:
		return cost + " and earns them."
	}
	return cost + " and does not earn them."
}

// decimals shows a ratio with two significant digits or more.
func decimals(v float64) string {
	if math.Abs(v) >= 10 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Percent shows a fraction as a percentage; "–" where it is undefined.
func Percent(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", *v*100)
}

// Points shows a difference of fractions in points, with its sign.
func Points(v *float64) string {
	if v == nil {
		return "–"
	}
	p := math.Round(*v*1000) / 10
	switch {
	case p > 0:
		return fmt.Sprintf("+%.1f", p)
	case p < 0:
		return fmt.Sprintf("−%.1f", -p)
	}
	return "0.0"
}

// PText writes a p-value with its letter: "p = 0.031", "p < 0.001".
func PText(v *float64) string {
	if text := PValue(v); strings.HasPrefix(text, "<") {
		return "p " + text
	}
	return "p = " + PValue(v)
}

// PValue shows a p-value.
func PValue(v *float64) string {
	switch {
	case v == nil:
		return "–"
	case *v < 0.001:
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", *v)
}

func interval(lo, hi *float64) string {
	if lo == nil || hi == nil {
		return ""
	}
	return fmt.Sprintf(" (95 %% interval %s to %s)", Percent(lo), Percent(hi))
}
