package report

import (
	"fmt"

	"almanac/eval"
)

var selectionSection = section{id: "selection", title: "Tool selection", template: `
{{if .Rows}}<div class="wide" tabindex="0" role="group" aria-label="Tool selection"><table class="sortable"><thead><tr><th>Setup</th><th class="n">Episodes</th><th class="n">Queries</th>{{range .Ranks}}<th class="n">Recall@{{.}}</th>{{end}}<th class="n">Recall of what<br>was shown</th><th class="n">MRR</th><th class="n">Tools shown</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Name}}<small>{{.Model}}</small></td>{{range .Figures}}{{.Td}}{{end}}</tr>
{{end}}</tbody></table></div>
<p class="note">Recall@k: the share of the tools of gold that stand among the first k of any of an episode’s queries. MRR: 1/rank of the first of them, a mean over queries. Tasks to decline have no gold tools and are left out.</p>{{else}}<p class="soft">No setup selected tools: each was shown all that it may use, or none.</p>{{end}}
{{if .Calls}}<h3>Calls in replies</h3><div class="wide" tabindex="0" role="group" aria-label="Calls in replies"><table class="sortable"><thead><tr><th>Setup</th><th class="n">Native</th><th class="n">Repaired</th><th class="n">Replies of no use</th></tr></thead><tbody>
{{range .Calls}}<tr><td class="name">{{.Name}}<small>{{.Model}}</small></td>{{range .Figures}}{{.Td}}{{end}}</tr>
{{end}}</tbody></table></div><p class="note">Native: as the server gave them; repaired: found in the text or mended before they were read.</p>{{else}}<p class="soft">No reply of a model held a tool call.</p>{{end}}`, content: selectionContent}

// figuresRow is a setup with its figures.
type figuresRow struct {
	Name, Model string
	Figures     []figure
}

type selectionView struct {
	Ranks       []int
	Rows, Calls []figuresRow
}

func selectionContent(v *view) any { return v.selection() }

func (v *view) selection() selectionView {
	var out selectionView
	out.Ranks = eval.RecallRanks()
	for i, s := range v.Setups {
		at := fmt.Sprintf("setups/%d/", i)
		if x := s.Selection; x.Episodes > 0 {
			row := figuresRow{Name: s.Arm.Setup, Model: s.Arm.Model,
				Figures: []figure{wholeOf(x.Episodes, at+"selection/episodes"), wholeOf(x.Queries, at+"selection/queries")}}
			for k, r := range x.RecallAt {
				row.Figures = append(row.Figures, percentOf(r, fmt.Sprintf("%sselection/recall_at/%d/recall", at, k)))
			}
			row.Figures = append(row.Figures, percentOf(x.Recall, at+"selection/recall"), decimalOf(x.MRR, 2, at+"selection/mrr"),
				decimalOf(x.SetSize, 1, at+"selection/set_size"))
			out.Rows = append(out.Rows, row)
		}
		if s.NativeCalls+s.RepairedCalls+s.FailedReplies > 0 {
			out.Calls = append(out.Calls, figuresRow{Name: s.Arm.Setup, Model: s.Arm.Model, Figures: []figure{
				wholeOf(s.NativeCalls, at+"native_calls"), wholeOf(s.RepairedCalls, at+"repaired_calls"), wholeOf(s.FailedReplies, at+"failed_replies")}})
		}
	}
	return out
}
