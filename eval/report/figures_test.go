package report

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// at finds a value by the names and numbers on the way to it.
func at(t *testing.T, doc any, path string) any {
	t.Helper()
	for _, name := range strings.Split(path, "/") {
		switch x := doc.(type) {
		case map[string]any:
			next, ok := x[name]
			if !ok {
				t.Fatalf("%s: no %q", path, name)
			}
			doc = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(x) {
				t.Fatalf("%s: no %q", path, name)
			}
			doc = x[i]
		default:
			t.Fatalf("%s: nothing below %q", path, name)
		}
	}
	return doc
}

// shownNumber reads a number as the page writes it: with thin spaces, a minus sign, and a percent sign or none.
var shownNumber = regexp.MustCompile(`^[+−<]? ?[\d.]+( %)?$`)

// agrees says whether a text shows a value: rounded as the text is, as a percentage or in points where the key says so.
func agrees(text, path string, value float64) error {
	plain := strings.ReplaceAll(text, "\u202f", "")
	if !shownNumber.MatchString(plain) {
		return fmt.Errorf("%q is no number", text)
	}
	if after, below := strings.CutPrefix(plain, "< "); below { // a p-value that is too small to show
		limit, err := strconv.ParseFloat(after, 64)
		if err != nil || value >= limit {
			return fmt.Errorf("%q, but %v", text, value)
		}
		return nil
	}
	percent := strings.HasSuffix(plain, " %")
	number := strings.NewReplacer("−", "-", "+", "", " %", "").Replace(plain)
	got, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return err
	}
	if percent || hundredfold.MatchString(path) {
		value *= 100
	}
	decimals := 0
	if _, after, ok := strings.Cut(number, "."); ok {
		decimals = len(after)
	}
	if half := 0.5 * math.Pow(10, -float64(decimals)); math.Abs(got-value) > half*(1+1e-9) {
		return fmt.Errorf("shows %v, results have %v", got, value)
	}
	return nil
}

// hundredfold are figures shown in points or in percent without the sign.
var hundredfold = regexp.MustCompile(`^(paired/\d+/|strata/.*/|setups/\d+/memory/gain/)(diff|lo|hi|detectable)$|^setups/\d+/\w+/(lo|hi)$`)

func decoded(t *testing.T, path string) any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Every figure in the tables of the report is the one of results.json, or of timings.json for times: read back from the
// page and from the files, as somebody would who checks the one against the other.
func TestFiguresAreThoseOfTheResults(t *testing.T) {
	dir, r := runOf(t, many(12), contenders("scripted:a"), 1, "scripted:a")
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	results, timings := decoded(t, filepath.Join(dir, "results.json")), decoded(t, filepath.Join(dir, "timings.json"))
	data, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(data), "<script>")
	checked := map[string]int{}
	for _, f := range figuresOf(t, text+"</body></html>") {
		doc, path := results, f.of
		if after, ok := strings.CutPrefix(path, "timings:"); ok {
			doc, path = timings, after
		}
		if f.of == "" {
			if f.section != "traces" && shownNumber.MatchString(strings.ReplaceAll(f.text, "\u202f", "")) && !partOf(f.column) {
				t.Errorf("section %s: %q in a cell comes from nowhere", f.section, f.text)
			}
			continue
		}
		value, ok := at(t, doc, path).(float64)
		if !ok {
			t.Errorf("%s: %q is shown, but there is no figure", path, f.text)
			continue
		}
		if err := agrees(f.text, path, value); err != nil {
			t.Errorf("section %s, %s: %v", f.section, f.of, err)
		}
		checked[f.section]++
	}
	for _, section := range []string{"verdict", "setups", "differences", "strata", "failures", "selection", "schedules", "memory", "roles"} {
		if checked[section] < 5 {
			t.Errorf("only %d figures of section %s were checked", checked[section], section)
		}
	}
}

// partOf are columns of parts that results.json has as totals only.
func partOf(column string) bool {
	return column == "Prompt" || column == "Completion" || column == "Thinking"
}

type shownFigure struct{ section, column, text, of string }

// figuresOf lists the cells of tables with numbers, and whatever says which figure it shows.
func figuresOf(t *testing.T, page string) []shownFigure {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var out []shownFigure
	var section string
	var heads []string
	column := -1
	for {
		token, err := d.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attr := map[string]string{}
		for _, a := range e.Attr {
			attr[a.Name.Local] = a.Value
		}
		switch e.Name.Local {
		case "section":
			section = attr["id"]
		case "thead":
			heads = nil
		case "tr":
			column = -1
		case "th":
			heads = append(heads, inner(t, d))
			continue
		case "td":
			column++
		}
		if attr["data-of"] == "" && (e.Name.Local != "td" || attr["class"] != "n") {
			continue
		}
		f := shownFigure{section: section, of: attr["data-of"]}
		if column >= 0 && column < len(heads) {
			f.column = heads[column]
		}
		if f.of != "" {
			f.text = inner(t, d)
		} else if next, err := d.Token(); err == nil {
			if text, ok := next.(xml.CharData); ok {
				f.text = strings.TrimSpace(string(text))
			} else if span, ok := next.(xml.StartElement); ok { // a cell of two figures
				for _, a := range span.Attr {
					if a.Name.Local == "data-of" {
						f.of = a.Value
					}
				}
				f.text = inner(t, d)
			}
		}
		out = append(out, f)
	}
}

// inner is the text up to the end of the element that was opened.
func inner(t *testing.T, d *xml.Decoder) string {
	t.Helper()
	text := ""
	for depth := 1; depth > 0; {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			text += string(x)
		}
	}
	return strings.TrimSpace(text)
}

// A figure that was changed is found.
func TestAgreesCanFail(t *testing.T) {
	for _, c := range []struct {
		text, path string
		value      float64
		ok         bool
	}{
		{"79.2 %", "setups/0/success/mean", 0.791666, true}, {"79.3 %", "setups/0/success/mean", 0.791666, false},
		{"+33.3", "paired/0/diff", 1.0 / 3, true}, {"−33.3", "paired/0/diff", 1.0 / 3, false}, {"20\u202f400", "setups/0/tokens/mean", 20400, true},
		{"< 0.001", "paired/0/p_holm", 0.0004, true}, {"< 0.001", "paired/0/p_holm", 0.004, false}, {"0.35", "paired/0/tokens_ratio/mean", 0.346, true},
	} {
		if err := agrees(c.text, c.path, c.value); (err == nil) != c.ok {
			t.Errorf("%s, %v: %v", c.text, c.value, err)
		}
	}
}
