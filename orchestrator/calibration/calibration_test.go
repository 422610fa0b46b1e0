package calibration_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"almanac/orchestrator/calibration"
)

func row(template string, valid bool, squad, single int64, votes ...calibration.Vote) calibration.Row {
	return calibration.Row{Task: template + "-1", Template: template, Valid: &valid, SquadTokens: &squad, SingleTokens: &single, Votes: votes}
}

func ExampleRecord_Figures() {
	r := &calibration.Record{Rows: []calibration.Row{
		row("a", true, 900, 300), row("b", true, 700, 300), row("c", false, 800, 300), row("d", true, 5000, 300),
	}}
	f := r.Figures(func(template string) bool { return template == "d" }) // which is being scored
	n, _ := f.Samples()
	fmt.Printf("%d tasks, valid %.2f, squad %.0f, single %.0f: n = %d\n", f.Tasks, *f.ValidShare, *f.SquadTokens, *f.SingleTokens, n)
	// Output: 3 tasks, valid 0.67, squad 800, single 300: n = 3
}

// Too few rows give no figure; rows without a count are left out of the means of both.
func TestFewRows(t *testing.T) {
	r := &calibration.Record{Rows: []calibration.Row{row("a", true, 9, 3), row("b", true, 9, 3), {Task: "c", Template: "c"}}}
	f := r.Figures(nil)
	if f.ValidShare != nil || f.SquadTokens != nil || f.SingleTokens != nil || f.Tasks != 3 {
		t.Errorf("%+v", f)
	}
	if _, ok := f.Samples(); ok {
		t.Error("two rows say how many samples to draw")
	}
	if _, ok := (*calibration.Figures)(nil).Samples(); ok {
		t.Error("no calibration says how many samples to draw")
	}
	if _, ok := (*calibration.Figures)(nil).Skill("variable"); ok {
		t.Error("no calibration says how skilled the model is")
	}
}

func TestSamplesAreOneAtLeast(t *testing.T) {
	for _, tt := range []struct {
		squad, single int64
		want          int
	}{{200, 20000, 1}, {1400, 1000, 1}, {1600, 1000, 2}, {78500, 20000, 4}} {
		r := &calibration.Record{Rows: []calibration.Row{row("a", true, tt.squad, tt.single), row("b", true, tt.squad, tt.single), row("c", true, tt.squad, tt.single)}}
		if n, ok := r.Figures(nil).Samples(); n != tt.want || !ok {
			t.Errorf("%d / %d: %d, %v", tt.squad, tt.single, n, ok)
		}
	}
}

// 8 right of 10 among two options: share (8+1)/(10+2) = 0.75, chance 0.5, skill 0.25/0.5 = 0.5. Guessing has none, and
// seven answers are too few.
func TestSkill(t *testing.T) {
	votes := func(right, n, options int) []calibration.Vote {
		var out []calibration.Vote
		for i := range n {
			out = append(out, calibration.Vote{Kind: "variable", Options: options, Right: i < right})
		}
		return out
	}
	for _, tt := range []struct {
		right, n, options int
		want              float64
		ok                bool
	}{{8, 10, 2, 0.5, true}, {5, 10, 2, 0, true}, {1, 10, 2, 0, true}, {7, 7, 2, 0, false}, {8, 8, 4, (9.0/10 - 0.25) / 0.75, true}} {
		r := &calibration.Record{Rows: []calibration.Row{{Template: "a", Votes: votes(tt.right, tt.n, tt.options)}}}
		got, ok := r.Figures(nil).Skill("variable")
		if math.Abs(got-tt.want) > 1e-12 || ok != tt.ok {
			t.Errorf("%d of %d among %d: %v, %v; want %v", tt.right, tt.n, tt.options, got, ok, tt.want)
		}
	}
}

func TestStore(t *testing.T) {
	s := calibration.Store{Dir: filepath.Join(t.TempDir(), "not", "yet")}
	key := calibration.Key{Model: "m", Digest: "d1", Catalog: "c1", Suite: "core"}
	if _, err := s.Load(key); !errors.Is(err, calibration.ErrNone) {
		t.Fatalf("%v", err)
	}
	path, err := s.Save(&calibration.Record{Key: key, Rows: []calibration.Row{row("a", true, 1, 2)}})
	if err != nil {
		t.Fatal(err)
	}
	same := key
	same.Model = "the same weights under another name"
	if r, err := s.Load(same); err != nil || len(r.Rows) != 1 || *r.Rows[0].SingleTokens != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	for _, other := range []calibration.Key{
		{Model: "m", Digest: "d2", Catalog: "c1", Suite: "core"}, {Model: "m", Digest: "d1", Catalog: "c2", Suite: "core"},
		{Model: "m", Catalog: "c1", Suite: "core"},
	} {
		if _, err := s.Load(other); !errors.Is(err, calibration.ErrNone) {
			t.Errorf("%+v: %v", other, err)
		}
	}
	if err := os.WriteFile(path, []byte(`{"schema": 1, "rows": [{"ta`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(key); err == nil || errors.Is(err, calibration.ErrNone) || !strings.Contains(err.Error(), path) {
		t.Errorf("a torn file: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"schema": 9}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(key); err == nil || !strings.Contains(err.Error(), "schema 9") {
		t.Errorf("another schema: %v", err)
	}
}
