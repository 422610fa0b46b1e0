package earthbench_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"almanac/eval/earthbench"
)

var runs = []string{"Kimik2_IF", "deepseek-V3_1_IF", "llama-4_IF", "seed1.6_IF"}

func goldOf(t testing.TB) *earthbench.Gold {
	t.Helper()
	gold, err := earthbench.ReadGold(earthbench.Embedded(), "earthbench")
	if err != nil {
		t.Fatal(err)
	}
	return gold
}

func recorded(t testing.TB, gold *earthbench.Gold, name string) (fs.FS, *earthbench.Run) {
	t.Helper()
	files := os.DirFS("data/runs/" + name)
	run, err := earthbench.ReadRun(files, name, gold)
	if err != nil {
		t.Fatal(err)
	}
	return files, run
}

// Every published score, verdict and mean of the four recorded runs.
func TestParityWithWhatWasPublished(t *testing.T) {
	gold := goldOf(t)
	for _, name := range runs {
		files, run := recorded(t, gold, name)
		published, err := earthbench.ReadPublished(files, name)
		if err != nil {
			t.Fatal(err)
		}
		if len(published.Files) != 2 || published.Means.Correct == nil || published.Means.AnyOrder == nil {
			t.Fatalf("%s: only %v was read", name, published.Files)
		}
		for _, d := range published.Compare(earthbench.Parity(gold, run)) {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// The comparison sees every kind of difference.
func TestCompareSeesDifferences(t *testing.T) {
	gold := goldOf(t)
	_, run := recorded(t, gold, "llama-4_IF")
	for _, name := range []string{"published_step_scores.json", "published_end_to_end.json"} {
		text := unpacked(t, "data/runs/llama-4_IF/"+name+".gz")
		for _, change := range []struct{ from, to, want string }{
			{`"contains_all_tool_calls_any_order": 0.5,`, `"contains_all_tool_calls_any_order": 0.500000000002,`, "question191 any_order"},
			{`"question190": {"contains`, `"question1": {"contains`, "question1 step scores"},
			{`"predicted": "C", "correct": true`, `"predicted": "D", "correct": true`, "question190 answer"},
			{`"predicted": "C", "correct": true`, `"predicted": "C", "correct": false`, "question190 correct"},
			{`"average_score": 0.36522988505747117`, `"average_score": 0.36522988506`, "mean any_order"},
			{`"average_efficiency": 0.3790359066221135`, `"average_efficiency": 1`, "mean efficiency"},
		} {
			if !strings.Contains(text, change.from) {
				continue
			}
			files := fstest.MapFS{name: {Data: []byte(strings.Replace(text, change.from, change.to, 1))}}
			published, err := earthbench.ReadPublished(files, "x")
			if err != nil {
				t.Fatal(err)
			}
			found := published.Compare(earthbench.Parity(gold, run))
			if len(found) == 0 || !strings.Contains(fmt.Sprint(found), change.want) {
				t.Errorf("%s: found %v", change.want, found)
			}
		}
	}
}

type mutations struct {
	Padding int
	Cases   []struct {
		Gold, Calls, Answers string
		Expected             struct {
			Items map[string]map[string]any
			Means map[string]*float64
		}
	}
}

// Made-up runs with what the published evaluators say of them: scripts/oracles/earthbench.py.
func TestParityWithTheEvaluators(t *testing.T) {
	var m mutations
	if err := json.Unmarshal([]byte(unpacked(t, "testdata/mutations.json.gz")), &m); err != nil {
		t.Fatal(err)
	}
	if len(m.Cases) < 500 {
		t.Fatalf("only %d cases", len(m.Cases))
	}
	var padding strings.Builder
	for i := range m.Padding {
		fmt.Fprintf(&padding, `{"question_index": "padding%d", "tool_calls": [], "final_answer": "A"},`, i)
	}
	items := 0
	for i, c := range m.Cases {
		files := fstest.MapFS{
			"extracted_tool_calls_GT.json":  {Data: []byte("[" + padding.String() + c.Gold[strings.IndexByte(c.Gold, '[')+1:])},
			"extracted_tool_calls.json":     {Data: []byte(c.Calls)},
			"results_summary_polished.json": {Data: []byte(c.Answers)},
		}
		gold, err := earthbench.ReadGold(files, "gold")
		if err != nil {
			t.Fatal(i, err)
		}
		run, err := earthbench.ReadRun(files, "run", gold)
		if err != nil {
			t.Fatal(i, err)
		}
		parity := earthbench.Parity(gold, run)
		earthbench.Strict(gold, run)
		got := plainly(t, parity)
		for key, want := range c.Expected.Items {
			items++
			compare(t, fmt.Sprintf("case %d %s", i, key), got["items"].(map[string]any)[key].(map[string]any), want)
		}
		if len(parity.Items) != len(c.Expected.Items) {
			t.Errorf("case %d: %d items, want %d", i, len(parity.Items), len(c.Expected.Items))
		}
		published := got["means"].(map[string]any)["published"].(map[string]any)
		for name, want := range c.Expected.Means {
			one := map[string]any{}
			if want != nil {
				one[name] = *want
			}
			compare(t, fmt.Sprintf("case %d mean", i), map[string]any{name: published[name]}, one)
		}
	}
	if items < 1000 {
		t.Errorf("only %d items were compared", items)
	}
}

func compare(t *testing.T, where string, got, want map[string]any) {
	t.Helper()
	for name, v := range got {
		w := want[name]
		x, isNumber := v.(float64)
		y, isToo := w.(float64)
		if isNumber && isToo && math.Abs(x-y) <= earthbench.Tolerance || !isNumber && v == w {
			continue
		}
		t.Errorf("%s %s: %v, the evaluators say %v", where, name, v, w)
	}
}

func plainly(t *testing.T, v any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func unpacked(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
