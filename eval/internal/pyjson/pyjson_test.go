package pyjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseAsPython(t *testing.T) {
	for text, want := range map[string]any{
		` {"a": [1, 2.50, -0, "x"], "a": NaN} `: map[string]any{"a": Literal("NaN")},
		`[Infinity, -Infinity, 1e400]`:          []any{Literal("Infinity"), Literal("-Infinity"), Literal("1e400")},
		`"\u00e9\ud83d\ude00\ud800x\n\/"`:       "é😀\xed\xa0\x80x\n/",
		"\uFEFF[]":                              []any{},
		`123456789012345678901234567890`:        Literal("123456789012345678901234567890"),
		`{"a": {}, "b": true, "c": null}`:       map[string]any{"a": map[string]any{}, "b": true, "c": nil},
	} {
		got, err := Parse([]byte(text))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %#v, %v", text, got, err)
		}
	}
}

func TestRefusedWithPlace(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "line 1, column 1 (byte 0): expected a value, found the end of the text",
		"[1,\n 2 3]":              `line 2, column 4 (byte 7): expected a comma or ], found "3]"`,
		`{"a" 1}`:                 `expected a colon, found "1}"`,
		`{a: 1}`:                  `expected a key in quotes, found "a: 1}"`,
		`[01]`:                    `expected a comma or ], found "1]"`,
		`-NaN`:                    "expected a number",
		`[1.]`:                    `expected a comma or ], found ".]"`,
		`nul`:                     "expected null",
		`"a`:                      "expected the closing quote of a text",
		"\"a\tb\"":                "expected an escape instead of a control character",
		`"\x"`:                    "expected an escape such as",
		`"\u00g0"`:                "expected an escape such as",
		"[] []":                   "expected the end of the text",
		"é\xff":                   "line 1, column 3 (byte 2): expected text in UTF-8",
		strings.Repeat("[", 2000): "expected at most 1000 levels",
		`[1,]`:                    "expected a value",
		`{"a": 1,}`:               "expected a key in quotes",
	} {
		_, err := Parse([]byte(text))
		var at *SyntaxError
		if !errors.As(err, &at) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

// Pairs and their equality as Python 3.11 has it for json.loads of lists that hold them, but for true against 1.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true}, {`1`, `1e0`, true}, {`-0`, `0.0`, true}, {`0`, `-0.0`, true}, {`1`, `true`, false}, {`0`, `false`, false},
		{`9007199254740993`, `9007199254740992`, false}, {`9007199254740993`, `9007199254740992.0`, false}, {`9007199254740992`, `9007199254740993.0`, true},
		{`0.1`, `0.1000000000000000055`, true}, {`1e400`, `Infinity`, true}, {`-1e400`, `Infinity`, false}, {`NaN`, `NaN`, true}, {`1`, `NaN`, false},
		{`1000000000000000000000`, `1e21`, true}, {`100000000000000000000000`, `1e23`, false},
		{`"é"`, `"\u00e9"`, true}, {`"é"`, `"e\u0301"`, false}, {`"a"`, `"A"`, false}, {`"1"`, `1`, false}, {`null`, `0`, false},
		{`{"a": 1, "b": [2]}`, `{"b":[2.0],"a":1.0}`, true}, {`[1, 2]`, `[2, 1]`, false}, {`[1]`, `[1, 1]`, false}, {`[]`, `[1]`, false}, {`[]`, `{}`, false},
		{`{"a": 1, "a": 2}`, `{"a": 2}`, true}, {`{"a": 1}`, `{"a": 1, "b": null}`, false}, {`[ ]`, `[]`, true}, {`{"x": {"y": []}}`, `{ "x" : { "y" : [ ] } }`, true},
	} {
		for _, swap := range []bool{false, true} {
			a, b := c.a, c.b
			if swap {
				a, b = b, a
			}
			if got := Same([]byte(a), []byte(b)); got != c.want {
				t.Errorf("%s and %s: %v", a, b, got)
			}
		}
	}
}

// The oracle is encoding/json, where both read a text.
func TestAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(anyValue(3).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(floats(got), want) {
			t.Fatalf("%s: %v, want %v", data, got, want)
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, data, "", "  "); err != nil {
			t.Fatal(err)
		}
		if !Same(data, indented.Bytes()) {
			t.Fatalf("%s is not itself", data)
		}
	})
}

func anyValue(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{rapid.String().AsAny(), rapid.Float64().AsAny(), rapid.Int().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil)}
	if depth > 0 {
		leaves = append(leaves, rapid.SliceOfN(anyValue(depth-1), 0, 4).AsAny(), rapid.MapOfN(rapid.String(), anyValue(depth-1), 0, 4).AsAny())
	}
	return rapid.OneOf(leaves...)
}

func floats(v any) any {
	switch x := v.(type) {
	case Literal:
		return x.Float()
	case []any:
		for i := range x {
			x[i] = floats(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = floats(x[k])
		}
	}
	return v
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a": [1, "\u00e9", NaN, {"b": null}]}`))
	f.Add([]byte("[\"\\ud800\", 1e5, -Infinity]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		if json.Valid(data) && err != nil && !strings.Contains(err.Error(), "levels") && !strings.Contains(err.Error(), "UTF-8") {
			t.Fatalf("%q is JSON: %v", data, err)
		}
		if err == nil && !Same(trimmed(t, data), trimmed(t, data)) {
			t.Fatalf("%q is not itself: %v", data, v)
		}
	})
}

func trimmed(t *testing.T, data []byte) []byte {
	r, err := NewReader(data)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := r.Raw()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestFloatBeyondTheRange(t *testing.T) {
	if !math.IsInf(Literal("-1e999").Float(), -1) || !math.IsNaN(Literal("NaN").Float()) {
		t.Error("not as Python")
	}
}
