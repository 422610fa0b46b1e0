package search

import (
	"regexp"
	"strings"
	"unicode"

	"almanac/orchestrator/schedule"

	"github.com/kljensen/snowball/english"
)

// wordSet is a text as a set of stems. phrases remembers the stems of what was looked for.
type wordSet struct {
	stems   map[string]bool
	phrases map[string][]string
}

func newWordSet(text string) *wordSet { return (&wordSet{phrases: map[string][]string{}}).with(text) }

// with is a set for another text that shares what is remembered.
func (w *wordSet) with(text string) *wordSet {
	x := &wordSet{stems: map[string]bool{}, phrases: w.phrases}
	for _, s := range stems(text) {
		x.stems[s] = true
	}
	return x
}

// stems splits a text into stemmed words of two letters and more, stop words left out.
func stems(text string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(word) < 2 || english.IsStopWord(word) && !kept[word] {
			continue
		}
		out = append(out, english.Stem(word, false))
	}
	return out
}

// kept are words that a stop list drops but that say which value is meant.
var kept = map[string]bool{"most": true, "least": true, "above": true, "below": true, "over": true, "under": true, "more": true, "when": true, "between": true, "up": true, "down": true}

// covers is the share of a phrase's stems that the text has; 0 for an empty phrase.
func (w *wordSet) covers(phrase string) float64 {
	all, ok := w.phrases[phrase]
	if !ok {
		all = stems(strings.ReplaceAll(phrase, "_", " "))
		w.phrases[phrase] = all
	}
	if len(all) == 0 {
		return 0
	}
	n := 0
	for _, s := range all {
		if w.stems[s] {
			n++
		}
	}
	return float64(n) / float64(len(all))
}

// saidFor are everyday words that ask for an output, a statistic or a method by another name. They are English, not
// of any task: what a thesaurus lists for the field's own terms.
var saidFor = map[string][]string{
	"temperature_max": {"hot", "hotter", "hottest", "heat", "afternoon", "daytime", "highs"},
	"temperature_min": {"frost", "freezing", "night", "nights", "lows", "overnight"},
	"salinity":        {"salty", "saltier", "saltiest", "salt", "saline"},
	"mean":            {"average", "mean", "typical", "overall"},
	"max":             {"highest", "maximum", "max", "largest", "greatest", "peak", "warmest", "hottest", "strongest", "wettest", "top", "most"},
	"min":             {"lowest", "minimum", "min", "smallest", "least", "coldest", "coolest", "weakest", "driest"},
	"sum":             {"total", "sum", "altogether", "add", "accumulated"},
	"total":           {"total", "sum", "altogether", "amount", "accumulated"},
	"std":             {"spread", "variability", "deviation", "scatter"},
	"range":           {"range", "swing", "amplitude", "difference between the highest and the lowest"},
	"count":           {"many", "number", "count", "often"},
	"days":            {"days"},
	"argmax":          {"warmest", "highest", "peak", "hottest", "strongest", "maximum", "most", "wettest", "largest", "greatest", "windiest", "busiest", "roughest"},
	"argmin":          {"coldest", "lowest", "least", "coolest", "weakest", "minimum", "driest", "smallest", "calmest"},
	"slope":           {"rate", "per", "trend", "rise", "fall", "fast", "warming", "yearly"},
	"total_change":    {"change", "changed", "altogether", "risen", "grown", "overall"},
	"fraction":        {"share", "fraction", "part", "percent", "proportion", "percentage"},
	"last":            {"last", "end", "final", "latest", "after", "ahead"},
	"first":           {"first", "beginning", "start", "next"},
	"longest_run":     {"longest", "row", "run", "consecutive", "spell", "uninterrupted"},
	"area":            {"area", "square", "big", "large", "size", "cover"},
	"perimeter":       {"perimeter", "border", "boundary", "around", "outline"},
	"population":      {"people", "population", "inhabitants", "live"},
	"correlation":     {"correlation", "correlated", "together"},
	"mae":             {"absolute"},
	"rmse":            {"root", "rmse", "square"},
	"bias":            {"bias", "high", "low", "systematic"},
	"energy":          {"energy", "electricity", "kwh", "mwh", "generate", "produce"},
	"mean_power":      {"power", "average"},
	"capacity_factor": {"capacity", "factor", "load", "utilisation"},
	"latitude":        {"latitude", "north", "south"},
	"longitude":       {"longitude", "east", "west"},
	"min_population":  {"inhabitants", "people", "residents"},
	"name":            {"name", "which", "city", "town"},
	"theil_sen":       {"theil", "sen", "robust", "median"},
	"standardized":    {"standardized", "standardised", "normalized", "deviations"},
	"year":            {"annual", "yearly", "each year", "year"},
	"season":          {"seasonal", "season", "each season"},
	"month":           {"monthly", "each month"},
	"above":           {"above", "over", "exceed", "more", "higher", "warmer", "greater"},
	"at_least":        {"least", "minimum"},
	"below":           {"below", "under", "less", "colder", "lower", "cooler", "beneath"},
	"at_most":         {"exceeding", "maximum"},
	"heating":         {"heating", "heat", "cold"},
	"cooling":         {"cooling", "cool", "air conditioning"},
	"growing":         {"growing", "growth", "crop", "plant"},
}

