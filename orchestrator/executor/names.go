package executor

import "almanac/orchestrator/schedule"

// names are the steps that a statement's body refers to, in the order of the text; loop names and slots are left out.
func names(b schedule.Body) []string {
	switch b := b.(type) {
	case *schedule.Call:
		return exprNames(b, nil)
	case *schedule.Guarded:
		return exprNames(b.Else, exprNames(b.Then, exprNames(b.Cond, nil)))
	case *schedule.Mapped:
		var out []string
		for _, name := range exprNames(b.Over, exprNames(b.Call, nil)) {
			if name != b.Var {
				out = append(out, name)
			}
		}
		return out
	case *schedule.First:
		var out []string
		for _, r := range b.Names {
			out = append(out, r.Name)
		}
		return out
	case *schedule.Computed:
		return exprNames(b.Expr, nil)
	case *schedule.Answer:
		var out []string
		for _, f := range b.Fields {
			out = exprNames(f.Value, out)
		}
		return out
	}
	return nil
}

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
