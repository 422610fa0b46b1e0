package earthbench

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"almanac/eval/internal/pyjson"
)

// Published is what was published of a run. What a folder does not have is empty.
type Published struct {
	steps    map[string]map[string]float64 // item, metric
	verdicts map[string]verdict
	// Means are the published means; nil is not published.
	Means Means
	// Files are the names of those that were read.
	Files []string
}

// verdict is the published end of one item. missing says that the run did not have it.
type verdict struct {
	predicted  string
	correct    bool
	missing    bool
	efficiency *float64
}

// published names of the step scores, and ours.
var stepNames = [...][2]string{
	{"contains_all_tool_calls_any_order", "any_order"}, {"contains_all_tool_calls_in_order", "in_order"},
	{"trajectory_step_wise_score", "exact_match"}, {"parameter_accuracy", "parameters"},
}

// ReadPublished reads published_step_scores.json and published_end_to_end.json from a run's folder, where they are.
func ReadPublished(fsys fs.FS, dir string) (*Published, error) {
	p := &Published{steps: map[string]map[string]float64{}, verdicts: map[string]verdict{}}
	for _, part := range []struct {
		file string
		take func(pyjson.Node) error
	}{{stepsFile, p.takeSteps}, {endFile, p.takeEnd}} {
		d, err := read(fsys, dir, part.file, "")
		if errors.Is(err, ErrMissing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		v, err := pyjson.Parse(d.data)
		if err == nil {
			err = part.take(pyjson.Node{Value: v})
		}
		if err != nil {
			return nil, d.wrap(err)
		}
		p.Files = append(p.Files, part.file)
	}
	return p, nil
}

// number is a score, alone or as the member "score" of an object.
func number(n pyjson.Node) (float64, error) {
	if score := n.Get("score"); !score.Missing() {
		return number(score)
	}
	l, ok := n.Value.(pyjson.Literal)
	if !ok {
		return 0, n.Wants("a number")
	}
	return l.Float(), nil
}

func optional(n pyjson.Node) (*float64, error) {
	if n.Missing() {
		return nil, nil
	}
	v, err := number(n)
	return &v, err
}

func (p *Published) takeSteps(top pyjson.Node) error {
	err := top.First("individual_scores", "individual_results").Members(func(item string, v pyjson.Node) error {
		p.steps[item] = map[string]float64{}
		for _, n := range stepNames {
			score, err := number(v.Get(n[0]))
			if err != nil {
				return err
			}
			p.steps[item][n[1]] = score
		}
		return nil
	})
	if err != nil {
		return err
	}
	summary := top.At("summary", "metrics_summary")
	for i, to := range []**float64{&p.Means.AnyOrder, &p.Means.InOrder, &p.Means.ExactMatch, &p.Means.Parameters} {
		if *to, err = optional(summary.At(stepNames[i][0], "average_score")); err != nil {
			return err
		}
	}
	return nil
}

func (p *Published) takeEnd(top pyjson.Node) error {
	err := each(top.At("accuracy", "detailed_results"), func(item string, v pyjson.Node) error {
		predicted, _ := v.Get("predicted").Value.(string)
		correct, ok := v.Get("correct").Value.(bool)
		if !ok {
			return v.Get("correct").Wants("true or false")
		}
		p.verdicts[item] = verdict{predicted: predicted, correct: correct, missing: v.Get("status").Value == "missing"}
		return nil
	})
	if err != nil {
		return err
	}
	if efficiency := top.At("efficiency", "detailed_results"); !efficiency.Missing() {
		err = each(efficiency, func(item string, v pyjson.Node) error {
			e := p.verdicts[item]
			if v.Get("status").Value != "missing" {
				if e.efficiency, err = optional(v.Get("efficiency")); err != nil {
					return err
				}
			}
			p.verdicts[item] = e
			return nil
		})
	}
	if err != nil {
		return err
	}
	if p.Means.Correct, err = optional(top.At("accuracy", "accuracy")); err != nil {
		return err
	}
	p.Means.Efficiency, err = optional(top.At("efficiency", "average_efficiency"))
	return err
}

// each goes through a list of objects that name their item.
func each(list pyjson.Node, f func(item string, v pyjson.Node) error) error {
	entries, err := list.Entries()
	if err != nil {
		return err
	}
	for _, entry := range entries {
		item, ok := entry.Get("question_index").Text()
		if !ok {
			return entry.Get("question_index").Wants("text")
		}
		if err := f(item, entry); err != nil {
			return err
		}
	}
	return nil
}

// Difference is a published value that ours is not.
type Difference struct {
	Item, Metric    string
	Ours, Published string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s %s: %s here, %s published", d.Item, d.Metric, d.Ours, d.Published)
}

// Tolerance is how far a value may lie from the published one.
const Tolerance = 1e-12

// Compare lists every value of the published positions that differs from what was published, and every item that only
// one of the two has.
func (p *Published) Compare(r *Report) []Difference {
	c := &comparison{}
	ours := map[string]*Item{}
	for i := range r.Items {
		item := &r.Items[i]
		if item.Position < PublishedFrom {
			continue
		}
		ours[item.Key] = item
		if len(p.steps) > 0 {
			c.steps(item, p.steps[item.Key])
		}
		if len(p.verdicts) > 0 {
			c.end(item, p.verdicts[item.Key])
		}
	}
	for key := range p.steps {
		if ours[key] == nil {
			c.add(key, "step scores", "none", "some")
		}
	}
	for key, v := range p.verdicts {
		if ours[key] == nil && !(v.missing && v.efficiency == nil) {
			c.add(key, "answer", "none", v.predicted)
		}
	}
	for i, of := range meanFields {
		if published := *of(&p.Means); published != nil {
			c.number("mean", meanNames[i], *of(&r.Means.Published), published)
		}
	}
	slices.SortFunc(c.found, func(a, b Difference) int { return compareKeys(a.Item+a.Metric, b.Item+b.Metric) })
	return c.found
}

type comparison struct{ found []Difference }

func (c *comparison) add(item, metric, ours, published string) {
	c.found = append(c.found, Difference{item, metric, ours, published})
}

func (c *comparison) number(item, metric string, ours, published *float64) {
	if ours == nil && published == nil || ours != nil && published != nil && math.Abs(*ours-*published) <= Tolerance {
		return
	}
	c.add(item, metric, shown(ours), shown(published))
}

func shown(v *float64) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprint(*v)
}

func (c *comparison) steps(item *Item, published map[string]float64) {
	for i, v := range []*float64{item.AnyOrder, item.InOrder, item.ExactMatch, item.Parameters} {
		var want *float64
		if w, ok := published[stepNames[i][1]]; ok {
			want = &w
		}
		c.number(item.Key, stepNames[i][1], v, want)
	}
}

func (c *comparison) end(item *Item, v verdict) {
	answer := "MISSING"
	if item.Answer != nil {
		answer = *item.Answer
	}
	if answer != v.predicted {
		c.add(item.Key, "answer", answer, v.predicted)
	}
	if correct := item.Correct != nil && *item.Correct; correct != v.correct {
		c.add(item.Key, "correct", fmt.Sprint(correct), fmt.Sprint(v.correct))
	}
	c.number(item.Key, "efficiency", item.Efficiency, v.efficiency)
}
