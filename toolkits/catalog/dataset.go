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
	Name       string     // what callers ask for, for example "coads_climatology"
	Title      string     // a line for people
	Kind       string     // [Raster], [Series], [Table] or [Vector]
	Aliases    []string   // other names it is known by
	Variables  []Variable // never empty
	Period     string     // "1958-03-29/2001-12-29", "climatology of 1946-1989", or "" for timeless data
	Frequency  string     // of package cftime, for example "month"; "" for timeless data
	Calendar   string     // CF calendar, "" for timeless data
	Region     string     // "global", or a place
	Resolution string     // "2 degrees", or ""
	Licence    string
	Source     string  // originator, package and version
	Cut        string  // what was left out of the source, and what was changed
	SHA256     string  // lower-case hex, of the file
	File       string  // name inside the folder of the manifest
	Bytes      int64   // size of the file
	Station    Station // where a series was measured
	Synthetic  bool    // generated, not observed
	User       bool    // added by the user, not shipped
}

// Station is where a series was measured; fields are nil where unknown.
type Station struct {
	Name      string   `yaml:"name"`
	Latitude  *float64 `yaml:"latitude,omitempty"`  // degrees_north
	Longitude *float64 `yaml:"longitude,omitempty"` // degrees_east
	Elevation *float64 `yaml:"elevation,omitempty"` // m
}

// Variable describes one variable of a data set.
type Variable struct {
	Name         string
	Aliases      []string
	StandardName string // CF standard name, "" where CF has none
	LongName     string
	Unit         string    // UDUNITS-like
	Kind         string    // what a caller gets on opening it
	CellMethods  string    // CF, "time: mean"
	SourceName   string    // its name in the source
	Packing      string    // how the values are stored, and what that changed at most
	Levels       []float64 // nil where it has none
	LevelUnit    string    // "m" for depths
}
