package judge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"almanac/agents/llm"
)

// MaxScore is the best score of a plot.
const MaxScore = 3

// Rubric is what a model is told to score by, unless the options have another one.
const Rubric = `You score a plot that was made for a task. Look at the picture.
3: it shows what the task asks for, and can be read without help: axes or a colour scale with names and units, the right extent, the data.
2: it shows what the task asks for, with a flaw in labels, units, extent or colours that does not mislead.
1: it shows something related, or a flaw misleads.
0: it shows something else, nothing, or cannot be read.
Score only what is in the picture. Reply with JSON: {"score": 0, 1, 2 or 3, "reason": "one sentence"}.`

var replySchema = json.RawMessage(`{"type":"object","properties":{"score":{"type":"integer","minimum":0,"maximum":3},` +
	`"reason":{"type":"string"}},"required":["score","reason"]}`)

// Exhibit is a plot to be scored: what was asked for, the code or the call that made it, and the picture as PNG.
type Exhibit struct {
	ID   string
	Task string
	Made string
	PNG  []byte
}

// VisualOptions of [NewVisual]. The zero value is useful.
type VisualOptions struct {
	Rubric      string  // default [Rubric]
	MinLabels   int     // fewest scored labels for scores to count; default 20
	MinSpearman float64 // lowest rank correlation with the labels for scores to count; default 0.6
	MaxTokens   int     // of a reply; default 200
}

// Visual scores plots with a model that can see. Its scores count for nothing before [Visual.Validate] has found that
// they agree with people's. It is not safe for use while it validates.
type Visual struct {
	model     llm.Model
	opt       VisualOptions
	agreement *Agreement
}

// NewVisual makes a judge of a model that can see.
func NewVisual(m llm.Model, opt *VisualOptions) *Visual {
	v := &Visual{model: m}
	if opt != nil {
		v.opt = *opt
	}
	if v.opt.Rubric == "" {
		v.opt.Rubric = Rubric
	}
	if v.opt.MinLabels == 0 {
		v.opt.MinLabels = 20
	}
	if v.opt.MinSpearman == 0 {
		v.opt.MinSpearman = 0.6
	}
	if v.opt.MaxTokens == 0 {
		v.opt.MaxTokens = 200
	}
	return v
}

// Score is what the judge says of an exhibit. Score is nil where its reply was no score; Reason is the judge's own, or
// why there is none. Counts says whether the score may be used; Validation, whether or not it does, how well the judge
// agrees with people: nil before it was validated.
type Score struct {
	Exhibit    string     `json:"exhibit"`
	Score      *int       `json:"score"`
	Reason     string     `json:"reason"`
	Nonsense   bool       `json:"nonsense,omitempty"`
	Counts     bool       `json:"counts"`
	Validation *Agreement `json:"validation"`
	Usage      llm.Usage  `json:"-"` // the judge's tokens, which are nobody else's
}

// Score asks the model. A reply that is no score is no error: it is counted as nonsense, and never scored. The error is
// the model's or the context's.
func (v *Visual) Score(ctx context.Context, e Exhibit) (Score, error) {
	zero := 0.0
	resp, err := v.model.Generate(ctx, &llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: v.opt.Rubric},
			{Role: llm.RoleUser, Content: "Task:\n" + e.Task + "\n\nMade by:\n" + e.Made, Images: []llm.Image{{Type: "image/png", Data: e.PNG}}},
		},
		Schema: replySchema, Temperature: &zero, MaxTokens: v.opt.MaxTokens, Role: "judge",
	})
	out := Score{Exhibit: e.ID, Validation: v.agreement, Usage: llm.UsageOf(resp, err)}
	switch {
	case errors.Is(err, llm.ErrBadReply):
		out.Nonsense, out.Reason = true, err.Error()
		return out, nil
	case err != nil:
		return out, fmt.Errorf("judge: scoring %s: %w", e.ID, err)
	}
	score, reason, err := readScore(resp.Message.Content)
	if err != nil {
		out.Nonsense, out.Reason = true, err.Error()
		return out, nil
	}
	out.Score, out.Reason, out.Counts = &score, reason, v.counts()
	return out, nil
}

// counts reports whether the judge was found to agree with people.
func (v *Visual) counts() bool {
	a := v.agreement
	return a != nil && a.Scored >= v.opt.MinLabels && a.Spearman != nil && *a.Spearman >= v.opt.MinSpearman
}

// readScore reads a reply that is one JSON object with a whole score in range.
func readScore(text string) (score int, reason string, err error) {
	var r struct {
		Score  *float64 `json:"score"`
		Reason string   `json:"reason"`
	}
	if err := json.Unmarshal([]byte(strings.TrimSpace(text)), &r); err != nil {
		return 0, "", fmt.Errorf("judge: the reply is no JSON object: %w", err)
	}
	if r.Score == nil || *r.Score != float64(int(*r.Score)) || *r.Score < 0 || *r.Score > MaxScore {
		return 0, "", fmt.Errorf("judge: the reply has no whole score from 0 to %d", MaxScore)
	}
	return int(*r.Score), r.Reason, nil
}

// Labelled is an exhibit with the score that people gave it.
type Labelled struct {
	Exhibit
	Label int
}

// Validate scores exhibits that people have labelled, and keeps how well the two agree: from then on it stands beside
// every score. Nothing of it is kept if the model fails.
func (v *Visual) Validate(ctx context.Context, list []Labelled) (Agreement, error) {
	var scores, labels []int
	nonsense := 0
	for _, l := range list {
		if l.Label < 0 || l.Label > MaxScore {
			return Agreement{}, fmt.Errorf("judge: the label of %s is %d, not 0 to %d", l.ID, l.Label, MaxScore)
		}
		s, err := v.Score(ctx, l.Exhibit)
		if err != nil {
			return Agreement{}, err
		}
		if s.Score == nil {
			nonsense++
			continue
		}
		scores, labels = append(scores, *s.Score), append(labels, l.Label)
	}
	a := agreement(scores, labels, nonsense)
	v.agreement = &a
	return a, nil
}

// ReadLabels reads labelled exhibits from a file of JSON lines, {"id", "task", "made", "image", "label"} each; image is
// a PNG beside it. Errors name the line.
func ReadLabels(fsys fs.FS, name string) ([]Labelled, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("judge: reading labels: %w", err)
	}
	defer f.Close()
	var out []Labelled
	seen := map[string]bool{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for line := 1; in.Scan(); line++ {
		if strings.TrimSpace(in.Text()) == "" {
			continue
		}
		var r struct {
			ID, Task, Made, Image string
			Label                 *int
		}
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("judge: %s line %d: %w", name, line, err)
		}
		if r.ID == "" || seen[r.ID] || r.Label == nil || *r.Label < 0 || *r.Label > MaxScore {
			return nil, fmt.Errorf("judge: %s line %d wants an id of its own and a label from 0 to %d", name, line, MaxScore)
		}
		seen[r.ID] = true
		data, err := fs.ReadFile(fsys, path.Join(path.Dir(name), r.Image))
		if err != nil {
			return nil, fmt.Errorf("judge: %s line %d: %w", name, line, err)
		}
		out = append(out, Labelled{Exhibit{r.ID, r.Task, r.Made, data}, *r.Label})
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("judge: reading %s: %w", name, err)
	}
	return out, nil
}
