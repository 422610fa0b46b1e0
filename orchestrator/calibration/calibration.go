// Package calibration keeps what was measured of a model on the dev split of a suite, for the decisions that need it:
// which mode squad works in (auto), how much the model's vote counts beside the search, and how many samples match
// squad's tokens (single-sc).
//
// # What is measured
//
// A [Record] has a row for each task, so that [Record.Figures] can leave out the tasks that are being scored, and every
// other task of their templates: nothing is ever measured on what it is used to score. Too few rows give no figure, and
// the caller's documented default holds instead.
//
// # Where it is kept
//
// One JSON file a model and tool catalog, named by a hash of the two, in a folder of the user's: a model of
// another digest, or a tool that was changed, has no calibration and is measured anew. See [Store].
package calibration

import (
	"math"
	"time"
)

// MinRows is how many rows a figure needs.
const MinRows = 3

// MinVotes is how many answers to a kind of question the weight of a vote needs.
const MinVotes = 8

// Vote is a closed question that the model answered and whose right answer the gold tells.
type Vote struct {
	Kind    string `json:"kind"` // of the question: variable, output, option, quantity
	Options int    `json:"options"`
	Right   bool   `json:"right"`
}

// Row is what one task gave. Nil is not known.
type Row struct {
	Task         string `json:"task"`
	Template     string `json:"template"`
	Valid        *bool  `json:"valid"` // the first schedule in program mode passed the checker
	SquadTokens  *int64 `json:"squad_tokens"`
	SingleTokens *int64 `json:"single_tokens"`
	Votes        []Vote `json:"votes,omitempty"`
}

// Key says what a record was measured on.
type Key struct {
	Model   string `json:"model"`   // its name, for people
	Digest  string `json:"digest"`  // of the weights; a model without one goes by its name
	Catalog string `json:"catalog"` // hash of the tools
	Suite   string `json:"suite"`
}

// Record is one calibration.
type Record struct {
	Schema  int       `json:"schema"`
	Key     Key       `json:"key"`
	Created time.Time `json:"created"`
	Mode    string    `json:"mode"` // of squad, when its tokens were measured
	Rows    []Row     `json:"rows"`
}

// Right is the share of right answers to a kind of question.
type Right struct {
	Asked int     `json:"asked"`
	Right int     `json:"right"`
	Share float64 `json:"share"`
	// Chance is the share that guessing would get: the mean of 1/options.
	Chance float64 `json:"chance"`
}

// Figures are what a run uses of a record. A nil figure was measured on too few tasks.
type Figures struct {
	Key          Key              `json:"key"`
	Created      time.Time        `json:"created"`
	Mode         string           `json:"mode"`
	Tasks        int              `json:"tasks"`    // that the figures are from
	LeftOut      int              `json:"left_out"` // since they are of a template that is being scored
	ValidShare   *float64         `json:"valid_share"`
	SquadTokens  *float64         `json:"squad_tokens"`  // mean over the tasks that have both
	SingleTokens *float64         `json:"single_tokens"` // likewise
	Votes        map[string]Right `json:"votes"`
}

// Figures sums the rows up. scored reports whether tasks of a template are being scored; nil means that none is.
func (r *Record) Figures(scored func(template string) bool) *Figures {
	f := &Figures{Key: r.Key, Created: r.Created, Mode: r.Mode, Votes: map[string]Right{}}
	valid, schedules := 0, 0
	var squad, single float64
	both := 0
	for _, row := range r.Rows {
		if scored != nil && scored(row.Template) {
			f.LeftOut++
			continue
		}
		f.Tasks++
		if row.Valid != nil {
			schedules++
			if *row.Valid {
				valid++
			}
		}
		if row.SquadTokens != nil && row.SingleTokens != nil {
			both++
			squad += float64(*row.SquadTokens)
			single += float64(*row.SingleTokens)
		}
		for _, v := range row.Votes {
			x := f.Votes[v.Kind]
			x.Asked++
			if v.Right {
				x.Right++
			}
			x.Chance += 1 / float64(max(1, v.Options))
			f.Votes[v.Kind] = x
		}
	}
	if schedules >= MinRows {
		share := float64(valid) / float64(schedules)
		f.ValidShare = &share
	}
	if both >= MinRows {
		a, b := squad/float64(both), single/float64(both)
		f.SquadTokens, f.SingleTokens = &a, &b
	}
	for kind, x := range f.Votes {
		x.Share, x.Chance = float64(x.Right)/float64(x.Asked), x.Chance/float64(x.Asked)
		f.Votes[kind] = x
	}
	return f
}

// Samples is how many samples of single use as many tokens as squad: max(1, round(squad / single)). ok is false where
// the tokens are not known.
func (f *Figures) Samples() (n int, ok bool) {
	if f == nil || f.SquadTokens == nil || f.SingleTokens == nil || *f.SingleTokens <= 0 {
		return 0, false
	}
	return max(1, int(math.Round(*f.SquadTokens / *f.SingleTokens))), true
}

// Skill is how much better than guessing the model answers a kind of question: 0 for guessing or worse, 1 for always
// right; (share − chance) / (1 − chance), where share counts one right and one wrong answer more than there were, so that
// few answers do not look like certainty. ok is false with fewer than MinVotes answers.
func (f *Figures) Skill(kind string) (skill float64, ok bool) {
	if f == nil {
		return 0, false
	}
	x := f.Votes[kind]
	if x.Asked < MinVotes || x.Chance >= 1 {
		return 0, false
	}
	share := float64(x.Right+1) / float64(x.Asked+2)
	return max(0, (share-x.Chance)/(1-x.Chance)), true
}
