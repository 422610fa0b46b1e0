package eval

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

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

// checkTasks compares tasks, and what their gold did, with the hashes that the run was begun with. A run without them
// was made by hand.
func checkTasks(f *runlog.Folder, tasks []Task) error {
	s := f.Manifest.Suite
	what, got, was := "they hash", hashTasks(tasks), s.Hash
	if gold := hashGold(tasks); was == "" || got == was {
		what, got, was = "what their gold does hashes", gold, s.Gold
	}
	if was != "" && got != was {
		return fmt.Errorf("eval: %s: %w: %s to %.12s, in the run to %.12s; bring them back, or score under the new hash "+
			"with almanac eval score --changed-tasks", f.Dir, ErrTasks, what, got, was)
	}
	return nil
}

// hashGold is of everything that the gold schedules did, but for times and the order in which calls that run side by
// side came to an end.
func hashGold(tasks []Task) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, t := range tasks {
		for _, x := range t.Executed {
			calls := slices.Clone(x.Calls)
			slices.SortStableFunc(calls, func(a, b ExecutedCall) int { return cmp.Compare(a.Call.ID, b.Call.ID) })
			for i := range calls {
				calls[i].Call.Memo, calls[i].Result.Seconds, calls[i].Result.Retries = false, 0, 0
			}
			x.Calls = calls
			if err := encodeAsRead(enc, x); err != nil { // a value that JSON cannot hold cannot be in a run's folder either
				fmt.Fprintf(h, "%s: %v", t.Task.ID, err)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// encodeAsRead writes x as it looks once it was read back from a file: whole numbers are floats there.
func encodeAsRead(enc *json.Encoder, x Executed) error {
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	var read Executed
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	return enc.Encode(read)
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
