package catalog

import (
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
	"golang.org/x/text/unicode/norm"
)

// maxNearest is how many near names an error carries.
const maxNearest = 5

// maxAsked is how many letters of a name are compared for likeness: no name is
// longer, and the cost of a comparison grows with it.
const maxAsked = 64

// letters that have no decomposition into a plain one and a mark.
var letters = strings.NewReplacer("ø", "o", "æ", "ae", "œ", "oe", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ß", "ss", "ı", "i",
	"&", " and ", "'", "", "’", "", "‘", "", "ʻ", "", "`", "", ".", "")

// words that are written in more than one way.
var words = map[string]string{"saint": "st", "sainte": "st", "ste": "st", "mt": "mount", "ft": "fort"}

// key is what names are compared by: no letter case, accents, apostrophes or
// dots, other punctuation as spaces, no leading "the", "saint" as "st", and then
// no spaces: "Nino 3.4", "nino34" and "NINO-34" are one name.
func key(name string) string { return strings.Join(keyWords(name), "") }

func keyWords(name string) []string {
	plain := letters.Replace(strings.ToLower(name))
	plain = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(plain))
	fields := strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(fields) > 1 && fields[0] == "the" {
		fields = fields[1:]
	}
	for i, f := range fields {
		if w, ok := words[f]; ok {
			fields[i] = w
		}
	}
	return fields
}

// nearest returns at most n of names that are like asked, the most alike first:
// by edit distance of their keys, names that hold asked (or lie in it) before
// others, ties by name. Names that share nothing with asked are left out, unless
// there are no more than n names at all.
func nearest(asked string, names []string, n int) []string {
	a := key(asked)
	if r := []rune(a); len(r) > maxAsked {
		a = string(r[:maxAsked])
	}
	if a == "" && len(names) > n {
		return nil
	}
	type ranked struct {
		name string
		rank int
	}
	all := make([]ranked, 0, len(names))
	for _, name := range names {
		b := key(name)
		d := levenshtein.ComputeDistance(a, b)
		holds := len(a) > 2 && strings.Contains(b, a) || len(b) > 2 && strings.Contains(a, b)
		if !holds && len(names) > n && d > max(2, len([]rune(a))/3) {
			continue
		}
		if holds {
			d -= min(len(a), len(b)) + 1
		}
		all = append(all, ranked{name, d})
	}
	slices.SortFunc(all, func(x, y ranked) int {
		if x.rank != y.rank {
			return x.rank - y.rank
		}
		return strings.Compare(x.name, y.name)
	})
	all = slices.CompactFunc(all, func(x, y ranked) bool { return x.name == y.name })
	out := make([]string, 0, min(n, len(all)))
	for _, r := range all[:min(n, len(all))] {
		out = append(out, r.name)
	}
	return out
}
