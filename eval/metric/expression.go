package metric

import (
	"math"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

// node is a normalised expression: sums and products are flat and unordered, a difference is a sum with a factor −1,
// a quotient a product with an inverse, constants are folded, and "greater" is "less" the other way round.
type node struct {
	op   string // num, leaf, text, +, *, inv, or the name of a function or comparison
	num  float64
	text string
	leaf Argument
	kids []*node
}

// maxNodes bounds the fusing of nested expressions, each of which may use the one before it several times; maxSource
// the bytes of an expression that is read as a tree.
const (
	maxNodes  = 500
	maxSource = 10_000
)

// equalExpressions compares two expression calls as trees over their leaves. ok is false where one of them cannot be
// read as a tree: then its text decides.
func (m *matcher) equalExpressions(i, j int) (equal, ok bool) {
	tp, tg := m.p.tree(i), m.g.tree(j)
	if tp == nil || tg == nil {
		return false, false
	}
	return m.equalTrees(tp, tg), true
}

// tree reads a call's expression, with the trees of nested expression calls in place of their results; nil if it cannot
// be read. Trees are remembered; one that is being read counts as unreadable, so that a log with a cycle ends.
func (t *Trace) tree(i int) *node {
	if n, ok := t.trees[i]; ok {
		return n
	}
	t.trees[i] = nil
	n, ok := t.readTree(&t.calls[i])
	if !ok {
		return nil
	}
	t.trees[i] = n
	return n
}

func (t *Trace) readTree(c *Call) (*node, bool) {
	var source string
	leaves := map[string]*node{}
	for i := range c.Arguments {
		a := &c.Arguments[i]
		switch a.Rule {
		case RuleExpression:
			source = text(a.Value)
		case RuleRecord:
			if !t.leaves(a, leaves) {
				return nil, false
			}
		}
	}
	if len(source) > maxSource {
		return nil, false
	}
	parsed, err := parser.Parse(source)
	if err != nil {
		return nil, false
	}
	root, ok := build(parsed.Node, leaves)
	if !ok {
		return nil, false
	}
	root = settled(root)
	return root, root.size(maxNodes) <= maxNodes
}

// size counts nodes, and stops counting a little after limit.
func (n *node) size(limit int) int {
	count := 1
	for _, k := range n.kids {
		if count > limit {
			break
		}
		count += k.size(limit - count)
	}
	return count
}

// leaves reads the variables of an expression: {name: number or {value, unit, difference}}, with their origins.
func (t *Trace) leaves(a *Argument, into map[string]*node) bool {
	vars, ok := a.Value.(map[string]any)
	if !ok {
		return false
	}
	for name, v := range vars {
		leaf := Argument{Name: name, Rule: RuleNumber, Value: v, Unit: "1"}
		if r, ok := v.(map[string]any); ok {
			leaf.Value = r["value"]
			leaf.Unit, _ = r["unit"].(string)
		}
		for _, o := range a.Origins {
			if o.Member == name {
				o.Member = ""
				leaf.Origins = append(leaf.Origins, o)
			}
		}
		n := &node{op: "leaf", leaf: leaf}
		if x, ok := Number(leaf.Value); ok && len(leaf.Origins) == 0 && (leaf.Unit == "1" || leaf.Unit == "") {
			n = &node{op: "num", num: x}
		}
		if len(leaf.Origins) == 1 {
			i, ok := t.byID[t.through(leaf.Origins[0]).Call]
			if ok && t.calls[i].isExpression() {
				if inner := t.tree(i); inner != nil {
					n = inner
				}
			}
		}
		into[name] = n
	}
	return true
}

var functions = []string{"abs", "min", "max", "round", "mean", "sum", "sqrt", "exp", "log", "ln", "log10", "floor", "ceil", "pow"}

func build(n ast.Node, leaves map[string]*node) (*node, bool) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return number(float64(n.Value)), true
	case *ast.FloatNode:
		return number(n.Value), true
	case *ast.BoolNode:
		return &node{op: "text", text: map[bool]string{true: "true", false: "false"}[n.Value]}, true
	case *ast.StringNode:
		return &node{op: "text", text: n.Value}, true
	case *ast.IdentifierNode:
		if leaf, ok := leaves[n.Value]; ok {
			return leaf, true
		}
		return nil, false
	case *ast.UnaryNode:
		return buildUnary(n, leaves)
	case *ast.BinaryNode:
		a, okA := build(n.Left, leaves)
		b, okB := build(n.Right, leaves)
		if !okA || !okB {
			return nil, false
		}
		return binary(n.Operator, a, b)
	case *ast.BuiltinNode:
		return buildFunction(n.Name, n.Arguments, leaves)
	case *ast.CallNode:
		if f, ok := n.Callee.(*ast.IdentifierNode); ok && slices.Contains(functions, f.Value) {
			return buildFunction(f.Value, n.Arguments, leaves)
		}
	case *ast.ConditionalNode:
		kids := make([]*node, 3)
		for i, k := range []ast.Node{n.Cond, n.Exp1, n.Exp2} {
			var ok bool
			if kids[i], ok = build(k, leaves); !ok {
				return nil, false
			}
		}
		return &node{op: "if", kids: kids}, true
	}
	return nil, false
}

