package toolkits

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/table"
	"almanac/toolkits/vector"
)

// Kinds of values that are no artifacts. The kinds of artifact are in package artifact.
const (
	KindNumber     = "number"
	KindInteger    = "integer"
	KindString     = "string"
	KindBoolean    = "boolean"
	KindInstant    = "instant"
	KindPeriod     = "period"
	KindPlace      = "place"
	KindBox        = "box"
	KindUnit       = "unit"
	KindExpression = "expression"
	KindRecord     = "record"
	KindList       = "list"
	KindNull       = "null"
)

// Param describes one parameter of a tool.
type Param struct {
	Name      string
	Doc       string
	Aliases   []string
	Kinds     []string // what is accepted: artifact kinds, or one literal kind
	Unit      string   // see the package documentation; "" takes any
	Choices   []Choice // closed vocabulary, nil when open
	Required  bool
	Default   any // string, float64, int64 or bool; nil for none
	List      bool
	Record    bool // a record of named quantities
	Min, Max  *float64
	Tolerance float64
	Verbatim  bool

	index int // field of the input struct
}

// Output describes one output field of a tool.
type Output struct {
	Name       string
	Doc        string
	Aliases    []string
	Kind       string // an artifact kind, instant, string or boolean; or "@param"
	Unit       string
	Difference bool
	Whole      bool // a count
	List       bool
	Optional   bool

	index int
}

var (
	rasterType   = reflect.TypeFor[*grid.Raster]()
	seriesType   = reflect.TypeFor[*series.Series]()
	tableType    = reflect.TypeFor[*table.Table]()
	vectorType   = reflect.TypeFor[*vector.Features]()
	imageType    = reflect.TypeFor[*artifact.Image]()
	anyType      = reflect.TypeFor[artifact.Value]()
	quantityType = reflect.TypeFor[Quantity]()
	zonesType    = reflect.TypeFor[*Zones]()
	placeType    = reflect.TypeFor[Place]()
	periodType   = reflect.TypeFor[cftime.Period]()
	namedType    = reflect.TypeFor[map[string]Quantity]()
)

func paramsOf(in reflect.Type, choices map[string][]Choice) ([]Param, error) {
	if in.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the input must be a struct, not %s", in)
	}
	var params []Param
	for i := range in.NumField() {
		f := in.Field(i)
		tag, ok := f.Tag.Lookup("arg")
		if !ok {
			continue
		}
		p, err := paramOf(f, tag, choices)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", tag, err)
		}
		p.index = i
		params = append(params, p)
	}
	for name := range choices {
		if !hasParam(params, name) {
			return nil, fmt.Errorf("choices for %q, which is no parameter", name)
		}
	}
	return params, nil
}

func hasParam(params []Param, name string) bool {
	for _, p := range params {
		if p.Name == name {
			return true
		}
	}
	return false
}

func paramOf(f reflect.StructField, tag string, choices map[string][]Choice) (Param, error) {
	name, optional := strings.CutSuffix(tag, ",optional")
	p := Param{
		Name: name, Doc: f.Tag.Get("doc"), Aliases: list(f.Tag.Get("alias")), Unit: f.Tag.Get("unit"),
		Required: !optional, Verbatim: f.Tag.Get("verbatim") == "true", Choices: choices[name],
	}
	if p.Doc == "" {
		return p, fmt.Errorf("has no doc tag")
	}
	for _, v := range list(f.Tag.Get("enum")) {
		p.Choices = append(p.Choices, Choice{Value: v})
	}
	if err := p.setKinds(f); err != nil {
		return p, err
	}
	var err error
	if p.Min, err = bound(f.Tag.Get("min")); err == nil {
		p.Max, err = bound(f.Tag.Get("max"))
	}
	if err != nil {
		return p, err
	}
	if s := f.Tag.Get("tolerance"); s != "" {
		if p.Tolerance, err = strconv.ParseFloat(s, 64); err != nil {
			return p, fmt.Errorf("tolerance: %w", err)
		}
	}
	if s, ok := f.Tag.Lookup("default"); ok {
		p.Required = false
		p.Default, err = p.parseDefault(s)
	}
	return p, err
}

