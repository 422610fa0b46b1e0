package orchestrator

import (
	"context"
	"fmt"
	"strings"

	"almanac/orchestrator/reading"
	"almanac/orchestrator/schedule"
	"almanac/orchestrator/search"
	"almanac/toolkits/catalog"
	"almanac/toolkits/cftime"
)

// facts turns what was read from the request into what arguments can be filled with, and names the variables and data
// sets that the request names.
func (w *work) facts(ctx context.Context) (facts []search.Fact, named []string) {
	counts, asked := map[string]int{}, map[string]bool{}
	for _, it := range w.request.Items {
		counts[it.Kind]++
		asked[it.Kind] = asked[it.Kind] || it.Start < len(w.ep.Request.Question)
	}
	index := map[string]int{}
	seen := map[string]bool{}
	for _, it := range w.request.Items {
		i := index[it.Kind]
		index[it.Kind]++
		switch it.Kind {
		case reading.KindVariable:
			for _, o := range it.Options {
				named = append(named, o.Dataset, o.Variable)
			}
			continue
		case reading.KindDataset:
			named = append(named, it.Name)
			continue
		}
		text := w.request.Words(it)
		if key := it.Kind + " " + it.Name + it.Period + fmt.Sprint(it.Number, it.Unit, it.Box); seen[key] {
			continue // said twice: one fact
		} else {
			seen[key] = true
		}
		f := w.fact(ctx, it, i, counts[it.Kind], text)
		f.Aside = asked[it.Kind] && it.Start >= len(w.ep.Request.Question)
		facts = append(facts, f)
	}
	return facts, named
}

func (w *work) fact(ctx context.Context, it reading.Item, i, n int, text string) search.Fact {
	f := search.Fact{Ref: schedule.Ref{Name: schedule.TaskName, Field: it.Kind}, Kind: it.Kind, Text: text}
	if name := reading.Plural(it.Kind); name != "" && n > 1 {
		f.Ref.Field, f.Ref.Index = name, &i
	}
	switch it.Kind {
	case reading.KindPlace:
		if it.Point == nil {
			_, err := w.ep.Env().Places.Boundary(ctx, it.Name)
			f.HasArea = err == nil
		}
		f.Name = it.Name
	case reading.KindMonth, reading.KindSeason:
		f.Kind = schedule.KindPeriod
	case reading.KindNumber:
		f.Unit = it.Unit
	case reading.KindComparison:
		f.Kind, f.Param, f.Value = schedule.KindString, "comparison", it.Name
	}
	return f
}

// implied are the facts that a data set takes care of by itself: the place where a series was measured.
func (t *Team) implied(facts []search.Fact) map[string]uint64 {
	out := map[string]uint64{}
	for _, d := range t.Data.Datasets() {
		if d.Station.Name == "" {
			continue
		}
		for i, f := range facts {
			if f.Kind == reading.KindPlace && strings.Contains(strings.ToLower(d.Station.Name+" "+d.Region), strings.ToLower(f.Name)) {
				out[d.Name] |= 1 << i
			}
		}
	}
	return out
}

// legal refuses programs that types allow but the data do not: a period outside the record, a station's record for
// another place.
func (w *work) legal(p *schedule.Program) error {
	if w.opts.NoChecks {
		return nil
	}
	for _, s := range p.Statements {
		for _, c := range s.Calls() {
			name, ok := c.Arg("dataset")
			text, isText := name.(*schedule.String)
			if !ok || !isText {
				continue
			}
			d, err := w.team.Data.Dataset(text.Value)
			if err != nil {
				return err
			}
			if err := w.elsewhere(d); err != nil {
				return err
			}
			if err := w.outside(d, p); err != nil {
				return err
			}
			if err := withoutLevel(d, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// elsewhere refuses a station's record when the request names places and none of them is the station's.
func (w *work) elsewhere(d catalog.Dataset) error {
	if d.Station.Name == "" {
		return nil
	}
	var places []string
	for _, it := range w.request.Of(reading.KindPlace) {
		if strings.Contains(strings.ToLower(d.Station.Name+" "+d.Region), strings.ToLower(it.Name)) {
			return nil
		}
		places = append(places, it.Name)
	}
	if len(places) == 0 {
		return nil
	}
	return fmt.Errorf("%s was measured at %s, not in %s", d.Name, d.Station.Name, strings.Join(places, ", "))
}

// outside refuses a record that does not cover the periods that the program asks of it. Months of any year are in
// every record.
func (w *work) outside(d catalog.Dataset, p *schedule.Program) error {
	first, last, dated := strings.Cut(d.Period, "/")
	if !dated {
		return nil
	}
	for _, it := range w.request.Items {
		if it.Period == "" {
			continue
		}
		asked, err := cftime.ParsePeriod(it.Period)
		if err != nil || asked.AnyYear() {
			continue
		}
		if start, end := asked.Start.String(), asked.End.String(); end[:4] < first[:4] || start[:4] > last[:4] {
			return fmt.Errorf("%s covers %s, not %s", d.Name, d.Period, it.Period)
		}
	}
	return nil
}

// timeSteps tells each data set's time step, and which variables are amounts of one.
func (t *Team) timeSteps() (frequency map[string]string, amounts map[string]bool) {
	frequency, amounts = map[string]string{}, map[string]bool{}
	for _, d := range t.Data.Datasets() {
		frequency[d.Name] = d.Frequency
		for _, v := range d.Variables {
			amounts[v.Name] = strings.Contains(v.CellMethods, "sum")
		}
	}
	return frequency, amounts
}

// withoutLevel refuses to open a variable of several levels when none is named: which one is meant is not known.
func withoutLevel(d catalog.Dataset, c *schedule.Call) error {
	name, _ := c.Arg("variable")
	text, ok := name.(*schedule.String)
	if _, given := c.Arg("level"); given || !ok {
		return nil
	}
	v, err := d.Variable(text.Value)
	if err != nil {
		return err
	}
	if len(v.Levels) > 1 {
		return fmt.Errorf("%s of %s has %d levels, and the request names none", v.Name, d.Name, len(v.Levels))
	}
	return nil
}
