package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"almanac/eval"
	"almanac/eval/stats"
)

var verdictSection = section{id: "verdict", template: `
{{if .Tag}}<p class="above"><span class="tag {{.Class}}">{{.Tag}}</span></p>{{end}}
<h1>{{.Line}}</h1>
{{if .Tiles}}<dl class="tiles">{{range .Tiles}}<div class="tile"><dt>{{.Name}}</dt><dd><span class="big {{.Class}}">{{.Value}}</span><small>{{.Note}}</small></dd></div>{{end}}</dl>{{end}}
{{if .Standing}}<div class="wide" tabindex="0" role="group" aria-label="Who stands where"><table class="standing"><thead><tr><th>Setup</th><th>Success</th><th class="n">%</th><th class="n">Tokens</th><th>Against {{.Reference}}</th></tr></thead><tbody>
{{range .Standing}}<tr{{if .Bound}} class="bound"{{end}}><td class="name">{{.Name}}</td><td>{{.Bar}}</td>{{.Success.Td}}{{.Tokens.Td}}<td>{{if .Verdict}}<span class="tag {{.Class}}">{{.Verdict}}</span>{{else}}<span class="soft">{{.Why}}</span>{{end}}</td></tr>
{{end}}</tbody></table></div>{{end}}
{{range .Others}}<p class="note">{{.}}</p>{{end}}
{{range .Warnings}}<p class="note bad">{{.}}</p>{{end}}`, content: verdictContent}

type tile struct{ Name, Value, Note, Class string }

// standing is a setup's line in the table under the verdict.
type standing struct {
	Name, Verdict, Class, Why string
	Bound                     bool
	Bar                       template.HTML
	Success, Tokens           figure
}

type verdictView struct {
	Line, Tag, Class, Reference string
	Tiles                       []tile
	Standing                    []standing
	Others, Warnings            []string
}

// classOf is the colour of a verdict.
func classOf(verdict string) string {
	switch verdict {
	case stats.Better:
		return "good"
	case stats.Worse:
		return "bad"
	}
	return "warn"
}

func verdictContent(v *view) any {
	out := verdictView{Line: v.VerdictLine()}
	c := v.Verdict()
	if c != nil && c.Diff != nil && !v.NoScore() {
		out.Line = v.headline(c)
		out.Tag, out.Class = c.Paired.Verdict, classOf(c.Paired.Verdict)
		out.Tiles = tiles(c)
		out.Others = v.others(c)
		out.Reference = c.B.Setup
	}
	if len(v.Setups) > 2 || len(v.Setups) == 2 && c == nil {
		out.Standing = v.standings()
		if out.Reference == "" {
			out.Reference = "a reference"
		}
	}
	out.Warnings = v.warnings(c)
	return out
}

// others are the sentences below the tiles: the other models' verdicts, correctness, squad against search.
func (v *view) others(c *eval.Comparison) []string {
	var out []string
	for _, other := range v.Verdicts() {
		if other != c && other.Diff != nil {
			out = append(out, "With "+other.Model+": "+other.Sentence())
		}
	}
	for _, other := range v.Paired {
		if other != c && other.A == c.A && other.Diff != nil && (other.OwnFamily && other.Metric == "success" ||
			!other.OwnFamily && other.Metric == "correctness_rate" && other.B == c.B) {
			out = append(out, other.Sentence())
		}
	}
	if v.ChangedByModel != nil {
		out = append(out, fmt.Sprintf("The model's decisions changed squad's calls against search's on %s of the tasks.", eval.Percent(v.ChangedByModel)))
	}
	return out
}

func (v *view) warnings(c *eval.Comparison) []string {
	var out []string
	if n := len(v.HarnessErrors); n > 0 {
		out = append(out, fmt.Sprintf("The harness failed %d episodes; they count in no score: %s.", n, someEpisodes(v.HarnessErrors)))
	}
	if n := len(v.Unstarted); n > 0 {
		out = append(out, fmt.Sprintf("%d episodes have not been run, among them %s.", n, v.Unstarted[0]))
	}
	if c != nil && c.LeftOut > 0 {
		out = append(out, fmt.Sprintf("%d tasks are left out of the paired comparison on both sides, because one side has no score there.", c.LeftOut))
	}
	if list := v.inequalities(); len(list) > 0 {
		out = append(out, "The setups differ by more than being that setup: see what was compared.")
	}
	return out
}

