package schedule

import (
	"errors"
	"fmt"
	"strings"
)

// ErrCycle is returned by NewPlan for statements that wait for each other.
var ErrCycle = errors.New("schedule: statements wait for each other")

// Plan is the order in which a program can run. Statements are known by their
// IDs: the name that they bind, "check_1" and so on for the bare calls in the
// order of the text, "answer" and "decline".
type Plan struct {
	// Order has every statement behind the ones it needs, else as in the text.
	Order []string
	// Levels group the order: statements of one level need none of each other.
	Levels [][]string
	// Needs are the statements whose results a statement names; answer needs all
	// bare calls besides. Dependents is the reverse. Both are in text order.
	Needs, Dependents map[string][]string
	// Statements finds a statement by its ID.
	Statements map[string]*Statement
}

// IDs names each statement of a program; see [Plan].
func IDs(p *Program) []string {
	ids := make([]string, len(p.Statements))
	taken := make(map[string]bool, len(p.Statements))
	for _, s := range p.Statements {
		taken[s.Name] = true
	}
	checks := 0
	for i, s := range p.Statements {
		switch s.Body.(type) {
		case *Answer:
			ids[i] = "answer"
		case *Decline:
			ids[i] = "decline"
		default:
			ids[i] = s.Name
			for s.Name == "" && (ids[i] == "" || taken[ids[i]]) {
				checks++
				ids[i] = fmt.Sprintf("check_%d", checks)
			}
		}
	}
	return ids
}

// NewPlan orders a program by what its statements need. Names that no statement
// binds are passed over: Check reports them. A name bound twice belongs to the
// first statement. It returns ErrCycle, with the cycle, when there is no order.
func NewPlan(p *Program) (*Plan, error) {
	ids := IDs(p)
	plan := &Plan{Needs: make(map[string][]string, len(ids)), Dependents: make(map[string][]string, len(ids)),
		Statements: make(map[string]*Statement, len(ids))}
	var unique []string
	var bare []string
	for i, s := range p.Statements {
		if _, twice := plan.Statements[ids[i]]; twice {
			continue
		}
		unique = append(unique, ids[i])
		plan.Statements[ids[i]] = s
		if _, isCall := s.Body.(*Call); isCall && s.Name == "" {
			bare = append(bare, ids[i])
		}
	}
	for _, id := range unique {
		s := plan.Statements[id]
		for _, name := range Names(s) {
			if _, ok := plan.Statements[name]; ok && name != "answer" && name != "decline" {
				plan.Needs[id] = append(plan.Needs[id], name)
			}
		}
		if _, ok := s.Body.(*Answer); ok {
			plan.Needs[id] = append(plan.Needs[id], bare...)
		}
		for _, need := range plan.Needs[id] {
			plan.Dependents[need] = append(plan.Dependents[need], id)
		}
	}
	return plan, plan.sort(unique)
}

// sort fills Order and Levels, level by level (Kahn 1962).
func (plan *Plan) sort(ids []string) error {
	waiting := make(map[string]int, len(ids))
	position := make(map[string]int, len(ids))
	var level []string
	for i, id := range ids {
		position[id] = i
		if waiting[id] = len(plan.Needs[id]); waiting[id] == 0 {
			level = append(level, id)
		}
	}
	for len(level) > 0 {
		plan.Levels = append(plan.Levels, level)
		plan.Order = append(plan.Order, level...)
		var next []string
		for _, id := range level {
			for _, d := range plan.Dependents[id] {
				if waiting[d]--; waiting[d] == 0 {
					next = append(next, d)
				}
			}
		}
		sortBy(next, position)
		level = next
	}
	if len(plan.Order) == len(ids) {
		return nil
	}
	for _, id := range ids {
		if cycle := findCycle(plan.Needs, id); cycle != nil {
			return fmt.Errorf("%w: %s", ErrCycle, strings.Join(cycle, " > "))
		}
	}
	return ErrCycle
}

func sortBy(ids []string, position map[string]int) {
	for i := 1; i < len(ids); i++ {
		for j := i; j > 0 && position[ids[j]] < position[ids[j-1]]; j-- {
			ids[j], ids[j-1] = ids[j-1], ids[j]
		}
	}
}

// findCycle follows needs from a statement back to itself: "s1 > s2 > s1".
func findCycle(needs map[string][]string, start string) []string {
	from := map[string]string{}
	queue := []string{start}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		for _, need := range needs[id] {
			if need == start {
				path := []string{start}
				for at := id; at != start; at = from[at] {
					path = append(path, at)
				}
				path = append(path, start)
				for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
					path[i], path[j] = path[j], path[i]
				}
				return path
			}
			if _, seen := from[need]; !seen {
				from[need] = id
				queue = append(queue, need)
			}
		}
	}
	return nil
}

// cycleFrom finds a cycle that leads from one statement through a name back to
// it.
func cycleFrom(p *Program, name, step string) []string {
	if step == "" {
		return nil
	}
	needs := map[string][]string{}
	for _, s := range p.Statements {
		if _, ok := needs[s.Name]; !ok && s.Name != "" {
			needs[s.Name] = Names(s)
		}
	}
	cycle := findCycle(needs, step)
	if contains(cycle, name) {
		return cycle
	}
	return nil
}

// Names are the steps that a statement names, in its arguments and its guard,
// each once and in the order of the text. The loop name of a mapped step and
// task are none.
func Names(s *Statement) []string {
	var names []string
	for _, r := range References(s) {
		if !r.IsTask() {
			names = appendOnce(names, r.Name)
		}
	}
	return names
}
