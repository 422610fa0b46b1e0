package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"almanac/eval"
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
)

// node is a statement of a schedule in its drawing.
type node struct {
	id, label, state string
	layer, row       int
	needs            []int
}

// A node's box, and the room between boxes.
const (
	nodeWidth, nodeHeight = 148.0, 40.0
	nodeGapX, nodeGapY    = 34.0, 12.0
	maxNodes              = 60
)

// scheduleGraph draws a schedule: each statement a box in the column after those that it needs, coloured by the state in
// which its step ended. Empty for a text that cannot be read, or that has more statements than a drawing can show.
func scheduleGraph(s *event.Schedule, t *eval.Trace) template.HTML {
	p, problems := schedule.Parse(s.Text)
	if len(problems) > 0 || len(p.Statements) == 0 || len(p.Statements) > maxNodes {
		return ""
	}
	nodes := layered(p)
	last := len(t.Schedules) > 0 && t.Schedules[len(t.Schedules)-1].Version == s.Version
	states := stepStates(t, s, last)
	columns := map[int]int{}
	for i := range nodes {
		n := &nodes[i]
		n.state = states[n.id]
		n.row = columns[n.layer]
		columns[n.layer]++
	}
	return drawn(nodes, columns)
}

// layered gives each statement its column: the longest way to it.
func layered(p *schedule.Program) []node {
	ids := schedule.IDs(p)
	at := map[string]int{}
	nodes := make([]node, len(ids))
	for i, s := range p.Statements {
		n := node{id: ids[i], label: toolOf(s)}
		for _, name := range schedule.Names(s) {
			if j, ok := at[name]; ok {
				n.needs = append(n.needs, j)
				n.layer = max(n.layer, nodes[j].layer+1)
			}
		}
		nodes[i] = n
		at[ids[i]] = i
	}
	return nodes
}

func toolOf(s *schedule.Statement) string {
	text := s.String()
	if s.Name != "" {
		_, text, _ = strings.Cut(text, "=")
	}
	name, _, _ := strings.Cut(strings.TrimSpace(text), "(")
	if i := strings.IndexByte(name, '\n'); i >= 0 {
		name = name[:i]
	}
	return strings.TrimSpace(name)
}

// stepStates are the states in which steps ended. Steps are of the version that ran last; for a version before it, only
// calls say what was done.
func stepStates(t *eval.Trace, s *event.Schedule, last bool) map[string]string {
	out := map[string]string{}
	for _, c := range t.Calls {
		if c.Schedule != s.Version || c.Step == "" {
			continue
		}
		out[c.Step] = "failed"
		if r := t.Results[c.ID]; r != nil && r.OK {
			out[c.Step] = "done"
		}
	}
	if last {
		for _, step := range t.Steps {
			if step.Item < 0 {
				out[step.Step] = step.State
			}
		}
		if t.Answer != nil {
			out["answer"] = "done"
		}
	}
	if !s.Valid {
		return map[string]string{}
	}
	return out
}

func drawn(nodes []node, columns map[int]int) template.HTML {
	most, layers := 0, 0
	for layer, n := range columns {
		most, layers = max(most, n), max(layers, layer+1)
	}
	width := float64(layers)*(nodeWidth+nodeGapX) - nodeGapX + 2
	height := float64(most)*(nodeHeight+nodeGapY) - nodeGapY + 2
	x := func(n node) float64 { return 1 + float64(n.layer)*(nodeWidth+nodeGapX) }
	y := func(n node) float64 { // columns are centred
		free := float64(most-columns[n.layer]) * (nodeHeight + nodeGapY) / 2
		return 1 + free + float64(n.row)*(nodeHeight+nodeGapY)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="graph" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="%s">`, width, height, width, height,
		template.HTMLEscapeString(inWords(nodes)))
	for _, n := range nodes {
		for _, j := range n.needs {
			m := nodes[j]
			x0, y0, x1, y1 := x(m)+nodeWidth, y(m)+nodeHeight/2, x(n), y(n)+nodeHeight/2
			fmt.Fprintf(&b, `<path class="edge" d="M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f"/>`, x0, y0, x0+nodeGapX/2, y0, x1-nodeGapX/2, y1, x1, y1)
		}
	}
	for _, n := range nodes {
		state := n.state
		if !slices.Contains([]string{"waiting", "running", "done", "failed", "skipped", "cancelled"}, state) {
			state = "unknown"
		}
		fmt.Fprintf(&b, `<g class="node %s"><title>%s: %s</title><rect x="%.1f" y="%.1f" width="%.0f" height="%.0f" rx="6"/><text x="%.1f" y="%.1f" class="id">%s</text><text x="%.1f" y="%.1f">%s</text></g>`,
			state, template.HTMLEscapeString(n.id), state, x(n), y(n), nodeWidth, nodeHeight, x(n)+8, y(n)+16, template.HTMLEscapeString(short(n.id, 17)),
			x(n)+8, y(n)+32, template.HTMLEscapeString(short(n.label, 23)))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // names are escaped, the rest is numbers
}

// inWords tells what the drawing shows.
func inWords(nodes []node) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = n.id
		if n.state != "" {
			parts[i] += " " + n.state
		}
	}
	return "steps: " + strings.Join(parts, ", ")
}

func short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
