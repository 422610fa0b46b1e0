package orchestrator_test

import (
	"strings"
	"testing"

	"almanac/orchestrator"
)

// Every setup says what it is, and what it says of the model and of its prompts is so.
func TestDescribe(t *testing.T) {
	r := newRig(t)
	r.opts.Gold = noGold
	for _, name := range orchestrator.Names() {
		d, err := orchestrator.Describe(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := orchestrator.New(name, r.team, &r.opts)
		if err != nil {
			t.Fatal(err)
		}
		if d.Model != s.UsesModel() || s.Name() != name || d.Name != name {
			t.Errorf("%s: describes itself as %+v, uses a model: %v", name, d, s.UsesModel())
		}
		if d.Summary == "" || d.Model != (len(d.Prompts) > 0) {
			t.Errorf("%s: summary %q, %d prompts", name, d.Summary, len(d.Prompts))
		}
		if d.Differs == "" || strings.Contains(d.Differs, "\n") || d.Diagram == "" {
			t.Errorf("%s: differs in %q, diagram %q", name, d.Differs, d.Diagram)
		}
		if d.Source != "" && (d.Faithful == "" || d.Hardened == "") {
			t.Errorf("%s follows %s and does not say what is as published and what is hardened", name, d.Source)
		}
		for _, p := range d.Prompts {
			if strings.TrimSpace(p.Text) == "" || !strings.Contains(p.File, "/") {
				t.Errorf("%s: prompt %q", name, p.File)
			}
		}
	}
	if _, err := orchestrator.Describe("team"); err == nil || !strings.Contains(err.Error(), "squad") {
		t.Errorf("%v", err)
	}
}
