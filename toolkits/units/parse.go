package units

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// Parse reads a unit string. The empty string is the dimensionless unit "1",
// as in CF. Errors wrap ErrUnit.
func Parse(s string) (Unit, error) {
	text := strings.TrimSpace(s)
	if len(text) > 200 {
		return Unit{}, fmt.Errorf("units: %w: string of %d bytes", ErrUnit, len(text))
	}
	if text == "" {
		return Unit{dims: dimensions{}, scale: 1, number: 1}, nil
	}
	db := database()
	if alias, ok := db.whole[text]; ok {
		text = alias
	} else if alias, ok := db.whole[strings.ToLower(text)]; ok {
		text = alias
	}
	p := parser{text: text, db: db}
	u, err := p.product(0)
	if err == nil && p.pos < len(p.text) {
		err = fmt.Errorf("unexpected %q at byte %d", p.text[p.pos:], p.pos)
	}
	if err != nil {
		return Unit{}, fmt.Errorf("units: %w %q: %w", ErrUnit, s, err)
	}
	if !(math.Abs(u.scale) > 1e-300 && math.Abs(u.scale) < 1e300) || u.number == 0 {
		return Unit{}, fmt.Errorf("units: %w %q: scale out of range", ErrUnit, s)
	}
	return u, nil
}

// units known by name; built once, never changed.
type unitDatabase struct {
	symbols  map[string]Unit
	names    map[string]Unit
	prefixed map[string]bool // symbols and names that take a prefix
	whole    map[string]string
	prefixes []prefix
}

var database = sync.OnceValue(func() *unitDatabase {
	db := &unitDatabase{
		symbols: map[string]Unit{}, names: map[string]Unit{}, prefixed: map[string]bool{},
		whole: wholeStrings(), prefixes: prefixes(),
	}
	for upper, canonical := range upperCase() {
		db.whole[upper] = canonical
	}
	for _, d := range definitions() {
		db.add(d)
	}
	return db
})

func (db *unitDatabase) add(d definition) {
	u := Unit{scale: 1, number: 1}
	if d.value == "" {
		u.dims[d.dimension] = 1
	} else {
		p := parser{text: d.value, db: db}
		defined, err := p.product(0)
		if err != nil {
			panic("units: bad definition of " + d.symbol + ": " + err.Error()) // a fault of this file, found by any test
		}
		u.dims, u.scale = defined.dims, defined.scale
	}
	u.offset = d.offset
	u.factors = []factor{{d.symbol, 1}}
	for _, s := range append([]string{d.symbol}, d.symbols...) {
		db.symbols[s] = u
		db.prefixed[s] = d.prefixed
	}
	for _, n := range d.names {
		db.names[n] = u
		db.prefixed[n] = d.prefixed
	}
	if len(d.symbol) > 2 {
		if _, taken := db.names[strings.ToLower(d.symbol)]; !taken {
			db.names[strings.ToLower(d.symbol)] = u
		}
	}
}

// lookup finds a unit by symbol, name, plural, or prefix and one of those.
func (db *unitDatabase) lookup(word string) (Unit, bool) {
	if u, ok := db.exact(word); ok {
		return u, true
	}
	lower := strings.ToLower(word)
	for _, p := range db.prefixes {
		if rest, ok := strings.CutPrefix(word, p.symbol); ok && rest != "" {
			if u, ok := db.symbols[rest]; ok && db.prefixed[rest] {
				return withPrefix(u, p), true
			}
		}
		if rest, ok := strings.CutPrefix(lower, p.name); ok && rest != "" {
			if u, ok := db.name(rest); ok && db.prefixed[db.singular(rest)] {
				return withPrefix(u, p), true
			}
		}
	}
	return Unit{}, false
}

func (db *unitDatabase) exact(word string) (Unit, bool) {
	if u, ok := db.symbols[word]; ok {
		return u, true
	}
	return db.name(strings.ToLower(word))
}

func (db *unitDatabase) name(lower string) (Unit, bool) {
	u, ok := db.names[db.singular(lower)]
	return u, ok
}

func (db *unitDatabase) singular(lower string) string {
	if _, ok := db.names[lower]; ok {
		return lower
	}
	if one, ok := strings.CutSuffix(lower, "s"); ok && len(one) > 2 {
		return one
	}
	return lower
}

func withPrefix(u Unit, p prefix) Unit {
	symbol := p.symbol
	if symbol == "µ" || symbol == "μ" {
		symbol = "u"
	}
	out := u
	out.scale *= p.factor
	out.offset = 0
	out.factors = []factor{{symbol + u.factors[0].symbol, 1}}
	return out
}

// parser is a recursive descent over
//
//	product = power { ("." | "*" | "·" | " " | "/" | "per") power }
//	power   = ( number | name | "(" product ")" ) [ ["^" | "**"] integer ]
type parser struct {
	text string
	pos  int
	db   *unitDatabase
}

func (p *parser) rest() string { return p.text[p.pos:] }

func (p *parser) space() bool {
	start := p.pos
	p.pos += len(p.rest()) - len(strings.TrimLeft(p.rest(), " \t"))
	return p.pos > start
}

func (p *parser) accept(tokens ...string) bool {
	for _, t := range tokens {
		if strings.HasPrefix(p.rest(), t) {
			p.pos += len(t)
			return true
		}
	}
	return false
}

