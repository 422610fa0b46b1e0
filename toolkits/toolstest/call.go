package toolstest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
)

// Tool finds a tool by name in what a toolkit returned.
func Tool(t testing.TB, tools []*toolkits.Tool, name string) *toolkits.Tool {
	t.Helper()
	for _, tool := range tools {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool is named %s", name)
	return nil
}

// Try binds and runs a call.
func Try(t testing.TB, env *toolkits.Env, tool *toolkits.Tool, args Args) (*toolkits.Result, error) {
	t.Helper()
	values := make(map[string]toolkits.Value, len(args))
	for name, x := range args {
		values[name] = value(t, env, x)
	}
	call, err := tool.Bind(t.Context(), env, values)
	if err != nil {
		return nil, err
	}
	return call.Run(t.Context(), toolkits.Made{Run: "test", Call: "c1", Step: "s1"})
}

// Call binds and runs a call that must succeed.
func Call(t testing.TB, env *toolkits.Env, tool *toolkits.Tool, args Args) *toolkits.Result {
	t.Helper()
	res, err := Try(t, env, tool, args)
	if err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	return res
}

// Fails makes a call that must fail with the code, and returns the error's text.
func Fails(t testing.TB, env *toolkits.Env, tool *toolkits.Tool, args Args, code toolkits.Code) string {
	t.Helper()
	_, err := Try(t, env, tool, args)
	var e *toolkits.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("%s: got error %v, want code %s", tool.Name, err, code)
	}
	return e.Error()
}

func value(t testing.TB, env *toolkits.Env, x any) toolkits.Value {
	t.Helper()
	if artifact.KindOf(x) != "" {
		meta, err := env.Store.Put(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		v := toolkits.Value{Kind: meta.Kind, Unit: meta.Unit, Hash: meta.Hash, Origin: &toolkits.Origin{Call: "c0", Output: "data"}}
		if s, ok := x.(*artifact.Scalar); ok {
			v.Number, v.Difference = s.Value, s.Difference
		}
		return v
	}
	v, err := toolkits.Literal(x)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Get is the output field of that name.
func Get(t testing.TB, res *toolkits.Result, name string) toolkits.Value {
	t.Helper()
	v, ok := res.Get(name)
	if !ok {
		var names []string
		for _, f := range res.Fields {
			names = append(names, f.Name)
		}
		t.Fatalf("no output %q; there are %s", name, strings.Join(names, ", "))
	}
	return v
}

// Number is the number of an output field.
func Number(t testing.TB, res *toolkits.Result, name string) float64 {
	t.Helper()
	v := Get(t, res, name)
	if !v.IsNumber() {
		t.Fatalf("output %s is a %s, not a number", name, v.Kind)
	}
	return v.Number
}

// Text is the text of an output field.
func Text(t testing.TB, res *toolkits.Result, name string) string {
	t.Helper()
	v := Get(t, res, name)
	if v.IsNumber() || v.IsArtifact() {
		t.Fatalf("output %s is a %s, not text", name, v.Kind)
	}
	return v.Text
}

// Artifact is the stored artifact of an output field, of type V.
func Artifact[V any](t testing.TB, env *toolkits.Env, res *toolkits.Result, name string) V {
	t.Helper()
	got, _, err := env.Store.Get(t.Context(), Get(t, res, name).Hash)
	if err != nil {
		t.Fatal(err)
	}
	v, ok := got.(V)
	if !ok {
		t.Fatalf("output %s is a %s: %s", name, artifact.KindOf(got), fmt.Sprintf("%T", got))
	}
	return v
}
