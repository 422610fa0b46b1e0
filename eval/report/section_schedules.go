package report

import (
	"fmt"
	"maps"
	"slices"

	"almanac/eval"
)

var schedulesSection = section{id: "schedules", title: "Schedules", template: `
{{if .Rows}}<div class="wide" tabindex="0" role="group" aria-label="Schedules"><table class="sortable"><thead><tr><th>Setup</th><th class="n">Episodes<br>with one</th><th class="n">Versions</th><th class="n">Valid<br>at once</th><th class="n">Valid<br>in the end</th><th class="n">Versions<br>repaired</th><th class="n">Revisions</th><th class="n">Memo hits</th><th class="n">Side by side</th></tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Name}}<small>{{.Model}}</small></td>{{range .Figures}}{{.Td}}{{end}}</tr>
{{end}}</tbody></table></div>
<p class="note">“Side by side” is the time that tools worked over the time that passed while any did: 1 is one after the other. It counts what steps of one episode won by running together.</p>{{else}}<p class="soft">No setup wrote a schedule.</p>{{end}}
{{template "counts" .Repairs}}{{template "counts" .Problems}}{{template "counts" .Calls}}
{{define "counts"}}<h3>{{.Title}}</h3>{{if .Rows}}<div class="wide" tabindex="0" role="group" aria-label="{{.Title}}"><table class="sortable"><thead><tr><th>{{.Of}}</th>{{range .Setups}}<th class="n">{{.}}</th>{{end}}</tr></thead><tbody>
{{range .Rows}}<tr><td class="name">{{.Name}}</td>{{range .Figures}}{{.Td}}{{end}}</tr>
{{end}}</tbody></table></div>{{else}}<p class="soft">{{.Nothing}}</p>{{end}}{{end}}`, content: schedulesContent}

// countsTable counts something by setup.
type countsTable struct {
	Title, Of, Nothing string
	Setups             []string
	Rows               []figuresRow
}

type schedulesView struct {
	Rows                     []figuresRow
	Repairs, Problems, Calls countsTable
}

func schedulesContent(v *view) any { return v.schedules() }

func (v *view) schedules() schedulesView {
	var out schedulesView
	for i, s := range v.Setups {
		if s.Schedules.Episodes == 0 {
			continue
		}
		at := fmt.Sprintf("setups/%d/", i)
		x := s.Schedules
		out.Rows = append(out.Rows, figuresRow{Name: s.Arm.Setup, Model: s.Arm.Model, Figures: []figure{
			wholeOf(x.Episodes, at+"schedules/episodes"), wholeOf(x.Versions, at+"schedules/versions"),
			percentOf(s.Metrics["schedule_valid"].Mean, at+"schedule_valid/mean"), percentOf(s.Metrics["schedule_valid_final"].Mean, at+"schedule_valid_final/mean"),
			wholeOf(x.Repaired, at+"schedules/repaired"), wholeOf(s.Replans, at+"revisions"), wholeOf(s.MemoHits, at+"memo_hits"),
			decimalOf(x.SpeedUp(), 2, fmt.Sprintf("timings:setups/%d/speed_up", i))}})
	}
	out.Repairs = v.countsBy("Repairs, by what was mended", "Repair", "No schedule was repaired.", "repairs",
		func(s *eval.Summary) map[string]int { return s.Schedules.Repairs })
	out.Problems = v.countsBy("Why schedules were refused", "Problem", "No schedule was refused.", "problems",
		func(s *eval.Summary) map[string]int { return s.Schedules.Problems })
	out.Calls = v.callsTable()
	return out
}

func (v *view) countsBy(title, of, none, key string, f func(*eval.Summary) map[string]int) countsTable {
	t := countsTable{Title: title, Of: of, Nothing: none, Setups: v.labels()}
	ids := map[string]bool{}
	for _, s := range v.Setups {
		for id := range f(s) {
			ids[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		row := figuresRow{Name: id}
		for i, s := range v.Setups {
			n, ok := f(s)[id]
			cell := figure{Text: nothing}
			if ok {
				cell = wholeOf(n, fmt.Sprintf("setups/%d/schedules/%s/%s", i, key, id))
			}
			row.Figures = append(row.Figures, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// callsTable says who called whom, how often.
func (v *view) callsTable() countsTable {
	t := countsTable{Title: "Who called whom", Of: "Calls", Nothing: "No tool was called.", Setups: v.labels()}
	all := eval.Schedules{Callers: map[eval.Call]int{}}
	for _, s := range v.Setups {
		for c, n := range s.Schedules.Callers {
			all.Callers[c] += n
		}
	}
	for _, c := range all.Pairs() {
		row := figuresRow{Name: c.From + " → " + c.To}
		for i, s := range v.Setups {
			cell := figure{Text: nothing}
			if n := s.Schedules.Callers[c]; n > 0 {
				cell = wholeOf(n, fmt.Sprintf("setups/%d/schedules/calls/%d/calls", i, slices.Index(s.Schedules.Pairs(), c)))
			}
			row.Figures = append(row.Figures, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
