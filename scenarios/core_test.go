package scenarios_test

import (
	"maps"
	"slices"
	"testing"
)

// The suite is as large, as mixed and as far apart from the starter's dev part as it has to be.
func TestCoreCovers(t *testing.T) {
	core := open(t, "core")
	templates, tasks, domains, levels, tracks := map[string]map[string]bool{}, map[string]int{}, map[string]bool{}, map[int]bool{}, map[string]bool{}
	for _, task := range core.Tasks {
		if templates[task.Split] == nil {
			templates[task.Split] = map[string]bool{}
		}
		templates[task.Split][task.Template] = true
		tasks[task.Split]++
		levels[task.Level], tracks[task.Track] = true, true
		for _, d := range task.Domains {
			domains[d] = true
		}
	}
	if got := slices.Sorted(maps.Keys(templates)); !slices.Equal(got, []string{"dev", "memory", "test"}) {
		t.Errorf("splits %v", got)
	}
	if len(core.Tasks) < 160 || tasks["test"] < 120 || len(templates["test"]) < 24 || len(templates["dev"]) < 6 || len(templates["memory"]) < 5 {
		t.Errorf("%d tasks; test: %d of %d templates; dev: %d templates; memory: %d", len(core.Tasks), tasks["test"], len(templates["test"]), len(templates["dev"]), len(templates["memory"]))
	}
	if len(domains) < 9 || len(levels) < 4 || len(tracks) < 2 {
		t.Errorf("domains %v, levels %v, tracks %v", domains, levels, tracks)
	}
	for _, task := range open(t, "starter").Tasks {
		for split, names := range templates {
			if names[task.Template] {
				t.Errorf("template %s of %s is one of the starter suite", task.Template, split)
			}
		}
	}
}
