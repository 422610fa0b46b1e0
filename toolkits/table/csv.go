package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrCSV is wrapped by errors about a CSV file; they name line and column.
var ErrCSV = errors.New("bad CSV")

// MaxCSV is the most bytes that [ReadCSV] reads.
const MaxCSV = 256 << 20

// Options of [ReadCSV]. The zero value reads units from the header and finds
// types in the cells.
type Options struct {
	// Comma separates cells; 0 takes ';' when the header has one and no ',',
	// or a tab likewise, and else ','.
	Comma rune
	// Units gives units by column name, for files whose header has none. A unit
	// here that contradicts the header is an error.
	Units map[string]string
	// Types gives types by column name. A cell that is not of the type is an error.
	Types map[string]string
}

var (
	instantPattern = regexp.MustCompile(`^\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2})?Z?)?)?$`)
	// likeNumber is what people write for a number and no program should guess at.
	likeNumber = regexp.MustCompile(`^[+-]?[\d.,'_\s]*\d[\d.,'_\s]*(\s*(%|[a-zA-Z°µ/]{1,6}))?$`)
	headerUnit = regexp.MustCompile(`^(.*\S)\s*\[([^\[\]]*)\]$`)
)

// ReadCSV reads a table whose first line names the columns, each with its unit
// in brackets if it has one: "precipitation [mm]".
//
// A column is numeric when all its cells are numbers ("", NA, NaN and null are
// missing), an instant when all are ISO 8601 months, days or moments, boolean
// when all are true or false, else text. Codes with leading zeros and whole
// numbers beyond 2^53 are text. A column with a unit has to be numeric. A cell
// that only looks like a number ("1,234.56", "12 mm") among numbers is an error
// that wraps [ErrCSV], never a guess.
func ReadCSV(r io.Reader, o *Options) (*Table, error) {
	if o == nil {
		o = &Options{}
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxCSV+1))
	if err != nil {
		return nil, fmt.Errorf("table: reading CSV: %w", err)
	}
	if len(data) > MaxCSV {
		return nil, fmt.Errorf("table: %w: more than %d bytes", ErrCSV, MaxCSV)
	}
	rows, lines, err := cells(bytes.TrimPrefix(data, []byte("\ufeff")), o.Comma)
	if err != nil {
		return nil, err
	}
	t := &Table{Columns: make([]Column, len(rows[0]))}
	for i, head := range rows[0] {
		c, err := column(head, i, rows[1:], lines[1:], o)
		if err != nil {
			return nil, err
		}
		t.Columns[i] = c
	}
	for _, names := range []map[string]string{o.Units, o.Types} {
		for name := range names {
			if _, err := t.Column(name); err != nil {
				return nil, err
			}
		}
	}
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCSV, err)
	}
	return t, nil
}

// cells splits the text; lines holds the line that each row begins on.
func cells(data []byte, comma rune) (rows [][]string, lines []int, err error) {
	if comma == 0 {
		comma = separator(data)
	}
	reader := csv.NewReader(bytes.NewReader(data))
	reader.Comma = comma
	for {
		row, err := reader.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, fmt.Errorf("table: %w: %v", ErrCSV, err)
		}
		line, _ := reader.FieldPos(0)
		rows, lines = append(rows, row), append(lines, line)
	}
	if len(rows) == 0 {
		return nil, nil, fmt.Errorf("table: %w: the file is empty; its first line names the columns", ErrCSV)
	}
	return rows, lines, nil
}

func separator(data []byte) rune {
	head, _, _ := bytes.Cut(data, []byte("\n"))
	for _, c := range ",;\t" {
		if bytes.ContainsRune(head, c) {
			return c
		}
	}
	return ','
}

// column makes column i from its header and the rows.
func column(head string, i int, rows [][]string, lines []int, o *Options) (Column, error) {
	c := Column{Name: strings.TrimSpace(head)}
	if m := headerUnit.FindStringSubmatch(c.Name); m != nil {
		c.Name, c.Unit = m[1], strings.TrimSpace(m[2])
	}
	if unit, given := o.Units[c.Name]; given {
		if c.Unit != "" && c.Unit != unit {
			return c, fmt.Errorf("table: %w: the header gives column %s the unit %q, the description %q", ErrCSV, c.Name, c.Unit, unit)
		}
		c.Unit = unit
	}
	texts := make([]string, len(rows))
	for k, row := range rows {
		texts[k] = strings.TrimSpace(row[i])
	}
	at := func(k int, want string) error {
		return fmt.Errorf("table: %w: line %d, column %s: %q is not %s", ErrCSV, lines[k], c.Name, texts[k], want)
	}
	c.Type = o.Types[c.Name]
	if c.Type == "" {
		var odd int
		c.Type, odd = infer(texts)
		if odd >= 0 {
			return c, at(odd, "a plain number, as the others in its column are (write 1234.56: no separators, no unit)")
		}
		if c.Unit != "" && c.Type != Integer {
			c.Type = Number
			if k := firstText(texts); k >= 0 {
				return c, at(k, "a number, but the column has the unit "+c.Unit)
			}
		}
	}
	if !knownType(c.Type) {
		return c, fmt.Errorf("table: column %s: unknown type %q", c.Name, c.Type)
	}
	for k, text := range texts {
		if bad := c.add(text); bad != "" {
			return c, at(k, bad)
		}
	}
	return c, nil
}

