package schedule

// Clone copies a program, so that the copy can be changed.
func (p *Program) Clone() *Program { return p.Rewrite(nil) }

// Rewrite copies a program with leaf in the place of each literal and reference: what it returns stands there. It gets
// copies, and nil leaves everything as it is.
func (p *Program) Rewrite(leaf func(Expr) Expr) *Program {
	out := &Program{Comments: append([]string(nil), p.Comments...)}
	for _, f := range p.Broken {
		out.Broken = append(out.Broken, Fragment{Name: f.Name, Words: append([]string(nil), f.Words...)})
	}
	for _, s := range p.Statements {
		out.Statements = append(out.Statements, s.rewrite(leaf))
	}
	return out
}

// Clone copies a statement.
func (s *Statement) Clone() *Statement { return s.rewrite(nil) }

func (s *Statement) rewrite(leaf func(Expr) Expr) *Statement {
	c := *s
	c.Comments = append([]string(nil), s.Comments...)
	c.Body = cloneBody(s.Body, leaf)
	return &c
}

func cloneBody(b Body, leaf func(Expr) Expr) Body {
	switch b := b.(type) {
	case *Call:
		return cloneCall(b, leaf)
	case *Guarded:
		return &Guarded{b.Pos, cloneExpr(b.Cond, leaf), cloneExpr(b.Then, leaf), cloneExpr(b.Else, leaf)}
	case *Mapped:
		return &Mapped{b.Pos, cloneCall(b.Call, leaf), b.Var, cloneExpr(b.Over, leaf)}
	case *First:
		f := &First{Pos: b.Pos}
		for _, r := range b.Names {
			f.Names = append(f.Names, cloneExpr(r, nil).(*Ref)) // names of steps, not values
		}
		return f
	case *Computed:
		return &Computed{b.Pos, cloneExpr(b.Expr, leaf)}
	case *Answer:
		return &Answer{b.Pos, cloneArgs(b.Fields, leaf)}
	case *Decline:
		return &Decline{b.Pos, b.Reason, append([]string(nil), b.Missing...)}
	}
	return b
}

func cloneCall(c *Call, leaf func(Expr) Expr) *Call {
	return &Call{c.Pos, c.Agent, c.Tool, cloneArgs(c.Args, leaf)}
}

func cloneArgs(args []Arg, leaf func(Expr) Expr) []Arg {
	var out []Arg
	for _, a := range args {
		out = append(out, Arg{a.Pos, a.Name, cloneExpr(a.Value, leaf)})
	}
	return out
}

func cloneExprs(list []Expr, leaf func(Expr) Expr) []Expr {
	var out []Expr
	for _, e := range list {
		out = append(out, cloneExpr(e, leaf))
	}
	return out
}

func cloneExpr(e Expr, leaf func(Expr) Expr) Expr {
	if c, isLeaf := cloneLeaf(e); isLeaf {
		if leaf != nil {
			return leaf(c)
		}
		return c
	}
	switch e := e.(type) {
	case *List:
		return &List{e.Pos, cloneExprs(e.Items, leaf)}
	case *Dict:
		d := &Dict{Pos: e.Pos}
		for _, entry := range e.Entries {
			d.Entries = append(d.Entries, Entry{entry.Pos, entry.Key, cloneExpr(entry.Value, leaf)})
		}
		return d
	case *Call:
		return cloneCall(e, leaf)
	case *Unary:
		return &Unary{e.Pos, cloneExpr(e.X, leaf)}
	case *Binary:
		return &Binary{e.Pos, e.Op, cloneExpr(e.X, leaf), cloneExpr(e.Y, leaf)}
	case *Func:
		return &Func{e.Pos, e.Name, cloneExprs(e.Args, leaf)}
	case *Compare:
		return &Compare{e.Pos, e.Op, cloneExpr(e.X, leaf), cloneExpr(e.Y, leaf)}
	case *Logic:
		return &Logic{e.Pos, e.Op, cloneExpr(e.X, leaf), cloneExpr(e.Y, leaf)}
	}
	return e
}

func cloneLeaf(e Expr) (Expr, bool) {
	switch e := e.(type) {
	case *Number:
		c := *e
		return &c, true
	case *String:
		c := *e
		return &c, true
	case *Bool:
		c := *e
		return &c, true
	case *None:
		c := *e
		return &c, true
	case *Ref:
		c := *e
		if e.Index != nil {
			i := *e.Index
			c.Index = &i
		}
		return &c, true
	}
	return e, false
}
