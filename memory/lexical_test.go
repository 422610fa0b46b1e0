package memory_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"almanac/memory"
	"almanac/toolkits"

	"github.com/google/go-cmp/cmp"
)

type in struct {
	Name string `arg:"name" doc:"a name"`
}

type out struct {
	Found string `out:"found" doc:"what there is"`
}

func tool(name, purpose string, examples ...string) *toolkits.Tool {
	return toolkits.New(name, func(context.Context, in) (out, error) { return out{}, nil },
		toolkits.Doc{Group: "Test", Purpose: purpose, Examples: examples})
}

func query(t testing.TB, x *memory.Lexical, text string, k int, keep func(string) bool) []string {
	t.Helper()
	hits, err := x.Query(context.Background(), text, k, keep)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for i, h := range hits {
		if i > 0 && h.Score > hits[i-1].Score || math.IsNaN(h.Score) {
			t.Errorf("scores are not in order: %+v", hits)
		}
		names = append(names, h.Tool)
	}
	return names
}

func three() *memory.Lexical {
	return memory.NewLexical([]*toolkits.Tool{
		tool("gis.area", "Measure the area of a country."), tool("data.trend", "Fit a trend to a series."), tool("gis.buffer", "Widen a zone by a distance."),
	})
}

// More tools asked for than there are: all of them, sorted.
func TestFieldC05MoreThanThereAre(t *testing.T) {
	if got := query(t, three(), "area of a country", 5, nil); len(got) != 3 || got[0] != "gis.area" {
		t.Errorf("%v", got)
	}
}

