package schedule

// Clone copies a program, so that the copy can be changed.
func (p *Program) Clone() *Program {
	out := &Program{Comments: append([]string(nil), p.Comments...)}
	for _, f := range p.Broken {
		out.Broken = append(out.Broken, Fragment{Name: f.Name, Words: append([]string(nil), f.Words...)})
	}
	for _, s := range p.Statements {
		out.Statements = append(out.Statements, s.Clone())
	}
	return out
}

// Clone copies a statement.
func (s *Statement) Clone() *Statement {
	c := *s
	c.Comments = append([]string(nil), s.Comments...)
	c.Body = cloneBody(s.Body)
	return &c
}

func cloneBody(b Body) Body {
	switch b := b.(type) {
	case *Call:
		return cloneCall(b)
	case *Guarded:
		return &Guarded{b.Pos, cloneExpr(b.Cond), cloneExpr(b.Then), cloneExpr(b.Else)}
	case *Mapped:
		return &Mapped{b.Pos, cloneCall(b.Call), b.Var, cloneExpr(b.Over)}
	case *First:
		f := &First{Pos: b.Pos}
		for _, r := range b.Names {
			f.Names = append(f.Names, cloneExpr(r).(*Ref))
		}
		return f
	case *Computed:
		return &Computed{b.Pos, cloneExpr(b.Expr)}
	case *Answer:
		return &Answer{b.Pos, cloneArgs(b.Fields)}
	case *Decline:
		return &Decline{b.Pos, b.Reason, append([]string(nil), b.Missing...)}
	}
	return b
}

func cloneCall(c *Call) *Call { return &Call{c.Pos, c.Agent, c.Tool, cloneArgs(c.Args)} }

func cloneArgs(args []Arg) []Arg {
	var out []Arg
	for _, a := range args {
		out = append(out, Arg{a.Pos, a.Name, cloneExpr(a.Value)})
	}
	return out
}

func cloneExprs(list []Expr) []Expr {
	var out []Expr
	for _, e := range list {
		out = append(out, cloneExpr(e))
	}
	return out
}

func cloneExpr(e Expr) Expr {
	switch e := e.(type) {
	case *Number:
		c := *e
		return &c
	case *String:
		c := *e
		return &c
	case *Bool:
		c := *e
		return &c
	case *None:
		c := *e
		return &c
	case *List:
		return &List{e.Pos, cloneExprs(e.Items)}
	case *Dict:
		d := &Dict{Pos: e.Pos}
		for _, entry := range e.Entries {
			d.Entries = append(d.Entries, Entry{entry.Pos, entry.Key, cloneExpr(entry.Value)})
		}
		return d
	case *Ref:
		c := *e
		if e.Index != nil {
			i := *e.Index
			c.Index = &i
		}
		return &c
	case *Call:
		return cloneCall(e)
	case *Unary:
		return &Unary{e.Pos, cloneExpr(e.X)}
	case *Binary:
		return &Binary{e.Pos, e.Op, cloneExpr(e.X), cloneExpr(e.Y)}
	case *Func:
		return &Func{e.Pos, e.Name, cloneExprs(e.Args)}
	case *Compare:
		return &Compare{e.Pos, e.Op, cloneExpr(e.X), cloneExpr(e.Y)}
	case *Logic:
		return &Logic{e.Pos, e.Op, cloneExpr(e.X), cloneExpr(e.Y)}
	}
	return e
}
