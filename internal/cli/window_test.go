package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"almanac/internal/workspace"
	"almanac/scenarios"
)

// Where single's first prompt fits no window, single+ts is compared in its place, single's variants that do not fit
// either are left out, and the run says so.
func TestSetupsThatFitNoWindowAreLeftOut(t *testing.T) {
	w, err := workspace.Open(&workspace.Options{UserData: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	team, err := w.Distracted(400)
	if err != nil {
		t.Fatal(err)
	}
	w.Tools = team.Tools
	suite, err := scenarios.Open("demo")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	p := &program{Streams: Streams{Out: io.Discard, Err: &said}}
	f := &compareFlags{setups: []string{"search", "single", "single-sc", "squad"}}
	size, err := p.window(t.Context(), f, w, team, suite.Tasks[:1])
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"search", "single+ts", "squad"}; !slices.Equal(f.setups, want) || size > 16384 {
		t.Errorf("setups %v, want %v; window %d", f.setups, want, size)
	}
	for name, want := range map[string]string{"setup single": "single+ts is compared in its place", "setup single-sc": "fits no window"} {
		if got := f.changed()[name]; !strings.Contains(got, want) || !strings.Contains(said.String(), want) {
			t.Errorf("%s: %q is recorded and %q said", name, got, said.String())
		}
	}
	f = &compareFlags{setups: []string{"single-sc"}}
	if _, err := p.window(t.Context(), f, w, team, suite.Tasks[:1]); err == nil {
		t.Error("a comparison of nothing")
	}
}
