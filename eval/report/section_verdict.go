package report

import (
	"fmt"

	"almanac/eval"
	"almanac/eval/stats"
)

var verdictSection = section{id: "verdict", template: `
{{if .Tag}}<p style="margin:1.4rem 0 0"><span class="tag {{.Class}}">{{.Tag}}</span></p>{{end}}
<h1>{{.Line}}</h1>
{{if .Tiles}}<dl class="tiles">{{range .Tiles}}<div class="tile"><dt>{{.Name}}</dt><dd><span class="big {{.Class}}">{{.Value}}</span><small>{{.Note}}</small></dd></div>{{end}}</dl>{{end}}
{{range .Others}}<p class="note">{{.}}</p>{{end}}
{{range .Warnings}}<p class="note bad">{{.}}</p>{{end}}`, content: verdictContent}

type tile struct{ Name, Value, Note, Class string }

type verdictView struct {
	Line, Tag, Class string
	Tiles            []tile
	Others, Warnings []string
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
		out.Line = headline(c)
		out.Tag, out.Class = c.Paired.Verdict, classOf(c.Paired.Verdict)
		out.Tiles = tiles(c)
		for _, other := range v.Paired {
			if other != c && other.A == c.A && other.Diff != nil && (other.OwnFamily && other.Metric == "success" ||
				!other.OwnFamily && other.Metric == "correctness_rate" && other.B == c.B) {
				out.Others = append(out.Others, other.Sentence())
			}
		}
		if v.ChangedByModel != nil {
			out.Others = append(out.Others, fmt.Sprintf("The model's decisions changed squad's calls against search's on %s of the tasks.", eval.Percent(v.ChangedByModel)))
		}
	}
	if n := len(v.HarnessErrors); n > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("The harness failed %d episodes; they count in no score: %s.", n, someEpisodes(v.HarnessErrors)))
	}
	if n := len(v.Unstarted); n > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d episodes have not been run, among them %s.", n, v.Unstarted[0]))
	}
	if c != nil && c.LeftOut > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d tasks are left out of the paired comparison on both sides, because one side has no score there.", c.LeftOut))
	}
	return out
}

func someEpisodes(list []*eval.EpisodeResult) string {
	s := ""
	for i, e := range list {
		if i == 3 {
			return s + ", …"
		}
		if i > 0 {
			s += ", "
		}
		s += e.ID
	}
	return s
}

// headline is the verdict in one sentence; the figures stand in the tiles.
func headline(c *eval.Comparison) string {
	a, b := c.A.Setup, c.B.Setup
	figures := fmt.Sprintf("%s of the tasks against %s", eval.Percent(c.MeanA), eval.Percent(c.MeanB))
	switch c.Paired.Verdict {
	case stats.Better:
		return fmt.Sprintf("%s beats %s: it solves %s.", a, b, figures)
	case stats.Worse:
		return fmt.Sprintf("%s loses to %s: it solves %s.", a, b, figures)
	}
	return fmt.Sprintf("No winner yet between %s and %s: %s.", a, b, figures)
}

func tiles(c *eval.Comparison) []tile {
	sure := tile{Name: "How sure", Value: eval.PText(c.PHolm), Class: "", Note: fmt.Sprintf("%d tasks of %d templates", c.Paired.Tasks, c.Templates)}
	if c.PHolm != nil && *c.PHolm < 0.001 {
		sure.Value = "p < 0.001"
	}
	if c.Detectable != nil {
		sure.Note += fmt.Sprintf("; could show %.0f points or more", *c.Detectable*100)
	}
	out := []tile{
		{Name: "Difference in success", Value: eval.Points(c.Diff) + " points", Class: classOf(c.Paired.Verdict), Note: bounds(c)},
		sure,
		{Name: "Tokens against " + c.B.Setup, Value: "–", Note: c.Tokens.Reason},
		{Name: "Earns its tokens", Value: "unknown", Note: c.EarnsReason},
	}
	if c.Tokens.Mean != nil {
		out[2].Value = fmt.Sprintf("× %.2f", *c.Tokens.Mean)
		out[2].Note = "no interval"
		if c.Tokens.Lo != nil {
			out[2].Note = fmt.Sprintf("95 %% interval × %.2f to × %.2f", *c.Tokens.Lo, *c.Tokens.Hi)
		}
	}
	if c.Tokens.Reason == stats.ZeroBase {
		out[2].Value, out[2].Note = "–", c.B.Setup+" uses none"
	}
	if c.EarnsTokens != nil {
		out[3].Value, out[3].Note = "no", "neither better, nor as good for fewer"
		if *c.EarnsTokens {
			out[3].Value, out[3].Note = "yes", "as good or better for its tokens"
		}
	}
	return out
}

func bounds(c *eval.Comparison) string {
	if c.Lo == nil || c.Hi == nil {
		return "no interval: all differences are equal"
	}
	return fmt.Sprintf("95 %% interval %s to %s", eval.Points(c.Lo), eval.Points(c.Hi))
}
