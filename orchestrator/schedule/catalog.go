package schedule

// The kinds of artifacts that steps exchange.
const (
	KindRaster = "raster"
	KindVector = "vector"
	KindTable  = "table"
	KindSeries = "series"
	KindScalar = "scalar"
	KindText   = "text"
	KindImage  = "image"
)

// The kinds of literal values. A list is written "list<number>" in a
// declaration, or by the List flag of a Param, Output or Type.
const (
	KindNumber  = "number"
	KindInteger = "integer"
	KindString  = "string"
	KindBoolean = "boolean"
	KindInstant = "instant"
	KindPeriod  = "period"
	KindPlace   = "place"
	KindBox     = "box"
	KindUnit    = "unit"
	KindRecord  = "record"
	// KindAny accepts every value.
	KindAny = "any"
)

// Type is what the checker knows of a value before anything has run.
type Type struct {
	// Kind is an artifact or literal kind; empty when it is not known.
	Kind string `json:"kind"`
	// Unit is a UDUNITS-like string, "1" for dimensionless, empty when unknown.
	Unit string `json:"unit,omitempty"`
	// Variable is the physical variable, in the catalog's own word.
	Variable string `json:"variable,omitempty"`
	// List marks a list of such values.
	List bool `json:"list,omitempty"`
	// Difference marks a difference of two values: its unit is converted
	// without the offset of the scale.
	Difference bool `json:"difference,omitempty"`
}

// Signature declares one tool, or one check.
type Signature struct {
	Name    string // "agent.tool"
	Doc     string
	Params  []Param
	Outputs []Output
	// Check marks a verification tool whose result has passed and reason.
	Check bool
	// Resolver marks a tool that turns a place, a box or a slot into a zone, and
	// may be put in where a zone is needed.
	Resolver bool
	Examples []string
}

// Param declares one parameter.
type Param struct {
	Name    string
	Aliases []string
	// Kinds are the kinds accepted, artifacts and literals alike.
	Kinds []string
	// Unit is empty for any unit, "mm" for values convertible to it (a bare
	// number is in it), or "@raster" for the unit of the argument raster.
	Unit     string
	Enum     []Choice
	Required bool
	Default  any
	List     bool
	Doc      string
	Min, Max *float64
}

// Choice is one legal value of a parameter with a closed vocabulary.
type Choice struct {
	Value   string
	Aliases []string
	Doc     string
	// When holds other parameters' values that make this choice legal: variable
	// sst only when dataset is coads_climatology. A parameter that is not given
	// as a literal restricts nothing.
	When map[string]string
	// Kind, Unit and Variable are what an output marked "@param" takes from the
	// choice.
	Kind, Unit, Variable string
}

// Output declares one field of a tool's result.
type Output struct {
	Name    string
	Aliases []string
	// Kind is a kind, or "@param" for the kind of that argument or choice.
	Kind string
	// Unit is a unit, a product of units, or holds "@param" for the unit of that
	// argument, of its choice, or the literal itself where the parameter takes a
	// unit: "degC", "@raster", "@series year-1", "@to".
	Unit       string
	Difference bool
	Whole      bool // a count
	List       bool
	Doc        string
}

// Catalog is what the checker knows of the tools that exist.
type Catalog interface {
	// Signatures are all tools, sorted by name. The caller does not change them.
	Signatures() []Signature
	// Signature finds one tool by "agent.tool".
	Signature(name string) (Signature, bool)
	// Units converts and combines units.
	Units() Units
}

// Units is the arithmetic of units that the checker needs.
type Units interface {
	// Convertible tells whether a value in a can be given in b. Convertible(a, a)
	// is false for a string that is no unit.
	Convertible(a, b string) bool
	Mul(a, b string) (string, error)
	Div(a, b string) (string, error)
}

// OffsetUnits is what Units may tell besides: whether a unit's scale has an
// offset, as degrees Celsius have. The product or ratio of two values on such a
// scale has no meaning, unless one is a difference.
type OffsetUnits interface {
	HasOffset(unit string) bool
}

// Field is one field of an answer contract.
type Field struct {
	Key string `json:"key"`
	// Type is number, integer, text, boolean, instant, period, place, angle or
	// list.
	Type        string `json:"type"`
	Quantity    string `json:"quantity,omitempty"`
	Unit        string `json:"unit,omitempty"`
	Description string `json:"description,omitempty"`
}

// Contract lists the fields that an answer has to bind. A nil Contract is one
// that is not known: then no field is missing and none is extra.
type Contract []Field

// Slot is one typed value that the engine read from the request.
type Slot struct {
	Type  Type `json:"type"`
	Value any  `json:"value"`
}

// Slots are the values behind task.place, task.period and so on. Nil Slots are
// not known: then every slot is accepted with an unknown type.
type Slots map[string]Slot

// ValueField is the field under which the result of an expression, of a chosen
// value and of an objective step is read.
const ValueField = "value"

// EmptyField is readable in a guard on every step: whether its result has no
// element.
const EmptyField = "is_empty"
