package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/orchestrator/toolcatalog"
)

func TestExamplesOfTheSpecialistsAreCalls(t *testing.T) {
	w, err := Open(&Options{UserData: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range w.Agents {
		if err := checkExamples(a, toolcatalog.New(w.Tools)); err != nil || len(a.Examples) == 0 {
			t.Errorf("%s: %d examples, %v", a.Name, len(a.Examples), err)
		}
	}
}

func TestAgentsOfTheUser(t *testing.T) {
	const good = "name: hills\npurpose: looks at slopes\ntools: [gis.terrain]\n"
	for name, tt := range map[string]struct{ text, want string }{
		"sound":             {good + "examples:\n  - {objective: steepness, call: 'gis.terrain(raster=relief, derivative=\"slope\")'}\n", ""},
		"a name taken":      {"name: data\npurpose: p\ntools: [gis]\n", `an agent named "data"`},
		"no such tool":      {"name: hills\npurpose: p\ntools: [gus]\n", `no tool is named "gus"`},
		"no such parameter": {good + "examples:\n  - {objective: x, call: gis.terrain(rester=relief)}\n", "rester"},
		"no such call":      {good + "examples:\n  - {objective: x, call: gis.terain(raster=relief)}\n", "terain"},
		"no call":           {good + "examples:\n  - {objective: x, call: import os}\n", `the example "import os"`},
	} {
		file := filepath.Join(t.TempDir(), "agent.yaml")
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := Open(&Options{UserData: t.TempDir(), Agents: []string{file}})
		switch {
		case tt.want == "" && (err != nil || len(w.Agents) != 6):
			t.Errorf("%s: %v", name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v; want %q", name, err, tt.want)
		}
	}
}
