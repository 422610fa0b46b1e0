package scenarios

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// wordings checks what the question and its paraphrases say: enough of them, each with every fact that gold uses, none
// with the name of a tool, and one far from the tools' documentation.
func (v *validator) wordings(t Task) {
	if len(t.Paraphrases) < 2 {
		v.fail(t, "wording", "a task has at least two paraphrases, this one %d", len(t.Paraphrases))
	}
	far := 0
	seen := map[string]string{}
	var tools []string
	for _, g := range t.Gold {
		f := readGold(g)
		tools = append(tools, f.tools()...)
		for _, w := range t.Wordings() {
			v.stated(w, f.slots)
		}
	}
	for _, w := range t.Wordings() {
		if same, ok := seen[folded(w.Question)]; ok {
			v.fail(w, "wording", "it has the words of %s", same)
		}
		seen[folded(w.Question)] = w.ID
		if name := toolName.FindString(w.Question); name != "" {
			v.fail(w, "wording", "it names the tool %q; people do not", name)
		}
		if w.Far {
			far++
			v.distance(w, tools)
		}
	}
	if far == 0 {
		v.fail(t, "wording", "no paraphrase is marked far")
	}
}

// toolName is what a tool's name looks like; people write neither points inside words nor underscores.
var toolName = regexp.MustCompile(`\b[a-z]+\.[a-z]+_?[a-z]+\b|\b[a-z]+_[a-z_]+\b`)

// stated refuses a wording that lacks a fact which gold uses.
func (v *validator) stated(w Task, slots []string) {
	for _, name := range slots {
		if s, ok := w.Slot(name); ok && !s.statedIn(w.Question+" "+w.Context) {
			v.fail(w, "slot", "gold uses %s, but neither the words nor the context say %q", name, s.As)
		}
	}
}

// distance refuses a far wording that shares a content word with the documentation of a gold tool. Words of the slots
// do not count: a wording cannot do without them.
func (v *validator) distance(w Task, tools []string) {
	if v.engine.Documentation == nil {
		return
	}
	text := folded(w.Question)
	for _, s := range w.Slots {
		for _, as := range s.words() {
			text = strings.ReplaceAll(text, folded(as), " ")
		}
	}
	own := contentStems(text)
	for _, tool := range tools {
		var common []string
		for stem := range contentStems(v.engine.Documentation(tool)) {
			if own[stem] {
				common = append(common, stem)
			}
		}
		if slices.Sort(common); len(common) > 0 {
			v.fail(w, "far", "it shares %s with the documentation of %s", strings.Join(common, ", "), tool)
		}
	}
}

func (s Slot) words() []string {
	words := s.As
	for _, item := range s.Items {
		words = append(words, item.As...)
	}
	return words
}

// contentStems are the stems of the words of a text that carry content: no stop words, no numbers.
func contentStems(text string) map[string]bool {
	stems := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		w = strings.TrimSuffix(strings.Trim(w, "'"), "'s")
		if len([]rune(w)) < 3 || english.IsStopWord(w) || functionWords[w] {
			continue
		}
		stems[english.Stem(w, false)] = true
	}
	return stems
}

// functionWords carry no content either, and are not in the stemmer's list.
var functionWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`one two three first last many much how what which whose would could should shall may might
		must can will let also another any anything anyone else every everything give given get got like make made need
		say said take taken tell told use used using want way well whether within without per among onto upon whatever
		whichever yet still just even only ever never often again along around across towards until since while during
		between above below than then there here where when why less more most least almost instead rather quite such
		same other others each both either neither nor not none nothing out off over under down up`) {
		m[w] = true
	}
	return m
}()

// effects refuses a task whose words ask for something to be made, such as a map, and whose gold or requirements lack
// it; and requirements that gold does not meet.
func (v *validator) effects(t Task) {
	if t.Decline {
		return
	}
	for _, e := range t.Required {
		for _, g := range t.Gold {
			f := readGold(g)
			if e.Call != "" && !slices.Contains(f.tools(), e.Call) {
				v.fail(t, "effect", "required is a call of %s, which gold does not make", e.Call)
			}
			if e.Artifact != "" && v.engine.Catalog != nil && !v.makes(f, e.Artifact) {
				v.fail(t, "effect", "required is an artifact of kind %s, which no call of gold makes", e.Artifact)
			}
		}
	}
	if verb := demand.FindString(strings.ToLower(t.Question)); verb != "" && len(t.Required) == 0 {
		v.fail(t, "effect", "the question says %q, but nothing is required besides the answer", verb)
	}
}

// demand are words that ask for something to be made.
var demand = regexp.MustCompile(`\b(draw|plot|sketch|save|export|store|a map|a figure|a chart|a graph)\b`)

func (v *validator) makes(f goldFacts, kind string) bool {
	for _, name := range f.tools() {
		s, _ := v.engine.Catalog.Signature(name)
		for _, o := range s.Outputs {
			if o.Kind == kind {
				return true
			}
		}
	}
	return false
}

// leaks refuses words that hold the answer.
func (v *validator) leaks(t Task) {
	for _, w := range t.Wordings() {
		text := w.Question + " " + w.Context
		for _, f := range t.Answer {
			text += " " + f.Description
		}
		for _, f := range t.Answer {
			switch y := t.Expected[f.Key].(type) {
			case float64:
				for _, n := range numerals(text) {
					if f.Type != Boolean && n != 0 && math.Abs(n-y) <= f.Tolerance(y)/2 {
						v.fail(w, "leak", "the words hold %g, which is the value of %s", n, f.Key)
					}
				}
			case string:
				if f.Type != Place && strings.Contains(folded(text), folded(y)) {
					v.fail(w, "leak", "the words hold %q, which is the value of %s", y, f.Key)
				}
			}
		}
	}
}

var numeral = regexp.MustCompile(`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`)

// numerals are the numbers of a text that are written in digits.
func numerals(text string) []float64 {
	var list []float64
	for _, s := range numeral.FindAllString(text, -1) {
		if x, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64); err == nil {
			list = append(list, x)
		}
	}
	return list
}
