package schedule

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestParseForms(t *testing.T) {
	text := `# what is asked
sst = data.open(dataset="d", level=-2.50, on=True, off=None) # the sea
got = gis.ask("area of it", returns="scalar[km2]", raster=sst)
fc = a.b(x=sst.data[0]) if got.value >= 24 and sst.is_empty else a.c()
name = "A" if got > 1 else "B"

near = [gis.distance(a=p, b=task.place) for p in task.ports]
one = first(fc, near)
far = (max(near.distance) - 2) * -3 / abs(-got.value) # why
hot = far > 1e3
# before the check
verification.in_range(value=far,
    # inside
    low=[1, {"k": 9007199254740993}])
answer(x=far)
# the end
`
	want := `# what is asked
sst = data.open(dataset="d", level=-2.5, on=True, off=None)  # the sea
got = gis.ask("area of it", returns="scalar[km2]", raster=sst)
fc = a.b(x=sst.data[0]) if got.value >= 24 and sst.is_empty else a.c()
name = "A" if got > 1 else "B"
near = [gis.distance(a=p, b=task.place) for p in task.ports]
one = first(fc, near)
far = (max(near.distance) - 2) * -3 / abs(-got.value)  # why
hot = far > 1000.0
# before the check
# inside
verification.in_range(value=far, low=[1, {"k": 9007199254740993}])
answer(x=far)
# the end
`
	p, problems := Parse(text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if diff := cmp.Diff(want, Print(p)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var forms []Form
	for _, s := range p.Statements {
		forms = append(forms, s.Form())
	}
	wantForms := []Form{FormDirect, FormObjective, FormGuarded, FormGuarded, FormMapped, FormFirst, FormComputed, FormComputed, FormCheck, FormAnswer}
	if diff := cmp.Diff(wantForms, forms); diff != "" {
		t.Errorf("forms (-want +got)\n%s", diff)
	}
	ask := p.Statements[1].Body.(*Call)
	if ask.Objective() != "area of it" || ask.Returns() != "scalar[km2]" || len(ask.Given()) != 1 {
		t.Errorf("objective %q returns %q given %d", ask.Objective(), ask.Returns(), len(ask.Given()))
	}
}

func TestParseBoundsItsInput(t *testing.T) {
	for _, tc := range []struct{ name, text string }{
		{"brackets", "x = " + strings.Repeat("(", 100_000)},
		{"lists", "x = " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000)},
		{"minus", "x = " + strings.Repeat("-", 100_000) + "1"},
		{"not", "x = a.b() if " + strings.Repeat("not ", 50_000) + "y else None"},
		{"choices", "x = " + strings.Repeat("1 if a else ", 50_000) + "1"},
		{"long sum", "x = 1" + strings.Repeat(" + 1", 100_000)},
		{"nested calls", "x = " + strings.Repeat("a.b(c=", 3000) + "1" + strings.Repeat(")", 3000)},
		{"statements", strings.Repeat("a.b()\n", MaxStatements+1)},
		{"too long", strings.Repeat("# x\n", MaxSource/4+1)},
		{"not UTF-8", "x = \"\xff\""},
		{"control", "x = \x00"},
		{"unread rest", "x = a.b(c=1)\nanswer(y=x)\n\x00import os"},
		{"empty", ""},
		{"open string", "x = \"abc\nanswer(y=1)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, problems := Parse(tc.text); len(problems) == 0 {
				t.Error("no problem is reported")
			}
			RepairText(tc.text, newTestCatalog(), oneField, testSlots, nil)
		})
	}
}

func TestLargeTextIsQuick(t *testing.T) {
	// A megabyte of statements, none of which makes sense.
	var b strings.Builder
	for i := 0; b.Len() < MaxSource-100; i++ {
		fmt.Fprintf(&b, "name_%d = gis.are(zones=nome_%d, colour=%d)\n", i, i, i)
	}
	_, _, problems := RepairText(b.String(), newTestCatalog(), oneField, testSlots, nil)
	if len(problems) < MaxStatements {
		t.Errorf("only %d problems", len(problems))
	}
}

