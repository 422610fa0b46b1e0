package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"almanac/internal/workspace"
	"almanac/orchestrator/event"
	"almanac/scenarios"
	"almanac/toolkits/units"

	"github.com/spf13/cobra"
)

// auditJSON is one answer field with its three values.
type auditJSON struct {
	Task      string   `json:"task"`
	Field     string   `json:"field"`
	Unit      string   `json:"unit,omitempty"`
	Stored    any      `json:"stored"`
	Second    any      `json:"second"` // of the second implementation
	Engine    any      `json:"engine"` // of the gold schedule as executed
	Tolerance *float64 `json:"tolerance"`
	OK        bool     `json:"ok"`
	Reason    string   `json:"reason,omitempty"`
}

func (p *program) tasksAudit(cmd *cobra.Command, name string) error {
	w, err := p.workspace(cmd)
	if err != nil {
		return err
	}
	suite, err := openSuite(name)
	if err != nil {
		return &exit{exitUsage, err}
	}
	ctx := cmd.Context()
	second, err := secondValues(ctx, name)
	if err != nil {
		return err
	}
	env, done, err := scratch(w)
	if err != nil {
		return err
	}
	defer func() { p.closing(done) }()
	all := []auditJSON{}
	for _, t := range suite.Tasks {
		if err := ctx.Err(); err != nil {
			return err
		}
		executed, runErr := w.Executed(ctx, env, t)
		var answer *event.Answer
		if runErr == nil && len(executed.Executed) > 0 {
			answer = &executed.Executed[0].Answer
		}
		all = append(all, auditTask(t, second[t.ID], answer, runErr)...)
	}
	bad := 0
	for _, a := range all {
		if !a.OK {
			bad++
		}
	}
	if p.json {
		err = p.print(map[string]any{"suite": suite.Name, "ok": bad == 0, "fields": all})
	} else {
		err = p.auditTable(suite, all, bad)
	}
	if err != nil {
		return err
	}
	if bad > 0 {
		return &exit{exitWanting, fmt.Errorf("%s: %s of %d not confirmed", suite.Name, plural(bad, "field"), len(all))}
	}
	return nil
}

func (p *program) auditTable(suite *scenarios.Suite, all []auditJSON, bad int) error {
	t := newTable("", "TASK", "FIELD", "STORED", "SECOND", "ENGINE", "TOLERANCE", "UNIT", "").numbers(3, 4, 5, 6)
	for _, a := range all {
		mark, tolerance := "ok", "–"
		if !a.OK {
			mark = "FAIL"
		}
		if a.Tolerance != nil {
			tolerance = fmt.Sprintf("%.3g", *a.Tolerance)
		}
		t.add(mark, a.Task, a.Field, showPlain(a.Stored), showPlain(a.Second), showPlain(a.Engine), tolerance, a.Unit, a.Reason)
	}
	if err := t.write(p.Out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.Out, "\n%s: %s of %s, %d not confirmed\n", suite.Name, plural(len(all), "field"), plural(len(suite.Tasks), "task"), bad)
	return err
}

// auditTask compares the values of one task. A task to decline is right when gold declines.
func auditTask(t scenarios.Task, second map[string]any, answer *event.Answer, runErr error) []auditJSON {
	var out []auditJSON
	for _, f := range t.Answer {
		a := auditJSON{Task: t.Path(), Field: f.Key, Unit: f.Unit, Stored: t.Expected[f.Key], Second: second[f.Key]}
		switch {
		case runErr != nil:
			a.Reason = "gold: " + runErr.Error()
		case t.Decline:
			a.OK = answer.Declined && len(second) == 0
			a.Reason = "gold declines"
			if !a.OK {
				a.Reason = "gold does not decline, or the second implementation has a value"
			}
		default:
			a.compare(f, answer)
		}
		out = append(out, a)
	}
	return out
}

func (a *auditJSON) compare(f scenarios.Field, answer *event.Answer) {
	var given event.AnswerField
	for _, g := range answer.Fields {
		if g.Key == f.Key {
			given = g
		}
	}
	a.Engine = given.Value
	if x, ok := given.Value.(float64); ok && given.Unit != f.Unit && given.Unit != "" && f.Unit != "" {
		y, err := units.Convert(x, given.Unit, f.Unit, given.Difference || f.Quantity == "difference")
		if err != nil {
			a.Reason = err.Error()
			return
		}
		a.Engine = y
	}
	if y, ok := a.Stored.(float64); ok {
		tol := f.Tolerance(y)
		a.Tolerance = &tol
	}
	var wrong []string
	if a.Second == nil {
		wrong = append(wrong, "no value of the second implementation")
	} else if !near(f, a.Stored, a.Second) {
		wrong = append(wrong, "stored and second differ")
	}
	if a.Engine == nil {
		wrong = append(wrong, "gold gives no value: "+given.Reason)
	} else if !near(f, a.Stored, a.Engine) {
		wrong = append(wrong, "stored and engine differ")
	}
	if !given.Bound && a.Engine != nil {
		wrong = append(wrong, "gold's value is unbound: "+given.Reason)
	}
	a.Reason, a.OK = strings.Join(wrong, "; "), len(wrong) == 0
}

// near reports whether two values of a field are equal within a tenth of its tolerance; for integers, texts and the
// like within nothing.
func near(f scenarios.Field, stored, other any) bool {
	switch s := stored.(type) {
	case float64:
		o, ok := number(other)
		if !ok {
			return false
		}
		d := math.Abs(s - o)
		if f.Type == scenarios.Angle {
			d = math.Abs(math.Remainder(s-o, 360))
		}
		return d <= f.Tolerance(s)/10+1e-12*math.Abs(s)
	case []any:
		o, ok := other.([]any)
		if !ok || len(o) != len(s) {
			return false
		}
		for i := range s {
			if !near(f, s[i], o[i]) {
				return false
			}
		}
		return true
	case string:
		o, ok := other.(string)
		return ok && strings.EqualFold(strings.TrimSpace(s), strings.TrimSpace(o))
	}
	return stored == other
}

func number(v any) (float64, bool) {
	switch x := v.(type) {
	case float64:
		return x, true
	case int64:
		return float64(x), true
	case int:
		return float64(x), true
	}
	return 0, false
}

// auditScript is the second implementation, in the repository.
const auditScript = "scripts/audit/expected.py"

// secondValues runs the second implementation on a suite.
func secondValues(ctx context.Context, suite string, more ...string) (map[string]map[string]any, error) {
	root, err := repository()
	if err != nil {
		return nil, err
	}
	python, err := workspace.OraclePython()
	if err != nil {
		return nil, &exit{exitMissing, err}
	}
	dir := suite
	if info, err := os.Stat(suite); err != nil || !info.IsDir() {
		dir = filepath.Join(root, "scenarios", "suites", suite)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, python, append([]string{filepath.Join(root, auditScript), "--suite", dir, "--json"}, more...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
		return nil, &exit{exitMissing, fmt.Errorf("the second implementation failed (%w): %s\nbring what it needs with: make oracles", err, lines[len(lines)-1])}
	}
	values := map[string]map[string]any{}
	if err := json.Unmarshal(out.Bytes(), &values); err != nil {
		return nil, fmt.Errorf("reading what the second implementation wrote: %w", err)
	}
	return values, nil
}

// repository is the folder of the source code: where this program is run, or above.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, auditScript)); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", &exit{exitMissing, errors.New("the second implementation (" + auditScript + ") is not here: run this in a clone of the repository")}
		}
		dir = parent
	}
}
