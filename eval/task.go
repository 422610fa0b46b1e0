package eval

import (
	"errors"
	"fmt"

	"almanac/eval/runlog"
	"almanac/orchestrator/event"
	"almanac/scenarios"
)

// Task is a task as run: as written, and with its gold schedules as executed.
type Task struct {
	Task     scenarios.Task `json:"task"`
	Executed []Executed     `json:"executed"`
}

// Executed is what a gold schedule did when the engine ran it: its calls, with defaults filled in, branches taken and
// maps expanded, and the answer that it gave.
type Executed struct {
	Text   string         `json:"text"`
	Calls  []ExecutedCall `json:"calls"`
	Answer event.Answer   `json:"answer"`
}

// ExecutedCall is a call and its result.
type ExecutedCall struct {
	Call   event.ToolCall   `json:"call"`
	Result event.ToolResult `json:"result"`
}

// NewExecuted takes the calls and the answer out of the events of a gold schedule's run. The text is that of the
// schedule event if there is one, else the one given. A call that failed is an
// error: such gold cannot score anything.
func NewExecuted(text string, events []event.Event) (Executed, error) {
	out := Executed{Text: text}
	results := map[string]*event.ToolResult{}
	answered := false
	for _, e := range events {
		switch b := e.Body.(type) {
		case *event.ToolResult:
			results[b.Call] = b
		case *event.Answer:
			out.Answer, answered = *b, true
		case *event.Schedule:
			out.Text = b.Text // as the engine ran it: canonical, with the steps that it put in
		}
	}
	if !answered {
		return out, fmt.Errorf("eval: the gold schedule gave no answer")
	}
	for _, e := range events {
		c, ok := e.Body.(*event.ToolCall)
		if !ok {
			continue
		}
		r := results[c.ID]
		switch {
		case r == nil:
			return out, fmt.Errorf("eval: call %s of the gold schedule (%s) has no result", c.ID, c.Tool)
		case !r.OK:
			return out, fmt.Errorf("eval: call %s of the gold schedule (%s) failed: %s: %s", c.ID, c.Tool, r.Code, r.Message)
		}
		out.Calls = append(out.Calls, ExecutedCall{*c, *r})
	}
	return out, nil
}

// ErrTasks is wrapped when the tasks in a run's folder are not those that it was on.
var ErrTasks = errors.New("the tasks have changed since the run")

// checkTasks compares tasks with the hash that the run was begun with. A run without one was made by hand.
func checkTasks(f *runlog.Folder, tasks []Task) error {
	was := f.Manifest.Suite.Hash
	if got := hashTasks(tasks); was != "" && got != was {
		return fmt.Errorf("eval: %s: %w: they hash to %.12s, the run was on %.12s; bring them back, or score under the new hash "+
			"with almanac eval score --changed-tasks", f.Dir, ErrTasks, got, was)
	}
	return nil
}

func hashTasks(tasks []Task) string {
	plain := make([]scenarios.Task, len(tasks))
	for i, t := range tasks {
		plain[i] = t.Task
	}
	return scenarios.HashTasks(plain)
}

// LoadTasks reads the tasks of a run, in the order in which they were run.
func LoadTasks(f *runlog.Folder) ([]Task, error) {
	tasks := make([]Task, len(f.Manifest.Suite.Tasks))
	for i, id := range f.Manifest.Suite.Tasks {
		if err := f.Task(id, &tasks[i]); err != nil {
			return nil, err
		}
	}
	return tasks, nil
}
