package schedule

import (
	"fmt"
	"strings"

	"go.starlark.net/syntax"
)

// functions are the names that may be called without an agent in an expression.
var functions = map[string]bool{"abs": true, "min": true, "max": true, "round": true, "mean": true, "sum": true}

// expr reads a value or an expression.
func (r *reader) expr(n syntax.Expr) (Expr, error) {
	if r.depth++; r.depth > maxDepth {
		r.depth--
		return nil, refuse(n, "the expression nests deeper than %d levels", maxDepth)
	}
	defer func() { r.depth-- }()
	switch n := n.(type) {
	case *syntax.ParenExpr:
		return r.expr(n.X)
	case *syntax.Literal:
		return literal(n)
	case *syntax.Ident:
		return ident(n), nil
	case *syntax.DotExpr:
		return r.dotted(n)
	case *syntax.IndexExpr:
		return r.indexed(n)
	case *syntax.UnaryExpr:
		return r.unary(n)
	case *syntax.BinaryExpr:
		return r.binary(n)
	case *syntax.ListExpr:
		items, err := r.exprs(n.List)
		return &List{Pos: at(n.Lbrack), Items: items}, err
	case *syntax.DictExpr:
		return r.dict(n)
	case *syntax.CallExpr:
		return r.call(n)
	case *syntax.CondExpr:
		return nil, refuse(n, "a choice stands right of '=': give it a name of its own")
	case *syntax.Comprehension:
		return nil, refuse(n, "a mapped step stands right of '=': give it a name of its own")
	case *syntax.TupleExpr:
		return nil, refuse(n, "write a list, [a, b]")
	case *syntax.SliceExpr:
		return nil, refuse(n, "there are no slices: pick one item, name.list[0]")
	case *syntax.LambdaExpr:
		return nil, refuse(n, "%s", blockAdvice("lambda"))
	}
	return nil, refuse(n, "this is not a value of the language")
}

