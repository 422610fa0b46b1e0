package orchestrator

import (
	"regexp"
	"strings"

	"almanac/orchestrator/search"
	"almanac/toolkits/units"
)

var capitalised = regexp.MustCompile(`^[A-Z][a-zà-ÿ]{3,}$`)

// beforePlaces are words after which a name is the name of a place.
var beforePlaces = map[string]bool{
	"in": true, "of": true, "over": true, "across": true, "within": true, "inside": true, "near": true, "country": true, "for": true,
}

// lacks says what the request names and the catalog does not have: a place, which is certain, or, when no word of the
// request speaks for the variable that the best candidate opens, the quantity itself, which is not: there a model may
// know better. Empty when nothing is lacking.
func (t *Team) lacks(in search.Input, res search.Result) (lacking string, certain bool) {
	if name := t.unknownPlace(in.Text); name != "" {
		return "no place is named " + name, true
	}
	return t.lacksQuantity(res), false
}

func (t *Team) lacksQuantity(res search.Result) string {
	if len(res.Candidates) == 0 {
		return ""
	}
	for _, d := range res.Candidates[0].Decisions {
		if d.Kind == "variable" && d.At == "variable" && d.Said <= 0 && t.sharesUnit(d.Chosen) {
			return "no data set has the quantity that is asked for"
		}
	}
	return ""
}

// sharesUnit reports whether another variable is measured in the unit of this one: then the unit alone does not tell
// which is meant.
func (t *Team) sharesUnit(variable string) bool {
	unit := ""
	for _, d := range t.Data.Datasets() {
		for _, v := range d.Variables {
			if v.Name == variable {
				unit = v.Unit
			}
		}
	}
	for _, d := range t.Data.Datasets() {
		for _, v := range d.Variables {
			if v.Name != variable && v.Unit != "" && units.Convertible(v.Unit, unit) {
				return true
			}
		}
	}
	return false
}

// unknownPlace finds a capitalised word that stands where a place stands, and that neither the gazetteer, nor a data
// set, nor a tool knows.
func (t *Team) unknownPlace(text string) string {
	read := t.Reader.Read(text)
	covered := func(at int) bool {
		for _, it := range read.Items {
			if at >= it.Start && at < it.End {
				return true
			}
		}
		return false
	}
	at := 0
	before := ""
	for _, word := range strings.Fields(text) {
		start := at + strings.Index(text[at:], word)
		at = start + len(word)
		bare := strings.Trim(strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s"), ".,;:?!()\"'")
		if capitalised.MatchString(bare) && beforePlaces[before] && !covered(start) && !t.knows(bare) {
			return bare
		}
		before = strings.ToLower(bare)
	}
	return ""
}

// knows reports whether a data set or a tool speaks of the word.
func (t *Team) knows(word string) bool {
	word = strings.ToLower(word)
	for _, d := range t.Data.Datasets() {
		texts := append([]string{d.Name, d.Title, d.Region, d.Station.Name}, d.Aliases...)
		for _, v := range d.Variables {
			texts = append(append(texts, v.Name, v.LongName), v.Aliases...)
		}
		if strings.Contains(strings.ToLower(strings.Join(texts, " ")), word) {
			return true
		}
	}
	for _, tool := range t.Tools.Tools() {
		if strings.Contains(strings.ToLower(tool.Name+" "+tool.Purpose+" "+tool.Details), word) {
			return true
		}
	}
	return false
}