func TestHash(t *testing.T) {
	parse := func(text string) *Program {
		p, problems := Parse(text)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return p
	}
	base := Hash(parse("x = a.b(p=1, q={\"k\": 1, \"l\": 2})\nanswer(y=x)\n"))
	if len(base) != 64 {
		t.Errorf("%q is no SHA-256", base)
	}
	if same := Hash(parse("# note\nx  =  a.b(q={\"l\": 2, \"k\": 1},\n  p=1) # more\nanswer(y=(x))\n")); same != base {
		t.Error("comments, layout and the order of arguments change the hash")
	}
	for _, other := range []string{"x = a.b(p=2, q={\"k\": 1, \"l\": 2})\nanswer(y=x)\n", "z = a.b(p=1, q={\"k\": 1, \"l\": 2})\nanswer(y=z)\n", "x = a.b(p=1)\nanswer(y=x)\n"} {
		if Hash(parse(other)) == base {
			t.Errorf("the hash does not tell apart\n%s", other)
		}
	}
}

var ignorePos = []cmp.Option{cmpopts.IgnoreTypes(Pos{}), cmpopts.EquateEmpty()}

func TestParsePrintRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		text := Print(p)
		back, problems := Parse(text)
		if len(problems) > 0 {
			t.Fatalf("%s\ndoes not parse: %v", text, problems)
		}
		if diff := cmp.Diff(p, back, ignorePos...); diff != "" {
			t.Fatalf("%s\n(-want +got)\n%s", text, diff)
		}
		if !Equal(p, back) || Hash(p) != Hash(back) {
			t.Fatal("equal programs have different text or hash")
		}
		if diff := cmp.Diff(p, p.Clone(), ignorePos...); diff != "" {
			t.Fatalf("clone (-want +got)\n%s", diff)
		}
	})
}

var (
	drawName = rapid.StringMatching(`[a-eg-z][a-z0-9_]{0,6}`).Filter(func(s string) bool {
		return !functions[s] && !contains(keywords, s)
	})
	drawComment = rapid.StringMatching(`# ?[ -~é]{0,12}[!-~]`)
)

var keywords = strings.Fields("and or not in if else elif for while def lambda load pass break continue return as assert async await class del except finally " +
	"from global import is nonlocal raise try with yield task answer decline first None True False")

func drawProgram(t *rapid.T) *Program {
	p := &Program{}
	for range rapid.IntRange(1, 6).Draw(t, "statements") {
		s := &Statement{Body: drawBody(t), Comments: rapid.SliceOfN(drawComment, 0, 2).Draw(t, "comments")}
		if rapid.Bool().Draw(t, "noted") {
			s.Note = drawComment.Draw(t, "note")
		}
		switch s.Body.(type) {
		case *Answer, *Decline:
		case *Call:
			if rapid.Bool().Draw(t, "named") {
				s.Name = drawName.Draw(t, "name")
			}
		default:
			s.Name = drawName.Draw(t, "name")
		}
		p.Statements = append(p.Statements, s)
	}
	p.Comments = rapid.SliceOfN(drawComment, 0, 2).Draw(t, "end")
	return p
}

func drawBody(t *rapid.T) Body {
	switch rapid.IntRange(0, 7).Draw(t, "form") {
	case 0, 1:
		return drawCall(t, 2)
	case 2:
		g := &Guarded{Cond: drawGuard(t)}
		if rapid.Bool().Draw(t, "calls") {
			g.Then, g.Else = drawCall(t, 1), drawCall(t, 1)
		} else {
			g.Then, g.Else = drawValue(t, 1), drawValue(t, 1)
		}
		if rapid.Bool().Draw(t, "or nothing") {
			g.Else = &None{}
		}
		return g
	case 3:
		return &Mapped{Call: drawCall(t, 1), Var: drawName.Draw(t, "var"), Over: drawRef(t)}
	case 4:
		f := &First{}
		for range rapid.IntRange(1, 3).Draw(t, "names") {
			f.Names = append(f.Names, &Ref{Name: drawName.Draw(t, "name")})
		}
		return f
	case 5:
		e := drawExpr(t, 4)
		if call, ok := e.(*Call); ok {
			return call // a call by itself is a direct step
		}
		return &Computed{Expr: e}
	case 6:
		a := &Answer{}
		for range rapid.IntRange(0, 3).Draw(t, "fields") {
			a.Fields = append(a.Fields, Arg{Name: drawName.Draw(t, "field"), Value: drawExpr(t, 2)})
		}
		return a
	}
	return &Decline{Reason: rapid.StringN(1, 8, -1).Draw(t, "reason"), Missing: rapid.SliceOfN(rapid.String(), 0, 2).Draw(t, "missing")}
}

