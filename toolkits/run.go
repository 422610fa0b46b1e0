package toolkits

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"almanac/toolkits/artifact"
	"almanac/toolkits/units"
)

// Made places a call in a run, for the provenance records.
type Made struct {
	Run, Episode, Call, Step string
}

// Field is one output field of a result.
type Field struct {
	Name  string
	Value Value
}

// Result is what a call gave: its output fields in the order of the tool's declaration. Every field is stored as an
// artifact; absent optional fields are left out.
type Result struct {
	Fields []Field
}

// Get returns the field of that name.
func (r *Result) Get(name string) (Value, bool) {
	for _, f := range r.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return Value{}, false
}

// Run runs the call, stores what it made and records where it came from. The error is an [*Error]; a panic of the
// tool is one with code internal.
func (c *Call) Run(ctx context.Context, made Made) (*Result, error) {
	out, err := c.invoke(ctx)
	if err != nil {
		return nil, err
	}
	res := &Result{}
	rv := reflect.ValueOf(out)
	for i := range c.Tool.Outputs {
		o := &c.Tool.Outputs[i]
		v, present, err := c.output(ctx, o, rv.Field(o.index))
		if err != nil {
			e := AsError(err)
			e.Message = fmt.Sprintf("output %s of %s: %s", o.Name, c.Tool.Name, e.Message)
			return nil, e
		}
		if !present {
			continue
		}
		if err := c.record(ctx, v, o.Name, made); err != nil {
			return nil, err
		}
		v.Origin = &Origin{Call: made.Call, Step: made.Step, Output: o.Name}
		for j := range v.List {
			v.List[j].Origin = v.Origin
		}
		res.Fields = append(res.Fields, Field{o.Name, v})
	}
	return res, nil
}

func (c *Call) invoke(ctx context.Context) (out any, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, Errorf(Internal, "%s panicked: %v\n%s", c.Tool.Name, r, debug.Stack())
		}
	}()
	out, err = c.Tool.run(ctx, c.in.Interface())
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, AsError(err)
	}
	return out, nil
}

// Transient reports whether the error of Run may go away when the same call is tried again.
func Transient(err error) bool { return transient(err) }

func (c *Call) record(ctx context.Context, v Value, field string, made Made) error {
	args, err := json.Marshal(c.Arguments)
	if err != nil {
		return Errorf(Internal, "recording provenance: %w", err)
	}
	hashes := []artifact.Hash{v.Hash}
	if v.Kind == KindList {
		hashes = hashes[:0]
		for _, x := range v.List {
			hashes = append(hashes, x.Hash)
		}
	}
	for _, h := range hashes {
		err := c.env.Store.Record(ctx, artifact.Provenance{
			Artifact: h, Field: field, Call: c.Key, Tool: c.Tool.Name, Version: c.Tool.Version, Arguments: args,
			Parents: c.Parents, Run: made.Run, Episode: made.Episode, Step: made.Step, Time: time.Now().UTC(),
		})
		if err != nil {
			return Errorf(Internal, "recording provenance: %w", err)
		}
	}
	return nil
}

// output turns one output field into a stored value.
func (c *Call) output(ctx context.Context, o *Output, field reflect.Value) (Value, bool, error) {
	if field.Kind() == reflect.Pointer || field.Kind() == reflect.Interface {
		if field.IsNil() {
			if o.Optional {
				return Value{}, false, nil
			}
			return Value{}, false, Errorf(Internal, "the tool left it out")
		}
		if o.Optional {
			field = field.Elem()
		}
	}
	if !o.List {
		v, err := c.one(ctx, o, field)
		return v, true, err
	}
	v := Value{Kind: KindList, List: make([]Value, field.Len())}
	for i := range field.Len() {
		var err error
		if v.List[i], err = c.one(ctx, o, field.Index(i)); err != nil {
			return Value{}, false, err
		}
	}
	return v, true, nil
}

func (c *Call) one(ctx context.Context, o *Output, field reflect.Value) (Value, error) {
	switch x := field.Interface().(type) {
	case Quantity:
		return c.scalar(ctx, o, artifact.Scalar{Value: x.Value, Type: artifact.Number, Unit: x.Unit, Variable: x.Variable, Difference: x.Difference || o.Difference})
	case float64:
		return c.scalar(ctx, o, artifact.Scalar{Value: x, Type: artifact.Number, Unit: o.Unit, Difference: o.Difference})
	case int:
		return c.scalar(ctx, o, artifact.Scalar{Value: float64(x), Type: artifact.Integer, Unit: o.Unit})
	case bool:
		meta, err := c.env.Store.Put(ctx, &artifact.Scalar{Value: b2f(x), Type: artifact.Boolean, Unit: "1"})
		return Value{Kind: KindBoolean, Bool: x, Hash: meta.Hash}, err
	case string:
		kind := "text"
		if o.Kind == KindInstant {
			kind = KindInstant
		}
		meta, err := c.env.Store.Put(ctx, &artifact.Text{Text: x, Type: kind})
		return Value{Kind: o.Kind, Text: x, Hash: meta.Hash}, err
	default:
		return c.stored(ctx, o, x)
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (c *Call) stored(ctx context.Context, o *Output, x any) (Value, error) {
	meta, err := c.env.Store.Put(ctx, x)
	if err != nil {
		return Value{}, Errorf(Internal, "%w", err)
	}
	if want := c.declaredKind(o); want != "" && want != meta.Kind {
		return Value{}, Errorf(Internal, "is a %s, but a %s was declared", meta.Kind, want)
	}
	if meta.Kind == artifact.KindScalar {
		s := x.(*artifact.Scalar)
		return Value{Kind: meta.Kind, Number: s.Value, Unit: s.Unit, Difference: s.Difference, Hash: meta.Hash}, nil
	}
	if err := c.checkUnit(o, meta.Unit); err != nil {
		return Value{}, err
	}
	return Value{Kind: meta.Kind, Unit: meta.Unit, Hash: meta.Hash}, nil
}

func (c *Call) declaredKind(o *Output) string {
	if name, ok := strings.CutPrefix(o.Kind, "@"); ok {
		return c.kind[name]
	}
	return o.Kind
}

func (c *Call) scalar(ctx context.Context, o *Output, s artifact.Scalar) (Value, error) {
	if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
		return Value{}, Errorf(NotEnoughData, "the result is not a finite number")
	}
	if s.Unit == "" {
		return Value{}, Errorf(Internal, "the tool gave no unit")
	}
	if err := c.checkUnit(o, s.Unit); err != nil {
		return Value{}, err
	}
	if s.Value == 0 {
		s.Value = 0 // never the negative zero
	}
	meta, err := c.env.Store.Put(ctx, &s)
	if err != nil {
		return Value{}, Errorf(Internal, "%w", err)
	}
	return Value{Kind: artifact.KindScalar, Number: s.Value, Unit: s.Unit, Difference: s.Difference, Hash: meta.Hash}, nil
}

// checkUnit holds a tool to the unit that it declared.
func (c *Call) checkUnit(o *Output, got string) error {
	want := o.Unit
	if strings.HasPrefix(want, "@") {
		want = substitute(want, c.unit)
	}
	if want == "" || want == "?" || got == want {
		return nil
	}
	if !units.Convertible(got, want) {
		return Errorf(BadUnit, "has the unit %q, but %q was declared", got, want)
	}
	return nil
}
