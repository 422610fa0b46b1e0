package schedule

// References are all references in a statement, in the order of the text, except
// those to the loop name of a mapped step.
func References(s *Statement) []*Ref {
	var refs []*Ref
	collect := func(e Expr) {
		if r, ok := e.(*Ref); ok {
			refs = append(refs, r)
		}
	}
	if m, ok := s.Body.(*Mapped); ok {
		for _, a := range m.Call.Args {
			walk(a.Value, func(e Expr) {
				if r, ok := e.(*Ref); ok && r.Name != m.Var {
					refs = append(refs, r)
				}
			})
		}
		walk(m.Over, collect)
		return refs
	}
	for _, e := range exprsOf(s.Body) {
		walk(e, collect)
	}
	return refs
}

// exprsOf are the expressions directly inside a body.
func exprsOf(b Body) []Expr {
	switch b := b.(type) {
	case *Call:
		return values(b.Args)
	case *Guarded:
		return []Expr{b.Then, b.Cond, b.Else}
	case *Mapped:
		return append(values(b.Call.Args), b.Over)
	case *First:
		out := make([]Expr, len(b.Names))
		for i, r := range b.Names {
			out[i] = r
		}
		return out
	case *Computed:
		return []Expr{b.Expr}
	case *Answer:
		return values(b.Fields)
	}
	return nil
}

// walk visits an expression and everything in it, outer before inner.
func walk(e Expr, visit func(Expr)) {
	if e == nil {
		return
	}
	visit(e)
	switch e := e.(type) {
	case *List:
		for _, x := range e.Items {
			walk(x, visit)
		}
	case *Dict:
		for _, entry := range e.Entries {
			walk(entry.Value, visit)
		}
	case *Call:
		for _, a := range e.Args {
			walk(a.Value, visit)
		}
	case *Func:
		for _, x := range e.Args {
			walk(x, visit)
		}
	case *Unary:
		walk(e.X, visit)
	case *Binary:
		walk(e.X, visit)
		walk(e.Y, visit)
	case *Compare:
		walk(e.X, visit)
		walk(e.Y, visit)
	case *Logic:
		walk(e.X, visit)
		walk(e.Y, visit)
	}
}
