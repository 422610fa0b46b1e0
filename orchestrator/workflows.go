package orchestrator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/memory/workflow"
	"almanac/orchestrator/reading"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
	"almanac/toolkits/cftime"
)

// recalledWorkflows are how many entries a memory is asked for.
const recalledWorkflows = 3

// Workflows is a workflow memory as setups use it: requests are looked up by their words with slots in the place of what
// was read from them.
type Workflows struct {
	memory *workflow.Memory
	team   *Team
}

// NewWorkflows leaves out the entries that do not fit the team's tools, and says which.
func NewWorkflows(team *Team, m *workflow.Memory) (*Workflows, []workflow.Refusal) {
	fitting, refused := m.Fitting(team.toolHashes())
	return &Workflows{fitting, team}, refused
}

// Recall returns what is remembered of requests like this one, best first.
func (w *Workflows) Recall(ctx context.Context, request string) ([]Example, error) {
	hits, err := w.memory.Find(ctx, w.team.Slotted(request), recalledWorkflows)
	if err != nil {
		return nil, err
	}
	out := make([]Example, len(hits))
	for i, h := range hits {
		out[i] = Example{ID: h.Source(), Request: h.Request, Schedule: h.Schedule, Avoid: h.Avoid, Score: h.Score, State: h.State}
	}
	return out, nil
}

// Limited is the same memory with its n most useful entries.
func (w *Workflows) Limited(n int) Recaller { return &Workflows{w.memory.Limited(n), w.team} }

// Memory is the memory with the entries that fit.
func (w *Workflows) Memory() *workflow.Memory { return w.memory }

// Slotted is a request with slots in the place of what was read from it: "How warm is <place> in <month>?".
func (t *Team) Slotted(request string) string {
	items := slices.Clone(t.Reader.Read(request).Items)
	slices.SortStableFunc(items, func(a, b reading.Item) int { return b.Start - a.Start })
	for _, it := range items {
		request = request[:it.Start] + "<" + it.Kind + ">" + request[it.End:]
	}
	return request
}

// ErrParticular is a schedule that cannot be remembered: it holds a value that is not the request's.
var ErrParticular = errors.New("the schedule holds a value of its own")

// Workflow makes an entry of a schedule that solved a request: every value that was read from the request becomes its
// slot. A schedule with another value, which a later request would be given without having said it, is [ErrParticular].
// Words of a tool's closed vocabulary, such as a method, are no values. Suite, split, template and state are left to the
// caller.
func (t *Team) Workflow(request, text string, tokens int64) (workflow.Entry, error) {
	program, problems := schedule.Parse(text)
	if len(schedule.Errors(problems)) > 0 || program.Answer() == nil {
		return workflow.Entry{}, errors.New("orchestrator: remembering: not a schedule with an answer")
	}
	slots := t.Reader.Read(request).Slots()
	vocabulary := t.vocabulary()
	var particular []string
	skeleton := program.Rewrite(func(e schedule.Expr) schedule.Expr {
		switch e := e.(type) {
		case *schedule.String:
			if ref := slotOf(slots, e.Value); ref != nil {
				return ref
			}
			if !vocabulary[strings.ToLower(e.Value)] {
				particular = append(particular, e.Value)
			}
		case *schedule.Number:
			if ref := slotOf(slots, e.Float()); ref != nil {
				return ref
			}
			particular = append(particular, e.Text)
		}
		return e
	})
	if len(particular) > 0 {
		return workflow.Entry{}, fmt.Errorf("orchestrator: %w: %s", ErrParticular, strings.Join(particular, ", "))
	}
	e := workflow.Entry{Request: t.Slotted(request), Schedule: schedule.Print(skeleton), Tools: map[string]string{}, Tokens: tokens}
	e.ID = schedule.Hash(withoutKeys(skeleton))[:12]
	hashes := t.toolHashes()
	for _, s := range skeleton.Statements {
		for _, c := range s.Calls() {
			if !c.IsAsk() {
				e.Tools[c.FullName()] = hashes[c.FullName()]
			}
			if !slices.Contains(e.Agents, c.Agent) {
				e.Agents = append(e.Agents, c.Agent)
			}
		}
	}
	return e, nil
}

// withoutKeys names the fields of the answer by their places: the same schedule for another asker's keys is the same.
func withoutKeys(p *schedule.Program) *schedule.Program {
	c := p.Clone()
	for i := range c.Answer().Fields {
		c.Answer().Fields[i].Name = fmt.Sprintf("field_%d", i+1)
	}
	return c
}

// slotOf is the slot that holds a value; nil where none or more than one does.
func slotOf(slots map[string]toolkits.Value, value any) *schedule.Ref {
	var found []*schedule.Ref
	for _, name := range sortedNames(slots) {
		v := slots[name]
		if v.Kind != toolkits.KindList && same(v, value) {
			found = append(found, &schedule.Ref{Name: schedule.TaskName, Field: name})
		}
	}
	if len(found) > 0 { // the single slots are the first of the lists
		return one(found)
	}
	for _, name := range sortedNames(slots) {
		for i, v := range slots[name].List {
			if same(v, value) {
				found = append(found, &schedule.Ref{Name: schedule.TaskName, Field: name, Index: &i})
			}
		}
	}
	return one(found)
}

func one(found []*schedule.Ref) *schedule.Ref {
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

func same(v toolkits.Value, value any) bool {
	switch x := value.(type) {
	case string:
		text, ok := v.Plain().(string)
		return ok && (strings.EqualFold(text, x) || samePeriod(text, x))
	case float64:
		return v.IsNumber() && v.Number == x
	}
	return false
}

func samePeriod(a, b string) bool {
	p, err := cftime.ParsePeriod(a)
	q, err2 := cftime.ParsePeriod(b)
	return err == nil && err2 == nil && toolkits.CanonicalPeriod(p) == toolkits.CanonicalPeriod(q)
}

// vocabulary are the words that tools offer as choices.
func (t *Team) vocabulary() map[string]bool {
	out := map[string]bool{}
	for _, sig := range t.Catalog.Signatures() {
		for _, p := range sig.Params {
			for _, c := range p.Enum {
				out[strings.ToLower(c.Value)] = true
			}
		}
	}
	return out
}

// toolHashes tell a tool from itself after a change: of its version, parameters and outputs.
func (t *Team) toolHashes() map[string]string {
	out := map[string]string{}
	for _, tool := range t.Tools.Tools() {
		sig, _ := t.Catalog.Signature(tool.Name)
		text, err := json.Marshal([]any{tool.Version, sig.Params, sig.Outputs})
		if err != nil {
			continue // a tool that cannot be written down has no hash, and no entry with it fits
		}
		sum := sha256.Sum256(text)
		out[tool.Name] = hex.EncodeToString(sum[:8])
	}
	return out
}
