package reading_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"almanac/orchestrator/reading"

	"go.yaml.in/yaml/v4"
)

// label writes an item as testdata/labelled.yaml does.
func label(it reading.Item) string {
	num := func(x float64) string { return fmt.Sprintf("%.12g", x) }
	switch {
	case it.Kind == reading.KindNumber:
		return strings.TrimSpace("number " + num(it.Number) + " " + it.Unit)
	case it.Kind == reading.KindBox:
		return fmt.Sprintf("box %s,%s,%s,%s", num(it.Box.West), num(it.Box.South), num(it.Box.East), num(it.Box.North))
	case it.Point != nil:
		return fmt.Sprintf("point %s,%s", num(it.Point.Latitude), num(it.Point.Longitude))
	case it.Kind == reading.KindPeriod:
		return "period " + it.Period
	case it.Kind == reading.KindVariable && it.Name == "":
		return "variable ?"
	}
	return it.Kind + " " + it.Name
}

type request struct {
	Text string
	Want []string
}

func labelled(t testing.TB) []request {
	t.Helper()
	src, err := os.ReadFile("testdata/labelled.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []request
	if err := yaml.Unmarshal(src, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

func labelledTexts(t testing.TB) []string {
	var texts []string
	for _, c := range labelled(t) {
		texts = append(texts, c.Text)
	}
	return texts
}

// counts of labels found, found rightly and wanted.
type counts struct{ found, right, wanted int }

func (c counts) precision() float64 { return float64(c.right) / float64(max(c.found, 1)) }
func (c counts) recall() float64    { return float64(c.right) / float64(max(c.wanted, 1)) }

// The floors are what was measured when the set was labelled, rounded down to a whole percent; the documentation of
// the package names them. A change that reads better raises them.
const (
	floorPrecision = 0.98
	floorRecall    = 0.98
)

func TestLabelledRequests(t *testing.T) {
	cases := labelled(t)
	if len(cases) < 120 {
		t.Fatalf("%d labelled requests; at least 120 are wanted", len(cases))
	}
	r := reading.New(vocabulary(t), nil)
	var all counts
	kinds := map[string]counts{}
	perfect := 0
	for _, c := range cases {
		var got []string
		for _, it := range r.Read(c.Text).Items {
			got = append(got, label(it))
		}
		missing := slices.Clone(c.Want)
		var wrong []string
		for _, g := range got {
			k := strings.Fields(strings.Replace(g, "point", "place", 1))[0]
			n := kinds[k]
			n.found++
			if i := slices.Index(missing, g); i >= 0 {
				missing = slices.Delete(missing, i, i+1)
				n.right++
			} else {
				wrong = append(wrong, g)
			}
			kinds[k] = n
		}
		for _, w := range c.Want {
			k := strings.Fields(strings.Replace(w, "point", "place", 1))[0]
			n := kinds[k]
			n.wanted++
			kinds[k] = n
		}
		if len(missing)+len(wrong) == 0 {
			perfect++
		} else {
			t.Logf("%q: missed %q, wrong %q", c.Text, missing, wrong)
		}
	}
	for k, n := range kinds {
		t.Logf("%-10s precision %.3f recall %.3f (%d wanted)", k, n.precision(), n.recall(), n.wanted)
		all.found, all.right, all.wanted = all.found+n.found, all.right+n.right, all.wanted+n.wanted
	}
	t.Logf("all: precision %.3f recall %.3f; %d of %d requests read without a fault", all.precision(), all.recall(), perfect, len(cases))
	if all.precision() < floorPrecision || all.recall() < floorRecall {
		t.Errorf("precision %.3f, recall %.3f: below the floors %.2f and %.2f", all.precision(), all.recall(), floorPrecision, floorRecall)
	}
}
