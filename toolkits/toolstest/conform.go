package toolstest

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
)

// Conform checks what every tool promises: a group, a purpose and details, at least five different example questions,
// documented parameters and outputs with units, an input schema that is JSON; and, by 400 random calls with right,
// wrong and hostile arguments, that every error is a [*toolkits.Error] whose code is not internal, that nothing
// panics, that the key of a call depends on its arguments only, and that equal calls give equal results.
func Conform(t *testing.T, tool *toolkits.Tool) {
	t.Helper()
	ConformCalls(t, tool, 400)
}

// ConformCalls is [Conform] with another number of random calls, for tools that take long, such as those that draw.
func ConformCalls(t *testing.T, tool *toolkits.Tool, calls int) {
	t.Helper()
	t.Run(tool.Name, func(t *testing.T) {
		describes(t, tool)
		survives(t, tool, calls)
	})
}

func describes(t *testing.T, tool *toolkits.Tool) {
	t.Helper()
	if tool.Group == "" || tool.Purpose == "" || tool.Details == "" {
		t.Errorf("group %q, purpose %q and details %q must not be empty", tool.Group, tool.Purpose, tool.Details)
	}
	if strings.Contains(tool.Purpose, "\n") {
		t.Error("the purpose is one line")
	}
	questions := slices.Clone(tool.Examples)
	slices.Sort(questions)
	if n := len(slices.Compact(questions)); n < 5 {
		t.Errorf("%d different example questions, at least five are needed", n)
	}
	for _, p := range tool.Params {
		if p.Doc == "" {
			t.Errorf("parameter %s has no doc", p.Name)
		}
		if slices.Contains(p.Kinds, toolkits.KindNumber) && p.Unit == "" && !p.List {
			t.Errorf("parameter %s is a number without a unit", p.Name)
		}
	}
	for _, o := range tool.Outputs {
		number := o.Kind == artifact.KindScalar || o.Kind == artifact.KindRaster || o.Kind == artifact.KindSeries || strings.HasPrefix(o.Kind, "@")
		if o.Doc == "" || number && o.Unit == "" {
			t.Errorf("output %s: doc %q, unit %q", o.Name, o.Doc, o.Unit)
		}
	}
	if !json.Valid(tool.InputSchema()) {
		t.Error("the input schema is no JSON")
	}
}

func survives(t *testing.T, tool *toolkits.Tool, calls int) {
	t.Helper()
	env := NewEnv(t)
	rng := rand.New(rand.NewPCG(1, uint64(len(tool.Name))))
	stock := stocked(t, env)
	ran := 0
	for range calls {
		args := map[string]toolkits.Value{}
		for i := range tool.Params {
			p := &tool.Params[i]
			if p.Required && rng.IntN(20) > 0 || rng.IntN(2) == 0 {
				args[p.Name] = stock.pick(rng, p)
			}
		}
		if rng.IntN(50) == 0 {
			args["no_such_parameter"] = stock.hostile(rng)
		}
		if once(t, env, tool, args) {
			ran++
		}
	}
	t.Logf("%d of %d random calls gave a result", ran, calls)
}

// once makes the call twice and compares. It reports whether there was a result.
func once(t *testing.T, env *toolkits.Env, tool *toolkits.Tool, args map[string]toolkits.Value) bool {
	t.Helper()
	first, err := tool.Bind(t.Context(), env, args)
	if err != nil {
		typed(t, tool, args, err)
		return false
	}
	second, err := tool.Bind(t.Context(), env, args)
	if err != nil || first.Key != second.Key {
		t.Fatalf("%s: binding %v again: error %v, keys %s and %s", tool.Name, args, err, first.Key, second.Key)
	}
	a, err := first.Run(t.Context(), toolkits.Made{Call: "a"})
	if err != nil {
		typed(t, tool, args, err)
		return false
	}
	b, err := second.Run(t.Context(), toolkits.Made{Call: "a"})
	if err != nil {
		t.Fatalf("%s: the second run of %v failed: %v", tool.Name, args, err)
	}
	for i, f := range a.Fields {
		if f.Value.Hash != b.Fields[i].Value.Hash {
			t.Fatalf("%s: output %s differs between two equal calls of %v", tool.Name, f.Name, args)
		}
	}
	return true
}

func typed(t *testing.T, tool *toolkits.Tool, args map[string]toolkits.Value, err error) {
	t.Helper()
	var e *toolkits.Error
	if !errors.As(err, &e) || e.Code == toolkits.Internal || e.Code == "" || e.Message == "" {
		t.Errorf("%s with %v: the error %v is not typed", tool.Name, args, err)
	}
}
