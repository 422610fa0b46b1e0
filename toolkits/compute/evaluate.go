// Package compute is the calculator that every agent may use: arithmetic over numbers with units.
//
// An expression is parsed with github.com/expr-lang/expr and evaluated here, so that each operation is done on values
// with their units: metres and kilometres add up, metres and seconds do not, and a difference of two temperatures is a
// difference.
package compute

import (
	"context"
	"errors"
	"math"
	"strings"

	"almanac/toolkits"
	"almanac/toolkits/units"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/parser"
)

// maxNodes and maxLength bound an expression: none that a person writes is longer.
const (
	maxNodes  = 500
	maxLength = 10_000
)

// Toolkit returns compute.evaluate.
func Toolkit() []*toolkits.Tool {
	return []*toolkits.Tool{toolkits.New("compute.evaluate", evaluate, toolkits.Doc{
		Group:   "Computation",
		Purpose: "Compute an arithmetic expression over numbers with units.",
		Details: "Operators + - * / with parentheses, comparisons, and, or, not, condition ? a : b, and abs, min, max, round, " +
			"mean, sum over their arguments. A number written in the expression has no unit in a product, and the other side's " +
			"in a sum or a comparison. The difference of two temperatures is a temperature difference.",
		Examples: []string{
			"subtract one number from the other",
			"what is the ratio of these two values",
			"add up these four results",
			"is the first value larger than the second",
			"the average of three numbers",
			"how many times as much is it",
		},
	})}
}

type in struct {
	Expression string                       `arg:"expression" type:"expression" doc:"such as (a - b) / b" alias:"formula,expr"`
	Variables  map[string]toolkits.Quantity `arg:"variables,optional" doc:"the numbers by name" alias:"values,vars"`
}

type out struct {
	Value *toolkits.Quantity `out:"value" unit:"?" doc:"the number, when the expression is one" alias:"result"`
	Truth *bool              `out:"truth" doc:"the truth value, when the expression is a comparison"`
	Text  *string            `out:"text" doc:"the text, when the expression chooses one"`
}

func evaluate(_ context.Context, in in) (out, error) {
	if len(in.Expression) > maxLength {
		return out{}, toolkits.Errorf(toolkits.TooLarge, "an expression has at most %d characters, not %d", maxLength, len(in.Expression))
	}
	tree, err := parser.ParseWithConfig(in.Expression, config())
	if err != nil {
		return out{}, toolkits.Errorf(toolkits.BadArgument, "the expression cannot be read: %s", firstLine(err))
	}
	v, err := (&evaluator{vars: in.Variables}).node(tree.Node)
	if err != nil {
		return out{}, err
	}
	switch x := v.(type) {
	case number:
		q := x.Quantity
		if q.Unit == "" {
			q.Unit = "1"
		}
		if math.IsNaN(q.Value) || math.IsInf(q.Value, 0) {
			return out{}, toolkits.Errorf(toolkits.OutOfDomain, "%s is not a finite number", in.Expression)
		}
		return out{Value: &q}, nil
	case bool:
		return out{Truth: &x}, nil
	case string:
		return out{Text: &x}, nil
	}
	return out{}, toolkits.Errorf(toolkits.Internal, "%s has a value of no known kind", in.Expression)
}

