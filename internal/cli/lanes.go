package cli

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"almanac/agents/llm/gate"
	"almanac/eval"
)

// lanes is the number of episodes that ask a model at the same time: what was asked for, or else what the slowest server
// answers at once. A model without a server can be asked on every core.
func lanes(asked int, list []opened) int {
	if asked > 0 {
		return asked
	}
	n := runtime.GOMAXPROCS(0)
	for _, o := range list {
		if o.server {
			n = min(n, max(1, o.slots))
		}
	}
	return n
}

// behindGates keeps more requests from a server than it answers at once, where that is known: the others wait here, and
// their wait is measured.
func behindGates(list []opened, lanes int) []opened {
	out := make([]opened, len(list))
	gates := map[int]*gate.Gate{}
	for i, o := range list {
		if o.server && o.slots > 0 && o.slots < lanes {
			if gates[o.slots] == nil {
				gates[o.slots] = gate.New(o.slots)
			}
			o.Model = gates[o.slots].Model(o.Model)
		}
		out[i] = o
	}
	return out
}

// parseTotal reads --budget-total: a number of tokens, a time, or one of each.
func parseTotal(parts []string) (eval.Total, error) {
	var t eval.Total
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if d, err := time.ParseDuration(part); err == nil && d > 0 && t.Time == 0 && !isNumber(part) {
			t.Time = d
			continue
		}
		n, ok := tokens(part)
		if !ok || t.Tokens > 0 {
			return t, usage("--budget-total is a number of tokens such as 500000, 500k or 2M, a time such as 90m, or one of each (2M,90m), not %q",
				strings.Join(parts, ","))
		}
		t.Tokens = n
	}
	return t, nil
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// tokens reads 500000, 500k and 2.5M.
func tokens(s string) (int64, bool) {
	number, factor := s, 1.0
	for suffix, f := range map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			number, factor = rest, f
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || v*factor < 1 || v*factor > 1e15 {
		return 0, false
	}
	return int64(v * factor), true
}

// stopped tells of a run that the total budget ended: the results of what is finished, and what was not begun.
func (p *program) stopped(dir string, res *eval.Results, cause error) error {
	if err := p.show(dir, res); err != nil {
		return err
	}
	return &exit{exitBudget, fmt.Errorf("%w; %s not run, named in results.json and the report; go on with: almanac compare --resume %s --budget-total MORE",
		cause, plural(len(res.Unstarted), "episode"), dir)}
}
