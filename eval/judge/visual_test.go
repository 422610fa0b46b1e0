package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"almanac/agents/llm"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// eyes is a model that answers by the picture's bytes.
type eyes map[string]string

func (e eyes) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	if req.Messages[0].Content != Rubric || len(last.Images) != 1 || req.Role != "judge" || !strings.Contains(last.Content, "Draw it.") {
		return nil, errors.New("not asked as a judge is")
	}
	reply := e[string(last.Images[0].Data)]
	switch reply {
	case "empty":
		return nil, &llm.Error{Kind: llm.KindBadReply, Reason: llm.ReasonEmpty}
	case "down":
		return nil, &llm.Error{Kind: llm.KindTransport}
	}
	n := int64(100)
	return &llm.Response{Message: llm.Message{Content: reply}, Usage: llm.Usage{Total: &n}}, nil
}

func exhibit(picture string) Exhibit {
	return Exhibit{ID: picture, Task: "Draw it.", Made: "plot.series(series=s)", PNG: []byte(picture)}
}

func says(score int) string { return fmt.Sprintf(`{"score": %d, "reason": "because"}`, score) }

func TestNonsenseIsCountedAndNotScored(t *testing.T) {
	for _, reply := range []string{"", "a fine plot", "3", `{"score": 4, "reason": ""}`, `{"score": -1}`, `{"score": 2.5}`, `{"reason": "good"}`,
		`{"score": "3"}`, `{"score": 3} or so`, "empty"} {
		s, err := NewVisual(eyes{"p": reply}, nil).Score(t.Context(), exhibit("p"))
		if err != nil || s.Score != nil || !s.Nonsense || s.Counts || s.Reason == "" {
			t.Errorf("%q: %+v, %v", reply, s, err)
		}
	}
	s, err := NewVisual(eyes{"p": says(2)}, nil).Score(t.Context(), exhibit("p"))
	if err != nil || s.Score == nil || *s.Score != 2 || s.Reason != "because" || s.Counts || s.Validation != nil || s.Usage.Tokens() != 100 {
		t.Errorf("a score before validation: %+v, %v", s, err)
	}
	if _, err := NewVisual(eyes{"p": "down"}, nil).Score(t.Context(), exhibit("p")); !errors.Is(err, llm.ErrTransport) {
		t.Errorf("a server that is down: %v", err)
	}
}

// labelled are exhibits whose scores and labels are given; a score of −1 is nonsense.
func labelled(scores, labels []int) (eyes, []Labelled) {
	model := eyes{}
	var list []Labelled
	for i, s := range scores {
		id := fmt.Sprint("plot ", i)
		if model[id] = says(s); s < 0 {
			model[id] = "well"
		}
		list = append(list, Labelled{exhibit(id), labels[i]})
	}
	return model, list
}

