package executor

import "almanac/orchestrator/schedule"

// exprNames appends the steps that e refers to.
func exprNames(e schedule.Expr, out []string) []string {
	switch e := e.(type) {
	case *schedule.Ref:
		if !e.IsTask() {
			out = append(out, e.Name)
		}
	case *schedule.Call:
		for _, a := range e.Args {
			out = exprNames(a.Value, out)
		}
	case *schedule.List:
		for _, x := range e.Items {
			out = exprNames(x, out)
		}
	case *schedule.Dict:
		for _, x := range e.Entries {
			out = exprNames(x.Value, out)
		}
	case *schedule.Unary:
		out = exprNames(e.X, out)
	case *schedule.Binary:
		out = exprNames(e.Y, exprNames(e.X, out))
	case *schedule.Compare:
		out = exprNames(e.Y, exprNames(e.X, out))
	case *schedule.Logic:
		out = exprNames(e.Y, exprNames(e.X, out))
	case *schedule.Func:
		for _, x := range e.Args {
			out = exprNames(x, out)
		}
	}
	return out
}
