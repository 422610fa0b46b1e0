package toolkits

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"

	"almanac/toolkits/artifact"
)

// Value is what flows between steps: a literal, a scalar with its unit, or a handle to an artifact. Kind tells which
// fields count. Numbers that a tool made have Hash and Origin too, so that a number on its way to an answer can be
// followed back.
type Value struct {
	Kind       string
	Number     float64 // number, integer, scalar
	Int        int64   // integer, exact
	Unit       string  // of a number or scalar; "" for a bare literal
	Difference bool
	Text       string // string, instant, text, period, place, unit, expression
	Bool       bool
	List       []Value
	Record     map[string]Value
	Hash       artifact.Hash // of an artifact, and of everything a tool made
	Origin     *Origin       // nil for a literal
}

// Origin says which call and which of its output fields made a value.
type Origin struct {
	Call   string // id of the call within the episode
	Step   string
	Output string
}

// Quantity is a number with its unit ("1" where it has none).
type Quantity struct {
	Value      float64
	Unit       string
	Difference bool   // a difference, such as a bias: converted without offset
	Variable   string // what is measured, when known
}

// IsArtifact reports whether v is a handle to an artifact that is not a plain number, text or truth value.
func (v Value) IsArtifact() bool {
	switch v.Kind {
	case artifact.KindRaster, artifact.KindVector, artifact.KindTable, artifact.KindSeries, artifact.KindImage:
		return true
	}
	return false
}

// IsNumber reports whether v is a number, integer or scalar.
func (v Value) IsNumber() bool {
	return v.Kind == KindNumber || v.Kind == KindInteger || v.Kind == artifact.KindScalar
}

// Literal makes a value of plain Go data as JSON or a schedule has it: nil, bool, string, json.Number, float64, int,
// int64, *big.Int, []any, map[string]any. Numbers keep all digits; an integer beyond 64 bits is an error.
func Literal(x any) (Value, error) {
	switch x := x.(type) {
	case nil:
		return Value{Kind: KindNull}, nil
	case Value:
		return x, nil
	case bool:
		return Value{Kind: KindBoolean, Bool: x}, nil
	case string:
		return Value{Kind: KindString, Text: x}, nil
	case int:
		return integer(int64(x)), nil
	case int64:
		return integer(x), nil
	case *big.Int:
		if !x.IsInt64() {
			return Value{}, Errorf(BadArgument, "the integer %s does not fit into 64 bits", x)
		}
		return integer(x.Int64()), nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Value{}, Errorf(BadArgument, "%v is no finite number", x)
		}
		return Value{Kind: KindNumber, Number: x}, nil
	case json.Number:
		return number(x)
	case []any:
		return listOf(x)
	case map[string]any:
		return recordOf(x)
	}
	return Value{}, fmt.Errorf("toolkits: a %T cannot be a literal", x)
}

func integer(n int64) Value { return Value{Kind: KindInteger, Int: n, Number: float64(n)} }

func number(n json.Number) (Value, error) {
	if i, ok := new(big.Int).SetString(n.String(), 10); ok {
		return Literal(i)
	}
	f, err := n.Float64()
	if err != nil {
		return Value{}, Errorf(BadArgument, "%s is no number in range", n)
	}
	return Literal(f)
}

func listOf(items []any) (Value, error) {
	v := Value{Kind: KindList, List: make([]Value, len(items))}
	for i, x := range items {
		var err error
		if v.List[i], err = Literal(x); err != nil {
			return Value{}, err
		}
	}
	return v, nil
}

func recordOf(fields map[string]any) (Value, error) {
	v := Value{Kind: KindRecord, Record: make(map[string]Value, len(fields))}
	for k, x := range fields {
		var err error
		if v.Record[k], err = Literal(x); err != nil {
			return Value{}, err
		}
	}
	return v, nil
}

// Plain gives v back as plain Go data: the inverse of [Literal]; a handle becomes its hash.
func (v Value) Plain() any {
	switch v.Kind {
	case KindNull:
		return nil
	case KindBoolean:
		return v.Bool
	case KindInteger:
		return v.Int
	case KindNumber, artifact.KindScalar:
		return v.Number
	case KindList:
		out := make([]any, len(v.List))
		for i, x := range v.List {
			out[i] = x.Plain()
		}
		return out
	case KindRecord:
		out := make(map[string]any, len(v.Record))
		for k, x := range v.Record {
			out[k] = x.Plain()
		}
		return out
	}
	if v.IsArtifact() {
		return string(v.Hash)
	}
	return v.Text
}

// describe says what v is, for messages.
func (v Value) describe() string {
	switch {
	case v.Kind == KindString || v.Kind == KindInstant || v.Kind == KindPeriod || v.Kind == KindPlace:
		return fmt.Sprintf("the %s %q", v.Kind, v.Text)
	case v.IsNumber():
		return fmt.Sprintf("the %s %v %s", v.Kind, v.Number, v.Unit)
	case v.Kind == KindBoolean:
		return fmt.Sprint(v.Bool)
	}
	return "a " + v.Kind
}
