package schedule

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"go.starlark.net/syntax"
)

// maxDepth bounds how deep values and expressions nest. Long sums nest to the
// left, one level for each term.
const maxDepth = 200

// unreadableNode carries the first problem of a statement out of the recursion.
type unreadableNode struct {
	pos     Pos
	found   string
	message string
}

func (e *unreadableNode) Error() string { return e.message }

func refuse(n syntax.Node, format string, args ...any) error {
	return &unreadableNode{pos: at(syntax.Start(n)), message: fmt.Sprintf(format, args...)}
}

// add turns one syntax tree into a statement, or into one problem.
func (r *reader) add(stmt syntax.Stmt) {
	if len(r.program.Statements) >= MaxStatements {
		if len(r.program.Statements) == MaxStatements && len(r.problems) == 0 {
			r.fail(at(syntax.Start(stmt)), "", fmt.Sprintf("a schedule has at most %d statements", MaxStatements))
		}
		return
	}
	start, end := stmt.Span()
	s, err := r.statement(stmt)
	if err == nil {
		s.Pos = at(start)
		r.program.Statements = append(r.program.Statements, s)
		r.ends = append(r.ends, int(end.Line))
		return
	}
	if e, ok := err.(*unreadableNode); ok {
		r.fail(e.pos, e.found, e.message)
	}
	r.brokenTree(stmt)
}

func (r *reader) statement(stmt syntax.Stmt) (*Statement, error) {
	switch n := stmt.(type) {
	case *syntax.AssignStmt:
		id, ok := n.LHS.(*syntax.Ident)
		if !ok {
			return nil, refuse(n.LHS, "one name stands left of the equals sign")
		}
		if n.Op != syntax.EQ {
			return nil, refuse(n, "a name is bound once, with '='; give the new value a name of its own")
		}
		if isConstant(id.Name) {
			return nil, refuse(n.LHS, "%s is a value, not a name", id.Name)
		}
		body, err := r.body(unparen(n.RHS))
		return &Statement{Name: id.Name, Body: body}, err
	case *syntax.ExprStmt:
		call, ok := unparen(n.X).(*syntax.CallExpr)
		if !ok {
			return nil, refuse(n.X, "a value by itself does nothing: bind it to a name, or use answer(…)")
		}
		body, err := r.bare(call)
		return &Statement{Body: body}, err
	case *syntax.ForStmt, *syntax.WhileStmt:
		return nil, refuse(n, "%s", blockAdvice("for"))
	case *syntax.IfStmt:
		return nil, refuse(n, "%s", blockAdvice("if"))
	case *syntax.DefStmt:
		return nil, refuse(n, "%s", blockAdvice("def"))
	case *syntax.LoadStmt:
		return nil, refuse(n, "there are no imports: every agent is there already")
	}
	return nil, refuse(stmt, "this is not a statement of the language")
}

func isConstant(name string) bool { return name == "True" || name == "False" || name == "None" }

// bare reads a call that stands alone: an answer, a decline, or a check.
func (r *reader) bare(n *syntax.CallExpr) (Body, error) {
	if id, ok := n.Fn.(*syntax.Ident); ok {
		switch id.Name {
		case "answer":
			fields, err := r.args(n.Args)
			return &Answer{Pos: at(id.NamePos), Fields: fields}, err
		case "decline":
			return r.decline(n, at(id.NamePos))
		}
	}
	e, err := r.expr(n)
	if err != nil {
		return nil, err
	}
	call, ok := e.(*Call)
	if !ok {
		return nil, refuse(n, "a value by itself does nothing: bind it to a name")
	}
	return call, nil
}

func (r *reader) decline(n *syntax.CallExpr, pos Pos) (Body, error) {
	args, err := r.args(n.Args)
	if err != nil {
		return nil, err
	}
	d := &Decline{Pos: pos}
	for _, a := range args {
		text, isText := a.Value.(*String)
		list, isList := a.Value.(*List)
		switch {
		case (a.Name == "reason" || a.Name == "") && isText:
			d.Reason = text.Value
		case a.Name == "missing" && isText:
			d.Missing = append(d.Missing, text.Value)
		case a.Name == "missing" && isList:
			for _, item := range list.Items {
				s, ok := item.(*String)
				if !ok {
					return nil, refuse(n, "missing is a list of strings")
				}
				d.Missing = append(d.Missing, s.Value)
			}
		default:
			return nil, refuse(n, `decline takes reason="…" and missing=["…"]`)
		}
	}
	if d.Reason == "" {
		return nil, refuse(n, `decline needs its reason: decline(reason="…")`)
	}
	return d, nil
}