func (p *parser) product(depth int) (Unit, error) {
	u, err := p.power(depth)
	if err != nil {
		return u, err
	}
	for {
		spaced := p.space()
		sign := 1
		switch {
		case p.rest() == "" || p.rest()[0] == ')':
			return u, nil
		case p.accept("/"), spaced && p.accept("per ", "PER "):
			sign = -1
		case p.accept("*", ".", "·", "⋅"):
		case !spaced && !startsFactor(p.rest()):
			return u, fmt.Errorf("unexpected %q at byte %d", p.rest(), p.pos)
		}
		p.space()
		v, err := p.power(depth)
		if err != nil {
			return u, err
		}
		if !u.fits(v, sign) {
			return u, fmt.Errorf("power too large")
		}
		u = u.mul(v, sign)
	}
}

func startsFactor(s string) bool {
	r := []rune(s)[0]
	return r == '(' || isNameRune(r)
}

func (p *parser) power(depth int) (Unit, error) {
	u, isNumber, err := p.factor(depth)
	if err != nil {
		return u, err
	}
	n, ok, err := p.exponent(isNumber)
	if err != nil || !ok {
		return u, err
	}
	if !u.powFits(n) {
		return u, fmt.Errorf("power %d too large", n)
	}
	return u.pow(n), nil
}

func (p *parser) factor(depth int) (u Unit, isNumber bool, err error) {
	if p.accept("(") {
		if depth > 10 {
			return u, false, fmt.Errorf("brackets nested too deep")
		}
		p.space()
		if u, err = p.product(depth + 1); err != nil {
			return u, false, err
		}
		p.space()
		if !p.accept(")") {
			return u, false, fmt.Errorf("missing ) at byte %d", p.pos)
		}
		return u, false, nil
	}
	if n := numberLength(p.rest()); n > 0 {
		v, err := strconv.ParseFloat(p.rest()[:n], 64)
		if err != nil || v == 0 || math.IsInf(v, 0) {
			return u, true, fmt.Errorf("bad number %q", p.rest()[:n])
		}
		p.pos += n
		return Unit{scale: v, number: v}, true, nil
	}
	word := nameAt(p.rest())
	if word == "" {
		return u, false, fmt.Errorf("expected a unit at byte %d", p.pos)
	}
	u, ok := p.db.lookup(word)
	if !ok {
		return u, false, p.db.unknown(word)
	}
	p.pos += len(word)
	return u, false, nil
}

// exponent reads "2", "-1", "^-1", "**2" or superscripts directly after a
// factor. A number takes only the explicit forms: "10 2" is a product.
func (p *parser) exponent(isNumber bool) (n int, ok bool, err error) {
	explicit := p.accept("^", "**")
	if !explicit && isNumber {
		return 0, false, nil
	}
	rest := p.rest()
	length := 0
	var digits strings.Builder
	for _, r := range rest {
		if i := strings.IndexRune("⁰¹²³⁴⁵⁶⁷⁸⁹", r); i >= 0 {
			r = rune('0' + slices.Index([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹"), r))
			digits.WriteRune(r)
			length += len(string([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0']))
			continue
		}
		if r == '⁻' && length == 0 {
			digits.WriteRune('-')
			length += len("⁻")
			continue
		}
		if r >= '0' && r <= '9' || length == 0 && (r == '-' || r == '+') {
			digits.WriteRune(r)
			length++
			continue
		}
		break
	}
	if length == 0 {
		if explicit {
			return 0, false, fmt.Errorf("expected an integer power at byte %d", p.pos)
		}
		return 0, false, nil
	}
	if after := rest[length:]; len(after) > 1 && after[0] == '.' && after[1] >= '0' && after[1] <= '9' {
		return 0, false, fmt.Errorf("power %q at byte %d is not an integer", rest[:length+2], p.pos)
	}
	n, convErr := strconv.Atoi(digits.String())
	if convErr != nil {
		return 0, false, fmt.Errorf("bad power %q at byte %d", rest[:length], p.pos)
	}
	p.pos += length
	return n, true, nil
}

// numberLength is the length of the decimal number at the start of s.
func numberLength(s string) int {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		if s[i] != '.' {
			digits++
		}
		i++
	}
	if digits == 0 {
		return 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		k := j
		for k < len(s) && s[k] >= '0' && s[k] <= '9' {
			k++
		}
		if k > j {
			i = k
		}
	}
	return i
}

func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || strings.ContainsRune("_%°℃℉‰µ", r)
}

func nameAt(s string) string {
	for i, r := range s {
		if !isNameRune(r) {
			return s[:i]
		}
	}
	return s
}

// unknown names the nearest known words.
func (db *unitDatabase) unknown(word string) error {
	type candidate struct {
		name     string
		distance int
	}
	var all []candidate
	consider := func(name string) {
		all = append(all, candidate{name, levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(name))})
	}
	for s := range db.symbols {
		consider(s)
	}
	for n := range db.names {
		consider(n)
	}
	for _, s := range []string{"hPa", "km", "mm", "cm", "kPa", "kW", "kWh", "MW", "mol", "kilometer", "millimeter", "hectopascal"} {
		consider(s)
	}
	slices.SortFunc(all, func(a, b candidate) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	var nearest []string
	for _, c := range all {
		if len(nearest) == 3 || c.distance > max(2, len(word)/2) {
			break
		}
		if !slices.Contains(nearest, c.name) {
			nearest = append(nearest, c.name)
		}
	}
	hint := ""
	if word == "ppt" || word == "PPT" {
		hint = ` (write "1e-3" for parts per thousand, "1e-12" for parts per trillion)`
	}
	if len(nearest) == 0 {
		return fmt.Errorf("no unit named %q%s; write it like \"m s-1\"", word, hint)
	}
	return fmt.Errorf("no unit named %q%s; nearest: %s", word, hint, strings.Join(nearest, ", "))
}