// add appends a cell; it returns what was expected when the cell is not of the
// column's type.
func (c *Column) add(text string) (expected string) {
	switch c.Type {
	case Text:
		c.Texts = append(c.Texts, text)
		return ""
	case Instant:
		if missing(text) {
			text = ""
		} else if !instantPattern.MatchString(text) {
			return "an ISO 8601 month, day or moment"
		}
		c.Texts = append(c.Texts, text)
		return ""
	}
	v, expected := cellNumber(text, c.Type)
	c.Numbers = append(c.Numbers, v)
	return expected
}

func cellNumber(text, kind string) (v float64, expected string) {
	if missing(text) {
		return math.NaN(), ""
	}
	switch kind {
	case Boolean:
		switch strings.ToLower(text) {
		case "true":
			return 1, ""
		case "false":
			return 0, ""
		}
		return 0, "true or false"
	case Integer:
		v, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 64)
		if err != nil || v > 1<<53 || v < -1<<53 {
			return 0, "a whole number up to 2^53"
		}
		return float64(v), ""
	}
	if !isNumber(text) {
		return 0, "a plain number (write 1234.56: no separators, no unit)"
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, "a number that a double holds"
	}
	return v, ""
}

func missing(text string) bool {
	switch text {
	case "", "NA", "N/A", "NaN", "nan", "null":
		return true
	}
	return false
}

// infer finds the type of a column. odd is the cell that looks like a number
// but is not one, in a column that has numbers, or -1.
func infer(texts []string) (kind string, odd int) {
	var filled, numbers, integers, instants, booleans, codes int
	odd = -1
	for k, text := range texts {
		if missing(text) {
			continue
		}
		filled++
		if c := text[0]; c|0x20 >= 'a' && c|0x20 <= 'z' { // nothing but truth values begins with a letter
			if strings.EqualFold(text, "true") || strings.EqualFold(text, "false") {
				booleans++
			}
			continue
		}
		switch {
		case isDigits(text) && len(text) > 1 && text[0] == '0':
			codes++
		case isDigits(strings.TrimLeft(text[:1], "+-") + text[1:]):
			if v, err := strconv.ParseInt(strings.TrimPrefix(text, "+"), 10, 64); err != nil || v > 1<<53 || v < -1<<53 {
				codes++
				continue
			}
			integers++
			numbers++
		case isNumber(text):
			numbers++
		case instantPattern.MatchString(text):
			instants++
		case odd < 0 && likeNumber.MatchString(text):
			odd = k
		}
	}
	switch {
	case filled == 0:
		return Text, -1
	case integers == filled:
		return Integer, -1
	case numbers == filled:
		return Number, -1
	case instants == filled:
		return Instant, -1
	case booleans == filled:
		return Boolean, -1
	case numbers > 0 && codes == 0 && odd >= 0:
		return Text, odd
	}
	return Text, -1
}

// isDigits reports whether s is one or more decimal digits.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isNumber reports whether s is a number in plain or exponent notation: a sign,
// digits with at most one point, an exponent. strconv alone would also take
// "inf", "0x1p4" and underscores.
func isNumber(s string) bool {
	s = strings.TrimLeft(s[:min(1, len(s))], "+-") + s[min(1, len(s)):]
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		exponent := s[i+1:]
		if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
			exponent = exponent[1:]
		}
		if !isDigits(exponent) {
			return false
		}
		s = s[:i]
	}
	whole, fraction, point := strings.Cut(s, ".")
	if !point {
		return isDigits(whole)
	}
	return whole+fraction != "" && isDigits(whole+fraction)
}

// firstText is the first cell that is not a number, or -1.
func firstText(texts []string) int {
	return slices.IndexFunc(texts, func(text string) bool { return !missing(text) && !isNumber(text) })
}

// WriteCSV writes t with units in the header, numbers in the fewest digits that
// read back equal, and nothing for missing values.
func WriteCSV(w io.Writer, t *Table) error {
	if err := t.Validate(); err != nil {
		return err
	}
	buffer := bufio.NewWriter(w)
	out := csv.NewWriter(buffer)
	row := make([]string, len(t.Columns))
	for i := range t.Columns {
		row[i] = t.Columns[i].Name
		if t.Columns[i].Unit != "" {
			row[i] += " [" + t.Columns[i].Unit + "]"
		}
	}
	out.Write(row) // errors stay in the writer until Flush
	for k := range t.Rows() {
		for i := range t.Columns {
			row[i] = t.Columns[i].Cell(k)
		}
		out.Write(row)
	}
	out.Flush()
	if err := errors.Join(out.Error(), buffer.Flush()); err != nil {
		return fmt.Errorf("table: writing CSV: %w", err)
	}
	return nil
}

// Cell returns cell k as CSV has it: "" where missing.
func (c *Column) Cell(k int) string {
	if !c.Numeric() {
		return c.Texts[k]
	}
	v := c.Numbers[k]
	switch {
	case math.IsNaN(v):
		return ""
	case c.Type == Boolean:
		return strconv.FormatBool(v != 0)
	case c.Type == Integer:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
