package earthbench

import (
	"cmp"
	"fmt"
	"strings"
)

// Means are means over the items of a scope that have a value. Answer is the share of the answers that are a letter.
type Means struct {
	AnyOrder   *float64 `json:"any_order"`
	InOrder    *float64 `json:"in_order"`
	ExactMatch *float64 `json:"exact_match"`
	Parameters *float64 `json:"parameters"`
	Efficiency *float64 `json:"efficiency"`
	Answer     *float64 `json:"answer"`
	Correct    *float64 `json:"correct"`
}

var meanNames = [...]string{"any_order", "in_order", "exact_match", "parameters", "efficiency", "answer", "correct"}

var meanFields = [...]func(*Means) **float64{
	func(m *Means) **float64 { return &m.AnyOrder }, func(m *Means) **float64 { return &m.InOrder },
	func(m *Means) **float64 { return &m.ExactMatch }, func(m *Means) **float64 { return &m.Parameters },
	func(m *Means) **float64 { return &m.Efficiency }, func(m *Means) **float64 { return &m.Answer },
	func(m *Means) **float64 { return &m.Correct },
}

// Each calls f with each mean's name and value, in order.
func (m *Means) Each(f func(name string, v *float64)) {
	for i, of := range meanFields {
		f(meanNames[i], *of(m))
	}
}

// values are an item's, in the order of the means; has says which there are.
func (i *Item) values() (v [len(meanNames)]float64, has [len(meanNames)]bool) {
	for k, p := range [...]*float64{i.AnyOrder, i.InOrder, i.ExactMatch, i.Parameters, i.Efficiency} {
		if has[k] = p != nil; has[k] {
			v[k] = *p
		}
	}
	if has[5] = i.Answer != nil; has[5] && *i.Answer != Fail && *i.Answer != Unknown {
		v[5] = 1
	}
	if has[6] = i.Correct != nil; has[6] && *i.Correct {
		v[6] = 1
	}
	return v, has
}

// means averages items, summing in their order as the published programs do.
func (r *Report) means(scope string, items Items) Means {
	var sum, n [len(meanNames)]float64
	infinite := ""
	for i := range items {
		if items[i].Efficiency == nil && items[i].AnyOrder != nil {
			infinite = items[i].Key
		}
		v, has := items[i].values()
		for k := range v {
			if has[k] {
				sum[k], n[k] = sum[k]+v[k], n[k]+1
			}
		}
	}
	var m Means
	for k, of := range meanFields {
		switch {
		case meanNames[k] == "efficiency" && infinite != "":
			r.Reasons[scope+".efficiency"] = fmt.Sprintf("%s: %s", infinite, NoGoldCall)
		case n[k] == 0:
			r.Reasons[scope+"."+meanNames[k]] = NoItem
		default:
			v := sum[k] / n[k]
			*of(&m) = &v
		}
	}
	return m
}

// compareKeys orders keys by their words and numbers: question9 before question10.
func compareKeys(a, b string) int {
	cut := func(s string) (string, string) {
		i := strings.IndexAny(s, "0123456789")
		if i < 0 {
			return s, ""
		}
		j := i
		for j < len(s) && s[j] >= '0' && s[j] <= '9' {
			j++
		}
		return s[:i], s[i:j]
	}
	wordA, numberA := cut(a)
	wordB, numberB := cut(b)
	return cmp.Or(cmp.Compare(wordA, wordB), cmp.Compare(len(numberA), len(numberB)), cmp.Compare(numberA, numberB), cmp.Compare(a, b))
}
