package scenarios

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"almanac/orchestrator/schedule"
)

// Finding is something that is wrong with a task, or with a suite (then Task is empty).
type Finding struct {
	Rule string `json:"rule"` // one word that names the rule
	Task string `json:"task,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Msg  string `json:"message"`
}

func (f Finding) String() string {
	if f.Task == "" {
		return fmt.Sprintf("%s: %s", f.Rule, f.Msg)
	}
	return fmt.Sprintf("%s:%d: task %s: %s: %s", f.File, f.Line, f.Task, f.Rule, f.Msg)
}

// Engine is what validation asks of the program that runs schedules. Rules whose source is nil are left out, so that
// a suite can be validated without tools.
type Engine struct {
	// Catalog checks gold schedules, and tells which names tools give to their outputs.
	Catalog schedule.Catalog
	// Documentation is what a tool is described by in words: purpose, details and examples.
	Documentation func(tool string) string
	// Executed are the keys of the calls of the task's first gold as executed, in its order.
	Executed func(Task) ([]string, error)
	// Alternatives counts the well-typed schedules of the task that give different answers, up to a bound of at least 2.
	Alternatives func(Task) (int, error)
}

// Validate checks a suite by the rules of the package's documentation and returns everything that is wrong, in the
// order of the tasks; nil means that nothing is.
func Validate(s *Suite, e *Engine) []Finding {
	if e == nil {
		e = &Engine{}
	}
	v := &validator{suite: s, engine: e}
	for _, t := range s.Tasks {
		v.task(t)
	}
	v.duplicates()
	v.splits()
	v.templates()
	v.shares()
	return v.found
}

type validator struct {
	suite  *Suite
	engine *Engine
	found  []Finding
}

func (v *validator) fail(t Task, rule, format string, args ...any) {
	v.found = append(v.found, Finding{Rule: rule, Task: t.ID, File: t.File, Line: t.Line, Msg: fmt.Sprintf(format, args...)})
}

func (v *validator) task(t Task) {
	if len(t.Answer) == 0 {
		v.fail(t, "contract", "the task asks for nothing")
	}
	for _, f := range t.Answer {
		v.field(t, f)
	}
	v.expected(t)
	for _, g := range t.Gold {
		v.gold(t, g)
	}
	v.wordings(t)
	v.effects(t)
	v.leaks(t)
}

// field refuses keys that name a tool's output and tolerances that mean nothing.
func (v *validator) field(t Task, f Field) {
	if f.AbsTol < 0 || f.RelTol < 0 || f.Floor < 0 {
		v.fail(t, "tolerance", "field %s has a negative tolerance", f.Key)
	}
	if f.Numeric() && f.Unit == "" {
		v.fail(t, "contract", "field %s is a number without a unit; \"1\" is none", f.Key)
	}
	if (f.Type == Number || f.Type == Angle) && f.AbsTol == 0 && f.RelTol == 0 && f.Floor == 0 {
		v.fail(t, "tolerance", "field %s is continuous and has no tolerance", f.Key)
	}
	if v.engine.Catalog != nil {
		for _, s := range v.engine.Catalog.Signatures() {
			if slices.ContainsFunc(s.Outputs, func(o schedule.Output) bool { return o.Name == f.Key }) {
				v.fail(t, "key", "field %s has the name of an output of %s; use the asker's words", f.Key, s.Name)
				break
			}
		}
	}
}

// expected compares the stored values with the contract.
func (v *validator) expected(t Task) {
	if t.Decline {
		if len(t.Expected) > 0 || len(t.Alternatives) > 0 {
			v.fail(t, "expected", "a task to decline has no expected values")
		}
		return
	}
	for i, values := range append([]map[string]any{t.Expected}, t.Alternatives...) {
		name := "expected"
		if i > 0 {
			name = fmt.Sprintf("alternative %d", i)
		}
		for _, f := range t.Answer {
			got, ok := values[f.Key]
			switch {
			case !ok:
				v.fail(t, "expected", "%s lacks field %s", name, f.Key)
			case !fits(f.Type, f.Item, got):
				v.fail(t, "expected", "%s: %v (%T) is no value of field %s of type %s", name, got, got, f.Key, f.Type)
			default:
				v.width(t, f, got)
			}
		}
		for key := range values {
			if _, ok := t.Field(key); !ok {
				v.fail(t, "expected", "%s has %q, which the contract does not ask for", name, key)
			}
		}
	}
	for _, f := range t.Answer {
		if t.Evidence[f.Key] == "" {
			v.fail(t, "evidence", "nothing says where the value of %s comes from", f.Key)
		}
	}
}

// width refuses a tolerance wider than the value where no floor says that this is meant.
func (v *validator) width(t Task, f Field, got any) {
	values, ok := got.([]any)
	if !ok {
		values = []any{got}
	}
	for _, x := range values {
		if y, ok := x.(float64); ok && f.Floor == 0 && f.Tolerance(y) > math.Abs(y) {
			v.fail(t, "tolerance", "field %s: a tolerance of %g is wider than the value %g; give a floor", f.Key, f.Tolerance(y), y)
		}
	}
}

func fits(kind, item string, v any) bool {
	switch kind {
	case Number, Angle:
		x, ok := v.(float64)
		return ok && !math.IsNaN(x) && !math.IsInf(x, 0)
	case Integer:
		x, ok := v.(float64)
		return ok && x == math.Trunc(x) && !math.IsInf(x, 0)
	case Boolean:
		_, ok := v.(bool)
		return ok
	case List:
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(x any) bool { return !fits(item, "", x) })
	}
	s, ok := v.(string)
	return ok && s != ""
}

// gold checks that a schedule parses, answers what the question asks, and uses nothing but what the words state.
func (v *validator) gold(t Task, g Gold) {
	f := readGold(g)
	for _, p := range f.problems {
		v.fail(Task{ID: t.ID, File: t.File, Line: g.Line + p.Line - 1}, "gold", "%s", p)
	}
	if f.program == nil || len(f.problems) > 0 {
		return
	}
	if f.declines != t.Decline {
		v.fail(t, "gold", "decline is %v, but gold says otherwise", t.Decline)
	}
	if !t.Decline {
		v.answers(t, f)
	}
	if call := f.twice(); call != "" {
		v.fail(t, "gold", "gold has the call %s twice", call)
	}
	for _, name := range f.slots {
		if _, ok := t.Slot(name); !ok {
			v.fail(t, "slot", "gold reads task.%s, which is no slot of the task%s", name, nearest(name, slotNames(t.Slots)))
		}
	}
	v.literals(t, f)
	if v.engine.Catalog != nil {
		_, problems := schedule.CheckText(g.Text, v.engine.Catalog, contract(t), t.slotTypes(), nil)
		for _, p := range schedule.Errors(problems) {
			v.fail(Task{ID: t.ID, File: t.File, Line: g.Line + p.Line - 1}, "gold", "%s", p)
		}
	}
}

// answers refuses gold that answers another question: a field left out, or one that nobody asked for.
func (v *validator) answers(t Task, f goldFacts) {
	for _, field := range t.Answer {
		if !slices.Contains(f.answers, field.Key) {
			v.fail(t, "gold", "the question asks for %s, gold answers %s", field.Key, strings.Join(f.answers, ", "))
		}
	}
	for _, key := range f.answers {
		if _, ok := t.Field(key); !ok {
			v.fail(t, "gold", "gold answers %q, which the contract does not ask for", key)
		}
	}
}

// literals refuses numbers that gold has and the words have not, unless a parameter of a tool it calls has it as default.
func (v *validator) literals(t Task, f goldFacts) {
	text := t.Question + " " + t.Context
	for _, n := range f.numbers {
		if !slices.Contains(numerals(text), n) && !v.isDefault(f, n) {
			v.fail(t, "literal", "gold has the number %g, which is neither in the question nor in the context", n)
		}
	}
}

func (v *validator) isDefault(f goldFacts, n float64) bool {
	if v.engine.Catalog == nil {
		return false
	}
	for _, name := range f.tools() {
		s, _ := v.engine.Catalog.Signature(name)
		for _, p := range s.Params {
			if x, ok := p.Default.(float64); ok && x == n {
				return true
			}
		}
	}
	return false
}

func contract(t Task) schedule.Contract {
	var c schedule.Contract
	for _, f := range t.Answer {
		c = append(c, schedule.Field{Key: f.Key, Type: f.Type, Quantity: f.Quantity, Unit: f.Unit, Description: f.Description})
	}
	return c
}

// slotTypes are the task's slots as the checker wants them.
func (t Task) slotTypes() schedule.Slots {
	slots := schedule.Slots{}
	for _, s := range t.Slots {
		slots[s.Name] = schedule.Slot{Type: s.typ(), Value: s.Value()}
	}
	return slots
}

func (s Slot) typ() schedule.Type {
	switch s.Kind {
	case NumberSlot:
		return schedule.Type{Kind: schedule.KindNumber, Unit: s.Unit}
	case PeriodSlot:
		return schedule.Type{Kind: schedule.KindPeriod}
	case BoxSlot:
		return schedule.Type{Kind: schedule.KindBox}
	case ListSlot:
		t := s.Items[0].typ()
		t.List = true
		return t
	}
	return schedule.Type{Kind: schedule.KindString}
}
