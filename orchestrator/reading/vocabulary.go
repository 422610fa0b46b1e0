package reading

import (
	"slices"
	"strings"
)

// Vocabulary is what the reader knows by name.
type Vocabulary interface {
	Places() []Place
	Datasets() []Dataset
}

// Place is a place that requests may name.
type Place struct {
	Name       string // what tools are asked for
	Aliases    []string
	Region     bool    // a named box, such as nino34: recognised whatever its letter case
	Country    string  // the country that a city is in, "" for a country
	Latitude   float64 // tells the hemisphere, for seasons
	Population float64 // which of two places of one name is meant: the larger
}

// Dataset is a data set with its variables.
type Dataset struct {
	Name      string
	Aliases   []string
	Variables []Variable
}

// Variable is a variable of a data set.
type Variable struct {
	Name    string
	Aliases []string
}

// phrase is one name as a list of folded words, with what it names.
type phrase struct {
	words []string
	entry int
}

// index finds the longest name that starts at a token. It maps a first word to the names that start with it, longest
// first, so that a look-up does not depend on the number of names.
type index map[string][]phrase

func (ix index) add(name string, entry int) {
	words := nameWords(name)
	if len(words) == 0 {
		return
	}
	for _, p := range ix[words[0]] {
		if p.entry == entry && slices.Equal(p.words, words) {
			return
		}
	}
	ix[words[0]] = append(ix[words[0]], phrase{words, entry})
}

// addPlural adds a name and its plural: "temperatures" names what "temperature" does.
func (ix index) addPlural(name string, entry int) {
	ix.add(name, entry)
	if len(name) > 3 && !strings.HasSuffix(name, "s") {
		ix.add(name+"s", entry)
	}
}

func (ix index) sort() {
	for _, list := range ix {
		slices.SortStableFunc(list, func(a, b phrase) int { return len(b.words) - len(a.words) })
	}
}

// nameWords are the folded tokens of a name: what separates words does not matter.
func nameWords(name string) []string {
	var words []string
	for _, t := range tokens(strings.ReplaceAll(name, "_", " ")) {
		if !separator(t.fold) {
			words = append(words, t.fold)
		}
	}
	return words
}

func separator(s string) bool {
	return s == "-" || s == "." || s == "‐" || s == "–" || s == "_" || s == "(" || s == ")"
}

// match returns the entries of the longest name at token i, and the number of tokens that it takes.
func (ix index) match(ts []token, i int) (entries []int, length int) {
	for _, p := range ix[ts[i].fold] {
		if length > 0 && p.count(ts, i) != length {
			continue
		}
		if n := p.count(ts, i); n > 0 {
			entries, length = append(entries, p.entry), n
		}
	}
	return entries, length
}

// count is the number of tokens that the phrase takes from token i on, or 0.
func (p phrase) count(ts []token, i int) int {
	j := i
	for k, w := range p.words {
		for k > 0 && j < len(ts) && separator(ts[j].fold) && ts[j].fold != "(" && ts[j].fold != ")" {
			j++
		}
		if j >= len(ts) {
			return 0
		}
		if ts[j].fold != w {
			return 0
		}
		j++
	}
	return j - i
}

// lexicon is the reader's index of its vocabulary.
type lexicon struct {
	places    []Place
	datasets  []Dataset
	pairs     []pair
	byPlace   index
	byDataset index
	byPair    index
}

// pair is a variable of a data set.
type pair struct{ dataset, variable string }

func newLexicon(v Vocabulary) *lexicon {
	x := &lexicon{places: v.Places(), datasets: v.Datasets(), byPlace: index{}, byDataset: index{}, byPair: index{}}
	for i, p := range x.places {
		x.byPlace.add(p.Name, i)
		for _, a := range p.Aliases {
			x.byPlace.add(a, i)
		}
	}
	for i, d := range x.datasets {
		for _, a := range append([]string{d.Name}, d.Aliases...) {
			x.byDataset.addPlural(a, i)
		}
		for _, v := range d.Variables {
			n := len(x.pairs)
			x.pairs = append(x.pairs, pair{d.Name, v.Name})
			for _, a := range append([]string{v.Name}, v.Aliases...) {
				x.byPair.addPlural(a, n)
			}
		}
	}
	x.heads()
	x.byPlace.sort()
	x.byDataset.sort()
	x.byPair.sort()
	return x
}

// heads lets a variable's name of one word, such as "temperature", stand also for the variables of other data sets
// whose names end in it, where these have no variable of that one name: the words then leave open which is meant.
func (x *lexicon) heads() {
	single := map[string]map[string]bool{} // word, data sets that have a variable of that name
	each := func(visit func(entry int, d Dataset, words []string)) {
		entry := 0
		for _, d := range x.datasets {
			for _, v := range d.Variables {
				for _, name := range append([]string{v.Name}, v.Aliases...) {
					if words := nameWords(name); len(words) > 0 {
						visit(entry, d, words)
					}
				}
				entry++
			}
		}
	}
	each(func(_ int, d Dataset, words []string) {
		if len(words) == 1 {
			if single[words[0]] == nil {
				single[words[0]] = map[string]bool{}
			}
			single[words[0]][d.Name] = true
		}
	})
	each(func(entry int, d Dataset, words []string) {
		last := words[len(words)-1]
		if owners := single[last]; len(words) > 1 && owners != nil && !owners[d.Name] {
			x.byPair.addPlural(last, entry)
		}
	})
}

// best is the most populous of several places; countries and regions go before cities.
func (x *lexicon) best(entries []int) Place {
	rank := func(p Place) float64 {
		if p.Region || p.Country == "" {
			return 1e12 + p.Population
		}
		return p.Population
	}
	b := x.places[entries[0]]
	for _, e := range entries[1:] {
		if rank(x.places[e]) > rank(b) {
			b = x.places[e]
		}
	}
	return b
}
