package reply

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"almanac/agents/llm"
)

func newReader(t testing.TB, off ...string) *Reader {
	r, err := New(&Options{Off: off})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// standard decodes with the standard library, numbers as written.
func standard(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// jsonValue draws any JSON value.
func jsonValue(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }), rapid.Map(rapid.Float64Range(-1e300, 1e300), func(x float64) any { return x }),
		rapid.Map(rapid.String(), func(s string) any { return strings.ToValidUTF8(s, "") }),
	)
	if depth == 0 {
		return leaf
	}
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(jsonValue(depth-1), 0, 4), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.StringN(0, 8, -1), jsonValue(depth-1), 0, 4), func(m map[string]any) any { return m }))
}

// Valid JSON is read as the standard library reads it, and needs no repair.
func TestValidJSONNeedsNoRepair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(jsonValue(3).Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		f := &fixes{}
		got, err := parseWhole(string(data), f, true)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		want, err := standard(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(f.used) > 0 {
			t.Fatalf("%s: repairs %v, (-want +got):\n%s", data, f.used, diff)
		}
	})
}

// A prefix of an object is never an object, unless only closing brackets are
// missing and that is allowed.
func TestCutObjectsAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOfN(rapid.StringN(1, 5, -1), jsonValue(2), 1, 4).Draw(t, "object")
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(1, len(data)-1).Draw(t, "cut")
		if v, err := parseWhole(string(data[:cut]), &fixes{}, false); err == nil {
			t.Fatalf("%s cut to %s is read as %v", data, data[:cut], v)
		}
		v, err := parseWhole(string(data[:cut]), &fixes{}, true)
		if err == nil {
			if rest := strings.Trim(string(data[cut:]), "]}"); rest != "" && !strings.HasPrefix(rest, ",") {
				t.Fatalf("%s cut to %s is completed to %v", data, data[:cut], v)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,],}`, `{'a': True, 'b': None}`, `{a: .5}`, "{\"a\":\"\\ud83c\\udf0d\"}", `[[[[`, `{"a":1e999}`, `("a", )`, "{\"a\" /* x */: 1}// y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, closeOpen := range []bool{false, true} {
			fix := &fixes{}
			v, err := parseWhole(s, fix, closeOpen)
			if err != nil {
				continue
			}
			data, err := encode(v)
			if err != nil {
				t.Fatalf("%q is read as a value that cannot be written: %v", s, err)
			}
			again, err := parseWhole(string(data), &fixes{}, false)
			if err != nil || !reflect.DeepEqual(again, v) {
				t.Fatalf("%q gives %s, which gives %v, %v", s, data, again, err)
			}
			if want, err := standard([]byte(s)); json.Valid([]byte(s)) && err == nil && len(fix.used) == 0 && !reflect.DeepEqual(want, v) {
				t.Fatalf("%q is %v, the standard library reads %v", s, v, want)
			}
		}
	})
}

var fuzzTools = []llm.ToolSpec{
	{Name: "mean_of", Schema: json.RawMessage(`{"type":"object","properties":{"layer":{"type":"string"},"n":{"type":"integer"},"box":{"type":"object"},"l":{"type":"array","items":{"type":"number"}}},"required":["layer"],"additionalProperties":false}`)},
	{Name: "gis.area"},
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"name":"mean_of","arguments":{"layer":"sst"}}`, "x\n<tool_call>\n{\"name\":\"mean_of\",\"arguments\":{\"layer\":1}}", "<function=mean_of><parameter=layer>a</parameter></function>",
		"```json\n{\"name\":\"gis_area\"}\n```", "mean_of(layer='a', n=3)", "<think>a</think>[TOOL_CALLS] [{}]", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>mean_of\n{}", "<tool_call>mean_of<arg_key>n</arg_key><arg_value>3</arg_value>",
	} {
		f.Add(s, "stop")
		f.Add(s, "length")
	}
	all, none := newReader(f), newReader(f, "all")
	f.Fuzz(func(t *testing.T, text, finish string) {
		req := &llm.Request{Tools: fuzzTools}
		raw := &llm.Response{Message: llm.Message{Content: text}, Finish: finish}
		resp, err := all.Read(req, raw)
		if raw.Message.Content != text || (err == nil) == (resp == nil) {
			t.Fatalf("resp %v, err %v, raw %q", resp, err, raw.Message.Content)
		}
		if err != nil {
			if llm.AsError(err) == nil {
				t.Fatalf("err is %T", err)
			}
			return
		}
		for _, c := range resp.Message.ToolCalls {
			var obj map[string]any
			if json.Unmarshal(c.Arguments, &obj) != nil || c.Obtained != llm.ObtainedRepaired || len(c.Repairs) == 0 {
				t.Fatalf("%q gives the call %+v", text, c)
			}
			if c.Problem == "" && c.Name == "mean_of" {
				if _, ok := obj["layer"].(string); !ok {
					t.Fatalf("%q gives mean_of %s", text, c.Arguments)
				}
			}
		}
		if resp, err := none.Read(req, raw); err == nil && (len(resp.Message.ToolCalls) > 0 || resp.Message.Content != text || len(resp.Repairs) > 0) {
			t.Fatalf("with all repairs off, %q gives %+v", text, resp)
		}
	})
}

func TestWireSchema(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{``, `{"properties":{},"type":"object"}`},
		{`true`, `true`},
		{`{"type":["string","null"],"pattern":"x","format":"date","default":"a","title":"T"}`, `{"type":"string"}`},
		{`{"type":"object","properties":{"pattern":{"type":"string","minLength":2}},"required":["pattern"]}`, `{"properties":{"pattern":{"type":"string"}},"required":["pattern"],"type":"object"}`},
		{`{"anyOf":[{"type":"integer","minimum":3},{"type":"null"}],"description":"d"}`, `{"description":"d","type":"integer"}`},
		{`{"anyOf":[{"type":"integer"},{"type":"string"},{"type":"null"}]}`, `{"anyOf":[{"type":"integer"},{"type":"string"}]}`},
		{`{"type":"array","items":{"enum":["a",2],"examples":[1]},"uniqueItems":true,"minItems":1}`, `{"items":{"enum":["a",2]},"minItems":1,"type":"array"}`},
		{`{"$ref":"#/$defs/x","$defs":{"x":{"type":"number","exclusiveMinimum":0}}}`, `{"$defs":{"x":{"type":"number"}},"$ref":"#/$defs/x"}`},
	} {
		got, err := WireSchema(json.RawMessage(tt.in))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %s, %v, want %s", tt.in, got, err, tt.want)
		}
	}
	if _, err := WireSchema(json.RawMessage(`{`)); err == nil {
		t.Error("a broken schema passes")
	}
}