func (p *Param) setKinds(f reflect.StructField) error {
	t := f.Type
	if kinds := list(f.Tag.Get("kind")); t == anyType {
		if len(kinds) == 0 {
			return fmt.Errorf("an artifact.Value needs a kind tag")
		}
		p.Kinds = kinds
		return nil
	}
	if t == namedType {
		p.Kinds, p.Record = []string{KindRecord}, true
		return nil
	}
	if t.Kind() == reflect.Slice {
		p.List, t = true, t.Elem()
	}
	if t.Kind() == reflect.Pointer && (t.Elem() == quantityType || t.Elem() == placeType || t.Elem().Kind() == reflect.Float64) {
		t = t.Elem()
	}
	switch t {
	case rasterType:
		p.Kinds = []string{artifact.KindRaster}
	case seriesType:
		p.Kinds = []string{artifact.KindSeries}
	case tableType:
		p.Kinds = []string{artifact.KindTable}
	case vectorType, zonesType:
		p.Kinds = []string{artifact.KindVector}
		if t == zonesType {
			p.Kinds = append(p.Kinds, KindBox, KindPlace)
		}
	case imageType:
		p.Kinds = []string{artifact.KindImage}
	case quantityType:
		p.Kinds = []string{KindNumber}
	case placeType:
		p.Kinds = []string{KindPlace}
	case periodType:
		p.Kinds = []string{KindPeriod}
	default:
		return p.setPlainKind(t, f.Tag.Get("type"))
	}
	return nil
}

func (p *Param) setPlainKind(t reflect.Type, as string) error {
	switch t.Kind() {
	case reflect.Float64:
		p.Kinds = []string{KindNumber}
	case reflect.Int:
		p.Kinds = []string{KindInteger}
	case reflect.Bool:
		p.Kinds = []string{KindBoolean}
	case reflect.String:
		p.Kinds = []string{KindString}
		if as != "" {
			p.Kinds = []string{as}
		}
	default:
		return fmt.Errorf("type %s cannot be a parameter", t)
	}
	return nil
}

func (p *Param) parseDefault(s string) (any, error) {
	switch p.Kinds[0] {
	case KindNumber:
		return strconv.ParseFloat(s, 64)
	case KindInteger:
		return strconv.ParseInt(s, 10, 64)
	case KindBoolean:
		return strconv.ParseBool(s)
	}
	return s, nil
}

func outputsOf(out reflect.Type) ([]Output, error) {
	if out.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the output must be a struct, not %s", out)
	}
	var outputs []Output
	for i := range out.NumField() {
		f := out.Field(i)
		name, ok := f.Tag.Lookup("out")
		if !ok {
			continue
		}
		o := Output{
			Name: name, Doc: f.Tag.Get("doc"), Aliases: list(f.Tag.Get("alias")), Unit: f.Tag.Get("unit"),
			Difference: f.Tag.Get("difference") == "true", index: i,
		}
		if err := o.setKind(f); err != nil {
			return nil, fmt.Errorf("output %s: %w", name, err)
		}
		outputs = append(outputs, o)
	}
	if len(outputs) == 0 {
		return nil, fmt.Errorf("no field has an out tag")
	}
	return outputs, nil
}

func (o *Output) setKind(f reflect.StructField) error {
	if o.Doc == "" {
		return fmt.Errorf("has no doc tag")
	}
	t := f.Type
	if t == anyType {
		if o.Kind = f.Tag.Get("kind"); o.Kind == "" {
			return fmt.Errorf("an artifact.Value needs a kind tag")
		}
		return nil
	}
	if t.Kind() == reflect.Slice && t != reflect.TypeFor[[]byte]() {
		o.List, t = true, t.Elem()
	}
	if t.Kind() == reflect.Pointer && (t.Elem() == quantityType || t.Elem().Kind() == reflect.Float64 || t.Elem().Kind() == reflect.String || t.Elem().Kind() == reflect.Bool) {
		o.Optional, t = true, t.Elem()
	}
	switch t {
	case rasterType:
		o.Kind = artifact.KindRaster
	case seriesType:
		o.Kind = artifact.KindSeries
	case tableType:
		o.Kind = artifact.KindTable
	case vectorType:
		o.Kind = artifact.KindVector
	case imageType:
		o.Kind = artifact.KindImage
	case quantityType:
		o.Kind = artifact.KindScalar
	default:
		switch t.Kind() {
		case reflect.Float64, reflect.Int:
			o.Kind, o.Whole = artifact.KindScalar, t.Kind() == reflect.Int
			if o.Unit == "" {
				return fmt.Errorf("a number needs a unit tag")
			}
		case reflect.Bool:
			o.Kind = KindBoolean
		case reflect.String:
			o.Kind = artifact.KindText
			if f.Tag.Get("type") == KindInstant {
				o.Kind = KindInstant
			}
		default:
			return fmt.Errorf("type %s cannot be an output", t)
		}
	}
	return nil
}

func bound(s string) (*float64, error) {
	if s == "" {
		return nil, nil
	}
	v, err := strconv.ParseFloat(s, 64)
	return &v, err
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	parts := strings.Split(s, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