func (r *reader) exprs(list []syntax.Expr) ([]Expr, error) {
	var out []Expr
	for _, n := range list {
		e, err := r.expr(n)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func ident(n *syntax.Ident) Expr {
	pos := at(n.NamePos)
	switch n.Name {
	case "True", "False":
		return &Bool{Pos: pos, Value: n.Name == "True"}
	case "None":
		return &None{Pos: pos}
	}
	return &Ref{Pos: pos, Name: n.Name}
}

func (r *reader) dotted(n *syntax.DotExpr) (Expr, error) {
	id, ok := unparen(n.X).(*syntax.Ident)
	if !ok || isConstant(id.Name) {
		return nil, refuse(n, "a value is read as name.field, one field deep")
	}
	return &Ref{Pos: at(id.NamePos), Name: id.Name, Field: n.Name.Name}, nil
}

func (r *reader) indexed(n *syntax.IndexExpr) (Expr, error) {
	if key, ok := n.Y.(*syntax.Literal); ok {
		if s, ok := key.Value.(string); ok {
			if r.repair != nil && isWord(s) {
				if x, err := r.expr(n.X); err == nil {
					if ref, isRef := x.(*Ref); isRef && ref.Field == "" && ref.Index == nil {
						named := &Ref{Pos: ref.Pos, Name: ref.Name, Field: s}
						if r.repair(SubscriptField, ref.Pos, fmt.Sprintf("%s[%q]", ref.Name, s), Text(named)) {
							return named, nil
						}
					}
				}
			}
			return nil, refuse(n, "fields are read with a point: name.%s", s)
		}
	}
	x, err := r.expr(n.X)
	if err != nil {
		return nil, err
	}
	y, err := r.expr(n.Y)
	if err != nil {
		return nil, err
	}
	ref, isRef := x.(*Ref)
	num, isNum := y.(*Number)
	if !isRef || !isNum || ref.Index != nil {
		return nil, refuse(n, "an item is read as name.list[0], or name.list[-1] from the end")
	}
	i, ok := num.Int()
	if !ok || int64(int(i)) != i {
		return nil, refuse(n.Y, "an index is a whole number")
	}
	index := int(i)
	return &Ref{Pos: ref.Pos, Name: ref.Name, Field: ref.Field, Index: &index}, nil
}

func (r *reader) unary(n *syntax.UnaryExpr) (Expr, error) {
	if n.Op != syntax.MINUS && n.Op != syntax.PLUS {
		if n.Op == syntax.NOT {
			return nil, refuse(n, "there is no 'not': turn the comparison round, or swap the branches")
		}
		return nil, refuse(n, "there is no operator %s", n.Op)
	}
	x, err := r.expr(n.X)
	if err != nil || n.Op == syntax.PLUS {
		return x, err
	}
	if num, ok := x.(*Number); ok {
		return &Number{Pos: at(n.OpPos), Text: negated(num.Text)}, nil
	}
	return &Unary{Pos: at(n.OpPos), X: x}, nil
}

func negated(text string) string {
	switch {
	case text == "0":
		return text
	case strings.HasPrefix(text, "-"):
		return text[1:]
	}
	return "-" + text
}

func (r *reader) binary(n *syntax.BinaryExpr) (Expr, error) {
	var op string
	switch n.Op {
	case syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH, syntax.LT, syntax.LE, syntax.EQL, syntax.NEQ,
		syntax.GT, syntax.GE, syntax.AND, syntax.OR:
		op = n.Op.String()
	default:
		return nil, refuse(n, "there is no operator %s: + - * / and comparisons are all there are", n.Op)
	}
	x, err := r.expr(n.X)
	if err != nil {
		return nil, err
	}
	y, err := r.expr(n.Y)
	if err != nil {
		return nil, err
	}
	pos := x.Position()
	switch n.Op {
	case syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.SLASH:
		return &Binary{Pos: pos, Op: op, X: x, Y: y}, nil
	case syntax.AND, syntax.OR:
		if !isSimpleGuard(x) || !isSimpleGuard(y) {
			return nil, refuse(n, "at most two comparisons are joined by and/or")
		}
		return &Logic{Pos: pos, Op: op, X: x, Y: y}, nil
	}
	return &Compare{Pos: pos, Op: op, X: x, Y: y}, nil
}

func (r *reader) dict(n *syntax.DictExpr) (Expr, error) {
	d := &Dict{Pos: at(n.Lbrace)}
	seen := map[string]bool{}
	for _, item := range n.List {
		entry, ok := item.(*syntax.DictEntry)
		if !ok {
			return nil, refuse(item, "a record is {\"key\": value}")
		}
		lit, ok := unparen(entry.Key).(*syntax.Literal)
		if !ok || lit.Token != syntax.STRING {
			return nil, refuse(entry.Key, "the keys of a record are strings")
		}
		key := lit.Value.(string)
		if seen[key] {
			return nil, refuse(entry.Key, "the key %q stands twice", key)
		}
		seen[key] = true
		v, err := r.expr(entry.Value)
		if err != nil {
			return nil, err
		}
		d.Entries = append(d.Entries, Entry{Pos: at(lit.TokenPos), Key: key, Value: v})
	}
	return d, nil
}

// call reads a tool call or one of the functions of expressions.
func (r *reader) call(n *syntax.CallExpr) (Expr, error) {
	args, err := r.args(n.Args)
	if err != nil {
		return nil, err
	}
	pos := at(syntax.Start(n))
	switch fn := unparen(n.Fn).(type) {
	case *syntax.Ident:
		switch {
		case functions[fn.Name] && positionalOnly(args):
			return &Func{Pos: pos, Name: fn.Name, Args: values(args)}, nil
		case fn.Name == "first" || fn.Name == "answer" || fn.Name == "decline":
			return nil, refuse(n, "%s is a statement, not a value", fn.Name)
		}
		return &Call{Pos: pos, Tool: fn.Name, Args: args}, nil
	case *syntax.DotExpr:
		if agent, ok := agentText(fn.X); ok {
			return &Call{Pos: pos, Agent: agent, Tool: fn.Name.Name, Args: args}, nil
		}
	}
	return nil, refuse(n, "a call is agent.tool(parameter=value)")
}

// agentText reads the agent of a call, also when a model put it in quotes or in
// a list; the checker refuses those, and a repair strips them.
func agentText(n syntax.Expr) (string, bool) {
	switch n := unparen(n).(type) {
	case *syntax.Ident:
		return n.Name, !isConstant(n.Name)
	case *syntax.Literal:
		s, ok := n.Value.(string)
		if isWord(s) {
			s = "[" + s + "]" // no agent's name, so that what was written is not lost
		}
		return s, ok && n.Token == syntax.STRING && s != ""
	case *syntax.ListExpr:
		if len(n.List) == 1 {
			s, ok := agentText(n.List[0])
			if isWord(s) {
				s = "[" + s + "]"
			}
			return s, ok
		}
	}
	return "", false
}

func positionalOnly(args []Arg) bool {
	for _, a := range args {
		if a.Name != "" {
			return false
		}
	}
	return len(args) > 0
}

func values(args []Arg) []Expr {
	out := make([]Expr, len(args))
	for i, a := range args {
		out[i] = a.Value
	}
	return out
}

func (r *reader) args(list []syntax.Expr) ([]Arg, error) {
	var out []Arg
	for _, n := range list {
		arg := Arg{Pos: at(syntax.Start(n))}
		value := n
		if b, ok := n.(*syntax.BinaryExpr); ok && b.Op == syntax.EQ {
			id, ok := b.X.(*syntax.Ident)
			if !ok {
				return nil, refuse(b.X, "an argument is parameter=value")
			}
			arg.Name, value = id.Name, b.Y
		}
		if u, ok := n.(*syntax.UnaryExpr); ok && (u.Op == syntax.STAR || u.Op == syntax.STARSTAR) {
			return nil, refuse(n, "arguments are written out one by one")
		}
		e, err := r.expr(value)
		if err != nil {
			return nil, err
		}
		arg.Value = e
		out = append(out, arg)
	}
	return out, nil
}