// Limits and patterns that are not sent are checked here; all faults at once.
func TestArgumentsAreValidatedWhole(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","required":["a","b","c"],"additionalProperties":false,"properties":{
		"a":{"type":"integer","minimum":3},"b":{"$ref":"#/$defs/box"},"c":{"type":["string","null"]},"d":{"anyOf":[{"type":"number"},{"type":"null"}]}},
		"$defs":{"box":{"type":"object","properties":{"w":{"type":"number","description":"west edge"}},"required":["w"]}}}`)
	r := newReader(t)
	for _, tt := range []struct {
		args, out string
		repairs   []string
		faults    []string
	}{
		{`{"a":3,"b":{"w":1},"c":null}`, `{"a":3,"b":{"w":1},"c":null}`, nil, nil},
		{`{"a":"3","b":"{\"w\":\"1.50\"}","c":"x","d":"2"}`, `{"a":3,"b":{"w":1.50},"c":"x","d":2}`, []string{FixScalar, FixStringValue, FixScalar, FixScalar}, nil},
		{`{"a":2,"b":{"w":1},"c":"x"}`, `{"a":2,"b":{"w":1},"c":"x"}`, nil, []string{"minimum"}},
		{`{"b":{},"c":7,"e":1}`, `{"b":{},"c":"7","e":1}`, []string{FixScalar}, []string{`missing required "a" at / (integer)`, `missing required "w" at /b (number: west edge)`, `unknown "e" at /; there are: a, b, c, d`}},
	} {
		out, repairs, faults := r.Arguments(schema, json.RawMessage(tt.args))
		if string(out) != tt.out {
			t.Errorf("%s: out %s", tt.args, out)
		}
		if diff := cmp.Diff(tt.repairs, repairs); diff != "" {
			t.Errorf("%s: repairs %s", tt.args, diff)
		}
		if len(tt.faults) == 1 && len(faults) == 1 && strings.Contains(faults[0], tt.faults[0]) {
			continue
		}
		if diff := cmp.Diff(tt.faults, faults); diff != "" {
			t.Errorf("%s: faults %s", tt.args, diff)
		}
	}
}

func TestEveryRepairIsListedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, id := range Repairs() {
		if seen[id] {
			t.Errorf("%s twice", id)
		}
		seen[id] = true
		newReader(t, id)
	}
}

// Text made to be slow to read is not.
func TestHostileTextIsReadQuickly(t *testing.T) {
	r := newReader(t)
	for _, piece := range []string{"{", "[", "<tool_call>", "<tool_call>{", "</think>", "<think></think>", "```\n", "`", `{"a":`, `["`, "[/*", "<function=mean_of>",
		"<parameter=a>", `{"name":"mean_of","arguments":`, "mean_of(", "\n{", "\n[1,", "<｜tool▁call▁begin｜>"} {
		for _, prefix := range []string{"", "x\n", "<think>", "<tool_call>"} {
			text := prefix + strings.Repeat(piece, 6_000/len(piece))
			start := time.Now()
			for _, req := range []*llm.Request{{Tools: fuzzTools}, {Schema: json.RawMessage(`{"type":"object"}`)}} {
				if resp, err := r.Read(req, &llm.Response{Message: llm.Message{Content: text}, Finish: llm.FinishStop}); (resp == nil) == (err == nil) {
					t.Errorf("%q: %v, %v", prefix+piece, resp, err)
				}
			}
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("%q: %s", prefix+piece, took)
			} else if took > 100*time.Millisecond {
				t.Logf("%q: %s", prefix+piece, took)
			}
		}
	}
}

// A native call whose arguments hold the whole call once more: seen in replies of qwen2.5-coder:1.5b. It is opened when
// the name within is the tool's own, and stays a fault otherwise.
func TestCallInsideItsArguments(t *testing.T) {
	for args, want := range map[string]string{
		`{"arguments":{"layer":"sst"},"function":"mean_of"}`:        `{"layer":"sst"}`,
		`{"name":"Mean-Of","parameters":{"layer":"sst","n":3}}`:     `{"layer":"sst","n":3}`,
		`{"arguments":{"layer":"sst"}}`:                             `{"layer":"sst"}`,
		`{"arguments":{"layer":"sst"},"function":"gis.area"}`:       "",
		`{"arguments":{"layer":"sst"},"note":"x"}`:                  "",
		`{"arguments":{"layer":"a"},"parameters":{"layer":"b"}}`:    "",
		`{"layer":"sst","function":"mean_of"}`:                      "",
		`{"arguments":"sst","function":"mean_of"}`:                  "",
		`{"arguments":{"layer":"sst"},"function":["mean_of", "x"]}`: "",
	} {
		raw := &llm.Response{Message: llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "mean_of", Arguments: json.RawMessage(args)}}}}
		resp, err := newReader(t).Read(&llm.Request{Tools: fuzzTools}, raw)
		if err != nil || len(resp.Message.ToolCalls) != 1 {
			t.Fatalf("%s: %v", args, err)
		}
		c := resp.Message.ToolCalls[0]
		if want == "" && c.Problem == "" {
			t.Errorf("%s is read as %s", args, c.Arguments)
		}
		if want != "" && (c.Problem != "" || string(c.Arguments) != want || c.Obtained != llm.ObtainedRepaired) {
			t.Errorf("%s is read as %s (%s, %s), want %s", args, c.Arguments, c.Problem, c.Obtained, want)
		}
	}
}
