package schedule

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Form says which of the forms of statements a statement has.
type Form string

// The forms of statements.
const (
	FormDirect    Form = "direct"
	FormObjective Form = "objective"
	FormGuarded   Form = "guarded"
	FormMapped    Form = "mapped"
	FormFirst     Form = "first"
	FormComputed  Form = "computed"
	FormCheck     Form = "check"
	FormAnswer    Form = "answer"
	FormDecline   Form = "decline"
)

// Form tells the form of a statement. A bare call is a check.
func (s *Statement) Form() Form {
	switch b := s.Body.(type) {
	case *Call:
		switch {
		case s.Name == "":
			return FormCheck
		case b.IsAsk():
			return FormObjective
		}
		return FormDirect
	case *Guarded:
		return FormGuarded
	case *Mapped:
		return FormMapped
	case *First:
		return FormFirst
	case *Computed:
		return FormComputed
	case *Answer:
		return FormAnswer
	}
	return FormDecline
}

// Step is one statement as events carry it. Text reads back with Parse.
type Step struct {
	ID    string   `json:"id"`
	Form  Form     `json:"form"`
	Text  string   `json:"text"`
	Calls []Called `json:"calls,omitempty"`
	// Guard is the condition of a guarded step, Over the list of a mapped one and
	// Item its loop name.
	Guard  string   `json:"guard,omitempty"`
	Over   string   `json:"over,omitempty"`
	Item   string   `json:"item,omitempty"`
	Fields Values   `json:"fields,omitempty"`
	Needs  []string `json:"needs,omitempty"`
}

// Called is one tool call of a Step.
type Called struct {
	Tool string `json:"tool"`
	Args Values `json:"args,omitempty"`
}

// Values are named values in the order of the text. As JSON they are an object:
// literals as they are, references as {"ref": "stats.mean"}, expressions as
// {"expr": "a.x + 1"}.
type Values []Arg

// Steps gives the statements of a program as events carry them.
func Steps(p *Program) []Step {
	ids := IDs(p)
	steps := make([]Step, len(ids))
	for i, s := range p.Statements {
		st := Step{ID: ids[i], Form: s.Form(), Text: s.String(), Needs: Names(s)}
		for _, c := range s.Calls() {
			st.Calls = append(st.Calls, Called{Tool: c.FullName(), Args: c.Args})
		}
		switch b := s.Body.(type) {
		case *Guarded:
			st.Guard = Text(b.Cond)
		case *Mapped:
			st.Over, st.Item = Text(b.Over), b.Var
		case *Answer:
			st.Fields = b.Fields
		}
		steps[i] = st
	}
	return steps
}

// MarshalJSON writes the values as one object, in their order.
func (v Values) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, a := range v {
		if i > 0 {
			b.WriteByte(',')
		}
		name := a.Name
		if name == "" {
			name = fmt.Sprintf("%d", i) // a positional argument
		}
		if err := writeJSON(&b, name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encodeExpr(&b, a.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func writeJSON(b *bytes.Buffer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("schedule: encoding a value: %w", err)
	}
	b.Write(text)
	return nil
}

func encodeExpr(b *bytes.Buffer, e Expr) error {
	switch e := e.(type) {
	case *Number:
		b.WriteString(e.Text)
	case *String:
		return writeJSON(b, e.Value)
	case *Bool:
		return writeJSON(b, e.Value)
	case *None:
		b.WriteString("null")
	case *List:
		b.WriteByte('[')
		for i, x := range e.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := encodeExpr(b, x); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case *Dict:
		args := make(Values, len(e.Entries))
		for i, entry := range e.Entries {
			args[i] = Arg{Name: entry.Key, Value: entry.Value}
		}
		return encodeDict(b, args)
	case *Ref:
		return writeJSON(b, map[string]string{"ref": Text(e)})
	default:
		return writeJSON(b, map[string]string{"expr": Text(e)})
	}
	return nil
}

func encodeDict(b *bytes.Buffer, v Values) error {
	b.WriteByte('{')
	for i, a := range v {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeJSON(b, a.Name); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := encodeExpr(b, a.Value); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}
