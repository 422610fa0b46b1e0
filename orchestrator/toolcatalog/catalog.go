// Package toolcatalog shows a registry of tools to the schedule checker and the search, which know tools by their
// declared signatures only.
package toolcatalog

import (
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/units"
)

// Catalog is a [schedule.Catalog] over a registry.
type Catalog struct {
	all    []schedule.Signature
	byName map[string]int
}

// New reads the declarations of every tool once.
func New(r *toolkits.Registry) *Catalog {
	c := &Catalog{byName: map[string]int{}}
	for _, t := range r.Tools() {
		c.byName[t.Name] = len(c.all)
		c.all = append(c.all, signature(t))
	}
	return c
}

// Signatures are all tools, sorted by name.
func (c *Catalog) Signatures() []schedule.Signature { return c.all }

// Signature finds one tool.
func (c *Catalog) Signature(name string) (schedule.Signature, bool) {
	i, ok := c.byName[name]
	if !ok {
		return schedule.Signature{}, false
	}
	return c.all[i], true
}

// Units is the arithmetic of units.
func (c *Catalog) Units() schedule.Units { return unitArithmetic{} }

type unitArithmetic struct{}

func (unitArithmetic) Convertible(a, b string) bool    { return units.Convertible(a, b) }
func (unitArithmetic) Mul(a, b string) (string, error) { return units.Mul(a, b) }
func (unitArithmetic) Div(a, b string) (string, error) { return units.Div(a, b) }

// HasOffset tells whether the zero of a unit's scale is arbitrary, as that of degrees Celsius is: products and ratios
// of such values have no meaning.
func (unitArithmetic) HasOffset(unit string) bool {
	u, err := units.Parse(unit)
	return err == nil && u.IsTemperature()
}

func signature(t *toolkits.Tool) schedule.Signature {
	s := schedule.Signature{Name: t.Name, Doc: t.Purpose, Check: t.Check, Resolver: t.Resolver, Examples: t.Examples}
	for _, p := range t.Params {
		s.Params = append(s.Params, schedule.Param{
			Name: p.Name, Aliases: p.Aliases, Kinds: kinds(p.Kinds), Unit: p.Unit, Enum: choices(p.Choices), Required: p.Required,
			Default: p.Default, List: p.List, Doc: p.Doc, Min: p.Min, Max: p.Max,
		})
	}
	for _, o := range t.Outputs {
		unit := o.Unit
		if unit == "?" {
			unit = ""
		}
		s.Outputs = append(s.Outputs, schedule.Output{
			Name: o.Name, Aliases: o.Aliases, Kind: o.Kind, Unit: unit, Difference: o.Difference, Whole: o.Whole, List: o.List, Doc: o.Doc,
		})
	}
	return s
}

// kinds adds what the binder accepts besides the declared kinds: a scalar where a number is wanted, a place where the
// binder resolves it.
func kinds(declared []string) []string {
	var out []string
	for _, k := range declared {
		switch k {
		case toolkits.KindNumber, toolkits.KindInteger:
			out = append(out, k, artifact.KindScalar)
		case toolkits.KindExpression:
			out = append(out, schedule.KindString)
		default:
			out = append(out, k)
		}
	}
	return out
}

func choices(list []toolkits.Choice) []schedule.Choice {
	out := make([]schedule.Choice, len(list))
	for i, c := range list {
		out[i] = schedule.Choice{Value: c.Value, Aliases: c.Aliases, Doc: c.Doc, When: c.When, Kind: c.Kind, Unit: c.Unit, Variable: c.Value}
	}
	return out
}
