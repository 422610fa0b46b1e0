package schedule

import "strings"

// reference repairs a name, a slot or a field, in place. p says what is needed
// there; nil takes anything.
func (r *repairer) reference(ref *Ref, p *Param, unit string) {
	if ref.IsTask() {
		r.slot(ref)
		return
	}
	r.name(ref, p, unit)
	r.field(ref)
	if p == nil || ref.Field != "" || !r.opt.on(NameToField) {
		return
	}
	v := r.c.ref(ref, true)
	if v.whole == nil {
		return
	}
	f := r.c.fit(v, p, unit)
	field := f.field
	if f.code == "" {
		return
	}
	if !f.certain {
		// mean = gis.zonal_stats(…) is named for the field that is meant.
		t, ok := v.whole.fields[ref.Name]
		if !ok || t.Kind == "" || t.Unit == "" && unit != "" || r.c.fitType(t, p, unit).code != "" {
			return
		}
		field = ref.Name
	}
	before := Text(ref)
	ref.Field = field
	r.record(NameToField, ref.Pos, before, Text(ref))
}

// slot repairs the letter case of task.Place.
func (r *repairer) slot(ref *Ref) {
	if _, ok := r.c.slots[ref.Field]; ok || !r.opt.on(LetterCase) {
		return
	}
	found := ""
	for name := range r.c.slots {
		if strings.EqualFold(name, ref.Field) {
			if found != "" {
				return
			}
			found = name
		}
	}
	if found != "" {
		before := Text(ref)
		ref.Field = found
		r.record(LetterCase, ref.Pos, before, Text(ref))
	}
}

// maxNames bounds the work of comparing spellings: in a larger program a name
// that is spelt wrongly is a problem.
const maxNames = 1000

// name repairs an undefined name: one that differs by letter case only, or by
// spelling only, from exactly one value of the needed kind. A name that is bound
// further down is left alone: it may be meant.
func (r *repairer) name(ref *Ref, p *Param, unit string) {
	if ref.Name == r.c.item && r.c.item != "" {
		return
	}
	if _, ok := r.c.names[ref.Name]; ok {
		return
	}
	if _, later := r.c.defined[ref.Name]; later {
		return
	}
	names := r.c.order
	if r.c.item != "" {
		names = append([]string{r.c.item}, names...)
	}
	folded, near := "", ""
	for _, name := range names {
		switch {
		case strings.EqualFold(name, ref.Name):
			if folded != "" {
				return
			}
			folded = name
		case len(names) <= maxNames && sameSpelling(name, ref.Name) && r.wouldFit(ref, name, p, unit):
			if near != "" {
				near = "?"
				continue
			}
			near = name
		}
	}
	id, found := LetterCase, folded
	if folded == "" {
		id, found = NearName, near
	}
	if found == "" || found == "?" || !r.opt.on(id) {
		return
	}
	before := Text(ref)
	ref.Name = found
	r.record(id, ref.Pos, before, Text(ref))
}

// wouldFit tells whether a reference, under another name, gives what is needed.
func (r *repairer) wouldFit(ref *Ref, name string, p *Param, unit string) bool {
	other := *ref
	other.Name = name
	if s := r.c.names[name]; s != nil && other.Field != "" && !s.unknown {
		if f, ok := aliasedField(s, other.Field); ok {
			other.Field = f
		}
	}
	v := r.c.ref(&other, true)
	if v.whole == nil && !v.known {
		return false
	}
	if p == nil {
		return true
	}
	f := r.c.fit(v, p, unit)
	return f.code == "" || f.certain
}

// field repairs a field that the tool calls otherwise, by a declared alias or in
// another letter case.
func (r *repairer) field(ref *Ref) {
	s := r.c.names[ref.Name]
	if ref.Name == r.c.item && r.c.item != "" {
		s = r.c.itemVal.whole
	}
	if s == nil || s.unknown || ref.Field == "" || ref.Field == EmptyField {
		return
	}
	if _, ok := s.fields[ref.Field]; ok {
		return
	}
	name, ok := aliasedField(s, ref.Field)
	id := FieldAlias
	if strings.EqualFold(name, ref.Field) {
		id = LetterCase
	}
	if !ok || !r.opt.on(id) {
		return
	}
	before := Text(ref)
	ref.Field = name
	r.record(id, ref.Pos, before, Text(ref))
}

// answer repairs the fields of an answer.
func (r *repairer) answer(a *Answer) {
	if len(a.Fields) == 1 && a.Fields[0].Name == "" && len(r.c.contract) == 1 && r.opt.on(PositionalKind) {
		f := &a.Fields[0]
		f.Name = r.c.contract[0].Key
		r.record(PositionalKind, f.Pos, Text(f.Value), f.Name+"="+Text(f.Value))
	}
	bound := map[string]bool{}
	for _, f := range a.Fields {
		bound[f.Name] = true
	}
	for i := range a.Fields {
		f := &a.Fields[i]
		field, ok := r.c.contract.field(f.Name)
		if !ok && r.opt.on(LetterCase) {
			for _, want := range r.c.contract {
				if strings.EqualFold(want.Key, f.Name) && !bound[want.Key] {
					r.record(LetterCase, f.Pos, f.Name, want.Key)
					bound[want.Key] = true
					f.Name, field, ok = want.Key, want, true
					break
				}
			}
		}
		p := &Param{Name: f.Name, Kinds: []string{KindScalar, KindString, KindBoolean, KindInstant}}
		if ok {
			p = answerParam(field)
		}
		if ref, isRef := f.Value.(*Ref); isRef {
			r.reference(ref, p, p.Unit)
		} else {
			r.expression(f.Value)
		}
	}
}

// addAnswer binds the fields of the contract that are not bound and for which
// exactly one output of the program has that very name and fits.
func (r *repairer) addAnswer() {
	if r.out.Decline() != nil {
		return
	}
	for _, f := range r.out.Broken {
		if f.Name == "answer" || f.Name == "decline" {
			return
		}
	}
	a := r.out.Answer()
	bound := map[string]bool{}
	if a != nil {
		for _, f := range a.Fields {
			bound[f.Name] = true
		}
	}
	var added []Arg
	for _, field := range r.c.contract {
		if bound[field.Key] {
			continue
		}
		if ref := r.outputNamed(field); ref != nil {
			added = append(added, Arg{Name: field.Key, Value: ref})
			r.record(AddAnswer, Pos{}, field.Key, field.Key+"="+Text(ref))
		}
	}
	switch {
	case len(added) == 0:
	case a != nil:
		a.Fields = append(a.Fields, added...)
	default:
		r.out.Statements = append(r.out.Statements, &Statement{Body: &Answer{Fields: added}})
	}
}

// outputNamed finds the one output that has a field's name, as the name of a
// step or of an output, and fits it in kind and unit.
func (r *repairer) outputNamed(field Field) *Ref {
	p := answerParam(field)
	var found *Ref
	for _, name := range r.c.order {
		s := r.c.names[name]
		if s.unknown {
			continue
		}
		ref := &Ref{Name: name}
		if name == field.Key {
			f := r.c.fit(r.c.ref(ref, false), p, p.Unit)
			switch {
			case f.certain:
				ref.Field = f.field
			case f.code != "" || s.fields[ValueField].Kind == "" && s.value:
				continue
			}
		} else {
			t, ok := s.fields[field.Key]
			if !ok || t.Kind == "" || r.c.fitType(t, p, p.Unit).code != "" {
				continue
			}
			ref.Field = field.Key
		}
		if found != nil {
			return nil
		}
		found = ref
	}
	return found
}
