package earthbench_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"almanac/eval/earthbench"

	"github.com/google/go-cmp/cmp"
)

// scored is a run of one question against gold of one question.
func scored(t *testing.T, goldCalls, calls, answer string) (*earthbench.Report, *earthbench.StrictReport) {
	t.Helper()
	r, s, err := score(
		`[{"question_index": "question1", "tool_calls": `+goldCalls+`, "final_answer": "A"}]`,
		`[{"question_index": "1", "tool_calls": `+calls+`}]`,
		`[{"question_id": "1", "final_answer": `+answer+`}]`)
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

func score(gold, calls, answers string) (*earthbench.Report, *earthbench.StrictReport, error) {
	files := fstest.MapFS{
		"extracted_tool_calls_GT.json": {Data: []byte(gold)}, "extracted_tool_calls.json": {Data: []byte(calls)},
		"results_summary_polished.json": {Data: []byte(answers)},
	}
	g, err := earthbench.ReadGold(files, "gold")
	if err != nil {
		return nil, nil, err
	}
	run, err := earthbench.ReadRun(files, "run", g)
	if err != nil {
		return nil, nil, err
	}
	return earthbench.Parity(g, run), earthbench.Strict(g, run), nil
}

// shown is any_order/in_order/exact_match/parameters/efficiency answer.
func shown(r *earthbench.Report) string {
	i := r.Items[0]
	n := func(v *float64) string {
		if v == nil {
			return "null"
		}
		return fmt.Sprint(*v)
	}
	return strings.Join([]string{n(i.AnyOrder), n(i.InOrder), n(i.ExactMatch), n(i.Parameters), n(i.Efficiency)}, "/") + " " + *i.Answer
}

// Worked by hand to the published rules.
func TestRules(t *testing.T) {
	const ab = `[{"name": "a", "input": {"x": 1}}, {"name": "b", "input": {"y": [1, 2]}}]`
	for _, c := range []struct{ name, gold, calls, answer, want string }{
		{"the same", ab, ab, `"<Answer>A<Answer>"`, "1/1/1/1/1 A"},
		{"the other order: both there, a found after b, no common beginning", ab,
			`[{"name": "b", "input": {"y": [1, 2]}}, {"name": "a", "input": {"x": 1}}]`, `"A"`, "1/0.5/0/0/1 A"},
		{"one between", ab, `[{"name": "a", "input": {"x": 1}}, {"name": "c"}, {"name": "b"}]`, `"A"`, "1/1/0.5/0.5/1.5 A"},
		{"1 is 1.0, but a list's order counts", ab,
			`[{"name": "a", "input": {"x": 1.0}}, {"name": "b", "input": {"y": [2, 1]}}]`, `"b"`, "1/1/1/0.5/1 UNKNOWN"},
		{"true is not 1", ab, `[{"name": "a", "input": {"x": true}}]`, `"A"`, "0.5/0.5/0.5/0/0.5 A"},
		{"text is not the object that it spells", ab, `[{"name": "a", "input": "{\"x\": 1}"}]`, `"A"`, "0.5/0.5/0.5/0/0.5 A"},
		{"whole numbers are exact", `[{"name": "a", "input": 9007199254740993}]`, `[{"name": "a", "input": 9007199254740992}]`, `""`, "1/1/1/0/1 FAIL"},
		{"gold without calls", `[]`, `[]`, `null`, "1/1/0/1/1 FAIL"},
		{"gold without calls, a run with one", `null`, `[{"name": "a"}]`, `"x"`, "1/1/0/1/null UNKNOWN"},
		{"names twice", `[{"name": "a"}, {"name": "a"}, {"name": "b"}]`, `[{"name": "a"}]`, `"x FAILED A"`, "0.5/0.3333333333333333/0.3333333333333333/0.3333333333333333/0.3333333333333333 FAIL"},
	} {
		r, _ := scored(t, c.gold, c.calls, c.answer)
		if got := shown(r); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestKeysAndDuplicates(t *testing.T) {
	r, _, err := score(
		`[{"question_index": "question1", "tool_calls": [{"name": "a"}], "final_answer": "A"}, {"question_index": "question2", "tool_calls": [{"name": "a"}], "final_answer": "B"},
		  {"question_index": "question3", "tool_calls": [{"name": "a"}], "final_answer": "C"}]`,
		`[{"question_index": "question1", "tool_calls": [{"name": "a"}]}, {"question_index": 1, "tool_calls": []}, {"question_index": "7", "tool_calls": []}]`,
		`[{"question_id": "2", "final_answer": null, "polished_answer": "b B"}]`)
	if err != nil {
		t.Fatal(err)
	}
	got := plainly(t, r)
	want := map[string]any{
		"question1": map[string]any{"any_order": 0.0, "in_order": 0.0, "exact_match": 0.0, "parameters": 0.0, "efficiency": 0.0, "answer": nil, "correct": nil},
		"question2": map[string]any{"any_order": nil, "in_order": nil, "exact_match": nil, "parameters": nil, "efficiency": nil, "answer": "B", "correct": true},
	}
	if diff := cmp.Diff(want, got["items"]); diff != "" {
		t.Error(diff)
	}
	if r.Reasons["question2.any_order"] != earthbench.NoCalls || r.Reasons["question1.answer"] != earthbench.NoAnswer || r.Reasons["published.correct"] != earthbench.NoItem {
		t.Errorf("reasons: %v", r.Reasons)
	}
}

func TestFieldD12MissingItemsAreNotCorrect(t *testing.T) {
	// Ten questions of which one errored (no letter), eight right: 8/10, not 8/9.
	var gold, answers []string
	for i := range 10 {
		gold = append(gold, fmt.Sprintf(`{"question_index": "question%d", "tool_calls": [], "final_answer": "A"}`, i))
		text := "<Answer>A<Answer>"
		if i == 8 {
			text = "Error: Request timed out."
		}
		if i == 9 {
			text = "<Answer>B<Answer>"
		}
		answers = append(answers, fmt.Sprintf(`{"question_id": "%d", "final_answer": %q}`, i, text))
	}
	r, s, err := score("["+strings.Join(gold, ",")+"]", "[]", "["+strings.Join(answers, ",")+"]")
	if err != nil {
		t.Fatal(err)
	}
	if *r.Means.All.Correct != 0.8 || s.Means.All["success"] != 0.8 {
		t.Errorf("%v, %v", *r.Means.All.Correct, s.Means.All)
	}
}

func TestFieldD05ArgumentValuesCount(t *testing.T) {
	r, s := scored(t, `[{"name": "f", "input": {"base": 10}}]`, `[{"name": "f", "input": {"base": 999}}]`, `"A"`)
	if *r.Items[0].Parameters != 0 || s.Items[0].Values["correctness_rate"] != 0 || s.Items[0].Values["arg_acc"] != 0.5 {
		t.Errorf("%s, %v", shown(r), s.Items[0].Values)
	}
}

func TestFieldD09OrderOfParallelCalls(t *testing.T) {
	const gold = `[{"name": "f", "input": {"x": 1}}, {"name": "f", "input": {"x": 2}}]`
	_, swapped := scored(t, gold, `[{"name": "f", "input": {"x": 2}}, {"name": "f", "input": {"x": 1}}]`, `"A"`)
	_, twice := scored(t, gold, `[{"name": "f", "input": {"x": 1}}, {"name": "f", "input": {"x": 1}}]`, `"A"`)
	if swapped.Items[0].Values["correctness_rate"] != 1 || twice.Items[0].Values["correctness_rate"] != 0.5 {
		t.Errorf("%v, %v", swapped.Items[0].Values, twice.Items[0].Values)
	}
}

func TestFieldD01AnswerIsNoSubstring(t *testing.T) {
	for text, want := range map[string]string{"It is ABOUT 5": "UNKNOWN", "BAD": "UNKNOWN", "option B2": "UNKNOWN", "It is A.": "A"} {
		if got := earthbench.Letter(text); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// Strict reads an input that is text of an object, and compares by value: 1e-9, letter case, but not a list's order.
func TestStrictByHand(t *testing.T) {
	const gold = `[{"name": "a", "input": {"x": 1, "p": "Data/A.tif"}}, {"name": "b", "input": {"y": [1, 2]}}]`
	for _, c := range []struct {
		calls string
		want  map[string]float64
	}{
		// One of two gold calls made, with one wrong value of two.
		{`[{"name": "a", "input": {"x": 2, "p": "data/a.tif"}}]`, map[string]float64{"correctness_rate": 0, "tool_acc": 0.5, "arg_acc": 0.75, "category_f1": 2.0 / 3}},
		{`[{"name": "a", "input": "{\"x\": 1.0000000000001, \"p\": \"data/a.tif\"}"}]`, map[string]float64{"correctness_rate": 0.5, "arg_acc": 1}},
		{`[{"name": "a", "input": "{\"x\": 1"}]`, map[string]float64{"correctness_rate": 0, "tool_acc": 0.5, "arg_acc": 0}},
		// Both and one more: 2/3 strictly; P = 2/3, R = 1.
		{`[{"name": "b", "input": {"y": [1, 2]}}, {"name": "c"}, {"name": "a", "input": {"p": "DATA/A.TIF", "x": 1}}]`,
			map[string]float64{"correctness_rate": 1, "correctness_strict": 2.0 / 3, "tool_acc": 0.5, "category_f1": 0.8}},
		{`[{"name": "b", "input": {"y": [2, 1]}}]`, map[string]float64{"correctness_rate": 0}},
	} {
		_, s := scored(t, gold, c.calls, `"A"`)
		for name, want := range c.want {
			if got := s.Items[0].Values[name]; got < want-1e-12 || got > want+1e-12 {
				t.Errorf("%s: %s is %v, want %v", c.calls, name, got, want)
			}
		}
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	const gold = `[{"question_index": "question1", "tool_calls": [], "final_answer": "A"}]`
	for _, c := range []struct{ gold, calls, answers, want string }{
		{`[{"question_index": "question1",` + "\n" + `"tool_calls": 3}]`, `[]`, `[]`, `gold/extracted_tool_calls_GT.json: line 2, column 15 (byte 47): expected a list, found "3`},
		{`{}`, `[]`, `[]`, `expected a list, found "{}"`},
		{`[]`, `[]`, `[]`, "holds no item"},
		{`[{"final_answer": "A"}]`, `[]`, `[]`, "expected item 1 to have question_index"},
		{`[{"question_index": "q", "final_answer": ["A"]}]`, `[]`, `[]`, "expected the right answer as text"},
		{gold, `[{"question_index": "5", "tool_calls": [null]}]`, `[]`, `run/extracted_tool_calls.json: line 1, column 41 (byte 40): expected call 1 of item "5": an object with name and input, found "null]`},
		{gold, `[{"question_index": 5.5}]`, `[]`, "expected the item's id: text or a whole number"},
		{gold, `[{"question_index": "5", "tool_calls": [{"name": 3}]}]`, `[]`, "expected the tool's name as text"},
		{gold, `[] x`, `[]`, `expected the end of the text, found "x"`},
		{gold, `[`, `[]`, "expected an object, found the end of the text"},
		{gold, "[{\"question_index\": \"\xff\"}]", `[]`, "expected text in UTF-8"},
		{gold, `[]`, `[{"question_id": "5", "final_answer": "a` + "\n" + `"}]`, "run/results_summary_polished.json: line 1, column 41"},
		{gold, "\x1f\x8b\x08", `[]`, "run/extracted_tool_calls.json cannot be unpacked"},
	} {
		_, _, err := score(c.gold, c.calls, c.answers)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s | %s | %s: %v, want %s", c.gold, c.calls, c.answers, err, c.want)
		}
	}
}

func TestMissingFiles(t *testing.T) {
	_, err := earthbench.ReadGold(fstest.MapFS{}, "there")
	if !errors.Is(err, earthbench.ErrMissing) || !strings.Contains(err.Error(), "there/extracted_tool_calls_GT.json (or extracted_tool_calls_GT.json.gz)") {
		t.Error(err)
	}
	_, err = earthbench.ReadRun(fstest.MapFS{"extracted_tool_calls.json": {Data: []byte("[]")}}, "there", goldOf(t))
	if !errors.Is(err, earthbench.ErrMissing) || !strings.Contains(err.Error(), "there/results_summary_polished.json") {
		t.Error(err)
	}
	if p, err := earthbench.ReadPublished(fstest.MapFS{}, "there"); err != nil || len(p.Files) != 0 {
		t.Errorf("%v, %v", p, err)
	}
}

func TestPrefixed(t *testing.T) {
	for key, want := range map[string]string{"12": "question12", "question12": "question12", "": "", "1a": "1a", "-1": "-1", "٣": "question٣"} {
		if got := earthbench.Prefixed(key); got != want {
			t.Errorf("%q: %q", key, got)
		}
	}
}

func FuzzReadRun(f *testing.F) {
	f.Add([]byte(`[{"question_index": "1", "tool_calls": [{"name": "a", "input": {"x": NaN}}]}]`), []byte(`[{"question_id": "1", "final_answer": "<Answer>A<Answer>"}]`))
	f.Add([]byte(`[{"question_index": 1, "tool_calls": null}]`), []byte(`[{"question_id": 1, "final_answer": [], "polished_answer": 3}]`))
	f.Fuzz(func(t *testing.T, calls, answers []byte) {
		r, s, err := score(`[{"question_index": "question1", "tool_calls": [{"name": "a", "input": {"x": 1}}], "final_answer": "A"}]`, string(calls), string(answers))
		if err != nil {
			return
		}
		for _, item := range r.Items {
			for _, v := range []*float64{item.AnyOrder, item.InOrder, item.ExactMatch, item.Parameters} {
				if v != nil && !(*v >= 0 && *v <= 1) {
					t.Fatalf("%v of %q", *v, calls)
				}
			}
		}
		plainly(t, r)
		plainly(t, s)
	})
}