// body reads the right side of an assignment.
func (r *reader) body(n syntax.Expr) (Body, error) {
	pos := at(syntax.Start(n))
	switch n := n.(type) {
	case *syntax.CondExpr:
		return r.guarded(n, pos)
	case *syntax.Comprehension:
		return r.mapped(n, pos)
	case *syntax.CallExpr:
		if id, ok := n.Fn.(*syntax.Ident); ok {
			switch id.Name {
			case "first":
				return r.first(n, pos)
			case "answer", "decline":
				return nil, refuse(n, "%s stands alone and binds no name", id.Name)
			}
		}
	}
	e, err := r.expr(n)
	if call, ok := e.(*Call); ok {
		return call, err
	}
	return &Computed{Pos: pos, Expr: e}, err
}

func (r *reader) guarded(n *syntax.CondExpr, pos Pos) (Body, error) {
	cond, err := r.expr(n.Cond)
	if err != nil {
		return nil, err
	}
	if !isGuard(cond) {
		return nil, refuse(n.Cond, "a guard is one comparison, name.is_empty, or two of these joined by and/or")
	}
	then, err := r.expr(n.True)
	if err != nil {
		return nil, err
	}
	els, err := r.expr(n.False)
	if err != nil {
		return nil, err
	}
	_, callThen := then.(*Call)
	_, callElse := els.(*Call)
	if _, none := els.(*None); callThen != callElse && !none {
		return nil, refuse(n.False, "both branches are calls, or both are values; the second may be None")
	}
	return &Guarded{Pos: pos, Cond: cond, Then: then, Else: els}, err
}

func isGuard(e Expr) bool {
	switch e := e.(type) {
	case *Compare, *Ref:
		return true
	case *Logic:
		return isSimpleGuard(e.X) && isSimpleGuard(e.Y)
	}
	return false
}

func isSimpleGuard(e Expr) bool {
	switch e.(type) {
	case *Compare, *Ref:
		return true
	}
	return false
}

func (r *reader) mapped(n *syntax.Comprehension, pos Pos) (Body, error) {
	clause, ok := n.Clauses[0].(*syntax.ForClause)
	if !ok || n.Curly || len(n.Clauses) != 1 {
		return nil, refuse(n, "a mapped step is [agent.tool(p=y) for y in name.field], with nothing behind it")
	}
	id, ok := clause.Vars.(*syntax.Ident)
	if !ok {
		return nil, refuse(clause.Vars, "a mapped step has one loop name")
	}
	over, err := r.expr(clause.X)
	if err != nil {
		return nil, err
	}
	switch over.(type) {
	case *Ref, *List:
	default:
		return nil, refuse(clause.X, "a mapped step goes over a reference to a list")
	}
	body, err := r.expr(n.Body)
	if err != nil {
		return nil, err
	}
	call, ok := body.(*Call)
	if !ok {
		return nil, refuse(n.Body, "a mapped step calls one tool for each item")
	}
	return &Mapped{Pos: pos, Call: call, Var: id.Name, Over: over}, nil
}

func (r *reader) first(n *syntax.CallExpr, pos Pos) (Body, error) {
	f := &First{Pos: pos}
	for _, a := range n.Args {
		e, err := r.expr(a)
		if err != nil {
			return nil, err
		}
		ref, ok := e.(*Ref)
		if !ok || ref.Field != "" || ref.Index != nil {
			return nil, refuse(a, "first takes the names of steps: first(a, b)")
		}
		f.Names = append(f.Names, ref)
	}
	if len(f.Names) == 0 {
		return nil, refuse(n, "first takes the names of steps: first(a, b)")
	}
	return f, nil
}

func unparen(n syntax.Expr) syntax.Expr {
	for {
		p, ok := n.(*syntax.ParenExpr)
		if !ok {
			return n
		}
		n = p.X
	}
}

// literal reads a number or a string.
func literal(n *syntax.Literal) (Expr, error) {
	pos := at(n.TokenPos)
	switch v := n.Value.(type) {
	case int64:
		return &Number{Pos: pos, Text: strconv.FormatInt(v, 10)}, nil
	case *big.Int:
		return &Number{Pos: pos, Text: v.String()}, nil
	case float64:
		return &Number{Pos: pos, Text: floatText(v)}, nil
	case string:
		if n.Token == syntax.STRING {
			return &String{Pos: pos, Value: v}, nil
		}
	}
	return nil, refuse(n, "this literal is not a number or a string")
}

// floatText is the shortest text that reads back as the same float and is not
// taken for an integer.
func floatText(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".eE") {
		text += ".0"
	}
	return text
}
