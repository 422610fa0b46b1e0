package metric

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Field is one field of the answer contract. Tolerances are in Unit. Item is the type of a list's items.
type Field struct {
	Key, Type, Item, Unit string
	Difference            bool
	AbsTol, RelTol, Floor float64
}

// Given is what an episode answered for a key. Value nil is unanswered.
type Given struct {
	Key        string
	Value      any
	Unit       string
	Difference bool
	Bound      bool
	Reason     string
}

// FieldScore is one scored field. Reason says why it is no hit, or why it has no value.
type FieldScore struct {
	Key    string
	Value  any
	Unit   string
	Gold   any
	Hit    bool
	Score  float64
	Bound  bool
	Reason string
}

// Reasons of a miss.
const (
	Unanswered = "unanswered"
	WrongUnit  = "unit"
	Unreadable = "format"
	Miss       = "miss"
)

// ScoreFields scores the answer against each map of right values and keeps the best: most hits, then highest score,
// then the first. Fields align by key, or by position if the answer has no key of the contract.
func ScoreFields(fields []Field, given []Given, right []map[string]any, convert Converter) []FieldScore {
	byKey := alignFields(fields, given)
	var best []FieldScore
	bestHits, bestScore := -1, 0.0
	for _, gold := range right {
		scores := make([]FieldScore, len(fields))
		hits, total := 0, 0.0
		for i, f := range fields {
			scores[i] = scoreField(f, byKey[f.Key], gold[f.Key], convert)
			if scores[i].Hit {
				hits++
			}
			total += scores[i].Score
		}
		if hits > bestHits || hits == bestHits && total > bestScore {
			best, bestHits, bestScore = scores, hits, total
		}
	}
	return best
}

func alignFields(fields []Field, given []Given) map[string]Given {
	byKey := map[string]Given{}
	for _, g := range given {
		for _, f := range fields {
			if f.Key == g.Key {
				byKey[f.Key] = g
			}
		}
	}
	if len(byKey) == 0 {
		for i, f := range fields {
			if i < len(given) {
				byKey[f.Key] = given[i]
			}
		}
	}
	return byKey
}

func scoreField(f Field, g Given, gold any, convert Converter) FieldScore {
	s := FieldScore{Key: f.Key, Value: g.Value, Unit: g.Unit, Gold: gold, Bound: g.Bound, Reason: g.Reason}
	if g.Value == nil {
		if s.Reason == "" {
			s.Reason = Unanswered
		}
		s.Bound = false
		return s
	}
	s.Reason = ""
	if f.Type != "list" {
		s.Hit, s.Score, s.Reason = scoreValue(f, f.Type, g, gold, convert)
		return s
	}
	if f.Item == BoxItem {
		return scoreBoxes(s)
	}
	want, okWant := list(gold)
	have, okHave := list(g.Value)
	if !okWant || !okHave {
		s.Reason = Unreadable
		return s
	}
	if len(want) != len(have) {
		s.Reason = Miss
		return s
	}
	s.Hit = true
	for i := range want {
		item := g
		item.Value = have[i]
		hit, score, reason := scoreValue(f, f.Item, item, want[i], convert)
		s.Hit = s.Hit && hit
		s.Score += score / float64(len(want))
		if reason != "" && s.Reason == "" {
			s.Reason = reason
		}
	}
	if len(want) == 0 {
		s.Score = 1
	}
	return s
}

// scoreBoxes scores detected objects, which have no order: a hit finds all of them and nothing else.
func scoreBoxes(s FieldScore) FieldScore {
	found, okFound := ReadBoxes(s.Value)
	there, okThere := ReadBoxes(s.Gold)
	if !okFound || !okThere {
		s.Reason = Unreadable
		return s
	}
	s.Score = (&Objects{Found: found, True: there}).f1()
	if s.Hit = s.Score == 1; !s.Hit {
		s.Reason = Miss
	}
	return s
}

func scoreValue(f Field, kind string, g Given, gold any, convert Converter) (hit bool, score float64, reason string) {
	equal := false
	switch kind {
	case "number", "integer", "angle":
		return scoreNumber(f, kind, g, gold, convert)
	case "boolean":
		a, okA := Truth(g.Value)
		b, okB := Truth(gold)
		if !okA || !okB {
			return false, 0, Unreadable
		}
		equal = a == b
	case "instant":
		equal = SameInstant(plain(g.Value), plain(gold))
	case "period":
		equal = samePeriod(plain(g.Value), plain(gold))
	default:
		equal = plain(g.Value) != "" && Fold(plain(g.Value)) == Fold(plain(gold))
	}
	if !equal {
		return false, 0, Miss
	}
	return true, 1, ""
}

// Truth reads a boolean: true and false, also as words.
func Truth(v any) (value, ok bool) {
	switch b := v.(type) {
	case bool:
		return b, true
	case string:
		switch Fold(b) {
		case "true":
			return true, true
		case "false":
			return false, true
		}
	}
	return false, false
}

// plain is a value as text: a year may come as a number.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	if x, ok := Number(v); ok {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return ""
}

// scoreNumber compares in the field's unit: AE = |ŷ − y| against λ = max(abs_tol, rel_tol·|y|, floor).
func scoreNumber(f Field, kind string, g Given, gold any, convert Converter) (bool, float64, string) {
	want, ok := Number(gold)
	if !ok {
		return false, 0, Unreadable
	}
	have, unit, ok := ReadNumber(g.Value)
	if !ok {
		return false, 0, Unreadable
	}
	if g.Unit != "" {
		unit = g.Unit
	}
	if unit != "" && unit != f.Unit {
		to := f.Unit
		if to == "" {
			to = "1"
		}
		v, err := convert(have, unit, to, g.Difference || f.Difference)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return false, 0, WrongUnit
		}
		have = v
	}
	ae := math.Abs(have - want)
	if kind == "angle" {
		ae = math.Abs(math.Remainder(have-want, 360))
	}
	lambda := max(f.AbsTol, f.RelTol*math.Abs(want), f.Floor)
	if hit := ae <= lambda*(1+1e-12); hit {
		return true, 1, ""
	}
	if lambda == 0 {
		return false, 0, Miss
	}
	return false, math.Exp2(-(ae/lambda - 1)), Miss
}

// numberText is a number alone, perhaps with thousands separators, followed by at most a unit.
var numberText = regexp.MustCompile(`^([+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)$`)

// ReadNumber reads a number, or text that is a number and perhaps its unit and nothing else: "42", "1,250 km2",
// "42 percent". Everything else, also "", NaN and infinities, is not a number.
func ReadNumber(v any) (value float64, unit string, ok bool) {
	if x, ok := Number(v); ok {
		return x, "", true
	}
	s, isText := v.(string)
	if !isText {
		return 0, "", false
	}
	parts := numberText.FindStringSubmatch(strings.ReplaceAll(strings.TrimSpace(s), "−", "-"))
	if parts == nil {
		return 0, "", false
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(parts[1], ",", ""), 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, "", false
	}
	unit = strings.TrimSpace(parts[2])
	if strings.ContainsFunc(unit, unicode.IsControl) {
		return 0, "", false
	}
	return x, unit, true
}
