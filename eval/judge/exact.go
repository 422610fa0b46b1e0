package judge

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"almanac/eval/metric"
	"almanac/toolkits/artifact"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/table"
	"almanac/toolkits/units"
	"almanac/toolkits/vector"
)

// relative is how far two numbers may lie apart that are to be the same, where nothing else is declared.
const relative = 1e-9

// Options of [Exact]. The zero value compares numbers within 1e-9 relative, shapes exactly and tables row by row.
type Options struct {
	// AbsTol and RelTol are the tolerance of numbers and cells, AbsTol in the unit of what is expected. Of the two, and
	// of 1e-9 relative, the widest counts.
	AbsTol, RelTol float64
	// Hausdorff is how far outlines of shapes may lie apart, in the units of their coordinates; 0 asks for the same shape.
	Hausdorff float64
	// Keys name the columns of a table, or the property of features, by which rows are found; none: rows are in order.
	Keys []string
	// Verbatim compares text byte by byte instead of folded.
	Verbatim bool
}

// Verdict is the outcome of a comparison. Reason says where and how the first difference is; empty if there is none.
type Verdict struct {
	Equal  bool
	Reason string
}

// Exact compares what was made with what is expected: an artifact (raster, features, table, series, scalar, text,
// image), a number, text, truth value, [time.Time], list or map of these. opt may be nil.
func Exact(got, want any, opt *Options) Verdict {
	if opt == nil {
		opt = &Options{}
	}
	if err := (&comparer{opt}).value("", got, want); err != nil {
		return Verdict{Reason: err.Error()}
	}
	return Verdict{Equal: true}
}

type comparer struct{ *Options }

// differs is an error that says where two values differ.
func differs(where, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if where == "" {
		return fmt.Errorf("%s", text)
	}
	return fmt.Errorf("%s: %s", where, text)
}

// kindOf names the kind of a value, for the comparison of kinds. Every number has one kind.
func kindOf(v any) string {
	if k := artifact.KindOf(v); k != "" {
		return k
	}
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "text"
	case time.Time:
		return "instant"
	case map[string]any:
		return "map"
	case float64, float32, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return "number"
	case []any, []float64, []int, []string:
		return "list"
	}
	return fmt.Sprintf("%T", v)
}

func (c *comparer) value(where string, got, want any) error {
	if g, w := kindOf(got), kindOf(want); g != w {
		return differs(where, "is of kind %s, not %s", g, w)
	}
	switch w := want.(type) {
	case nil:
		return nil
	case *grid.Raster:
		return c.raster(where, got.(*grid.Raster), w)
	case *series.Series:
		return c.series(where, got.(*series.Series), w)
	case *vector.Features:
		return c.features(where, got.(*vector.Features), w)
	case *table.Table:
		return c.table(where, got.(*table.Table), w)
	case *artifact.Image:
		return c.image(where, got.(*artifact.Image), w)
	case *artifact.Scalar:
		return c.scalar(where, got.(*artifact.Scalar), w)
	case *artifact.Text:
		return c.label(where, got.(*artifact.Text), w)
	case bool:
		if got.(bool) != w {
			return differs(where, "is %v, not %v", got, w)
		}
	case string:
		return c.text(where, got.(string), w)
	case time.Time:
		if g := got.(time.Time); !g.Equal(w) {
			return differs(where, "is %s, not %s", g.Format(time.RFC3339Nano), w.Format(time.RFC3339Nano))
		}
	case map[string]any:
		return c.fields(where, got.(map[string]any), w)
	default:
		if kindOf(want) == "list" {
			return c.list(where, items(got), items(want))
		}
		return c.numbers(where, got, want)
	}
	return nil
}

func (c *comparer) numbers(where string, got, want any) error {
	g, okG := float(got)
	w, okW := float(want)
	if !okG || !okW {
		return differs(where, "values of type %T cannot be compared", want)
	}
	return c.number(where, g, w)
}

// number compares within the tolerance; two missing numbers are the same, a missing one is no other.
func (c *comparer) number(where string, got, want float64) error {
	if !c.near(got, want) {
		return differs(where, "is %g, not %g within %.3g", got, want, c.tolerance(want))
	}
	return nil
}

func (c *comparer) tolerance(want float64) float64 {
	return max(c.AbsTol, c.RelTol*math.Abs(want), relative*math.Abs(want))
}

func (c *comparer) near(got, want float64) bool {
	switch {
	case math.IsNaN(got) || math.IsNaN(want):
		return math.IsNaN(got) && math.IsNaN(want)
	case got == want:
		return true
	case math.IsInf(got, 0) || math.IsInf(want, 0):
		return false
	}
	return math.Abs(got-want) <= c.tolerance(want)*(1+1e-12)
}

func (c *comparer) text(where, got, want string) error {
	if got == want || !c.Verbatim && metric.Fold(got) == metric.Fold(want) {
		return nil
	}
	return differs(where, "is %q, not %q", got, want)
}

func (c *comparer) label(where string, got, want *artifact.Text) error {
	switch {
	case got.Type != want.Type:
		return differs(where, "is of type %s, not %s", got.Type, want.Type)
	case want.Type == "instant" && metric.SameInstant(got.Text, want.Text):
		return nil
	}
	return c.text(where, got.Text, want.Text)
}

func (c *comparer) scalar(where string, got, want *artifact.Scalar) error {
	if (got.Type == artifact.Boolean) != (want.Type == artifact.Boolean) {
		return differs(where, "is of type %s, not %s", got.Type, want.Type)
	}
	convert, err := converter(got.Unit, want.Unit, want.Difference)
	if err != nil {
		return differs(where, "%v", err)
	}
	return c.number(where, convert(got.Value), want.Value)
}

// converter brings values to the expected unit. A unit that is not known converts to itself only.
func converter(from, to string, difference bool) (func(float64) float64, error) {
	if from == to {
		return func(v float64) float64 { return v }, nil
	}
	f, err := units.Converter(from, to, difference)
	if err != nil {
		return nil, fmt.Errorf("is in %q, not %q, and does not convert", from, to)
	}
	return f, nil
}

func (c *comparer) list(where string, got, want []any) error {
	if len(got) != len(want) {
		return differs(where, "has %d items, not %d", len(got), len(want))
	}
	for i := range want {
		if err := c.value(fmt.Sprintf("%s[%d]", where, i), got[i], want[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparer) fields(where string, got, want map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		g, ok := got[name]
		if !ok {
			return differs(where, "lacks %s", name)
		}
		if err := c.value(where+"."+name, g, want[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			return differs(where, "has %s, which is not expected", name)
		}
	}
	return nil
}

// float reads any Go number. Unlike an answer, a value that a program made may be NaN.
func float(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case float32:
		return float64(n), true
	case int:
		return float64(n), true
	case int8:
		return float64(n), true
	case int16:
		return float64(n), true
	case int32:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint:
		return float64(n), true
	case uint8:
		return float64(n), true
	case uint16:
		return float64(n), true
	case uint32:
		return float64(n), true
	case uint64:
		return float64(n), true
	}
	return 0, false
}

func items(v any) []any {
	switch l := v.(type) {
	case []any:
		return l
	case []float64:
		return anys(l)
	case []int:
		return anys(l)
	case []string:
		return anys(l)
	}
	return nil
}

func anys[T any](l []T) []any {
	out := make([]any, len(l))
	for i, x := range l {
		out[i] = x
	}
	return out
}
