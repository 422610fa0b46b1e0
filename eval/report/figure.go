package report

import (
	"fmt"
	"html/template"
	"strings"

	"almanac/eval"
)

// figure is a number as people read it, with the place in results.json where it stands exactly; times name their place in
// timings.json after "timings:". Of is empty where a number stands in neither.
type figure struct{ Text, Of string }

// Td is the figure as a cell of a table.
func (f figure) Td() template.HTML { return f.tag("td", "n") }

// Bad is the cell of a figure that should be zero.
func (f figure) Bad() template.HTML {
	if f.Text == "0" {
		return f.Td()
	}
	return f.tag("td", "n bad")
}

// Span is the figure inside other text.
func (f figure) Span() template.HTML { return f.tag("span", "") }

// tag escapes both of the figure's texts: nothing else comes from outside.
func (f figure) tag(name, class string) template.HTML {
	var b strings.Builder
	b.WriteString("<" + name)
	if class != "" {
		b.WriteString(` class="` + class + `"`)
	}
	if f.Of != "" && f.Text != nothing {
		b.WriteString(` data-of="` + template.HTMLEscapeString(f.Of) + `"`)
	}
	b.WriteString(">" + template.HTMLEscapeString(f.Text) + "</" + name + ">")
	return template.HTML(b.String())
}

// nothing stands where there is no figure.
const nothing = "–"

func percentOf(v *float64, of string) figure {
	return figure{eval.Percent(v), of}
}

func pointsOf(v *float64, of string) figure {
	return figure{eval.Points(v), of}
}

func wholeOf(n int, of string) figure {
	return figure{thousands(int64(n)), of}
}

func tokensOf(n *int64, of string) figure {
	if n == nil {
		return figure{Text: nothing}
	}
	return figure{thousands(*n), of}
}

func roundedOf(v *float64, of string) figure {
	return figure{number(v), of}
}

func decimalOf(v *float64, digits int, of string) figure {
	if v == nil {
		return figure{Text: nothing}
	}
	return figure{minus(fmt.Sprintf("%.*f", digits, *v)), of}
}

// minus writes negative numbers with a minus sign, not a hyphen.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// number shows a count; "–" where it is not known.
func number(v *float64) string {
	if v == nil {
		return nothing
	}
	return thousands(int64(*v + 0.5))
}

// thousands groups digits with thin spaces.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}
