package metric

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// boxTolerance is how far, in degrees, the corners of two equal boxes may lie apart.
const boxTolerance = 0.01

// Fold is the canonical form in which text is compared: NFC, case fold, trimmed.
func Fold(s string) string {
	return norm.NFC.String(cases.Fold().String(norm.NFC.String(strings.TrimSpace(s))))
}

// equalValues compares two values by gold's rule; the value of a number is converted to gold's unit first.
func (m *matcher) equalValues(p, g *Argument) bool {
	switch g.Rule {
	case RuleNumber, RuleInteger:
		a, okA := Number(p.Value)
		b, okB := Number(g.Value)
		if !okA || !okB {
			return false
		}
		if p.Unit != g.Unit && p.Unit != "" && g.Unit != "" {
			var err error
			if a, err = m.convert(a, p.Unit, g.Unit, false); err != nil {
				return false
			}
		}
		return numbersEqual(a, b, g.Tolerance)
	case RuleVerbatim, RuleUnit:
		return reflect.DeepEqual(p.Value, g.Value)
	case RuleInstant:
		return SameInstant(text(p.Value), text(g.Value))
	case RulePeriod:
		return samePeriod(text(p.Value), text(g.Value))
	case RuleBox:
		return sameBox(p.Value, g.Value)
	case RulePlace:
		return samePlace(p.Value, g.Value)
	case RuleSet:
		return sameSet(p.Value, g.Value, g.Tolerance)
	}
	return sameValue(p.Value, g.Value, g.Tolerance)
}

// Number reads a finite number from what JSON or Go may hold it in. Text and truth values are not numbers.
func Number(v any) (float64, bool) {
	var x float64
	switch n := v.(type) {
	case float64:
		x = n
	case float32:
		x = float64(n)
	case int:
		x = float64(n)
	case int64:
		x = float64(n)
	case uint64:
		x = float64(n)
	case json.Number:
		f, err := strconv.ParseFloat(string(n), 64)
		if err != nil {
			return 0, false
		}
		x = f
	default:
		return 0, false
	}
	return x, !math.IsNaN(x) && !math.IsInf(x, 0)
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// sameValue compares plain JSON values: numbers within tolerance, text folded, lists in order, maps by key.
func sameValue(p, g any, tolerance float64) bool {
	if b, ok := Number(g); ok {
		a, ok := Number(p)
		return ok && numbersEqual(a, b, tolerance)
	}
	if s, ok := g.(string); ok {
		t, ok := p.(string)
		return ok && Fold(s) == Fold(t)
	}
	if gl, ok := list(g); ok {
		pl, ok := list(p)
		if !ok || len(pl) != len(gl) {
			return false
		}
		for i := range gl {
			if !sameValue(pl[i], gl[i], tolerance) {
				return false
			}
		}
		return true
	}
	if gm, ok := g.(map[string]any); ok {
		pm, ok := p.(map[string]any)
		if !ok || len(pm) != len(gm) {
			return false
		}
		for k, v := range gm {
			w, ok := pm[k]
			if !ok || !sameValue(w, v, tolerance) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(p, g)
}

// list reads any slice as a list of values.
func list(v any) ([]any, bool) {
	switch l := v.(type) {
	case []any:
		return l, true
	case []float64:
		out := make([]any, len(l))
		for i, x := range l {
			out[i] = x
		}
		return out, true
	case []string:
		out := make([]any, len(l))
		for i, x := range l {
			out[i] = x
		}
		return out, true
	}
	return nil, false
}

func sameSet(p, g any, tolerance float64) bool {
	pl, okP := list(p)
	gl, okG := list(g)
	if !okP || !okG || len(pl) != len(gl) {
		return false
	}
	_, pairs := pairing(len(pl), len(gl), func(i, j int) bool { return sameValue(pl[i], gl[j], tolerance) })
	return pairs == len(gl)
}

func numbers(v any, names ...string) ([]float64, bool) {
	l, ok := list(v)
	if m, isMap := v.(map[string]any); isMap {
		for _, n := range names {
			l = append(l, m[n])
		}
		ok = len(m) == len(names)
	}
	if !ok || len(l) != len(names) {
		return nil, false
	}
	out := make([]float64, len(l))
	for i, x := range l {
		if out[i], ok = Number(x); !ok {
			return nil, false
		}
	}
	return out, true
}

func sameBox(p, g any) bool {
	a, okA := numbers(p, "west", "south", "east", "north")
	b, okB := numbers(g, "west", "south", "east", "north")
	if !okA || !okB {
		return false
	}
	for i := range a {
		d := a[i] - b[i]
		if i%2 == 0 { // longitudes: 350 is −10, but the whole globe is not the empty box
			d = math.Remainder(d, 360)
		}
		if math.Abs(d) > boxTolerance*(1+1e-9) {
			return false
		}
	}
	return math.Abs((a[2]-a[0])-(b[2]-b[0])) <= 2*boxTolerance || wraps(a) != wraps(b)
}

func wraps(box []float64) bool { return box[0] > box[2] }

func samePlace(p, g any) bool {
	a, okA := numbers(p, "latitude", "longitude")
	b, okB := numbers(g, "latitude", "longitude")
	if !okA || !okB {
		return sameValue(p, g, 0)
	}
	return math.Abs(a[0]-b[0]) <= 1e-9 && math.Abs(math.Remainder(a[1]-b[1], 360)) <= 1e-9
}

var instantLayouts = []string{
	"2006", "2006-01", "2006-01-02", "2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04:05",
}

// instantSpan reads a label as the first and last second that it covers.
func instantSpan(s string) (first, last time.Time, ok bool) {
	s = strings.TrimSpace(s)
	for i, layout := range instantLayouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		t = t.UTC().Truncate(time.Second) // periods may end a moment before the next one begins
		switch i {
		case 0:
			return t, t.AddDate(1, 0, 0).Add(-time.Second), true
		case 1:
			return t, t.AddDate(0, 1, 0).Add(-time.Second), true
		case 2:
			return t, t.AddDate(0, 0, 1).Add(-time.Second), true
		}
		return t, t, true
	}
	return first, last, false
}

// SameInstant compares instants as instants; labels that are no dates (a month of a climatology) as folded text.
func SameInstant(p, g string) bool {
	a, _, okA := instantSpan(p)
	b, _, okB := instantSpan(g)
	if okA && okB {
		return a.Equal(b)
	}
	return p != "" && Fold(p) == Fold(g)
}

// samePeriod compares end points: "2014" is "2014-01-01/2014-12-31".
func samePeriod(p, g string) bool {
	if p == "" || g == "" {
		return false
	}
	if Fold(p) == Fold(g) {
		return true
	}
	a1, a2, okA := periodSpan(p)
	b1, b2, okB := periodSpan(g)
	return okA && okB && a1.Equal(b1) && a2.Equal(b2)
}

func periodSpan(s string) (first, last time.Time, ok bool) {
	start, end, two := strings.Cut(s, "/")
	if !two {
		end = start
	}
	first, _, okFirst := instantSpan(start)
	_, last, okLast := instantSpan(end)
	return first, last, okFirst && okLast
}
