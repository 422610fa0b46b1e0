package reading

import (
	"slices"
	"strings"
)

// Kinds of items: the names of the slots that they fill.
const (
	KindPlace      = "place"
	KindBox        = "box"
	KindPeriod     = "period"
	KindNumber     = "number"
	KindComparison = "comparison"
	KindSeason     = "season"
	KindMonth      = "month"
	KindDataset    = "dataset"
	KindVariable   = "variable"
)

// Comparisons.
const (
	Above   = "above"
	AtLeast = "at_least"
	Below   = "below"
	AtMost  = "at_most"
)

// Item is one thing that was found. Which fields count depends on its kind.
type Item struct {
	Kind       string
	Start, End int    // bytes of the text read
	Name       string // place, dataset, variable ("" where several are meant), comparison, month, season as written
	Period     string // of a period, month or season: text for cftime.ParsePeriod
	Number     float64
	Unit       string // "" where none is written
	Form       string // of a number
	Box        Box
	Point      *Point   // of a place given by coordinates
	Country    string   // of a city, where known
	Options    []Option // of a variable: the data sets that have it
}

// Option is a variable in a data set.
type Option struct{ Dataset, Variable string }

// Point is a place given by its coordinates, in degrees.
type Point struct{ Latitude, Longitude float64 }

// Request is what was found in a text, in the order of the words.
type Request struct {
	Text  string
	Items []Item
}

// Of returns the items of a kind, in the order of the words.
func (q Request) Of(kind string) []Item {
	var list []Item
	for _, it := range q.Items {
		if it.Kind == kind {
			list = append(list, it)
		}
	}
	return list
}

// Words returns the words of an item.
func (q Request) Words(it Item) string { return q.Text[it.Start:it.End] }

// Options of a reader. The zero value is useful.
type Options struct {
	// Everyday adds names of places that are also everyday words, in lower case.
	Everyday []string
}

// Reader reads requests. It is safe for concurrent use.
type Reader struct {
	names    *lexicon
	everyday map[string]bool
}

// New indexes the vocabulary, which is read once.
func New(v Vocabulary, opts *Options) *Reader {
	r := &Reader{names: newLexicon(v), everyday: map[string]bool{}}
	for _, w := range everydayWords {
		r.everyday[w] = true
	}
	if opts != nil {
		for _, w := range opts.Everyday {
			r.everyday[fold(w)] = true
		}
	}
	return r
}

// run is the reading of one text.
type run struct {
	*Reader
	text  string
	ts    []token
	south bool
	items []Item
	next  int // token to go on with after take
}

// Read finds what the text says. Question and context are read together: join them with a line break.
func (r *Reader) Read(text string) Request {
	q := &run{Reader: r, text: text, ts: tokens(text)}
	q.hemisphere()
	for i := 0; i < len(q.ts); {
		q.next = i + 1
		switch {
		case q.box(i):
		case q.named(i):
		case q.elided(i):
		case q.period(i):
		case q.comparison(i):
		case q.number(i):
		}
		i = q.next
	}
	q.share()
	q.narrow()
	slices.SortStableFunc(q.items, func(a, b Item) int { return a.Start - b.Start })
	return Request{Text: text, Items: q.items}
}

// take keeps an item that covers the tokens from i to next.
func (r *run) take(it Item, i, next int) {
	r.items = append(r.items, it)
	r.next = max(next, i+1)
}

// number reads a number that is meant as a quantity. Number words need a unit: "one" and "second" are words too.
func (r *run) number(i int) bool {
	n, length := numberAt(r.ts, i)
	if length == 0 {
		return false
	}
	n = withUnit(r.ts, n, i+length, r.text)
	if !quantified(n, r.ts[i].fold) || r.label(i) || n.Unit == "" && n.Form == Word && r.determined(i) {
		return false
	}
	next := i + length
	for next < len(r.ts) && r.ts[next].start < n.End {
		next++
	}
	r.take(Item{Kind: KindNumber, Number: n.Value, Unit: n.Unit, Form: n.Form, Start: n.Start, End: n.End}, i, next)
	r.after(next)
	return true
}

// label says whether the number at token i is part of a name: "FAO-56", "Landsat-7".
func (r *run) label(i int) bool {
	return i > 1 && r.ts[i-1].text == "-" && !r.ts[i-1].gap && !r.ts[i].gap && r.ts[i-2].word() && r.ts[i-2].upper()
}

// determined says whether a number word refers to things already named: "the two countries", "these four". "The five
// largest" are not named yet.
func (r *run) determined(i int) bool {
	if next := r.fold(i + 1); strings.HasSuffix(next, "est") || next == "most" {
		return false
	}
	switch r.fold(i - 1) {
	case "the", "these", "those", "both", "its", "their", "other":
		return true
	}
	return false
}

// quantified says whether a number counts or measures something: digits always, an ordinal as a percentile, words of
// two or more by themselves, and "one" with a unit.
func quantified(n Number, first string) bool {
	switch {
	case n.Form == Ordinal:
		return n.Unit == "%"
	case n.Form != Word || first == "dozen":
		return true
	case single[first] > 0:
		return false
	}
	return n.Unit != "" || n.Value >= 2
}

// share gives the first of two numbers the unit of the second: "between 10 and 20 mm".
func (r *run) share() {
	for i := len(r.items) - 2; i >= 0; i-- {
		a, b := &r.items[i], r.items[i+1]
		if a.Kind != KindNumber || b.Kind != KindNumber || a.Unit != "" || b.Unit == "" {
			continue
		}
		pair := []Number{{Form: a.Form, Start: a.Start, End: a.End}, {Form: b.Form, Unit: b.Unit, Start: b.Start, End: b.End}}
		a.Unit = shareUnits(pair, r.text)[0].Unit
	}
}

// narrow keeps of a variable's data sets those that the request names. Where it names data sets and none has a variable
// of these words, what is meant stays open.
func (r *run) narrow() {
	named := map[string]bool{}
	for _, it := range r.items {
		if it.Kind == KindDataset {
			named[it.Name] = true
		}
	}
	for i := range r.items {
		it := &r.items[i]
		if it.Kind != KindVariable {
			continue
		}
		var kept []Option
		for _, o := range it.Options {
			if named[o.Dataset] {
				kept = append(kept, o)
			}
		}
		if len(kept) > 0 {
			it.Options = kept
		}
		it.Name = onlyName(it.Options)
		if len(kept) == 0 && len(named) > 0 {
			it.Name = "" // the words name a data set that calls it otherwise
		}
	}
}

// onlyName is the variable's name where all options agree on it.
func onlyName(options []Option) string {
	for _, o := range options[1:] {
		if o.Variable != options[0].Variable {
			return ""
		}
	}
	return options[0].Variable
}
