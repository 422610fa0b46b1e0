package scenarios

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"almanac/orchestrator/schedule"
)

// duplicates refuses two tasks with one gold: the same text with the same slots, or, where the engine can run it, the
// same executed calls.
func (v *validator) duplicates() {
	texts, keys := map[string]Task{}, map[string]Task{}
	for _, t := range v.suite.Tasks {
		if t.Decline || len(t.Gold) == 0 {
			continue
		}
		f := readGold(t.Gold[0])
		used := map[string]any{}
		for _, name := range f.slots {
			s, _ := t.Slot(name)
			used[name] = s.Value()
		}
		slots, err := json.Marshal(used) // maps are written with sorted keys
		if err != nil {
			v.fail(t, "duplicate", "its slots cannot be compared: %v", err)
			continue
		}
		text := t.Gold[0].Text + string(slots)
		if first, ok := texts[text]; ok {
			v.fail(t, "duplicate", "its gold is that of %s", first.ID)
		}
		texts[text] = t
		if v.engine.Executed == nil {
			continue
		}
		calls, err := v.engine.Executed(t)
		if err != nil {
			v.fail(t, "gold", "it cannot be run: %v", err)
			continue
		}
		key := strings.Join(calls, "\n")
		if first, ok := keys[key]; ok {
			v.fail(t, "duplicate", "its executed gold is that of %s", first.ID)
		}
		keys[key] = t
		if call := repeated(calls); call != "" {
			v.fail(t, "gold", "two executed calls of gold are equal: %s", call)
		}
	}
}

func repeated(list []string) string {
	seen := map[string]bool{}
	for _, s := range list {
		if seen[s] {
			return s
		}
		seen[s] = true
	}
	return ""
}

// splits refuses templates, pairs of region and period, and continuous answers that two splits share.
func (v *validator) splits() {
	templates, regions := map[string]Task{}, map[string]Task{}
	for i, t := range v.suite.Tasks {
		if first, ok := templates[t.Template]; ok && first.Split != t.Split {
			v.fail(t, "split", "template %s is in %s and, by %s, in %s", t.Template, t.Split, first.ID, first.Split)
		}
		templates[t.Template] = t
		region := t.regionPeriod()
		if first, ok := regions[region]; ok && region != "" && first.Split != t.Split {
			v.fail(t, "split", "region and period (%s) are those of %s in %s", region, first.ID, first.Split)
		}
		regions[region] = t
		for _, other := range v.suite.Tasks[:i] {
			if other.Split != t.Split {
				v.sameAnswer(t, other)
			}
		}
	}
}

// regionPeriod names the places, boxes and times of a task's slots, sorted by name; "" where it has none.
func (t Task) regionPeriod() string {
	var parts []string
	for _, s := range t.Slots {
		if s.Kind == NumberSlot || s.Name == "variable" || s.Name == "comparison" || s.Name == "dataset" {
			continue
		}
		parts = append(parts, fmt.Sprint(s.Value()))
	}
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}

// sameAnswer refuses equal values of continuous fields with one unit: a memory of one split would answer the other.
func (v *validator) sameAnswer(t, other Task) {
	for _, f := range t.Answer {
		y, ok := t.Expected[f.Key].(float64)
		if !ok || f.Type != Number {
			continue
		}
		for _, g := range other.Answer {
			z, ok := other.Expected[g.Key].(float64)
			if ok && g.Type == Number && g.Unit == f.Unit && math.Abs(y-z) <= min(f.Tolerance(y), g.Tolerance(z)) {
				v.fail(t, "split", "%s is %g %s, as %s of %s in %s", f.Key, y, f.Unit, g.Key, other.ID, other.Split)
			}
		}
	}
}

// templates refuses a template with a single task: a mean over one says nothing about the template.
func (v *validator) templates() {
	count := map[string]int{}
	for _, t := range v.suite.Tasks {
		count[t.Template]++
	}
	whole := slices.ContainsFunc(v.suite.Tasks, func(t Task) bool { return count[t.Template] > 1 })
	for _, t := range v.suite.Tasks {
		if whole && count[t.Template] == 1 {
			v.fail(t, "template", "template %s has one task; two at least", t.Template)
		}
	}
}

// shares holds the suite to its rules on ambiguity: a third of its tasks have two well-typed schedules with different
// answers, and of a third the answer's unit is one that five tools can give.
func (v *validator) shares() {
	n := 0
	for _, t := range v.suite.Tasks {
		if !t.Decline {
			n++
		}
	}
	if n == 0 {
		return
	}
	if v.engine.Alternatives != nil {
		choice := 0
		for _, t := range v.suite.Tasks {
			if t.Decline {
				continue
			}
			k, err := v.engine.Alternatives(t)
			if err != nil {
				v.fail(t, "ambiguity", "its schedules cannot be counted: %v", err)
			}
			if k >= 2 {
				choice++
			}
		}
		if 3*choice < n {
			v.found = append(v.found, Finding{Rule: "ambiguity", Msg: fmt.Sprintf("%d of %d tasks have two well-typed schedules with different answers; a third is wanted", choice, n)})
		}
	}
	if v.engine.Catalog != nil {
		common := 0
		for _, t := range v.suite.Tasks {
			if !t.Decline && v.commonUnit(t) {
				common++
			}
		}
		if 3*common < n {
			v.found = append(v.found, Finding{Rule: "units", Msg: fmt.Sprintf("%d of %d tasks ask for a unit that five tools can give; a third is wanted", common, n)})
		}
	}
}

// commonUnit says whether five tools have a scalar output that can have the unit of one of the task's fields: one
// declared in it, or one that takes the unit of its input.
func (v *validator) commonUnit(t Task) bool {
	for _, f := range t.Answer {
		if !f.Numeric() || f.Unit == "1" {
			continue
		}
		tools := 0
		for _, s := range v.engine.Catalog.Signatures() {
			if slices.ContainsFunc(s.Outputs, func(o schedule.Output) bool { return v.gives(o, f.Unit) }) {
				tools++
			}
		}
		if tools >= 5 {
			return true
		}
	}
	return false
}

func (v *validator) gives(o schedule.Output, unit string) bool {
	if o.Kind != schedule.KindScalar && o.Kind != schedule.KindNumber && o.Kind != schedule.KindInteger {
		return false
	}
	if strings.HasPrefix(o.Unit, "@") && !strings.Contains(o.Unit, " ") {
		return v.measured(unit)
	}
	return v.engine.Catalog.Units().Convertible(o.Unit, unit)
}

// measured says whether a field or series can have the unit: that of a variable, or one that a tool gives to what it
// makes. A tool that takes the unit of its input can give no other.
func (v *validator) measured(unit string) bool {
	convertible := v.engine.Catalog.Units().Convertible
	for _, s := range v.engine.Catalog.Signatures() {
		for _, p := range s.Params {
			if slices.ContainsFunc(p.Enum, func(c schedule.Choice) bool { return c.Unit != "" && convertible(c.Unit, unit) }) {
				return true
			}
		}
		for _, o := range s.Outputs {
			if (o.Kind == schedule.KindRaster || o.Kind == schedule.KindSeries) && o.Unit != "" && !strings.HasPrefix(o.Unit, "@") && convertible(o.Unit, unit) {
				return true
			}
		}
	}
	return false
}
