package scenarios

import "strings"

// Kinds of slot values.
const (
	TextSlot   = "text"   // a place, month, season, comparison, data set or variable: Text
	NumberSlot = "number" // Number and Unit
	PeriodSlot = "period" // Start and End, ISO dates, both inclusive
	BoxSlot    = "box"    // West, South, East, North in degrees
	ListSlot   = "list"   // Items
)

// Slot is a fact that the question states, typed. In a task's gold `task.name` is its value.
type Slot struct {
	Name   string  `json:"name,omitempty"`
	Kind   string  `json:"kind"`
	Text   string  `json:"text,omitempty"`
	Number float64 `json:"number,omitempty"`
	Unit   string  `json:"unit,omitempty"` // of a number; "" means the unit of the parameter that takes it
	Start  string  `json:"start,omitempty"`
	End    string  `json:"end,omitempty"`
	West   float64 `json:"west,omitempty"`
	South  float64 `json:"south,omitempty"`
	East   float64 `json:"east,omitempty"`
	North  float64 `json:"north,omitempty"`
	Items  []Slot  `json:"items,omitempty"`
	// As are the words that state the value: the first replaces {name} in the texts, and each wording must hold one
	// of them, in the question or in the context. Never empty.
	As []string `json:"as"`
}

// Value returns the slot's value as plain data: a string, a float64 (a number without a unit), a map with number and
// unit or with west, south, east and north, a period as "start/end", or a list of these.
func (s Slot) Value() any {
	switch s.Kind {
	case NumberSlot:
		if s.Unit == "" {
			return s.Number
		}
		return map[string]any{"number": s.Number, "unit": s.Unit}
	case PeriodSlot:
		return s.Start + "/" + s.End
	case BoxSlot:
		return map[string]any{"west": s.West, "south": s.South, "east": s.East, "north": s.North}
	case ListSlot:
		list := make([]any, len(s.Items))
		for i, item := range s.Items {
			list[i] = item.Value()
		}
		return list
	default:
		return s.Text
	}
}

// statedIn says whether one of the slot's words occurs in the text, letter case and line breaks apart. Of a list
// every item must.
func (s Slot) statedIn(text string) bool {
	if s.Kind == ListSlot {
		for _, item := range s.Items {
			if !item.statedIn(text) {
				return false
			}
		}
		return true
	}
	text = folded(text)
	for _, words := range s.As {
		if strings.Contains(text, folded(words)) {
			return true
		}
	}
	return false
}

// folded brings text to lower case with single spaces, so that a line break inside a phrase does not matter.
func folded(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}
