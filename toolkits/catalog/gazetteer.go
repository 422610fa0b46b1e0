package catalog

import (
	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
)

// Kinds of place.
const (
	Country = "country"
	City    = "city"
	Region  = "region" // a named box, such as nino34
)

// Place is a named place.
type Place struct {
	Name       string
	Kind       string
	Latitude   float64      // degrees_north; of a country, a point inside it
	Longitude  float64      // degrees_east
	Country    string       // the country that a city is in
	Admin      string       // first-level division that a city is in
	Population float64      // 0 where unknown
	ISO3       string       // of a country, "" where unknown
	Geometry   orb.Geometry // outline of a country or region, point of a city
}

// Gazetteer resolves the names of places.
type Gazetteer struct{}

// Place returns the place of that name, or a [*NotFound] with the nearest names.
func (g *Gazetteer) Place(name string) (Place, error) { return Place{}, errOpen }

// Boundary returns the outline of a country or named region as one feature.
func (g *Gazetteer) Boundary(name string) (*vector.Features, error) { return nil, errOpen }
