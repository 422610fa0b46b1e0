package toolkits_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
	"almanac/toolkits/vector"

	"github.com/google/go-cmp/cmp"
	"github.com/paulmach/orb"
)

type sumIn struct {
	Series    *series.Series    `arg:"series" doc:"what is added up" alias:"data"`
	Above     toolkits.Quantity `arg:"above" unit:"@series" doc:"only values above" min:"-1000"`
	Method    string            `arg:"method" enum:"sum,mean" default:"sum" doc:"how"`
	Zones     *toolkits.Zones   `arg:"zones,optional" doc:"where"`
	Place     toolkits.Place    `arg:"place,optional" doc:"where"`
	Period    cftime.Period     `arg:"period,optional" doc:"when"`
	Steps     int               `arg:"steps" default:"3" doc:"how many"`
	Elevation *float64          `arg:"elevation,optional" unit:"m" doc:"height"`
}

type sumOut struct {
	Total toolkits.Quantity `out:"total" unit:"@series" doc:"the sum"`
	Count int               `out:"count" unit:"1" doc:"values added"`
	When  string            `out:"when" type:"instant" doc:"a time"`
	Extra *float64          `out:"extra" unit:"m" doc:"not always there"`
}

func sum(_ context.Context, in sumIn) (sumOut, error) {
	out := sumOut{When: "2001"}
	for _, v := range in.Series.Values {
		if v > in.Above.Value {
			out.Total.Value += v
			out.Count++
		}
	}
	out.Total.Unit = in.Series.Unit
	out.Extra = in.Elevation
	return out, nil
}

func sumTool() *toolkits.Tool {
	return toolkits.New("test.sum", sum, toolkits.Doc{Group: "Test", Purpose: "add up"})
}

type gazetteer struct{}

func (gazetteer) Place(_ context.Context, name string) (toolkits.Place, error) {
	if name == "Oslo" {
		return toolkits.Place{Name: "Oslo", Latitude: 60, Longitude: 10.5}, nil
	}
	e := toolkits.Errorf(toolkits.NotFound, "no place is named %q", name)
	e.Legal = []string{"Oslo"}
	return toolkits.Place{}, e
}

func (gazetteer) Boundary(context.Context, string) (*vector.Features, error) {
	ring := orb.Ring{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}
	return &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{ID: "x", Geometry: orb.Polygon{ring}}}}, nil
}

