package importlog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"almanac/eval/metric"
	"almanac/scenarios"

	"github.com/agnivade/levenshtein"
)

// ErrAssign is wrapped where a record belongs to no task, or to one that has a record already.
var ErrAssign = errors.New("the record belongs to no task of the suite")

// Log is the records of one model by task and repeat.
type Log struct {
	Model   string
	Repeats int
	records map[string]map[int]*Record
}

// Record is the record of a task's repeat, nil if there is none.
func (l *Log) Record(task string, repeat int) *Record { return l.records[task][repeat] }

// Count is how many records there are.
func (l *Log) Count() int {
	n := 0
	for _, r := range l.records {
		n += len(r)
	}
	return n
}

// Assign gives every record its task: by the task's id, else by the question, which must be what was asked or stand in
// it. Records of one task that do not say which repeat they are get the next one that is free. There is a log for each
// model, in the order of their first records. The error names every record that could not be assigned.
func Assign(records []Record, tasks []scenarios.Task) ([]*Log, error) {
	var logs []*Log
	var errs []error
	for i := range records {
		rec := &records[i]
		k := slices.IndexFunc(logs, func(l *Log) bool { return l.Model == rec.Model })
		if k < 0 {
			k, logs = len(logs), append(logs, &Log{Model: rec.Model, records: map[string]map[int]*Record{}})
		}
		task, err := taskOf(rec, tasks)
		if err == nil {
			err = logs[k].add(task, rec)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("importlog: %s: %w: %w", rec.Place, ErrAssign, err))
		}
	}
	if len(errs) > 5 {
		errs = append(errs[:5], fmt.Errorf("importlog: and %d more records", len(errs)-5))
	}
	return logs, errors.Join(errs...)
}

func (l *Log) add(task string, rec *Record) error {
	of := l.records[task]
	if of == nil {
		of = map[int]*Record{}
		l.records[task] = of
	}
	repeat := rec.Repeat
	if repeat < 0 {
		for repeat = 0; of[repeat] != nil; repeat++ {
		}
	}
	if first := of[repeat]; first != nil {
		return fmt.Errorf("%s, repeat %d has the record of %s already", task, repeat, first.Place)
	}
	if repeat >= maxRepeats {
		return fmt.Errorf("repeat %d of %s: at most %d are read", repeat, task, maxRepeats)
	}
	of[repeat] = rec
	l.Repeats = max(l.Repeats, repeat+1)
	return nil
}

// maxRepeats keeps a number that is no repeat from making as many empty episodes.
const maxRepeats = 1000

func taskOf(rec *Record, tasks []scenarios.Task) (string, error) {
	for _, t := range tasks {
		if t.ID == rec.Task {
			return t.ID, nil
		}
	}
	asked := metric.Fold(strings.Join(strings.Fields(rec.Question), " "))
	var found []string
	for _, t := range tasks {
		question := metric.Fold(strings.Join(strings.Fields(t.Question), " "))
		if asked == question {
			return t.ID, nil
		}
		if strings.Contains(asked, question) {
			found = append(found, t.ID)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("what was asked has the questions of %s; give each record the id of its task", strings.Join(found, ", "))
	case rec.Task == "":
		return "", fmt.Errorf("it has no id, and no task asks %q; give each record the id of its task, such as \"task\": %q", clipped(rec.Question), tasks[0].ID)
	}
	return "", fmt.Errorf("no task has the id %q or asks %q; the nearest is %s", clipped(rec.Task), clipped(rec.Question), nearest(rec.Task, tasks))
}

func nearest(id string, tasks []scenarios.Task) string {
	if len(id) > 200 {
		return tasks[0].ID
	}
	best := slices.MinFunc(tasks, func(a, b scenarios.Task) int {
		return levenshtein.ComputeDistance(id, a.ID) - levenshtein.ComputeDistance(id, b.ID)
	})
	return best.ID
}

func clipped(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
