package toolkits

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"almanac/toolkits/units"
)

func jsonInt(n int64) string { return strconv.FormatInt(n, 10) }

func (p *Param) bounds() string {
	switch {
	case p.Min != nil && p.Max != nil:
		return fmt.Sprintf("%g to %g", *p.Min, *p.Max)
	case p.Min != nil:
		return fmt.Sprintf("the range from %g up", *p.Min)
	}
	return fmt.Sprintf("the range up to %g", *p.Max)
}

// setPlain binds numbers, integers, truth values and strings.
func (b *binder) setPlain(p *Param, field reflect.Value, v Value) (Argument, error) {
	switch field.Kind() {
	case reflect.Float64:
		q, err := b.number(p, v)
		if err != nil {
			return Argument{}, err
		}
		field.SetFloat(q.Value)
		b.call.unit[p.Name] = q.Unit
		return Argument{Rule: "number", Value: q.Value, Unit: q.Unit}, nil
	case reflect.Int:
		q, err := b.number(p, v)
		if err != nil {
			return Argument{}, err
		}
		n := int64(q.Value)
		if v.Kind == KindInteger && v.Unit == "" {
			n = v.Int
		}
		if float64(n) != q.Value {
			return Argument{}, Errorf(BadArgument, "wants a whole number, not %v", q.Value)
		}
		field.SetInt(n)
		return Argument{Rule: "integer", Value: n}, nil
	case reflect.Bool:
		if v.Kind != KindBoolean {
			return Argument{}, Errorf(BadArgument, "wants True or False, not %s", v.describe())
		}
		field.SetBool(v.Bool)
		return Argument{Rule: "boolean", Value: v.Bool}, nil
	}
	return b.setString(p, field, v)
}

func (b *binder) setString(p *Param, field reflect.Value, v Value) (Argument, error) {
	if v.Text == "" || v.IsNumber() {
		return Argument{}, Errorf(BadArgument, "wants text, not %s", v.describe())
	}
	text, rule := v.Text, "text"
	switch {
	case len(p.Choices) > 0:
		choice, err := b.choice(p, text)
		if err != nil {
			return Argument{}, err
		}
		text = choice.Value
		b.call.unit[p.Name], b.call.kind[p.Name] = choice.Unit, choice.Kind
	case p.Kinds[0] == KindUnit:
		canonical, err := units.Canonical(text)
		if err != nil {
			return Argument{}, Errorf(BadUnit, "%w", err)
		}
		b.call.unit[p.Name] = canonical
		text, rule = canonical, "unit"
	case p.Kinds[0] == KindExpression:
		rule = "expression"
	case p.Kinds[0] == KindInstant:
		rule = "instant"
	case p.Verbatim:
		rule = "verbatim"
	}
	field.SetString(text)
	return Argument{Rule: rule, Value: text}, nil
}

// choice finds the legal value that text names, by letter case or alias.
func (b *binder) choice(p *Param, text string) (Choice, error) {
	var legal []string
	elsewhere := false
	for _, c := range p.Choices {
		named := strings.EqualFold(c.Value, text)
		for _, a := range c.Aliases {
			named = named || strings.EqualFold(a, text)
		}
		if !b.holds(c.When) {
			elsewhere = elsewhere || named
			continue
		}
		if named {
			return c, nil
		}
		legal = append(legal, c.Value)
	}
	e := Errorf(BadArgument, "%q is not one of the values that exist", text)
	if elsewhere {
		e = Errorf(NotFound, "%q does not go with the other arguments (%s)", text, b.others(p))
	}
	e.Legal = Nearest(text, legal, len(legal))
	return Choice{}, e
}

// holds reports whether the other arguments are as when says.
func (b *binder) holds(when map[string]string) bool {
	for name, want := range when {
		v, ok := b.args[name]
		if !ok {
			return false
		}
		p, ok := b.tool.Param(name)
		if !ok || !p.Means(v.Text, want) {
			return false
		}
	}
	return true
}

// Means reports whether text stands for the choice want, by letter case or alias.
func (p *Param) Means(text, want string) bool {
	for _, c := range p.Choices {
		if c.Value != want {
			continue
		}
		if strings.EqualFold(c.Value, text) {
			return true
		}
		for _, a := range c.Aliases {
			if strings.EqualFold(a, text) {
				return true
			}
		}
	}
	return strings.EqualFold(text, want)
}

func (b *binder) others(p *Param) string {
	var parts []string
	for _, q := range b.tool.Params {
		if v, ok := b.args[q.Name]; ok && q.Name != p.Name && v.Text != "" {
			parts = append(parts, fmt.Sprintf("%s=%q", q.Name, v.Text))
		}
	}
	return strings.Join(parts, ", ")
}

func (b *binder) setList(p *Param, field reflect.Value, v Value) (Argument, error) {
	if v.Kind != KindList {
		return Argument{}, Errorf(BadArgument, "wants a list, not %s", v.describe())
	}
	arg := Argument{Rule: "list"}
	item := *p
	item.List = false
	field.Set(reflect.MakeSlice(field.Type(), len(v.List), len(v.List)))
	values := make([]any, len(v.List))
	for i, x := range v.List {
		a, err := b.set(&item, field.Index(i), x)
		if err != nil {
			return arg, AsError(err).at(fmt.Sprintf("%s[%d]", p.Name, i))
		}
		values[i], arg.Unit = a.Value, a.Unit
	}
	arg.Value = values
	return arg, nil
}

func (b *binder) setRecord(p *Param, field reflect.Value, v Value) (Argument, error) {
	if v.Kind != KindRecord {
		return Argument{}, Errorf(BadArgument, "wants a record {name: number}, not %s", v.describe())
	}
	named := make(map[string]Quantity, len(v.Record))
	canonical := make(map[string]any, len(v.Record))
	for _, name := range sortedKeys(v.Record) {
		x := v.Record[name]
		if !x.IsNumber() {
			return Argument{}, Errorf(BadArgument, "%s must be a number, not %s", name, x.describe())
		}
		q := Quantity{Value: x.Number, Unit: x.Unit, Difference: x.Difference}
		if q.Unit == "" {
			q.Unit = "1"
		}
		named[name] = q
		canonical[name] = map[string]any{"value": q.Value, "unit": q.Unit, "difference": q.Difference}
	}
	field.Set(reflect.ValueOf(named))
	return Argument{Rule: "record", Value: canonical}, nil
}
