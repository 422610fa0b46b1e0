package schedule

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBind(t *testing.T) {
	text := `sst = data.open(dataset="coads_climatology", variable="sst")
zone = gis.boundary(task.place)
both = gis.overlay(layers=[zone])
parts = [gis.boundary(place=p) for p in task.ports]
all = gis.overlay(layers=parts)
ways = [gis.distance(a=q, b=task.place) for q in parts]
far = max(ways.distance)
again = far
stats = gis.zonal_stats(raster=sst, zones=all) if far > 3 and zone.is_empty else None
share = compute.evaluate(expression="a / b", variables={"a": far, "b": stats.mean})
more = gis.zonal_stats(raster=sst, zones=both)
got = first(stats, more)
answer(x=got.mean)
`
	want := `sst = data.open(dataset="coads_climatology", variable="sst")
zone = gis.boundary(place=task.place)
both = gis.overlay(layers=[zone.zone])
parts = [gis.boundary(place=p) for p in task.ports]
all = gis.overlay(layers=parts.zone)
ways = [gis.distance(a=q.zone, b=task.place) for q in parts]
far = max(ways.distance)
again = far.value
stats = gis.zonal_stats(raster=sst.data, zones=all.zone) if far.value > 3 and zone.is_empty else None
share = compute.evaluate(expression="a / b", variables={"a": far.value, "b": stats.mean})
more = gis.zonal_stats(raster=sst.data, zones=both.zone)
got = first(stats, more)
answer(x=got.mean)
`
	p := mustParse(t, text)
	bound, err := Bind(p, newTestCatalog(), oneField, testSlots, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, Print(bound)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if err := (&dryRun{catalog: newTestCatalog(), slots: testSlots}).run(bound); err != nil {
		t.Error(err)
	}
	if _, err := Bind(mustParse(t, "answer(x=y)\n"), newTestCatalog(), oneField, testSlots, nil); !errors.Is(err, ErrProblems) {
		t.Errorf("err = %v", err)
	}
}

// dryRun is a second, independent reading of what a bound program may do: it
// runs it with values that are nothing but kinds, and knows references only as
// name, field and index.
type dryRun struct {
	catalog *testCatalog
	slots   Slots
	steps   map[string]map[string]fake
	item    string
	itemVal any // fake or map[string]fake
}

type fake struct {
	kind string
	list bool
}

func (d *dryRun) run(p *Program) error {
	d.steps = map[string]map[string]fake{}
	for _, s := range p.Statements {
		result, err := d.body(s.Body)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		if s.Name != "" {
			if _, twice := d.steps[s.Name]; twice {
				return fmt.Errorf("%s is bound twice", s.Name)
			}
			d.steps[s.Name] = result
		}
	}
	return nil
}

func (d *dryRun) body(b Body) (map[string]fake, error) {
	switch b := b.(type) {
	case *Call:
		return d.call(b)
	case *Mapped:
		return d.mapped(b)
	case *Guarded:
		if err := d.all(b.Cond); err != nil {
			return nil, err
		}
		return d.either(b.Then, b.Else)
	case *First:
		var list []Expr
		for _, r := range b.Names {
			list = append(list, r)
		}
		return d.either(list...)
	case *Computed:
		return d.branch(b.Expr)
	case *Answer:
		for _, f := range b.Fields {
			if err := d.all(f.Value); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

func (d *dryRun) mapped(m *Mapped) (map[string]fake, error) {
	d.itemVal = nil
	switch over := m.Over.(type) {
	case *Ref:
		if fields, ok := d.steps[over.Name]; ok && over.Field == "" {
			one := map[string]fake{}
			for f, v := range fields {
				one[f] = fake{kind: v.kind}
			}
			d.itemVal = one
			break
		}
		v, err := d.ref(over)
		if err != nil {
			return nil, err
		}
		if !v.list {
			return nil, fmt.Errorf("%s is no list", Text(over))
		}
		d.itemVal = fake{kind: v.kind}
	case *List:
		d.itemVal = fake{kind: "?"}
	}
	d.item = m.Var
	defer func() { d.item = "" }()
	result, err := d.call(m.Call)
	lists := map[string]fake{}
	for f, v := range result {
		lists[f] = fake{kind: v.kind, list: true}
	}
	return lists, err
}

// either keeps the fields that all branches give.
func (d *dryRun) either(branches ...Expr) (map[string]fake, error) {
	var both map[string]fake
	for _, e := range branches {
		if _, none := e.(*None); none {
			continue
		}
		r, err := d.branch(e)
		if err != nil {
			return nil, err
		}
		if both == nil {
			both = r
			continue
		}
		common := map[string]fake{}
		for f := range both {
			if v, ok := r[f]; ok {
				common[f] = v
			}
		}
		both = common
	}
	return both, nil
}

func (d *dryRun) branch(e Expr) (map[string]fake, error) {
	switch e := e.(type) {
	case *Call:
		return d.call(e)
	case *Ref:
		if fields, ok := d.steps[e.Name]; ok && e.Field == "" && e.Index == nil {
			return fields, nil
		}
		v, err := d.ref(e)
		return map[string]fake{"value": v}, err
	}
	return map[string]fake{"value": {kind: "?"}}, d.all(e)
}

// all resolves every reference in an expression.
func (d *dryRun) all(e Expr) error {
	var err error
	walk(e, func(e Expr) {
		switch e := e.(type) {
		case *Ref:
			if _, refErr := d.ref(e); refErr != nil && err == nil {
				err = refErr
			}
		case *Call:
			err = fmt.Errorf("%s is a nested call", Text(e))
		}
	})
	return err
}

func (d *dryRun) ref(r *Ref) (fake, error) {
	v, err := d.whole(r)
	if err != nil || r.Index == nil {
		return v, err
	}
	if !v.list && v.kind != "?" {
		return fake{}, fmt.Errorf("%s is no list", Text(r))
	}
	return fake{kind: v.kind}, nil
}

func (d *dryRun) whole(r *Ref) (fake, error) {
	if r.Name == TaskName {
		s, ok := d.slots[r.Field]
		if !ok {
			return fake{}, fmt.Errorf("no slot %s", r.Field)
		}
		return fake{kind: s.Type.Kind, list: s.Type.List}, nil
	}
	if d.item != "" && r.Name == d.item {
		switch v := d.itemVal.(type) {
		case map[string]fake:
			if f, ok := v[r.Field]; ok {
				return f, nil
			}
		case fake:
			if r.Field == "" {
				return v, nil
			}
		}
		return fake{}, fmt.Errorf("the item %s cannot be read so", Text(r))
	}
	fields, ok := d.steps[r.Name]
	if !ok {
		return fake{}, fmt.Errorf("no step %s", r.Name)
	}
	if v, ok := fields[r.Field]; ok {
		return v, nil
	}
	if r.Field == EmptyField {
		return fake{kind: "boolean"}, nil
	}
	return fake{}, fmt.Errorf("%s has no field %q", r.Name, r.Field)
}

// takesKind is what each declared kind takes at run time, written down once more.
var takesKind = map[string]string{
	"raster": "raster", "vector": "vector", "series": "series", "scalar": "scalar number integer", "number": "scalar number integer",
	"integer": "scalar number integer", "string": "string text place instant", "place": "place string text", "box": "box", "unit": "string text",
	"period": "period instant string text", "record": "record",
}

func (d *dryRun) call(c *Call) (map[string]fake, error) {
	if c.IsAsk() {
		for _, a := range c.Given() {
			if r, ok := a.Value.(*Ref); ok && r.Field == "" {
				continue // a whole step may be handed to a specialist
			}
			if err := d.all(a.Value); err != nil {
				return nil, err
			}
		}
		t, err := ParseType(c.Returns())
		return map[string]fake{"value": {kind: t.Kind, list: t.List}}, err
	}
	i, ok := d.catalog.at[c.FullName()]
	if !ok {
		return nil, fmt.Errorf("no tool %s", c.FullName())
	}
	sig := d.catalog.list[i]
	given := map[string]Expr{}
	for _, a := range c.Args {
		if a.Name == "" || given[a.Name] != nil {
			return nil, fmt.Errorf("argument %q", a.Name)
		}
		given[a.Name] = a.Value
	}
	for _, p := range sig.Params {
		v, ok := given[p.Name]
		delete(given, p.Name)
		if _, none := v.(*None); !ok || none {
			if p.Required {
				return nil, fmt.Errorf("%s is missing", p.Name)
			}
			continue
		}
		if err := d.argument(p, v); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	for name := range given {
		return nil, fmt.Errorf("no parameter %s", name)
	}
	return d.outputs(sig, c), nil
}

func (d *dryRun) argument(p Param, v Expr) error {
	switch v := v.(type) {
	case *Ref:
		f, err := d.ref(v)
		if err != nil {
			return err
		}
		if f.kind == "?" || f.kind == "" {
			return nil
		}
		if f.list != p.List {
			return fmt.Errorf("%s is a list or is none", Text(v))
		}
		for _, k := range p.Kinds {
			if contains(strings.Fields(takesKind[k]), f.kind) {
				return nil
			}
		}
		return fmt.Errorf("%s is %s and %v is taken", Text(v), f.kind, p.Kinds)
	case *List:
		p.List = false
		for _, item := range v.Items {
			if err := d.argument(p, item); err != nil {
				return err
			}
		}
		return nil
	case *String:
		if contains(p.Kinds, "raster") || contains(p.Kinds, "series") {
			return fmt.Errorf("a text for an artifact")
		}
	case *Number:
		for _, k := range p.Kinds {
			if contains(strings.Fields("scalar number integer period"), k) {
				return nil
			}
		}
		return fmt.Errorf("a number for %v", p.Kinds)
	}
	return d.all(v)
}

// outputs gives each output its kind; one that depends on the arguments may be
// anything.
func (d *dryRun) outputs(sig Signature, c *Call) map[string]fake {
	out := map[string]fake{}
	for _, o := range sig.Outputs {
		kind := o.Kind
		if strings.HasPrefix(kind, "@") {
			kind = "?"
		}
		out[o.Name] = fake{kind: kind, list: o.List}
	}
	return out
}

// The checker never passes a program that cannot be bound and run: programs are
// drawn from the catalog, with arguments that are right more often than not.
func TestCheckedProgramsCanBeBound(t *testing.T) {
	catalog := newTestCatalog()
	passed, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlausible(t, catalog)
		if len(Errors(Check(p, catalog, nil, testSlots, nil))) > 0 {
			refused++
			return
		}
		passed++
		bound, err := Bind(p, catalog, nil, testSlots, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&dryRun{catalog: catalog, slots: testSlots}).run(bound); err != nil {
			t.Fatalf("%s\nbound as\n%s\n%v", Print(p), Print(bound), err)
		}
	})
	if passed == 0 || refused == 0 {
		t.Errorf("%d programs passed and %d were refused: the property says nothing", passed, refused)
	}
}

func drawPlausible(t *rapid.T, catalog *testCatalog) *Program {
	p := mustRead("sst = data.open(dataset=\"coads_climatology\", variable=\"sst\")\nzone = gis.boundary(place=task.place)\n" +
		"parts = [gis.boundary(place=p) for p in task.ports]\nmonths = data.region_series(raster=sst, zones=zone)\n")
	for i := range rapid.IntRange(1, 4).Draw(t, "steps") {
		types := Infer(p, catalog, testSlots)
		s := &Statement{Name: fmt.Sprintf("s%d", i)}
		call := drawTyped(t, catalog, types)
		switch rapid.IntRange(0, 5).Draw(t, "form") {
		case 0:
			s.Body = &Guarded{Cond: mustRead("x = months.count > 3\n").Statements[0].Body.(*Computed).Expr, Then: call, Else: &None{}}
		case 1:
			s.Body = &Mapped{Call: call, Var: "it", Over: rapid.SampledFrom([]Expr{&Ref{Name: "task", Field: "ports"}, &Ref{Name: "parts"}, &Ref{Name: "parts", Field: "zone"}}).Draw(t, "over")}
			if len(call.Args) > 0 {
				call.Args[0].Value = &Ref{Name: "it"}
			}
		case 2:
			s.Body = &First{Names: []*Ref{{Name: drawStep(t, types)}, {Name: drawStep(t, types)}}}
		default:
			s.Body = call
		}
		p.Statements = append(p.Statements, s)
	}
	types := Infer(p, catalog, testSlots)
	name := drawStep(t, types)
	a := &Answer{Fields: []Arg{{Name: "x", Value: &Ref{Name: name, Field: drawField(t, types[name])}}}}
	p.Statements = append(p.Statements, &Statement{Body: a})
	return p
}

func mustRead(text string) *Program {
	p, _ := Parse(text)
	return p
}

func drawStep(t *rapid.T, types map[string]map[string]Type) string {
	return rapid.SampledFrom(sortedKeys(types)).Draw(t, "step")
}

func drawField(t *rapid.T, fields map[string]Type) string {
	return rapid.SampledFrom(append(sortedKeys(fields), "")).Draw(t, "field")
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	for i := 1; i < len(keys); i++ {
		for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	return keys
}

// drawTyped draws a call whose arguments mostly fit in kind.
func drawTyped(t *rapid.T, catalog *testCatalog, types map[string]map[string]Type) *Call {
	sig := rapid.SampledFrom(catalog.list).Draw(t, "tool")
	c := &Call{Agent: agentOf(sig.Name), Tool: toolOf(sig.Name)}
	for _, p := range sig.Params {
		if !p.Required && rapid.Bool().Draw(t, "left out") {
			continue
		}
		var fits []Expr
		for _, name := range sortedKeys(types) {
			for _, f := range sortedKeys(types[name]) {
				if kind, list := paramFits(&p, types[name][f]); kind && (list || rapid.Bool().Draw(t, "wrong length")) {
					fits = append(fits, &Ref{Name: name, Field: f}, &Ref{Name: name})
				}
			}
		}
		for _, ch := range p.Enum {
			fits = append(fits, &String{Value: ch.Value})
		}
		for _, v := range []Expr{&Number{Text: "6"}, &String{Value: "km"}, &Ref{Name: "task", Field: "place"}, &List{Items: []Expr{&Ref{Name: "zone"}}}, &Ref{Name: "parts"}} {
			if len(fits) == 0 || rapid.IntRange(0, 4).Draw(t, "other") == 0 {
				fits = append(fits, v)
			}
		}
		c.Args = append(c.Args, Arg{Name: p.Name, Value: cloneExpr(rapid.SampledFrom(fits).Draw(t, p.Name), nil)})
	}
	return c
}

// A bare name is the step's artifact of a kind that the parameter names itself;
// a text output does not compete for a parameter that takes a place's name.
func TestBareNameIsTheArtifactOfThatKind(t *testing.T) {
	c := newTestCatalog()
	for i, s := range c.list {
		switch s.Name {
		case "gis.boundary":
			c.list[i].Outputs = []Output{out("zone", "vector", ""), out("name", "text", "")}
		case "gis.area":
			c.list[i].Params = []Param{in("zones", "vector box place")}
		}
	}
	contract := Contract{{Key: "x", Type: "number", Unit: "km2"}}
	p := mustParse(t, "zone = gis.boundary(place=\"Peru\")\na = gis.area(zones=zone)\nb = gis.area(zones=zone.name)\nc = gis.area(zones=\"Peru\")\n"+
		"d = gis.area(zones={\"west\": 0, \"south\": 0, \"east\": 1, \"north\": 1})\ny = a.area + b.area + c.area + d.area\nanswer(x=y)\n")
	bound, err := Bind(p, c, contract, testSlots, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := bound.Statements[1].String(); got != "a = gis.area(zones=zone.zone)" {
		t.Errorf("bound as %s", got)
	}
}