// No tool: an empty list, no error, nothing that is not a number.
func TestFieldC06EmptyIndex(t *testing.T) {
	if got := query(t, memory.NewLexical(nil), "anything", 5, nil); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// A filter leaves fewer than k: those that are left.
func TestFieldC07FewerAfterTheFilter(t *testing.T) {
	var tools []*toolkits.Tool
	for i := range 10 {
		tools = append(tools, tool(fmt.Sprintf("lab.t%d", i), "Count things."))
	}
	got := query(t, memory.NewLexical(tools), "count things", 5, func(name string) bool { return name == "lab.t3" || name == "lab.t7" })
	if d := cmp.Diff([]string{"lab.t3", "lab.t7"}, got); d != "" {
		t.Error(d)
	}
}

// Forty tools crowd out the one that is needed: an example question in a user's words brings it in; and who asks for
// more gets every tool, so that there is always a way to it.
func TestFieldC12CrowdedOut(t *testing.T) {
	crowd := func(examples ...string) *memory.Lexical {
		tools := []*toolkits.Tool{tool("lab.search_object", "Find an object of any type by its pattern.", examples...)}
		for i := range 40 {
			tools = append(tools, tool(fmt.Sprintf("lab.package_%d", i), "Change one property of a package."))
		}
		return memory.NewLexical(tools)
	}
	question := "which packages start with ZO"
	if got := query(t, crowd("which packages are named like a pattern, start with letters"), question, 5, nil); got[0] != "lab.search_object" {
		t.Errorf("%v", got)
	}
	if got := query(t, crowd(), question, 1000, nil); len(got) != 41 {
		t.Errorf("%d tools", len(got))
	}
}

// Scores are likenesses: the better fit has the higher one.
func TestFieldC20HigherIsLiker(t *testing.T) {
	hits, err := three().Query(context.Background(), "trend of the series", 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if hits[0].Tool != "data.trend" || hits[0].Score <= hits[2].Score || hits[2].Score != 0 {
		t.Errorf("%+v", hits)
	}
}

// Worked by hand for two tools of one entry each, and as many terms each (k1 = 1.2, b = 0.75): the question has one term
// that is there, the stem fox; "a" is a stop word, and the pair "a fox" stands nowhere. A word of one entry of two has an
// inverse frequency of ln(1 + 1.5/1.5) = 0.6931; at its mean length and a count of 1 the rest is 2.2 / 2.2 = 1. The whole of
// the tool, the same text, counts 0.8 more.
func TestScoreByHand(t *testing.T) {
	x := memory.NewLexical([]*toolkits.Tool{tool("red.fox", "Jumps."), tool("grey.cat", "Sleeps.")})
	hits, err := x.Query(context.Background(), "a fox", 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := 1.8 * math.Log(2); math.Abs(hits[0].Score-want) > 1e-12 {
		t.Errorf("%v, want %v", hits[0].Score, want)
	}
}

// A question finds a tool by a word that its author did not use, and by a name that only looks like another.
func TestWordsOfLikeMeaning(t *testing.T) {
	x := memory.NewLexical([]*toolkits.Tool{
		tool("gis.area", "Measure a country."), tool("lab.towns", "Find a town.", "Is Oslo a town of Norway?"),
		tool("lab.rain", "Count the rainfall."),
	})
	for question, want := range map[string]string{
		"how often were there downpours": "lab.rain", "which settlements are there": "lab.towns", "a town of Chad or of Peru": "lab.towns",
	} {
		if got := query(t, x, question, 1, nil); got[0] != want {
			t.Errorf("%s: %v, want %s", question, got, want)
		}
	}
}

// Equal scores come by name, every time.
func TestTiesAreByName(t *testing.T) {
	var tools []*toolkits.Tool
	for i := 9; i >= 0; i-- {
		tools = append(tools, tool(fmt.Sprintf("lab.t%d", i), "Count things."))
	}
	x := memory.NewLexical(tools)
	for range 200 {
		if d := cmp.Diff([]string{"lab.t0", "lab.t1", "lab.t2"}, query(t, x, "things", 3, nil)); d != "" {
			t.Fatal(d)
		}
	}
}

func TestOddTexts(t *testing.T) {
	x := three()
	for name, text := range map[string]string{
		"empty": "", "blanks": " \n\t", "stop words": "the of and", "marks": "?!… —", "broken": "area \xff\xfe of", "other script": "площадь страны 面積",
		"a megabyte": strings.Repeat("area of a country ", 60_000), "one long word": strings.Repeat("a", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			if got := query(t, x, text, 3, nil); len(got) != 3 {
				t.Errorf("%v", got)
			}
		})
	}
	for _, k := range []int{0, -1} {
		if got := query(t, x, "area", k, nil); len(got) != 0 {
			t.Errorf("k %d: %v", k, got)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.Query(ctx, "area", 3, nil); err == nil {
		t.Error("a query that was given up has a result")
	}
}

func TestTenThousandEqualTexts(t *testing.T) {
	examples := make([]string, 10_000)
	for i := range examples {
		examples[i] = "how large is the country"
	}
	x := memory.NewLexical([]*toolkits.Tool{tool("lab.same", "Say it.", examples...), tool("lab.other", "Say the size of a town.")})
	if got := query(t, x, "how large is the town", 2, nil); len(got) != 2 || got[0] != "lab.other" {
		t.Errorf("%v: ten thousand equal entries outweigh one that fits", got)
	}
}

func TestStems(t *testing.T) {
	if d := cmp.Diff([]string{"measur", "countri"}, memory.Stems("Measuring the COUNTRIES, a")); d != "" {
		t.Error(d)
	}
}

func BenchmarkQuery500(b *testing.B) {
	words := strings.Fields("area trend buffer distance zone country series raster mean warm cold wind rain snow sea land river month year day")
	var tools []*toolkits.Tool
	for i := range 500 {
		text := ""
		for j := range 12 {
			text += words[(i*7+j*j*(i%5+1))%len(words)] + " "
		}
		tools = append(tools, tool(fmt.Sprintf("lab.t%d", i), text, text+"?", "what is the "+text))
	}
	x := memory.NewLexical(tools)
	for b.Loop() {
		if _, err := x.Query(context.Background(), "What was the mean wind over the sea in the warm month of the year?", 8, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleLexical_Query() {
	x := memory.NewLexical([]*toolkits.Tool{
		tool("gis.area", "Measure the area of a country."), tool("data.trend", "Fit a trend to a series."),
	})
	hits, err := x.Query(context.Background(), "How fast is the series trending?", 1, nil)
	fmt.Println(hits[0].Tool, err)
	// Output: data.trend <nil>
}
