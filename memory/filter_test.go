package memory_test

import (
	"testing"

	"almanac/memory"
	"almanac/toolkits"

	"github.com/google/go-cmp/cmp"
)

// A field is made from a name, a series from a field, a picture from a series; nothing makes the table.
func TestUnmet(t *testing.T) {
	wants := func(name, in, out string) *toolkits.Tool {
		return &toolkits.Tool{
			Name: name, Params: []toolkits.Param{{Name: "data", Kinds: []string{in}, Required: true}, {Name: "more", Kinds: []string{"vector"}}},
			Outputs: []toolkits.Output{{Name: "data", Kind: out}},
		}
	}
	tools := []*toolkits.Tool{
		wants("x.draw", "series", "image"), wants("x.mean", "raster", "series"), wants("x.join", "table", "table"), wants("x.open", "string", "raster"),
		wants("x.count", "table", "integer"),
	}
	reason := "data wants a table, and no tool makes one"
	if d := cmp.Diff(map[string]string{"x.join": reason, "x.count": reason}, memory.Unmet(tools)); d != "" {
		t.Error(d)
	}
	if got := memory.Unmet(append(tools, wants("x.read", "string", "@data"))); len(got) != 0 {
		t.Errorf("with a tool that opens anything by its name: %v", got)
	}
	if got := memory.Unmet(append(tools, wants("x.same", "table", "@data"))); len(got) != 3 {
		t.Errorf("with a tool that gives back what it takes: %v", got)
	}
	if got := memory.Unmet(tools, "table"); len(got) != 0 {
		t.Errorf("with a table at hand: %v", got)
	}
}