// config bounds the parser.
func config() *conf.Config {
	c := conf.CreateNew()
	c.MaxNodes = maxNodes
	for name := range c.Builtins {
		if !functions[name] {
			delete(c.Builtins, name)
			c.Disabled[name] = true
		}
	}
	// The language's own sum takes a list and a condition, and its parser refuses sum(a, b, c): a function of our own,
	// which the evaluator knows, hides it.
	c.Functions["sum"] = &builtin.Function{Name: "sum"}
	return c
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

var functions = map[string]bool{"abs": true, "min": true, "max": true, "round": true, "mean": true, "sum": true}

// number is a quantity; bare is one written in the expression, whose unit its neighbour decides.
type number struct {
	toolkits.Quantity
	bare bool
}

type evaluator struct{ vars map[string]toolkits.Quantity }

func bad(format string, args ...any) error {
	return toolkits.Errorf(toolkits.BadArgument, format, args...)
}

// node returns a number, a bool or a string.
func (e *evaluator) node(n ast.Node) (any, error) {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return number{toolkits.Quantity{Value: float64(n.Value)}, true}, nil
	case *ast.FloatNode:
		return number{toolkits.Quantity{Value: n.Value}, true}, nil
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.StringNode:
		return n.Value, nil
	case *ast.IdentifierNode:
		q, ok := e.vars[n.Value]
		if !ok {
			err := toolkits.Errorf(toolkits.NotFound, "no variable is named %q", n.Value)
			for name := range e.vars {
				err.Legal = append(err.Legal, name)
			}
			err.Legal = toolkits.Nearest(n.Value, err.Legal, len(err.Legal))
			return nil, err
		}
		return number{q, false}, nil
	case *ast.UnaryNode:
		return e.unary(n)
	case *ast.BinaryNode:
		return e.binary(n)
	case *ast.ConditionalNode:
		return e.conditional(n)
	case *ast.BuiltinNode:
		return e.function(n.Name, n.Arguments)
	case *ast.CallNode:
		name, ok := n.Callee.(*ast.IdentifierNode)
		if !ok {
			return nil, bad("only abs, min, max, round, mean and sum can be called")
		}
		return e.function(name.Value, n.Arguments)
	}
	return nil, bad("%s cannot stand in an expression here", n.String())
}

func (e *evaluator) unary(n *ast.UnaryNode) (any, error) {
	v, err := e.node(n.Node)
	if err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case number:
		if n.Operator == "-" {
			x.Value = -x.Value
		}
		if n.Operator == "-" || n.Operator == "+" {
			return x, nil
		}
	case bool:
		if n.Operator == "not" || n.Operator == "!" {
			return !x, nil
		}
	}
	return nil, bad("%s does not go with %s", n.Operator, n.Node.String())
}

func (e *evaluator) conditional(n *ast.ConditionalNode) (any, error) {
	c, err := e.node(n.Cond)
	if err != nil {
		return nil, err
	}
	yes, ok := c.(bool)
	if !ok {
		return nil, bad("%s is no condition", n.Cond.String())
	}
	if yes {
		return e.node(n.Exp1)
	}
	return e.node(n.Exp2)
}

func (e *evaluator) binary(n *ast.BinaryNode) (any, error) {
	x, err := e.node(n.Left)
	if err != nil {
		return nil, err
	}
	y, err := e.node(n.Right)
	if err != nil {
		return nil, err
	}
	switch a := x.(type) {
	case number:
		if b, ok := y.(number); ok {
			return arithmetic(n.Operator, a, b)
		}
	case bool:
		if b, ok := y.(bool); ok {
			switch n.Operator {
			case "and", "&&":
				return a && b, nil
			case "or", "||":
				return a || b, nil
			case "==":
				return a == b, nil
			case "!=":
				return a != b, nil
			}
		}
	case string:
		if b, ok := y.(string); ok && (n.Operator == "==" || n.Operator == "!=") {
			return (a == b) == (n.Operator == "=="), nil
		}
	}
	return nil, bad("%s does not go between %s and %s", n.Operator, n.Left.String(), n.Right.String())
}

func arithmetic(op string, a, b number) (any, error) {
	switch op {
	case "*":
		return product(a, b, a.Value*b.Value, units.Mul)
	case "/":
		if b.Value == 0 {
			return nil, toolkits.Errorf(toolkits.OutOfDomain, "division by zero")
		}
		return product(a, b, a.Value/b.Value, units.Div)
	}
	b, err := inUnitOf(a, b, op)
	if err != nil {
		return nil, err
	}
	unit := a.Unit
	if a.bare {
		unit = b.Unit
	}
	switch op {
	case "+":
		// A temperature plus a difference is a temperature; two differences stay one.
		return number{toolkits.Quantity{Value: a.Value + b.Value, Unit: unit, Difference: a.Difference && b.Difference}, a.bare && b.bare}, nil
	case "-":
		return number{toolkits.Quantity{Value: a.Value - b.Value, Unit: unit, Difference: !b.bare && (a.Difference || !b.Difference)}, a.bare && b.bare}, nil
	case "<":
		return a.Value < b.Value, nil
	case "<=":
		return a.Value <= b.Value, nil
	case ">":
		return a.Value > b.Value, nil
	case ">=":
		return a.Value >= b.Value, nil
	case "==":
		return a.Value == b.Value, nil
	case "!=":
		return a.Value != b.Value, nil
	}
	return nil, bad("there is no operator %s: use + - * / and comparisons", op)
}