func buildUnary(n *ast.UnaryNode, leaves map[string]*node) (*node, bool) {
	x, ok := build(n.Node, leaves)
	if !ok {
		return nil, false
	}
	switch n.Operator {
	case "+":
		return x, true
	case "-":
		return product(number(-1), x), true
	case "not", "!":
		return &node{op: "not", kids: []*node{x}}, true
	}
	return nil, false
}

func buildFunction(name string, args []ast.Node, leaves map[string]*node) (*node, bool) {
	var kids []*node
	for _, a := range args {
		if l, ok := a.(*ast.ArrayNode); ok && len(args) == 1 { // max([a, b]) is max(a, b)
			return buildFunction(name, l.Nodes, leaves)
		}
		k, ok := build(a, leaves)
		if !ok {
			return nil, false
		}
		kids = append(kids, settled(k))
	}
	switch {
	case name == "sum" && len(kids) > 1:
		return sum(kids...), true
	case name == "mean" && len(kids) > 1:
		return product(number(1/float64(len(kids))), sum(kids...)), true
	case name == "pow" && len(kids) == 2:
		return binary("^", kids[0], kids[1])
	}
	return &node{op: name, kids: kids}, true
}

func binary(op string, a, b *node) (*node, bool) {
	if op != "*" && op != "/" {
		a, b = settled(a), settled(b)
	}
	switch op {
	case "+":
		return sum(a, b), true
	case "-":
		return sum(a, product(number(-1), b)), true
	case "*":
		return product(a, b), true
	case "/":
		return product(a, inverse(b)), true
	case "^", "**":
		return power(a, b), true
	case ">":
		return &node{op: "<", kids: []*node{b, a}}, true
	case ">=":
		return &node{op: "<=", kids: []*node{b, a}}, true
	case "&&":
		op = "and"
	case "||":
		op = "or"
	}
	switch op {
	case "<", "<=", "==", "!=", "and", "or", "%":
		return &node{op: op, kids: []*node{a, b}}, true
	}
	return nil, false
}

func number(x float64) *node { return &node{op: "num", num: x} }

// sum flattens, and folds constants.
func sum(kids ...*node) *node {
	out := &node{op: "+"}
	c := 0.0
	var add func(*node)
	add = func(k *node) {
		k = settled(k)
		switch k.op {
		case "+":
			for _, x := range k.kids {
				add(x)
			}
		case "num":
			c += k.num
		default:
			out.kids = append(out.kids, k)
		}
	}
	for _, k := range kids {
		add(k)
	}
	return closed(out, c, 0)
}

// product flattens, and folds constants.
func product(kids ...*node) *node {
	out := &node{op: "*"}
	c := 1.0
	var add func(*node)
	add = func(k *node) {
		switch k.op {
		case "*":
			for _, x := range k.kids {
				add(x)
			}
		case "num":
			c *= k.num
		default:
			out.kids = append(out.kids, k)
		}
	}
	for _, k := range kids {
		add(k)
	}
	if c == 0 {
		return number(0)
	}
	return closed(out, c, 1)
}

// settled multiplies a constant into a sum, where the product is no factor of another one: 2·(a + b) in a sum is
// 2·a + 2·b.
func settled(n *node) *node {
	if n.op != "*" || len(n.kids) != 2 || n.kids[0].op != "+" || n.kids[1].op != "num" {
		return n
	}
	parts := make([]*node, len(n.kids[0].kids))
	for i, k := range n.kids[0].kids {
		parts[i] = product(n.kids[1], k)
	}
	return sum(parts...)
}

// closed adds a constant unless it is neutral, and drops an operator with one operand.
func closed(n *node, c, neutral float64) *node {
	if c != neutral || len(n.kids) == 0 {
		n.kids = append(n.kids, number(c))
	}
	if len(n.kids) == 1 {
		return n.kids[0]
	}
	return n
}

func inverse(n *node) *node {
	switch {
	case n.op == "num" && n.num != 0:
		return number(1 / n.num)
	case n.op == "inv":
		return n.kids[0]
	case n.op == "*":
		kids := make([]*node, len(n.kids))
		for i, k := range n.kids {
			kids[i] = inverse(k)
		}
		return product(kids...)
	}
	return &node{op: "inv", kids: []*node{n}}
}

// power writes small whole exponents of a value out.
func power(a, b *node) *node {
	if len(a.kids) == 0 && b.op == "num" && b.num == math.Trunc(b.num) && b.num >= 1 && b.num <= 8 {
		kids := make([]*node, int(b.num))
		for i := range kids {
			kids[i] = a
		}
		return product(kids...)
	}
	return &node{op: "^", kids: []*node{a, b}}
}

var unordered = []string{"+", "*", "min", "max", "==", "!=", "and", "or", "mean", "sum"}

// equalTrees compares two normalised trees; operands of an unordered operator in any order.
func (m *matcher) equalTrees(p, g *node) bool {
	if p.op != g.op || len(p.kids) != len(g.kids) {
		return false
	}
	switch p.op {
	case "num":
		return numbersEqual(p.num, g.num, 1e-12)
	case "text":
		return p.text == g.text
	case "leaf":
		return m.equal(&p.leaf, &g.leaf)
	}
	if !slices.Contains(unordered, p.op) {
		for i := range p.kids {
			if !m.equalTrees(p.kids[i], g.kids[i]) {
				return false
			}
		}
		return true
	}
	_, pairs := pairing(len(p.kids), len(g.kids), func(i, j int) bool { return m.equalTrees(p.kids[i], g.kids[j]) })
	return pairs == len(g.kids)
}