// standings lists every setup, the best first, what only bounds what can be reached last.
func (v *view) standings() []standing {
	order := make([]int, len(v.Setups))
	for i := range order {
		order[i] = i
	}
	mean := func(i int) float64 {
		if m := v.Setups[i].Metrics["success"].Mean; m != nil {
			return *m
		}
		return -1
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if a, b := contends(v.Setups[i].Arm), contends(v.Setups[j].Arm); a != b {
			return map[bool]int{true: -1, false: 1}[a]
		}
		switch {
		case mean(i) > mean(j):
			return -1
		case mean(i) < mean(j):
			return 1
		}
		return 0
	})
	var out []standing
	for _, i := range order {
		s := v.Setups[i]
		e := s.Metrics["success"]
		row := standing{Name: v.label(s.Arm), Bar: intervalBar(e.Mean, e.Lo, e.Hi), Success: percentOf(e.Mean, fmt.Sprintf("setups/%d/success/mean", i)),
			Tokens: roundedOf(s.MeanTokens, fmt.Sprintf("setups/%d/tokens/mean", i)), Bound: !contends(s.Arm), Why: "the reference"}
		row.Why = v.standingWhy(s)
		if c := v.against(s); c != nil {
			row.Verdict, row.Class = c.Paired.Verdict, classOf(c.Paired.Verdict)
			if row.Verdict == stats.Inconclusive {
				row.Class = "plain"
			}
		}
		out = append(out, row)
	}
	return out
}

// against is the comparison of a setup's success with the reference of its family; nil where there is none.
func (v *view) against(s *eval.Summary) *eval.Comparison {
	for _, c := range v.Paired {
		if c.Metric == "success" && !c.OwnFamily && c.A == s.Arm {
			return c
		}
	}
	return nil
}

func (v *view) standingWhy(s *eval.Summary) string {
	switch {
	case s.Arm.Setup == "oracle":
		return "is shown the answer"
	case s.Arm.Setup == "none":
		return "works without tools"
	case s.NoScore():
		return "no score"
	}
	for _, c := range v.Paired {
		if c.Metric == "success" && !c.OwnFamily && c.B == s.Arm {
			return "the reference"
		}
	}
	return "compared with nobody"
}

func someEpisodes(list []*eval.EpisodeResult) string {
	var ids []string
	for i, e := range list {
		if i == 3 {
			ids = append(ids, "…")
			break
		}
		ids = append(ids, e.ID)
	}
	return strings.Join(ids, ", ")
}

// headline is the verdict in one sentence; the figures stand in the tiles.
func (v *view) headline(c *eval.Comparison) string {
	a, b := c.A.Setup, c.B.Setup
	with := ""
	if v.several() {
		with = "With " + c.Model + ", "
	}
	figures := fmt.Sprintf("%s of the tasks against %s", eval.Percent(c.MeanA), eval.Percent(c.MeanB))
	switch c.Paired.Verdict {
	case stats.Better:
		return fmt.Sprintf("%s%s beats %s: it solves %s.", with, a, b, figures)
	case stats.Worse:
		return fmt.Sprintf("%s%s loses to %s: it solves %s.", with, a, b, figures)
	}
	if with != "" {
		return fmt.Sprintf("%sthere is no winner yet between %s and %s: %s.", with, a, b, figures)
	}
	return fmt.Sprintf("No winner yet between %s and %s: %s.", a, b, figures)
}

func tiles(c *eval.Comparison) []tile {
	sure := tile{Name: "How sure", Value: eval.PText(c.PHolm), Class: "", Note: fmt.Sprintf("%d tasks of %d templates", c.Paired.Tasks, c.Templates)}
	switch {
	case c.Detectable != nil && *c.Detectable > 1:
		sure.Note += "; too few to show any difference"
	case c.Detectable != nil:
		sure.Note += fmt.Sprintf("; could show %.0f points or more", *c.Detectable*100)
	}
	out := []tile{
		{Name: "Difference in success", Value: eval.Points(c.Diff) + " points", Class: classOf(c.Paired.Verdict), Note: bounds(c)},
		sure,
		{Name: "Tokens against " + c.B.Setup, Value: nothing, Note: tokensReason(c)},
		{Name: "Earns its tokens", Value: "unknown", Note: earnsReason(c)},
	}
	if c.Tokens.Mean != nil {
		out[2].Value = fmt.Sprintf("× %.2f", *c.Tokens.Mean)
		out[2].Note = "no interval"
		if c.Tokens.Lo != nil {
			out[2].Note = fmt.Sprintf("95 %% interval × %.2f to × %.2f", *c.Tokens.Lo, *c.Tokens.Hi)
		}
	}
	if c.EarnsTokens != nil {
		out[3].Value, out[3].Note = "no", "not shown to be better, or as good for fewer"
		if *c.EarnsTokens {
			out[3].Value, out[3].Note = "yes", "as good or better for its tokens"
		}
	}
	return out
}

func tokensReason(c *eval.Comparison) string {
	switch c.Tokens.Reason {
	case stats.ZeroBase:
		return c.B.Setup + " uses none"
	case stats.Unknown:
		return "the server did not count every token"
	}
	return reasonText(c.Tokens.Reason)
}

func earnsReason(c *eval.Comparison) string {
	if c.EarnsReason == stats.Unknown || c.EarnsReason == stats.ZeroBase {
		return tokensReason(c)
	}
	return reasonText(c.EarnsReason)
}

func bounds(c *eval.Comparison) string {
	if c.Lo == nil || c.Hi == nil {
		return "no interval: all differences are equal"
	}
	return fmt.Sprintf("95 %% interval %s to %s", eval.Points(c.Lo), eval.Points(c.Hi))
}