// inUnitOf converts b to a's unit. A number written in the expression takes the other side's.
func inUnitOf(a, b number, op string) (number, error) {
	if a.bare || b.bare || a.Unit == b.Unit {
		return b, nil
	}
	// In a sum only the first is a point on the scale: what is added to it is an amount.
	x, err := units.Convert(b.Value, b.Unit, a.Unit, b.Difference)
	if err != nil {
		return b, toolkits.Errorf(toolkits.BadUnit, "%s %s %s cannot be done: %w", a.Unit, op, b.Unit, err)
	}
	b.Value, b.Unit = x, a.Unit
	return b, nil
}

func product(a, b number, value float64, combine func(x, y string) (string, error)) (any, error) {
	if a.bare && b.bare {
		return number{toolkits.Quantity{Value: value}, true}, nil
	}
	x, y := a.Unit, b.Unit
	if x == "" {
		x = "1"
	}
	if y == "" {
		y = "1"
	}
	if a.Unit == b.Unit && a.Unit != "1" && a.Unit != "" && !a.Difference {
		// A ratio of two values of one unit has none; what is a point on an offset scale has no meaningful ratio.
		if u, err := units.Parse(a.Unit); err == nil && u.IsTemperature() && !b.Difference {
			return nil, toolkits.Errorf(toolkits.BadUnit, "a product or ratio of two temperatures in %s has no meaning: convert them to K first", a.Unit)
		}
	}
	unit, err := combine(x, y)
	if err != nil {
		return nil, toolkits.Errorf(toolkits.BadUnit, "%w", err)
	}
	return number{toolkits.Quantity{Value: value, Unit: unit, Difference: a.Difference || b.Difference}, false}, nil
}

var errNoArguments = errors.New("needs at least one argument")

func (e *evaluator) function(name string, args []ast.Node) (any, error) {
	if !functions[name] {
		return nil, bad("there is no function %q: use abs, min, max, round, mean, sum", name)
	}
	if len(args) == 1 {
		if list, ok := args[0].(*ast.ArrayNode); ok {
			args = list.Nodes
		}
	}
	values, err := e.numbers(args)
	if err != nil {
		return nil, bad("%s: %w", name, err)
	}
	first := values[0]
	if (name == "abs" || name == "round") && len(values) != 1 {
		return nil, bad("%s takes one number", name)
	}
	switch name {
	case "abs":
		first.Value = math.Abs(first.Value)
	case "round":
		first.Value = math.Round(first.Value)
	case "min", "max":
		for _, v := range values[1:] {
			if (name == "min") == (v.Value < first.Value) && v.Value != first.Value {
				first.Value = v.Value
			}
		}
	case "sum", "mean":
		for _, v := range values[1:] {
			first.Value += v.Value
		}
		if name == "mean" {
			first.Value /= float64(len(values))
		}
	}
	return first, nil
}

// numbers evaluates arguments in the unit of the first that has one.
func (e *evaluator) numbers(args []ast.Node) ([]number, error) {
	if len(args) == 0 {
		return nil, errNoArguments
	}
	values := make([]number, len(args))
	lead := -1
	for i, a := range args {
		v, err := e.node(a)
		if err != nil {
			return nil, err
		}
		n, ok := v.(number)
		if !ok {
			return nil, bad("%s is no number", a.String())
		}
		values[i] = n
		if lead < 0 && !n.bare {
			lead = i
		}
	}
	if lead < 0 {
		return values, nil
	}
	for i := range values {
		v, err := inUnitOf(values[lead], values[i], ",")
		if err != nil {
			return nil, err
		}
		v.Unit, v.bare = values[lead].Unit, false
		values[i] = v
	}
	return values, nil
}
