package agents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"almanac/agents"
	"almanac/toolkits"
	"almanac/toolkits/compute"
)

func TestBuiltin(t *testing.T) {
	all, err := agents.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range all {
		names = append(names, a.Name)
		if a.Purpose == "" || a.Guidance == "" || len(a.Examples) == 0 {
			t.Errorf("%s lacks a purpose, guidance or an example", a.Name)
		}
	}
	if got := strings.Join(names, " "); got != "data forecast gis simulation verification" {
		t.Errorf("specialists are %s", got)
	}
}

func TestParseRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"unknown key":  {"name: a\npurpose: b\ntools: [x]\ntemper: bad\n", "temper"},
		"no tools":     {"name: a\npurpose: b\n", "tools missing"},
		"nothing":      {"name: \"\"\n", "name, purpose, tools missing"},
		"no YAML":      {"name: [a\n", "a.yaml"},
		"a wrong kind": {"name: a\npurpose: b\ntools: gis\nguidance: {x: 1}\n", "a.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := agents.Parse("a.yaml", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v; want %q", err, tt.want)
			}
		})
	}
}

func TestHas(t *testing.T) {
	a := agents.Agent{Name: "gis", Tools: []string{"gis", "data.open"}}
	for tool, want := range map[string]bool{
		"gis.area": true, "data.open": true, "data.trend": false, "gisx.area": false, "compute.evaluate": true, "plot.map": true, "gis": true, "": false,
	} {
		if got := a.Has(tool); got != want {
			t.Errorf("%q: %v", tool, got)
		}
	}
}

func TestCheckNamesWhatIsNotThere(t *testing.T) {
	r, err := toolkits.NewRegistry(compute.Toolkit()...)
	if err != nil {
		t.Fatal(err)
	}
	if err := (agents.Agent{Name: "a", Tools: []string{"compute", "compute.evaluate"}}).Check(r); err != nil {
		t.Error(err)
	}
	err = agents.Agent{Name: "a", Tools: []string{"ocean", "comput"}}.Check(r)
	if err == nil || !strings.Contains(err.Error(), "ocean") || !strings.Contains(err.Error(), "comput.") {
		t.Errorf("%v", err)
	}
}

func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ocean.yaml")
	if err := os.WriteFile(file, []byte("name: ocean\npurpose: reads the sea\ntools: [data]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := agents.Load(file); err != nil || a.Name != "ocean" {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := agents.Load(file + ".not"); err == nil {
		t.Error("a file that is not there was read")
	}
	all, err := agents.LoadAll(fstest.MapFS{
		"x/b.yaml": {Data: []byte("name: b\npurpose: p\ntools: [t]\n")}, "x/a.yaml": {Data: []byte("name: a\npurpose: p\ntools: [t]\n")}, "x/c.txt": {},
	}, "x")
	if err != nil || len(all) != 2 || all[0].Name != "a" {
		t.Errorf("%+v, %v", all, err)
	}
}

func ExampleParse() {
	a, err := agents.Parse("ocean.yaml", []byte("name: ocean\npurpose: reads ocean fields\ntools: [ocean]\n"))
	fmt.Println(a.Name, a.Has("ocean.layer_mean"), a.Has("gis.area"), err)
	// Output: ocean true false <nil>
}
