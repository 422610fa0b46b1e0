package reading

import "strings"

// everydayWords are names of places that are English words too. They count as places only with a capital, inside a
// sentence, after a preposition of place.
var everydayWords = strings.Fields(`nice mobile male same reading bath split man of wa bo orange ende tours lead moss
	sur bam butte marathon eagle bend page police most best hull date enterprise independence salt hail elk gap buy gay
	gary normal union mount lake port central sisters many much here along battle buffalo boulder concord columbus
	deal erie flint florence gore hope hobbs ice kent liberal lima macon mary medina mission nome pine portage provo
	salem sandy troy van wick york young plains rapid sale stone spring springs surprise temple time true trail valley
	victory warwick wells winner bar pest bor arta como deva embu faro fort gap gode king lens mala mala mora mono naga
	nata nova oral pala pula rio sand santa sion soma taft tara tata taza toms turku una`)

// tooCommon are names of data sets and variables that say nothing when they stand alone.
var tooCommon = words("name country countries place places city cities town towns border borders boundary boundaries weather latitude latitudes longitude longitudes capital kind population temp series index data high low")

// placeCue are words after which a place stands.
func placeCue(s string) bool {
	switch s {
	case "in", "at", "near", "around", "from", "to", "of", "for", "between", "and", "over", "off", "across", "within", "than", "inside", "towards", "with", "by", "or", ",", "is", "does", "did":
		return true
	}
	return false
}

// waters are words that make a part of nature of a place's name: "Niger River", "Gulf of Mexico", "Lake Victoria".
var waters = words("sea ocean river lake bay gulf strait straits current canal basin delta desert mountains mountain plateau peninsula channel falls mount cape sound trench ridge")

// placeAt returns the place named at token i and the number of tokens of the name, 0 where there is none.
func (r *run) placeAt(i int) (Place, int) {
	if i >= len(r.ts) || r.ts[i].number || len(r.names.byPlace[r.ts[i].fold]) == 0 {
		return Place{}, 0
	}
	entries, length := r.names.byPlace.match(r.ts, i)
	if length == 0 {
		return Place{}, 0
	}
	p := r.names.best(entries)
	if p.Region {
		return p, length
	}
	if !r.meant(i, length, p) || r.natural(i, length) {
		return Place{}, 0
	}
	return p, length
}

// meant says whether the words are meant as the name: by their capitals or by the word before.
func (r *run) meant(i, length int, p Place) bool {
	t := r.ts[i]
	start := r.opens(i)
	cue := placeCue(r.fold(i-1)) && r.fold(i-1) != ""
	if r.fold(i-1) == "the" {
		cue = placeCue(r.fold(i - 2))
	}
	if length > 1 {
		return t.upper() || cue
	}
	if len(t.fold) <= 3 && fold(p.Name) != t.fold {
		return t.text == strings.ToUpper(t.text)
	}
	if monthOf(t.fold) > 0 || seasons[t.fold] != "" || t.text == "SON" {
		return false
	}
	if r.everyday[t.fold] {
		return t.upper() && !start && cue && r.fold(i-1) != "," && r.fold(i-1) != "and"
	}
	if t.upper() {
		return !start || len(t.fold) > 3
	}
	big := p.Country == "" || p.Population >= 200_000
	return cue && big && len(t.fold) > 3
}

// opens says whether token i is the first of a sentence.
func (r *run) opens(i int) bool {
	switch r.fold(i - 1) {
	case "", ".", "?", "!", ":", "\"", "“":
		return true
	}
	return false
}

// natural says whether the name is part of that of a sea, a river or the like.
func (r *run) natural(i, length int) bool {
	if j := i + length; j < len(r.ts) && waters[r.ts[j].fold] && r.ts[j].upper() {
		return true
	}
	if before := r.fold(i - 1); length == 1 && i > 0 && waters[before] && r.ts[i-1].upper() {
		return true
	}
	return i > 1 && r.fold(i-1) == "of" && waters[r.fold(i-2)] && r.ts[i-2].upper()
}

// hemisphere looks whether the places named lie south of the equator.
func (r *run) hemisphere() {
	for i := range r.ts {
		if p, n := r.placeAt(i); n > 0 && !p.Region {
			r.south = p.Latitude < 0
			return
		}
	}
}

// named reads a place, a variable or a data set: the longest name that starts at token i.
func (r *run) named(i int) bool {
	if r.ts[i].number {
		return false
	}
	place, nPlace := r.placeAt(i)
	pairs, nPair := r.names.byPair.match(r.ts, i)
	sets, nSet := r.names.byDataset.match(r.ts, i)
	if nPair == 1 && (tooCommon[r.fold(i)] || len(r.fold(i)) < 2) || r.partOf(i, nPair) {
		nPair = 0
	}
	if nSet == 1 && (tooCommon[r.fold(i)] || len(r.fold(i)) < 2) {
		nSet = 0
	}
	longest := max(nPlace, nPair, nSet)
	if longest == 0 {
		return false
	}
	it := Item{Start: r.ts[i].start, End: r.ts[i+longest-1].end}
	switch longest {
	case nPlace:
		it.Kind, it.Name, it.Country = KindPlace, place.Name, place.Country
		longest += r.within(i+longest, place, &it)
	case nPair:
		it = r.variable(pairs, it)
	default:
		it.Kind, it.Name = KindDataset, r.names.datasets[sets[0]].Name
	}
	r.take(it, i, i+longest)
	return true
}

// partOf says whether a variable's name of one word is part of another thing's: "hub height", "wind turbine".
func (r *run) partOf(i, length int) bool {
	if length != 1 {
		return false
	}
	switch r.fold(i) + " " + r.fold(i+1) {
	case "wind turbine", "wind turbines", "wind farm", "wind farms", "wind power", "wind energy", "rain shadow", "temperature sensor", "pressure group":
		return true
	}
	switch r.fold(i - 1) {
	case "hub", "measurement", "base", "threshold", "limit", "reference":
		return true
	}
	return false
}

// elided reads the first of two names that share their end: "maximum" in "maximum and minimum temperature".
func (r *run) elided(i int) bool {
	if w := r.fold(i + 1); w != "and" && w != "or" || i+2 >= len(r.ts) {
		return false
	}
	if _, n := r.names.byPair.match(r.ts, i); n > 0 {
		return false
	}
	_, length := r.names.byPair.match(r.ts, i+2)
	if length < 2 {
		return false
	}
	joined := append([]token{r.ts[i]}, r.ts[i+3:i+2+length]...)
	pairs, n := r.names.byPair.match(joined, 0)
	if n != length {
		return false
	}
	r.take(r.variable(pairs, Item{Start: r.ts[i].start, End: r.ts[i].end}), i, i+1)
	return true
}

// variable makes an item of the variables that words stand for.
func (r *run) variable(pairs []int, it Item) Item {
	it.Kind = KindVariable
	for _, e := range pairs {
		p := r.names.pairs[e]
		it.Options = append(it.Options, Option{p.dataset, p.variable})
	}
	it.Name = onlyName(it.Options)
	return it
}

// within reads the country after a city's name, "Paris, France", as part of it.
func (r *run) within(i int, city Place, it *Item) int {
	if city.Country == "" || r.fold(i) != "," {
		return 0
	}
	if p, n := r.placeAt(i + 1); n > 0 && p.Name == city.Country {
		it.End = r.ts[i+n].end
		return n + 1
	}
	return 0
}