// said is how much the request's words ask for a name with its aliases and doc: 1 for the name itself or a word that
// commonly stands for it, less for words of the doc.
func (w *wordSet) said(name string, aliases []string, doc string) float64 {
	best := w.covers(name)
	for _, a := range aliases {
		best = max(best, w.covers(a))
	}
	hits := 0
	for _, word := range saidFor[name] {
		if w.covers(word) == 1 {
			hits++
		}
	}
	if hits > 0 {
		best = max(best, 0.8)
	}
	if hits > 1 {
		best = max(best, 1.0)
	}
	return max(best, 0.6*w.covers(doc))
}

// choiceScore is what the words say for a choice, against the choice of the same parameter and kind that they say most
// for: 0 for that one, less for the others. A field does not compete with the outline of a country because a country is
// named. said tells whether any word speaks for the choice.
func (s *searcher) choiceScore(p *schedule.Param, i int) choiceScore {
	key := &p.Enum[i]
	if known, ok := s.choices[key]; ok {
		return known
	}
	c := s.scoreChoice(p, *key)
	s.choices[key] = c
	return c
}

// choiceScore is what the words say for a choice: against the others, whether any word speaks for it, and by itself.
type choiceScore struct {
	score float64
	said  bool
	alone float64
}

func (s *searcher) scoreChoice(p *schedule.Param, c schedule.Choice) choiceScore {
	key := saidKey{p, c.Kind}
	best, ok := s.bestSaid[key]
	if !ok {
		for _, x := range p.Enum {
			if x.Kind == c.Kind {
				best = max(best, s.saidChoice(p, x))
			}
		}
		s.bestSaid[key] = best
	}
	alone := s.saidChoice(p, c)
	v := alone
	if s.namesOther(p, c) {
		v -= s.w.Named // the request names another one
	}
	if p.Default != nil && strings.EqualFold(c.Value, defaultText(p.Default)) && best < 0.5*s.w.Choice {
		return choiceScore{0, true, alone} // nothing is said: the default stands
	}
	return choiceScore{v - best, v >= 0.5*s.w.Choice, alone}
}

type saidKey struct {
	param *schedule.Param
	kind  string
}

func (s *searcher) saidChoice(p *schedule.Param, c schedule.Choice) float64 {
	for _, f := range s.in.Facts {
		if f.Kind == schedule.KindString && f.Param == p.Name {
			if strings.EqualFold(f.Value, c.Value) {
				return s.w.Named
			}
			return 0
		}
	}
	if _, joins := optionWords[c.Value]; joins || p.Default != nil {
		return s.w.Choice * s.words.saidOption(c)
	}
	// What is measured, the fields' descriptions say too.
	return s.w.Choice * s.all.saidOption(c)
}

// namesOther tells whether the request names a value of this parameter, and not this one.
func (s *searcher) namesOther(p *schedule.Param, c schedule.Choice) bool {
	if s.named[strings.ToLower(c.Value)] {
		return false
	}
	for _, x := range p.Enum {
		if s.named[strings.ToLower(x.Value)] {
			return true
		}
	}
	return false
}

var (
	monthly  = regexp.MustCompile(`\b(monthly|(each|every|by|which|what|wettest|driest|warmest|coldest|hottest|coolest|windiest|calmest) months?)\b`)
	yearly   = regexp.MustCompile(`\b(yearly|annual|(each|every|by|which|what|wettest|driest|warmest|coldest|hottest|coolest) years?|year by year)\b`)
	seasonal = regexp.MustCompile(`\b(seasonal|(each|every|by|which) season)\b`)
	months   = regexp.MustCompile(`\bmonths?\b`)
	years    = regexp.MustCompile(`\byears?\b`)
)

// resolution is the time step that a text asks for, "" for none. Of a time that is asked for, the bare word says it too.
func resolution(text string, ofTime bool) string {
	text = strings.ToLower(text)
	switch {
	case monthly.MatchString(text), ofTime && months.MatchString(text):
		return "month"
	case seasonal.MatchString(text):
		return "season"
	case yearly.MatchString(text), ofTime && years.MatchString(text):
		return "year"
	}
	return ""
}

// optionWords are what else is said for an option of how values are joined. Superlatives are not among them: the warmest
// month is a month of highest mean, not one whose highest value is taken.
var optionWords = map[string][]string{
	"mean": {"average", "mean"}, "max": {"maximum", "max"}, "min": {"minimum", "min"}, "sum": {"total", "sum", "altogether"},
}

func (w *wordSet) saidOption(c schedule.Choice) float64 {
	words, joins := optionWords[c.Value]
	if !joins {
		return w.said(c.Value, c.Aliases, c.Doc)
	}
	if w.any(words) {
		return 0.8
	}
	return 0
}

// Said is how much a text's words ask for an output by its name, its aliases, or everyday words for it: 0 to 1.
func Said(text string, out schedule.Output) float64 {
	return newWordSet(text).said(out.Name, out.Aliases, "")
}