func TestAgreement(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	cases := []struct {
		name           string
		scores, labels []int
		want           Agreement
	}{
		// Ranks 1 2 3 4½ 4½ and 1 3 2 4½ 4½: Σdxdy = 4 + 0 + 0 + 2¼ + 2¼ = 8½, Σdx² = Σdy² = 9½.
		// Three of five equal; by chance (1 + 1 + 1 + 4)/25 = 0.28: κ = (0.6 − 0.28)/0.72.
		{"mixed", []int{0, 1, 2, 3, 3}, []int{0, 2, 1, 3, 3},
			Agreement{Labels: 5, Scored: 5, Spearman: f(17.0 / 19), Kappa: f(4.0 / 9), Accuracy: f(0.6)}},
		{"nonsense is left out", []int{0, -1, 1, 2, 3, 3}, []int{0, 3, 2, 1, 3, 3},
			Agreement{Labels: 6, Scored: 5, Nonsense: 1, Spearman: f(17.0 / 19), Kappa: f(4.0 / 9), Accuracy: f(0.6)}},
		{"the other way round", []int{0, 1, 2, 3}, []int{3, 2, 1, 0},
			// By chance 4/16: κ = (0 − 0.25)/0.75.
			Agreement{Labels: 4, Scored: 4, Spearman: f(-1), Kappa: f(-1.0 / 3), Accuracy: f(0)}},
		{"always the same", []int{3, 3, 3, 3}, []int{0, 1, 2, 3},
			// By chance 1/4, which is what is observed.
			Agreement{Labels: 4, Scored: 4, Kappa: f(0), Accuracy: f(0.25), Reasons: map[string]string{"spearman": "no_variation"}}},
		{"one label only", []int{3, 3}, []int{3, 3},
			Agreement{Labels: 2, Scored: 2, Accuracy: f(1), Reasons: map[string]string{"spearman": "fewer_than_3", "kappa": "no_variation"}}},
		{"all nonsense", []int{-1, -1}, []int{1, 2},
			Agreement{Labels: 2, Nonsense: 2, Reasons: map[string]string{"spearman": "no_scores", "kappa": "no_scores", "accuracy": "no_scores"}}},
	}
	for _, c := range cases {
		model, list := labelled(c.scores, c.labels)
		got, err := NewVisual(model, nil).Validate(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-12), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestScoresCountOnceValidated(t *testing.T) {
	var right, wrong, labels []int
	for i := range 24 {
		labels, right, wrong = append(labels, i%4), append(right, i%4), append(wrong, 3-i%4)
	}
	cases := []struct {
		name   string
		scores []int
		n      int
		want   bool
	}{{"agrees", right, 24, true}, {"disagrees", wrong, 24, false}, {"agrees on too few", right, 19, false}}
	for _, c := range cases {
		model, list := labelled(c.scores[:c.n], labels[:c.n])
		model["p"] = says(1)
		v := NewVisual(model, nil)
		if _, err := v.Validate(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		s, err := v.Score(t.Context(), exhibit("p"))
		if err != nil || s.Counts != c.want || s.Validation == nil || s.Validation.Scored != c.n || math.Abs(*s.Validation.Accuracy-1) > 1 {
			t.Errorf("%s: %+v, %v", c.name, s, err)
		}
	}
	model, list := labelled([]int{1}, []int{1})
	model["plot 0"] = "down"
	v := NewVisual(model, nil)
	if _, err := v.Validate(t.Context(), list); err == nil || v.agreement != nil {
		t.Errorf("a validation that failed: %v, %+v", err, v.agreement)
	}
	list[0].Label = 7
	if _, err := v.Validate(t.Context(), list); err == nil {
		t.Error("a label of 7 was taken")
	}
}

func TestReadLabels(t *testing.T) {
	good := `{"id":"a","task":"Draw it.","made":"code","image":"a.png","label":3}` + "\n\n" + `{"id":"b","image":"a.png","label":0}` + "\n"
	files := fstest.MapFS{"set/labels.jsonl": {Data: []byte(good)}, "set/a.png": {Data: []byte("png")}}
	got, err := ReadLabels(files, "set/labels.jsonl")
	if err != nil || len(got) != 2 || got[0].Label != 3 || string(got[1].PNG) != "png" || got[0].Made != "code" {
		t.Errorf("%+v, %v", got, err)
	}
	for name, text := range map[string]string{
		"line 1": `{"id":"a","image":"a.png","label":4}`,
		"line 2": `{"id":"a","image":"a.png","label":1}` + "\n" + `{"id":"a","image":"a.png","label":1}`,
		"line 3": "\n\n" + `{"id":"a","image":"a.png"}`,
		"a.gif":  `{"id":"a","image":"a.gif","label":1}`,
		"line 4": "\n\n\n" + `{"id":`,
	} {
		files["set/labels.jsonl"] = &fstest.MapFile{Data: []byte(text)}
		if got, err := ReadLabels(files, "set/labels.jsonl"); err == nil || got != nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadLabels(files, "none.jsonl"); err == nil {
		t.Error("a file that is not there was read")
	}
}
