package toolkits

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"sort"
	"strings"

	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/units"
)

// Argument is one canonical argument of a call: defaults filled in, places and zones resolved, units converted. Two
// calls with equal canonical arguments are the same call. Rule says how it is compared: number, integer, text,
// verbatim, instant, period, place, boolean, unit, expression, artifact, list, record, null.
type Argument struct {
	Name      string        `json:"name"`
	Rule      string        `json:"rule"`
	Value     any           `json:"value"`
	Unit      string        `json:"unit,omitempty"`
	Tolerance float64       `json:"tolerance,omitempty"`
	Default   bool          `json:"default,omitempty"` // left out, or given as the default is
	Literal   bool          `json:"literal,omitempty"` // written in the schedule or by a model, not made by a call
	Given     string        `json:"given,omitempty"`   // the name that a place or an area was resolved from
	Hash      artifact.Hash `json:"hash,omitempty"`
	Inputs    []Input       `json:"inputs,omitempty"` // the calls' outputs that it was made of
}

// Input names an output of an earlier call that an argument was made of.
type Input struct {
	Call   string        `json:"call"`
	Output string        `json:"output"`
	Hash   artifact.Hash `json:"hash"`
	Member string        `json:"member,omitempty"` // of a record or list
}

// Env is what binding and running need from outside.
type Env struct {
	Store  *artifact.Store
	Places Gazetteer
}

// Call is a tool with its arguments bound: it can run, and it has a key.
type Call struct {
	Tool      *Tool
	Arguments []Argument // in the order of the tool's parameters
	Key       string     // hash of tool, version and canonical arguments
	Parents   []artifact.Hash

	env  *Env
	in   reflect.Value
	unit map[string]string // unit of each artifact or number argument, for "@param"
	kind map[string]string
}

// Bind checks args against t's parameters, resolves and converts them. The error is an [*Error] that names the
// parameter. Nothing runs, but zones that come from a name or a box are stored.
func (t *Tool) Bind(ctx context.Context, env *Env, args map[string]Value) (*Call, error) {
	b := &binder{
		ctx: ctx, env: env, tool: t, args: args,
		call: &Call{Tool: t, env: env, in: reflect.New(t.in).Elem(), unit: map[string]string{}, kind: map[string]string{}},
	}
	if err := b.known(); err != nil {
		return nil, err
	}
	for _, i := range b.order() {
		if err := b.param(&t.Params[i]); err != nil {
			return nil, AsError(err).at(t.Params[i].Name)
		}
	}
	sort.SliceStable(b.call.Arguments, func(i, j int) bool {
		return t.paramIndex(b.call.Arguments[i].Name) < t.paramIndex(b.call.Arguments[j].Name)
	})
	b.call.Key = key(t, b.call.Arguments)
	return b.call, nil
}

func (t *Tool) paramIndex(name string) int {
	for i := range t.Params {
		if t.Params[i].Name == name {
			return i
		}
	}
	return -1
}

type binder struct {
	ctx  context.Context
	env  *Env
	tool *Tool
	args map[string]Value
	call *Call
}

// known refuses arguments for parameters that the tool does not have.
func (b *binder) known() error {
	for name := range b.args {
		if _, ok := b.tool.Param(name); !ok {
			e := Errorf(BadArgument, "%s has no parameter %q", b.tool.Name, name)
			for _, p := range b.tool.Params {
				e.Legal = append(e.Legal, p.Name)
			}
			return e.at(name)
		}
	}
	return nil
}

