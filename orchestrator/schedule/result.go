package schedule

import "strings"

// bound is one argument with the parameter that it belongs to.
type bound struct {
	param *Param
	arg   *Arg
	val   value
	// field is the field that a bare step name stands for.
	field string
	// typ is the type that the parameter gets.
	typ Type
	// literal is a string that is known before the run.
	literal   string
	isLiteral bool
	choice    *Choice
}

// binding is the arguments of one call.
type binding struct {
	sig  *Signature
	args []bound
}

func (b *binding) find(param string) *bound {
	for i := range b.args {
		if b.args[i].param != nil && b.args[i].param.Name == param {
			return &b.args[i]
		}
	}
	return nil
}

// literalOf is the string that a parameter has, written or by default.
func (b *binding) literalOf(param string) (string, bool) {
	if x := b.find(param); x != nil {
		return x.literal, x.isLiteral
	}
	if p := b.sig.param(param); p != nil {
		s, ok := p.Default.(string)
		return s, ok
	}
	return "", false
}

// choiceOf is the entry of a closed vocabulary that a parameter has.
func (b *binding) choiceOf(param string) *Choice {
	if x := b.find(param); x != nil && x.choice != nil {
		return x.choice
	}
	p := b.sig.param(param)
	if p == nil {
		return nil
	}
	text, ok := b.literalOf(param)
	if !ok {
		return nil
	}
	return legalChoice(p, text, b)
}

// legalChoice finds the entry with that value whose conditions hold.
func legalChoice(p *Param, text string, b *binding) *Choice {
	for i := range p.Enum {
		if p.Enum[i].Value == text && b.holds(p.Enum[i].When) {
			return &p.Enum[i]
		}
	}
	return nil
}

// holds tells whether the other parameters have the values that a choice asks
// for. One whose value is not known before the run restricts nothing.
func (b *binding) holds(when map[string]string) bool {
	for param, want := range when {
		if got, ok := b.literalOf(param); ok && got != want {
			return false
		}
	}
	return true
}

// kindOf resolves the declared kind of an output.
func (c *checker) kindOf(kind string, b *binding) string {
	param, derived := strings.CutPrefix(kind, "@")
	if !derived {
		return kind
	}
	if ch := b.choiceOf(param); ch != nil && ch.Kind != "" {
		return ch.Kind
	}
	if x := b.find(param); x != nil {
		return x.typ.Kind
	}
	return ""
}

// unitOf resolves a declared unit: a plain one, or a product with "@param" in
// it. It is empty when a part is not known.
func (c *checker) unitOf(unit string, b *binding) string {
	if !strings.Contains(unit, "@") {
		return unit
	}
	product := ""
	for _, part := range strings.Fields(unit) {
		u := part
		if param, derived := strings.CutPrefix(part, "@"); derived {
			u = c.paramUnit(param, b)
		}
		if u == "" {
			return ""
		}
		if product == "" {
			product = u
			continue
		}
		var err error
		if product, err = c.units.Mul(product, u); err != nil {
			return ""
		}
	}
	return product
}

func (c *checker) paramUnit(param string, b *binding) string {
	if ch := b.choiceOf(param); ch != nil && ch.Unit != "" {
		return ch.Unit
	}
	if p := b.sig.param(param); p != nil && p.takes(KindUnit) {
		if text, ok := b.literalOf(param); ok {
			return text
		}
		return ""
	}
	if x := b.find(param); x != nil {
		return x.typ.Unit
	}
	return ""
}

// result resolves the declared outputs of a call.
func (c *checker) result(b *binding) *shape {
	s := &shape{fields: make(map[string]Type, len(b.sig.Outputs)), order: make([]string, 0, len(b.sig.Outputs)), sig: b.sig}
	for i := range b.sig.Outputs {
		o := &b.sig.Outputs[i]
		kind, list := listKind(c.kindOf(o.Kind, b))
		t := Type{Kind: kind, Unit: c.unitOf(o.Unit, b), List: o.List || list, Difference: o.Difference}
		for _, from := range []string{o.Kind, o.Unit} {
			param, derived := strings.CutPrefix(from, "@")
			if !derived || strings.Contains(param, " ") {
				continue
			}
			if ch := b.choiceOf(param); ch != nil && ch.Variable != "" {
				t.Variable = ch.Variable
			} else if x := b.find(param); x != nil {
				if t.Variable == "" {
					t.Variable = x.typ.Variable
				}
				t.Difference = t.Difference || x.typ.Difference && from == o.Unit
			}
		}
		s.fields[o.Name] = t
		s.order = append(s.order, o.Name)
	}
	return s
}

// mappedShape makes every field a list.
func mappedShape(s *shape) *shape {
	if s.unknown {
		return s
	}
	m := &shape{fields: make(map[string]Type, len(s.fields)), order: s.order, sig: s.sig, value: s.value, mapped: true}
	for f, t := range s.fields {
		if t.List {
			t.Kind = "list<" + t.Kind + ">"
		}
		t.List = true
		m.fields[f] = t
	}
	return m
}

// merge is what is known of the one step of two that ran: the fields that both
// have, in the same kind.
func (c *checker) merge(a, b *shape) *shape {
	if a.unknown || b.unknown {
		return unknownShape
	}
	m := &shape{fields: map[string]Type{}, value: a.value && b.value, mapped: a.mapped && b.mapped}
	if a.sig != nil && b.sig != nil && a.sig.Name == b.sig.Name {
		m.sig = a.sig
	}
	for _, f := range a.order {
		x := a.fields[f]
		y, ok := b.fields[f]
		if !ok || x.List != y.List || !kindFits(x.Kind, y.Kind) && !kindFits(y.Kind, x.Kind) {
			continue
		}
		if !c.unitFits(x.Unit, y.Unit) {
			continue
		}
		if y.Unit == "" {
			x.Unit = ""
		}
		if y.Kind == "" {
			x.Kind = ""
		}
		if x.Variable != y.Variable {
			x.Variable = ""
		}
		x.Difference = x.Difference && y.Difference
		m.fields[f] = x
		m.order = append(m.order, f)
	}
	return m
}

// unitFits tells whether a value in one unit may be given where another is
// wanted. A unit that is not known fits.
func (c *checker) unitFits(have, want string) bool {
	return have == "" || want == "" || have == want || c.units.Convertible(have, want)
}