func drawCall(t *rapid.T, depth int) *Call {
	c := &Call{Agent: drawName.Draw(t, "agent"), Tool: drawName.Draw(t, "tool")}
	for i := range rapid.IntRange(0, 3).Draw(t, "args") {
		a := Arg{Value: drawExpr(t, depth)}
		if i > 0 || rapid.Bool().Draw(t, "by name") {
			a.Name = drawName.Draw(t, "param")
		}
		c.Args = append(c.Args, a)
	}
	return c
}

func drawRef(t *rapid.T) *Ref {
	r := &Ref{Name: drawName.Draw(t, "ref")}
	if rapid.Bool().Draw(t, "dotted") {
		r.Field = drawName.Draw(t, "field")
	}
	if rapid.Bool().Draw(t, "indexed") {
		i := rapid.IntRange(-3, 3).Draw(t, "index")
		r.Index = &i
	}
	return r
}

func drawGuard(t *rapid.T) Expr {
	simple := func() Expr {
		if rapid.Bool().Draw(t, "plain") {
			return drawRef(t)
		}
		op := rapid.SampledFrom([]string{"<", "<=", "==", "!=", ">", ">="}).Draw(t, "op")
		return &Compare{Op: op, X: drawValue(t, 0), Y: drawValue(t, 0)}
	}
	if rapid.Bool().Draw(t, "joined") {
		return &Logic{Op: rapid.SampledFrom([]string{"and", "or"}).Draw(t, "op"), X: simple(), Y: simple()}
	}
	return simple()
}

func drawValue(t *rapid.T, depth int) Expr {
	top := 5
	if depth > 0 {
		top = 7
	}
	switch rapid.IntRange(0, top).Draw(t, "value") {
	case 0:
		return &Number{Text: fmt.Sprint(rapid.Int64().Draw(t, "integer"))}
	case 1:
		return &Number{Text: floatText(rapid.Float64().Filter(func(f float64) bool { return f == f && f-f == 0 && f != 0 }).Draw(t, "float"))}
	case 2:
		return &String{Value: rapid.String().Draw(t, "string")}
	case 3:
		return &Bool{Value: rapid.Bool().Draw(t, "bool")}
	case 4:
		return &None{}
	case 5:
		return drawRef(t)
	case 6:
		l := &List{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			l.Items = append(l.Items, drawExpr(t, depth-1))
		}
		return l
	}
	d := &Dict{}
	for i := range rapid.IntRange(0, 3).Draw(t, "entries") {
		d.Entries = append(d.Entries, Entry{Key: fmt.Sprint(i, rapid.String().Draw(t, "key")), Value: drawExpr(t, depth-1)})
	}
	return d
}

func drawExpr(t *rapid.T, depth int) Expr {
	if depth <= 0 || rapid.Bool().Draw(t, "leaf") {
		return drawValue(t, depth)
	}
	switch rapid.IntRange(0, 4).Draw(t, "expr") {
	case 0:
		return &Unary{X: drawRef(t)}
	case 1:
		return &Compare{Op: ">=", X: drawExpr(t, depth-1), Y: drawExpr(t, depth-1)}
	case 2:
		f := &Func{Name: rapid.SampledFrom([]string{"abs", "min", "max", "round", "mean", "sum"}).Draw(t, "func")}
		for range rapid.IntRange(1, 3).Draw(t, "args") {
			f.Args = append(f.Args, drawExpr(t, depth-1))
		}
		return f
	case 3:
		return drawCall(t, depth-1)
	}
	op := rapid.SampledFrom([]string{"+", "-", "*", "/"}).Draw(t, "op")
	return &Binary{Op: op, X: drawExpr(t, depth-1), Y: drawExpr(t, depth-1)}
}

// A rewritten program is another one; the first is as it was, and names of steps are no values.
func TestRewrite(t *testing.T) {
	text := "x = gis.area(zones=\"Kenya\")\ny = gis.area(zones=\"Kenya\") if x.area > 5 else None\nz = first(y, x)\nanswer(a=z.area)\n"
	p, problems := Parse(text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	out := p.Rewrite(func(e Expr) Expr {
		switch e := e.(type) {
		case *String:
			return &Ref{Name: TaskName, Field: "place"}
		case *Number:
			return &Ref{Name: TaskName, Field: "number"}
		default:
			return e
		}
	})
	want := strings.NewReplacer(`"Kenya"`, "task.place", "5", "task.number").Replace(text)
	if got := Print(out); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if Print(p) != text {
		t.Error("the program itself was changed")
	}
}