// order puts the parameters whose unit depends on another one after it.
func (b *binder) order() []int {
	var first, last []int
	for i, p := range b.tool.Params {
		if strings.Contains(p.Unit, "@") {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	return append(first, last...)
}

func (b *binder) param(p *Param) error {
	v, given := b.args[p.Name]
	if given && v.Kind == KindNull {
		given = false
	}
	if !given {
		if p.Required {
			return Errorf(BadArgument, "is missing: %s", p.Doc)
		}
		if p.Default == nil {
			b.add(p, Argument{Rule: "null", Default: true})
			return nil
		}
		var err error
		if v, err = Literal(p.Default); err != nil {
			return err
		}
	}
	field := b.call.in.Field(p.index)
	arg, err := b.set(p, field, v)
	if err != nil {
		return err
	}
	arg.Literal = given && !made(v)
	arg.Default = !given || p.Default != nil && arg.Literal && sameDefault(p, arg.Value)
	arg.Inputs = inputs(v)
	b.parents(v, arg.Hash)
	b.add(p, arg)
	return nil
}

func (b *binder) add(p *Param, a Argument) {
	a.Name, a.Tolerance = p.Name, p.Tolerance
	b.call.Arguments = append(b.call.Arguments, a)
}

// made reports whether v, or a part of it, came out of a call.
func made(v Value) bool { return len(inputs(v)) > 0 }

func inputs(v Value) []Input {
	var in []Input
	if v.Origin != nil {
		in = append(in, Input{Call: v.Origin.Call, Output: v.Origin.Output, Hash: v.Hash})
	}
	for _, x := range v.List {
		in = append(in, inputs(x)...)
	}
	for _, k := range sortedKeys(v.Record) {
		for _, i := range inputs(v.Record[k]) {
			i.Member = k
			in = append(in, i)
		}
	}
	return in
}

func sortedKeys(m map[string]Value) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func (b *binder) parents(v Value, resolved artifact.Hash) {
	if resolved != "" {
		b.call.Parents = append(b.call.Parents, resolved)
	}
	for _, in := range inputs(v) {
		if in.Hash != "" && in.Hash != resolved {
			b.call.Parents = append(b.call.Parents, in.Hash)
		}
	}
}

func sameDefault(p *Param, canonical any) bool {
	switch d := p.Default.(type) {
	case string:
		s, ok := canonical.(string)
		return ok && strings.EqualFold(s, d)
	case int64:
		n, ok := canonical.(int64)
		return ok && n == d
	default:
		return canonical == d
	}
}

// set stores v in the field and returns its canonical form.
func (b *binder) set(p *Param, field reflect.Value, v Value) (Argument, error) {
	if p.Record {
		return b.setRecord(p, field, v)
	}
	if p.List {
		return b.setList(p, field, v)
	}
	if field.Kind() == reflect.Pointer && isScalarPointer(field.Type()) {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	switch field.Type() {
	case rasterType, seriesType, tableType, vectorType, imageType, anyType:
		return b.setArtifact(p, field, v)
	case zonesType:
		z, err := b.zones(v)
		if err != nil {
			return Argument{}, err
		}
		field.Set(reflect.ValueOf(z))
		if v.Kind == KindRecord {
			return Argument{Rule: "box", Value: corners(v), Hash: z.Hash}, nil
		}
		return Argument{Rule: "artifact", Value: string(z.Hash), Hash: z.Hash, Given: z.Name}, nil
	case placeType:
		pl, err := b.place(v)
		if err != nil {
			return Argument{}, err
		}
		field.Set(reflect.ValueOf(pl))
		return Argument{Rule: "place", Value: []float64{pl.Latitude, pl.Longitude}, Given: pl.Name}, nil
	case periodType:
		return b.setPeriod(field, v)
	case quantityType:
		return b.setQuantity(p, field, v)
	}
	return b.setPlain(p, field, v)
}

func isScalarPointer(t reflect.Type) bool {
	return t.Elem() == quantityType || t.Elem() == placeType || t.Elem().Kind() == reflect.Float64
}

func (b *binder) load(v Value) (artifact.Value, error) {
	val, meta, err := b.env.Store.Get(b.ctx, v.Hash)
	if err != nil {
		return nil, Errorf(Internal, "reading the artifact: %w", err)
	}
	if meta.Kind != v.Kind {
		return nil, Errorf(Internal, "artifact %s is a %s, not a %s", v.Hash.Short(), meta.Kind, v.Kind)
	}
	return val, nil
}

func (b *binder) setArtifact(p *Param, field reflect.Value, v Value) (Argument, error) {
	if !contains(p.Kinds, v.Kind) {
		e := Errorf(BadArgument, "wants a %s, not %s", strings.Join(p.Kinds, " or "), v.describe())
		return Argument{}, e
	}
	if v.Hash == "" {
		return Argument{}, Errorf(BadArgument, "wants a stored %s, the output of an earlier step, not %s", v.Kind, v.describe())
	}
	val, meta, err := b.env.Store.Get(b.ctx, v.Hash)
	if err != nil {
		return Argument{}, Errorf(Internal, "reading the artifact: %w", err)
	}
	rv := reflect.ValueOf(val)
	if !rv.Type().AssignableTo(field.Type()) {
		return Argument{}, Errorf(BadArgument, "wants a %s, not a %s", strings.Join(p.Kinds, " or "), meta.Kind)
	}
	field.Set(rv)
	b.call.unit[p.Name], b.call.kind[p.Name] = meta.Unit, meta.Kind
	return Argument{Rule: "artifact", Value: string(v.Hash), Unit: meta.Unit, Hash: v.Hash}, nil
}

func (b *binder) setPeriod(field reflect.Value, v Value) (Argument, error) {
	text, err := periodText(v)
	if err != nil {
		return Argument{}, err
	}
	period, err := cftime.ParsePeriod(text)
	if err != nil {
		return Argument{}, Errorf(BadArgument, "%w", err)
	}
	field.Set(reflect.ValueOf(period))
	return Argument{Rule: "period", Value: CanonicalPeriod(period)}, nil
}

// CanonicalPeriod writes a period by its end points, so that "DJF 2015" and "2014-12/2015-02" are equal, and
// "2012-11" and "2012-11-01/2012-11-30" too. The last day of a month is that of the standard calendar: a period that
// ends on 28 February is not told from one that ends with a longer February of another calendar.
func CanonicalPeriod(p cftime.Period) string {
	if p.AnyYear() {
		return p.Text
	}
	end := p.End
	if days := cftime.DaysInMonth(cftime.Standard, end.Year, end.Month); days > 0 && end.Day > days {
		end.Day = days
	}
	return p.Start.String() + "/" + end.String()
}

func periodText(v Value) (string, error) {
	switch {
	case v.Kind == KindRecord && len(v.Record) == 2 && v.Record["start"].Text != "" && v.Record["end"].Text != "":
		return v.Record["start"].Text + "/" + v.Record["end"].Text, nil
	case v.Kind == KindInteger:
		return string(json.Number(jsonInt(v.Int))), nil
	case v.Text != "":
		return v.Text, nil
	}
	return "", Errorf(BadArgument, "a period is {start, end}, a year, a month, a season such as \"DJF 2015\", or \"start/end\"; not %s", v.describe())
}

// number reads a number in the parameter's unit.
func (b *binder) number(p *Param, v Value) (Quantity, error) {
	if !v.IsNumber() {
		return Quantity{}, Errorf(BadArgument, "wants a number, not %s", v.describe())
	}
	q := Quantity{Value: v.Number, Unit: v.Unit, Difference: v.Difference}
	want := b.paramUnit(p)
	if q.Unit == "" {
		q.Unit = want
	}
	if want != "" && q.Unit != want {
		x, err := units.Convert(q.Value, q.Unit, want, q.Difference)
		if err != nil {
			return q, Errorf(BadUnit, "%w", err)
		}
		q.Value, q.Unit = x, want
	}
	if p.Min != nil && q.Value < *p.Min || p.Max != nil && q.Value > *p.Max {
		return q, Errorf(BadArgument, "%g is outside %s", q.Value, p.bounds())
	}
	return q, nil
}

func (b *binder) paramUnit(p *Param) string {
	if !strings.Contains(p.Unit, "@") {
		return p.Unit
	}
	return substitute(p.Unit, b.call.unit)
}

// substitute replaces @name by the unit of that argument; "" when it is not known.
func substitute(expr string, unit map[string]string) string {
	name := strings.TrimPrefix(expr, "@")
	rest := ""
	if i := strings.IndexByte(name, ' '); i >= 0 {
		name, rest = name[:i], name[i+1:]
	}
	u := unit[name]
	if u == "" || rest == "" {
		return u
	}
	product, err := units.Mul(u, rest)
	if err != nil {
		return ""
	}
	return product
}

func (b *binder) setQuantity(p *Param, field reflect.Value, v Value) (Argument, error) {
	q, err := b.number(p, v)
	if err != nil {
		return Argument{}, err
	}
	field.Set(reflect.ValueOf(q))
	b.call.unit[p.Name] = q.Unit
	return Argument{Rule: "number", Value: q.Value, Unit: q.Unit}, nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// key hashes the tool, its version and the canonical arguments.
func key(t *Tool, args []Argument) string {
	type part struct {
		Name  string `json:"n"`
		Value any    `json:"v"`
		Unit  string `json:"u,omitempty"`
	}
	parts := make([]part, len(args))
	for i, a := range args {
		parts[i] = part{a.Name, a.Value, a.Unit}
	}
	text, err := json.Marshal(parts)
	if err != nil { // canonical values are plain finite data
		panic("toolkits: canonical arguments: " + err.Error())
	}
	h := sha256.Sum256([]byte(t.Name + "@" + t.Version + "\n" + string(text)))
	return hex.EncodeToString(h[:])
}
