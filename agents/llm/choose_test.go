package llm_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"almanac/agents/llm"
	"almanac/agents/llm/scripted"
)

// letters is a reply whose first token has these probabilities.
func letters(probs map[string]float64) scripted.Reply {
	r := scripted.Reply{Content: "?", Finish: llm.FinishLength}
	for token, p := range probs {
		r.Logprobs = append(r.Logprobs, llm.TokenProb{Token: token, Logprob: math.Log(p)})
	}
	u := llm.Spent(50, 1)
	r.Usage = &u
	return r
}

func options(names ...string) llm.Question {
	q := llm.Question{Rules: "Pick.", Context: "How warm is it?", Ask: "Which tool?"}
	for _, n := range names {
		q.Options = append(q.Options, llm.Option{Name: n, Meaning: "means " + n})
	}
	return q
}

var approx = cmpopts.EquateApprox(0, 1e-12)

func TestChooseReadsLetters(t *testing.T) {
	for _, tt := range []struct {
		name   string
		probs  map[string]float64
		margin float64
		want   []float64
	}{
		{"clear", map[string]float64{"A": 0.1, "B": 0.8, "C": 0.1}, 0, []float64{0.1, 0.8, 0.1}},
		{"other tokens left out", map[string]float64{"A": 0.1, "B": 0.3, "The": 0.6}, 0, []float64{0.25, 0.75, 0}},
		{"forms of a letter add up", map[string]float64{"A": 0.1, " B": 0.2, "B.": 0.1, "B)": 0.1}, 0, []float64{0.2, 0.8, 0}},
		{"small letters are words", map[string]float64{"a": 0.9, "B": 0.1}, 0, []float64{0, 1, 0}},
		{"letters beyond the options", map[string]float64{"D": 0.9, "B": 0.1}, 0, []float64{0, 1, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := llm.Choose(t.Context(), once(t, letters(tt.probs)), options("mean", "trend", "map"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, c.Probabilities, approx); diff != "" || c.Name != "trend" || c.Calls != 1 || c.Method != llm.MethodLetters {
				t.Errorf("%+v, (-want +got):\n%s", c, diff)
			}
		})
	}
}

// A model that only likes the letter A is seen through by the rotations.
func TestChooseRotatesWhenUnsure(t *testing.T) {
	// Options x, y, z. Rotation 0 shows x y z, 1 shows y z x, 2 shows z x y.
	// The model gives 0.4 to what stands first and 0.2 more to y wherever it is.
	replies := []scripted.Reply{
		letters(map[string]float64{"A": 0.4, "B": 0.35, "C": 0.25}), // x 0.40, y 0.35, z 0.25
		letters(map[string]float64{"A": 0.6, "B": 0.2, "C": 0.2}),   // y 0.60, z 0.20, x 0.20
		letters(map[string]float64{"A": 0.4, "B": 0.2, "C": 0.4}),   // z 0.40, x 0.20, y 0.40
	}
	inner := &spy{Model: once(t, replies...)}
	c, err := llm.Choose(t.Context(), inner, options("x", "y", "z"))
	if err != nil {
		t.Fatal(err)
	}
	// x: (0.40+0.20+0.20)/3, y: (0.35+0.60+0.40)/3, z: (0.25+0.20+0.40)/3
	want := []float64{0.8 / 3, 1.35 / 3, 0.85 / 3}
	if diff := cmp.Diff(want, c.Probabilities, approx); diff != "" || c.Name != "y" || c.Method != llm.MethodRotated || c.Calls != 3 {
		t.Errorf("%+v, (-want +got):\n%s", c, diff)
	}
	if c.Usage.Tokens() != 153 || math.Abs(c.Margin-0.5/3) > 1e-12 {
		t.Errorf("usage %d, margin %g", c.Usage.Tokens(), c.Margin)
	}
	var shown []string
	for _, req := range inner.asked {
		if req.MaxTokens != 1 || req.Logprobs != 20 || *req.Temperature != 0 {
			t.Errorf("asked with %+v", req)
		}
		_, list, _ := strings.Cut(req.Messages[1].Content, "Which tool?\n")
		shown = append(shown, list)
	}
	if diff := cmp.Diff("A. y: means y\nB. z: means z\nC. x: means x\nAnswer:", shown[1]); diff != "" {
		t.Error(diff)
	}
	if a, b := inner.asked[0].Messages, inner.asked[1].Messages; a[0].Content != b[0].Content || !strings.HasPrefix(b[1].Content, "How warm is it?\n\nWhich tool?\n") {
		t.Error("what is stable does not come first")
	}
}

func TestChooseRotationOptions(t *testing.T) {
	unsure := letters(map[string]float64{"A": 0.5, "B": 0.5})
	sure := letters(map[string]float64{"A": 0.9, "B": 0.1})
	for _, tt := range []struct {
		how   llm.ChooseOptions
		reply scripted.Reply
		calls int
	}{
		{llm.ChooseOptions{}, unsure, 2}, {llm.ChooseOptions{}, sure, 1},
		{llm.ChooseOptions{NoRotations: true}, unsure, 1}, {llm.ChooseOptions{AllRotations: true}, sure, 2},
		{llm.ChooseOptions{MaxRotations: 1}, unsure, 1}, {llm.ChooseOptions{Margin: 0.9}, sure, 2},
	} {
		q := options("x", "y")
		q.How = tt.how
		c, err := llm.Choose(t.Context(), once(t, tt.reply, tt.reply), q)
		if err != nil || c.Calls != tt.calls {
			t.Errorf("%+v: %d calls, %v, want %d", tt.how, c.Calls, err, tt.calls)
		}
	}
}

func TestChooseOneOptionAsksNothing(t *testing.T) {
	c, err := llm.Choose(t.Context(), once(t), options("only"))
	if err != nil || c.Name != "only" || c.Calls != 0 || c.Method != llm.MethodOnly || !c.Usage.Known() || c.Probabilities[0] != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestChooseFallsBackToASchema(t *testing.T) {
	u := llm.Spent(60, 8)
	c, err := llm.Choose(t.Context(), once(t, content("B"), scripted.Reply{Content: `{"answer":"y"}`, Usage: &u}), options("x", "y"))
	if err != nil || c.Name != "y" || c.Calls != 2 || c.Method != llm.MethodSchema || len(c.Notes) != 1 || c.Probabilities[1] != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	q := options("x", "y")
	q.How.BySchema = true
	if c, err := llm.Choose(t.Context(), once(t, content(`{"answer":"X"}`)), q); err != nil || c.Name != "x" || c.Calls != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = llm.Choose(t.Context(), once(t, scripted.Reply{Content: `{"answer":"both"}`, Usage: &u}), q)
	if !errors.Is(err, llm.ErrSchema) || llm.UsageOf(nil, err).Tokens() != 68 {
		t.Errorf("an answer that is no option: %v", err)
	}
}

// The tokens of calls before a failure are in the error.
func TestChooseFailureCarriesItsTokens(t *testing.T) {
	_, err := llm.Choose(t.Context(), once(t, letters(map[string]float64{"A": 0.5, "B": 0.5}), scripted.Reply{Error: "server"}), options("x", "y"))
	if !errors.Is(err, llm.ErrServer) || llm.UsageOf(nil, err).Tokens() != 51 {
		t.Errorf("%v, %d tokens", err, llm.UsageOf(nil, err).Tokens())
	}
}

func TestChooseRefusesBadQuestions(t *testing.T) {
	many := make([]string, 21)
	for i := range many {
		many[i] = fmt.Sprint("o", i)
	}
	for _, q := range []llm.Question{{}, options(many...), options("x", "x")} {
		if _, err := llm.Choose(t.Context(), once(t), q); !errors.Is(err, llm.ErrRequest) {
			t.Errorf("%d options: %v", len(q.Options), err)
		}
	}
}
