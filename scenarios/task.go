package scenarios

import (
	"fmt"
	"math"
)

// Tracks of tasks.
const (
	Fundamentals = "fundamentals" // deterministic work on data
	Simulation   = "simulation"   // baseline, intervention, counterfactual with matched inputs
	Document     = "document"     // a reported value and its re-construction
)

// Task is a question with its answer contract, in one wording.
type Task struct {
	ID          string   `json:"id"`       // unique in the suite; paraphrase n of task x is "x~n"
	Template    string   `json:"template"` // the unit of inference: tasks of one template are not independent
	Split       string   `json:"split"`    // dev, test, …
	Track       string   `json:"track"`
	Domains     []string `json:"domains"` // one, or those that a combined request joins
	Level       int      `json:"level"`   // 0 observe, 1 associate, 2 intervene, 3 counterfactual
	Question    string   `json:"question"`
	Wording     int      `json:"wording"` // 0 the question itself, n the n-th paraphrase
	Far         bool     `json:"far"`     // shares no content word with the documentation of its gold tools
	Context     string   `json:"context,omitempty"`
	Paraphrases []Phrase `json:"paraphrases,omitempty"`
	Slots       []Slot   `json:"slots,omitempty"` // in the order of the file
	Answer      []Field  `json:"answer"`
	Required    []Effect `json:"required,omitempty"`
	Decline     bool     `json:"decline,omitempty"`     // the right answer is to decline
	Tools       []string `json:"tools,omitempty"`       // tools that may be used; empty means all
	Distractors int      `json:"distractors,omitempty"` // tools that never run, shown to every setup beside those that do
	Budget      Budget   `json:"budget"`
	Gold        []Gold   `json:"gold"`
	// Expected holds a value for each answer key, from the second implementation: float64 (number, integer, angle),
	// string (text, instant, period, place), bool, or []any of these. Empty for a task to decline.
	Expected     map[string]any    `json:"expected,omitempty"`
	Alternatives []map[string]any  `json:"alternatives,omitempty"` // further right answers
	Evidence     map[string]string `json:"evidence,omitempty"`     // where each expected value comes from
	Reference    string            `json:"reference,omitempty"`    // of a document
	Mode         string            `json:"mode,omitempty"`         // of a document: exact, approximate, structural, proxy
	Licence      string            `json:"licence,omitempty"`

	File string `json:"-"` // where the task stands
	Line int    `json:"-"`
}

// Phrase is another wording of a question.
type Phrase struct {
	Text string `json:"text"`
	Far  bool   `json:"far,omitempty"`
}

// Gold is a schedule that reaches the answer, as text of the schedule language.
type Gold struct {
	Text string `json:"text"`
	Line int    `json:"-"` // line of the file that the text's first line stands on
}

// Effect is something that must exist at the end: a successful call of a tool, or an artifact of a kind. One of the
// two is set.
type Effect struct {
	Call     string `json:"call,omitempty"`
	Artifact string `json:"artifact,omitempty"`
}

// Budget limits an episode; 0 means the configuration's own.
type Budget struct {
	ModelCalls int     `json:"model_calls,omitempty"`
	ToolCalls  int     `json:"tool_calls,omitempty"`
	Tokens     int     `json:"tokens,omitempty"`
	Replans    int     `json:"replans,omitempty"`
	WorkingS   float64 `json:"working_s,omitempty"`
}

// Types of answer fields.
const (
	Number  = "number"
	Integer = "integer"
	Angle   = "angle" // degrees; differences modulo 360
	Text    = "text"
	Boolean = "boolean"
	Instant = "instant" // label of a time step: "August", "1998-08", "2014-07-06", "1998"
	Period  = "period"  // "start/end", both inclusive
	Place   = "place"
	List    = "list"
)

// Field is one field of the answer contract. Tolerances are in the field's unit.
type Field struct {
	Key         string  `json:"key"` // in the asker's words; never the name of a tool's output
	Type        string  `json:"type"`
	Item        string  `json:"item,omitempty"`     // type of a list's items
	Quantity    string  `json:"quantity,omitempty"` // "difference" where 1 K is 1 degC; else free
	Unit        string  `json:"unit,omitempty"`     // UDUNITS-like; "" for text and the like, "1" dimensionless
	AbsTol      float64 `json:"abs_tol"`
	RelTol      float64 `json:"rel_tol"`
	Floor       float64 `json:"floor"`
	Description string  `json:"description,omitempty"`
}

// Tolerance is λ = max(abs_tol, rel_tol·|y|, floor): a value within λ of y is a hit.
func (f Field) Tolerance(y float64) float64 {
	return max(f.AbsTol, f.RelTol*math.Abs(y), f.Floor)
}

// Numeric says whether values of the field are numbers.
func (f Field) Numeric() bool {
	t := f.Type
	if t == List {
		t = f.Item
	}
	return t == Number || t == Integer || t == Angle
}

// Contract is the part of a field that a setup is shown: no tolerance.
type Contract struct {
	Key         string `json:"key"`
	Type        string `json:"type"`
	Item        string `json:"item,omitempty"`
	Quantity    string `json:"quantity,omitempty"`
	Unit        string `json:"unit,omitempty"`
	Description string `json:"description,omitempty"`
}

// Asked is everything that a setup may see of a task.
type Asked struct {
	Question string     `json:"question"`
	Context  string     `json:"context,omitempty"`
	Answer   []Contract `json:"answer"`
	Tools    []string   `json:"tools,omitempty"`
	Budget   Budget     `json:"budget"`
}

// Asked returns the part of the task that a setup may see.
func (t Task) Asked() Asked {
	a := Asked{Question: t.Question, Context: t.Context, Tools: t.Tools, Budget: t.Budget}
	for _, f := range t.Answer {
		a.Answer = append(a.Answer, Contract{Key: f.Key, Type: f.Type, Item: f.Item, Quantity: f.Quantity,
			Unit: f.Unit, Description: f.Description})
	}
	return a
}

// Path is split/id, what a selection matches.
func (t Task) Path() string { return t.Split + "/" + t.ID }

// Field returns the answer field of that key.
func (t Task) Field(key string) (Field, bool) {
	for _, f := range t.Answer {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// Slot returns the slot of that name: what `task.name` means in the task's gold.
func (t Task) Slot(name string) (Slot, bool) {
	for _, s := range t.Slots {
		if s.Name == name {
			return s, true
		}
	}
	return Slot{}, false
}

// Wordings returns the task itself and one task for each paraphrase. A question is never far unless it is marked so
// by being a paraphrase.
func (t Task) Wordings() []Task {
	all := []Task{t}
	for i, p := range t.Paraphrases {
		w := t
		w.ID, w.Wording, w.Far, w.Question = fmt.Sprintf("%s~%d", t.ID, i+1), i+1, p.Far, p.Text
		all = append(all, w)
	}
	return all
}
