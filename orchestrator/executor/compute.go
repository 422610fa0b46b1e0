package executor

import (
	"context"
	"fmt"
	"strings"

	"almanac/orchestrator/episode"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

// EvaluateTool is the tool that an expression statement calls.
const EvaluateTool = "compute.evaluate"

// compute turns an expression into one call of the calculator, so that its result is bound to a call like any other.
func (r *run) compute(ctx context.Context, n *node, e schedule.Expr) (*outcome, error) {
	f := &formula{sc: scope{run: r}, vars: map[string]toolkits.Value{}, names: map[string]string{}}
	text, err := f.write(e)
	if err != nil {
		return nil, err
	}
	return r.evaluate(ctx, n, text, f)
}

// choose computes a choice between two values.
func (r *run) choose(ctx context.Context, n *node, g *schedule.Guarded) (*outcome, error) {
	f := &formula{sc: scope{run: r}, vars: map[string]toolkits.Value{}, names: map[string]string{}}
	parts := make([]string, 3)
	for i, e := range []schedule.Expr{g.Cond, g.Then, g.Else} {
		if _, none := e.(*schedule.None); none {
			yes, err := f.sc.truth(g.Cond)
			if err != nil {
				return nil, err
			}
			if !yes {
				return nil, errSkipped
			}
			return r.compute(ctx, n, g.Then)
		}
		var err error
		if parts[i], err = f.write(e); err != nil {
			return nil, err
		}
	}
	return r.evaluate(ctx, n, fmt.Sprintf("%s ? %s : %s", parts[0], parts[1], parts[2]), f)
}

func (r *run) evaluate(ctx context.Context, n *node, text string, f *formula) (*outcome, error) {
	if err := r.turn(ctx, n); err != nil {
		return nil, err
	}
	defer r.slotsSem.Release(1)
	res, err := r.ep.Call(ctx, episode.Spec{
		ID: n.id, Agent: "compute", Tool: EvaluateTool, Step: n.stmt.Name, Item: -1, Schedule: r.opts.Version, Statement: n.text,
		Args: map[string]toolkits.Value{
			"expression": {Kind: toolkits.KindString, Text: text},
			"variables":  {Kind: toolkits.KindRecord, Record: f.vars},
		},
	})
	if err != nil {
		return nil, err
	}
	if len(res.Fields) == 0 {
		return nil, toolkits.Errorf(toolkits.Internal, "the expression has no value")
	}
	// Whatever the result is (number, truth value, text), the schedule reads it as name or name.value.
	return &outcome{fields: []toolkits.Field{{Name: "value", Value: res.Fields[0].Value}}}, nil
}

// formula writes an expression in the calculator's own syntax, with a variable for each reference.
type formula struct {
	sc    scope
	vars  map[string]toolkits.Value
	names map[string]string // reference text → variable
}

func (f *formula) write(e schedule.Expr) (string, error) {
	switch e := e.(type) {
	case *schedule.Number:
		return e.Text, nil
	case *schedule.String:
		return quote(e.Value), nil
	case *schedule.Bool:
		return fmt.Sprint(e.Value), nil
	case *schedule.Ref:
		return f.reference(e)
	case *schedule.Unary:
		x, err := f.write(e.X)
		return "-(" + x + ")", err
	case *schedule.Binary:
		return f.pair(e.Op, e.X, e.Y)
	case *schedule.Compare:
		return f.pair(e.Op, e.X, e.Y)
	case *schedule.Logic:
		return f.pair(e.Op, e.X, e.Y)
	case *schedule.Func:
		args, err := f.args(e.Args)
		return e.Name + "(" + strings.Join(args, ", ") + ")", err
	}
	return "", toolkits.Errorf(toolkits.BadArgument, "%s cannot stand in an expression", schedule.Text(e))
}

func (f *formula) pair(op string, x, y schedule.Expr) (string, error) {
	a, err := f.write(x)
	if err != nil {
		return "", err
	}
	b, err := f.write(y)
	return "(" + a + " " + op + " " + b + ")", err
}

// args writes a function's arguments; a list counts as its items.
func (f *formula) args(exprs []schedule.Expr) ([]string, error) {
	var out []string
	for _, e := range exprs {
		switch e := e.(type) {
		case *schedule.List:
			items, err := f.args(e.Items)
			if err != nil {
				return nil, err
			}
			out = append(out, items...)
			continue
		case *schedule.Ref:
			v, err := f.sc.ref(e, numberKinds, true)
			if err != nil {
				return nil, err
			}
			if v.Kind == toolkits.KindList {
				for i, x := range v.List {
					out = append(out, f.variable(fmt.Sprintf("%s[%d]", schedule.Text(e), i), x))
				}
				continue
			}
		}
		s, err := f.write(e)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

var numberKinds = []string{toolkits.KindNumber}

func (f *formula) reference(r *schedule.Ref) (string, error) {
	v, err := f.sc.ref(r, numberKinds, false)
	if err != nil {
		return "", err
	}
	switch {
	case v.IsNumber():
		return f.variable(schedule.Text(r), v), nil
	case v.Kind == toolkits.KindBoolean:
		return fmt.Sprint(v.Bool), nil
	case v.Text != "":
		return quote(v.Text), nil
	}
	return "", toolkits.Errorf(toolkits.BadArgument, "%s is a %s, not a number", schedule.Text(r), v.Kind)
}

// variable gives a value a name of letters, the same for the same reference.
func (f *formula) variable(text string, v toolkits.Value) string {
	if name, ok := f.names[text]; ok {
		return name
	}
	name := variableName(len(f.names))
	f.names[text], f.vars[name] = name, v
	return name
}

// variableName counts a, b, …, z, a1, b1, …
func variableName(i int) string {
	name := string(rune('a' + i%26))
	if i >= 26 {
		name += fmt.Sprint(i / 26)
	}
	return name
}