func environment(t testing.TB) (*toolkits.Env, toolkits.Value) {
	t.Helper()
	store, err := artifact.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := &series.Series{Variable: "rain", Unit: "mm", Frequency: "year", Calendar: "standard", Values: []float64{1, 2, 3}}
	for y := range 3 {
		tm, err := cftime.New("standard", 2000+y, 7, 1)
		if err != nil {
			t.Fatal(err)
		}
		s.Times = append(s.Times, tm)
	}
	meta, err := store.Put(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	h := toolkits.Value{Kind: "series", Unit: "mm", Hash: meta.Hash, Origin: &toolkits.Origin{Call: "c1", Output: "data"}}
	return &toolkits.Env{Store: store, Places: gazetteer{}}, h
}

func number(v float64, unit string) toolkits.Value {
	return toolkits.Value{Kind: "number", Number: v, Unit: unit}
}

func text(s string) toolkits.Value { return toolkits.Value{Kind: "string", Text: s} }

func TestBindConvertsAndFillsIn(t *testing.T) {
	env, s := environment(t)
	bare, err := sumTool().Bind(context.Background(), env, map[string]toolkits.Value{"series": s, "above": number(1, "")})
	if err != nil {
		t.Fatal(err)
	}
	// 0.1 cm is 1 mm; the default spelt out and in capitals is the default.
	spelt, err := sumTool().Bind(context.Background(), env, map[string]toolkits.Value{"series": s, "above": number(0.1, "cm"), "method": text("SUM")})
	if err != nil {
		t.Fatal(err)
	}
	if bare.Key != spelt.Key {
		t.Errorf("equal calls have different keys:\n%+v\n%+v", bare.Arguments, spelt.Arguments)
	}
	for _, a := range spelt.Arguments {
		if a.Name == "method" && !a.Default {
			t.Error("the default spelt out does not count as the default")
		}
	}
	if d := cmp.Diff([]artifact.Hash{s.Hash}, bare.Parents); d != "" {
		t.Error(d)
	}
}

func TestRun(t *testing.T) {
	env, s := environment(t)
	call, err := sumTool().Bind(context.Background(), env, map[string]toolkits.Value{"series": s, "above": number(1, "")})
	if err != nil {
		t.Fatal(err)
	}
	res, err := call.Run(context.Background(), toolkits.Made{Call: "c2", Step: "x"})
	if err != nil {
		t.Fatal(err)
	}
	total, ok := res.Get("total") // 2 + 3
	if !ok || total.Number != 5 || total.Unit != "mm" || total.Origin.Call != "c2" {
		t.Errorf("total %+v", total)
	}
	if _, ok := res.Get("extra"); ok {
		t.Error("an absent optional output is there")
	}
	recs, err := env.Store.Ancestors(context.Background(), total.Hash)
	if err != nil || len(recs) != 1 || recs[0].Tool != "test.sum" || recs[0].Parents[0] != s.Hash {
		t.Errorf("provenance %+v, %v", recs, err)
	}
}

func TestBindRefuses(t *testing.T) {
	env, s := environment(t)
	good := func() map[string]toolkits.Value {
		return map[string]toolkits.Value{"series": s, "above": number(1, "")}
	}
	for name, tt := range map[string]struct {
		change func(map[string]toolkits.Value)
		code   toolkits.Code
		param  string
	}{
		"missing":              {func(a map[string]toolkits.Value) { delete(a, "series") }, toolkits.BadArgument, "series"},
		"unknown parameter":    {func(a map[string]toolkits.Value) { a["seris"] = s }, toolkits.BadArgument, "seris"},
		"wrong kind":           {func(a map[string]toolkits.Value) { a["series"] = number(1, "") }, toolkits.BadArgument, "series"},
		"text for a number":    {func(a map[string]toolkits.Value) { a["above"] = text("three") }, toolkits.BadArgument, "above"},
		"unit does not fit":    {func(a map[string]toolkits.Value) { a["above"] = number(1, "kg") }, toolkits.BadUnit, "above"},
		"out of bounds":        {func(a map[string]toolkits.Value) { a["above"] = number(-1001, "") }, toolkits.BadArgument, "above"},
		"no such choice":       {func(a map[string]toolkits.Value) { a["method"] = text("linear") }, toolkits.BadArgument, "method"},
		"fraction for a count": {func(a map[string]toolkits.Value) { a["steps"] = number(3.7, "") }, toolkits.BadArgument, "steps"},
		"unknown place":        {func(a map[string]toolkits.Value) { a["place"] = text("Atlantis") }, toolkits.NotFound, "place"},
		"bad period":           {func(a map[string]toolkits.Value) { a["period"] = text("soon") }, toolkits.BadArgument, "period"},
	} {
		args := good()
		tt.change(args)
		_, err := sumTool().Bind(context.Background(), env, args)
		var e *toolkits.Error
		if !errors.As(err, &e) || e.Code != tt.code || e.Param != tt.param {
			t.Errorf("%s: %v, want %s at %s", name, err, tt.code, tt.param)
		}
	}
}

// A planned method that is not in the list is refused with the list, never replaced.
func TestFieldB30NoSubstitute(t *testing.T) {
	env, s := environment(t)
	_, err := sumTool().Bind(context.Background(), env, map[string]toolkits.Value{"series": s, "above": number(1, ""), "method": text("linear")})
	var e *toolkits.Error
	if !errors.As(err, &e) || len(e.Legal) != 2 {
		t.Errorf("%v", err)
	}
}

// An integer beyond 2^53 keeps all its digits, one beyond 64 bits is an error.
func TestFieldA07BigInteger(t *testing.T) {
	v, err := toolkits.Literal(json.Number("9007199254740993"))
	if err != nil || v.Int != 9007199254740993 || v.Plain() != int64(9007199254740993) {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := toolkits.Literal(json.Number("9223372036854775808")); err == nil {
		t.Error("an integer beyond 64 bits was taken")
	}
}

func TestZonesOfABoxAndAName(t *testing.T) {
	env, s := environment(t)
	box, err := toolkits.Literal(map[string]any{"west": 0.0, "south": 0.0, "east": 1.0, "north": 1.0})
	if err != nil {
		t.Fatal(err)
	}
	args := map[string]toolkits.Value{"series": s, "above": number(1, ""), "zones": box}
	call, err := sumTool().Bind(context.Background(), env, args)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range call.Arguments {
		if a.Name == "zones" && (a.Rule != "box" || a.Hash == "" || !a.Literal) {
			t.Errorf("%+v", a)
		}
	}
	for _, bad := range []map[string]any{
		{"west": 0.0, "south": 2.0, "east": 1.0, "north": 1.0},
		{"west": 0.0, "south": -95.0, "east": 1.0, "north": 1.0},
		{"west": 0.0, "south": 0.0, "east": 0.0, "north": 1.0},
		{"lon": 1.0},
	} {
		v, err := toolkits.Literal(bad)
		if err != nil {
			t.Fatal(err)
		}
		args["zones"] = v
		if _, err := sumTool().Bind(context.Background(), env, args); err == nil {
			t.Errorf("%v was taken for a box", bad)
		}
	}
}

func TestNotFiniteResultIsAnError(t *testing.T) {
	type in struct{}
	type out struct {
		X float64 `out:"x" unit:"1" doc:"a number"`
	}
	tool := toolkits.New("test.nan", func(context.Context, in) (out, error) { return out{math.NaN()}, nil }, toolkits.Doc{Group: "Test", Purpose: "nothing"})
	env, _ := environment(t)
	call, err := tool.Bind(context.Background(), env, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call.Run(context.Background(), toolkits.Made{}); err == nil || !strings.Contains(err.Error(), "not a finite number") {
		t.Errorf("NaN was returned: %v", err)
	}
}

func TestPanicOfAToolIsAnError(t *testing.T) {
	type in struct{}
	type out struct {
		X float64 `out:"x" unit:"1" doc:"a number"`
	}
	tool := toolkits.New("test.panic", func(context.Context, in) (out, error) { panic("ouch") }, toolkits.Doc{Group: "Test", Purpose: "nothing"})
	env, _ := environment(t)
	call, err := tool.Bind(context.Background(), env, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = call.Run(context.Background(), toolkits.Made{})
	var e *toolkits.Error
	if !errors.As(err, &e) || e.Code != toolkits.Internal {
		t.Errorf("%v", err)
	}
}

func TestUnitThatWasNotDeclared(t *testing.T) {
	type in struct{}
	type out struct {
		X toolkits.Quantity `out:"x" unit:"m" doc:"a length"`
	}
	tool := toolkits.New("test.unit", func(context.Context, in) (out, error) {
		return out{toolkits.Quantity{Value: 1, Unit: "kg"}}, nil
	}, toolkits.Doc{Group: "Test", Purpose: "nothing"})
	env, _ := environment(t)
	call, err := tool.Bind(context.Background(), env, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = call.Run(context.Background(), toolkits.Made{})
	var e *toolkits.Error
	if !errors.As(err, &e) || e.Code != toolkits.BadUnit {
		t.Errorf("%v", err)
	}
}

func TestSchemaIsFlatAndClosed(t *testing.T) {
	var schema struct {
		Properties map[string]struct {
			Enum []string
			Type any
		}
		Required             []string
		AdditionalProperties bool
	}
	if err := json.Unmarshal(sumTool().InputSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"series", "above"}, schema.Required); d != "" || schema.AdditionalProperties {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"sum", "mean"}, schema.Properties["method"].Enum); d != "" {
		t.Error(d)
	}
}

func TestNearest(t *testing.T) {
	got := toolkits.Nearest("zonalstats", []string{"gis.area", "gis.zonal_stats", "data.open"}, 1)
	if len(got) != 1 || got[0] != "gis.zonal_stats" {
		t.Errorf("%v", got)
	}
}
