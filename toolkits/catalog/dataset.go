package catalog

// Kinds of data set.
const (
	Raster = "raster"
	Series = "series"
	Table  = "table"
	Vector = "vector"
)

// Dataset describes one data set: what it holds and where it comes from. It is
// read from the manifest, without opening the data.
type Dataset struct {
	Name      string     // what callers ask for, for example "coads_climatology"
	Title     string     // a line for people
	Kind      string     // [Raster], [Series], [Table] or [Vector]
	Aliases   []string   // other names it is known by
	Variables []Variable // never empty
	Period    string     // "1958-03/2001-12", "climatology", or "" for timeless data
	Frequency string     // "month", "day", "climatological_month", or ""
	Calendar  string     // CF calendar, "" for timeless data
	Region    string     // "global", or a place
	Licence   string
	Source    string // package, version and originator
	Cut       string // what was left out of the source
	SHA256    string // lower-case hex, of the file
	File      string // name inside the folder of the manifest
	Synthetic bool   // generated, not observed
	User      bool   // added by the user, not shipped
}

// Variable describes one variable of a data set.
type Variable struct {
	Name         string
	Aliases      []string
	StandardName string // CF standard name, "" where CF has none
	LongName     string
	Unit         string    // UDUNITS-like
	Kind         string    // the kind a caller gets on opening it
	Levels       []float64 // "" where the variable has none
	LevelUnit    string
}

// Variable returns the variable of that name, alias or standard name, or a
// [*NotFound] with the nearest names.
func (d Dataset) Variable(name string) (Variable, error) {
	return findVariable(d, name)
}
