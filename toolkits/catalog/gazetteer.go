package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
)

// Kinds of place.
const (
	Country = "country" // a country or territory with an outline
	City    = "city"    // a populated place, a point
	Region  = "region"  // a named box, such as nino34
)

// Place is a named place.
type Place struct {
	Name       string
	Kind       string
	OtherNames []string     // without codes
	Latitude   float64      // degrees_north; of a country, a point inside its largest part
	Longitude  float64      // degrees_east, -180 to 180
	Country    string       // the country that a city is in, as the gazetteer names it
	Admin      string       // the first-level division that a city is in, "" where unknown
	Population float64      // with the suburbs; 0 where unknown
	Capital    bool         // a national capital
	ISO3       string       // alpha-3 code of the country, "" where it has none
	Geometry   orb.Geometry // outline of a country or region, point of a city
}

// NoBoundary says that a place is known but has no outline.
type NoBoundary struct {
	Place Place
}

func (e *NoBoundary) Error() string {
	return fmt.Sprintf("catalog: %s is a populated place in %s, a point without an outline; use a distance around it, or its country", e.Place.Name, e.Place.Country)
}

// Gazetteer resolves the names of places. It reads its data when first asked
// and is safe for concurrent use.
type Gazetteer struct {
	areas  func() (*areaIndex, error)
	cities func() (*cityIndex, error)
}

func newGazetteer(c *Catalog, refs gazetteerRefs) *Gazetteer {
	aliases := sync.OnceValues(func() (*aliasFile, error) { return readAliases(c.shipped, refs.Aliases) })
	g := &Gazetteer{}
	g.areas = sync.OnceValues(func() (*areaIndex, error) { return readAreas(c, refs, aliases) })
	g.cities = sync.OnceValues(func() (*cityIndex, error) { return readCities(c, refs, aliases) })
	return g
}

// Place returns the named box, country or populated place of that name, in this
// order; among populated places the one with the largest population. An unknown
// name is a [*NotFound] with the nearest names.
func (g *Gazetteer) Place(name string) (Place, error) {
	p, err := g.area(name)
	if err == nil {
		return p, nil
	}
	var missing *NotFound
	if !errors.As(err, &missing) {
		return Place{}, err
	}
	return g.City(name)
}

// City returns the populated place of that name with the largest population.
// "Paris, Texas", "Paris (Texas)" and "Paris, Texas, USA" narrow it by division
// and country. An unknown name is a [*NotFound].
func (g *Gazetteer) City(name string) (Place, error) {
	cities, err := g.cities()
	if err != nil {
		return Place{}, err
	}
	if found := cities.named(name); len(found) > 0 {
		return found[0], nil
	}
	if first, rest, ok := qualified(name); ok {
		for _, p := range cities.named(first) {
			if g.inAll(p, rest) {
				return p, nil
			}
		}
	}
	return Place{}, g.notFound(name)
}

// Cities returns all populated places of that name, the largest first; none is
// not an error.
func (g *Gazetteer) Cities(name string) ([]Place, error) {
	cities, err := g.cities()
	if err != nil {
		return nil, err
	}
	return slices.Clone(cities.named(name)), nil
}

// AllCities returns every populated place, in the order of the data set. The
// slice is shared and must not be changed.
func (g *Gazetteer) AllCities() ([]Place, error) {
	cities, err := g.cities()
	if err != nil {
		return nil, err
	}
	return cities.all, nil
}

// Boundary returns the outline of a country or named box as one feature with
// properties name, kind and iso_a3. A populated place is a [*NoBoundary], an
// unknown name a [*NotFound].
func (g *Gazetteer) Boundary(name string) (*vector.Features, error) {
	areas, err := g.areas()
	if err != nil {
		return nil, err
	}
	p, err := g.area(name)
	if err != nil {
		if city, cityErr := g.City(name); cityErr == nil {
			return nil, &NoBoundary{Place: city}
		}
		return nil, g.notFound(name)
	}
	properties := map[string]any{"name": p.Name, "kind": p.Kind}
	if p.ISO3 != "" {
		properties["iso_a3"] = p.ISO3
	}
	out := &vector.Features{CRS: vector.WGS84, Source: areas.source, Licence: areas.licence}
	if p.Kind == Region {
		out.Source, out.Licence = "named box of the gazetteer", ""
	}
	out.Features = []vector.Feature{{ID: p.Name, Geometry: p.Geometry, Properties: properties}}
	return out, nil
}

// Names returns every name that [Gazetteer.Place] knows, other names included
// and three-letter codes not, sorted and each once.
func (g *Gazetteer) Names() ([]string, error) {
	areas, err := g.areas()
	if err != nil {
		return nil, err
	}
	cities, err := g.cities()
	if err != nil {
		return nil, err
	}
	out := slices.Concat(areas.names, cities.names)
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Countries returns all countries and territories by name. The slice is shared
// and must not be changed.
func (g *Gazetteer) Countries() ([]Place, error) {
	areas, err := g.areas()
	if err != nil {
		return nil, err
	}
	return areas.countries, nil
}

// area finds a named box or a country.
func (g *Gazetteer) area(name string) (Place, error) {
	areas, err := g.areas()
	if err != nil {
		return Place{}, err
	}
	if p, ok := areas.named(name); ok {
		return p, nil
	}
	return Place{}, &NotFound{What: "country or region", Asked: name}
}

// inAll reports whether a city is in every one of the divisions and countries.
func (g *Gazetteer) inAll(p Place, where []string) bool {
	return !slices.ContainsFunc(where, func(w string) bool {
		if key(w) == key(p.Admin) || key(w) == key(p.Country) {
			return false
		}
		country, err := g.area(w)
		return err != nil || country.Name != p.Country
	})
}

// qualified splits "Paris, Texas" and "Paris (Texas)".
func qualified(name string) (first string, rest []string, ok bool) {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == ',' || r == '(' || r == ')' })
	for _, p := range parts[min(1, len(parts)):] {
		if p = strings.TrimSpace(p); p != "" {
			rest = append(rest, p)
		}
	}
	if len(rest) == 0 {
		return "", nil, false
	}
	return strings.TrimSpace(parts[0]), rest, true
}

func (g *Gazetteer) notFound(name string) error {
	names, err := g.Names()
	if err != nil {
		return err
	}
	first, _, ok := qualified(name)
	if !ok {
		first = name
	}
	found := nearest(first, names, maxNearest)
	if ok {
		if cities, err := g.cities(); err == nil {
			var here []string
			for _, p := range cities.named(first) {
				here = append(here, p.label())
			}
			found = append(here, found...)[:min(maxNearest, len(here)+len(found))]
		}
	}
	return &NotFound{What: "place", Asked: name, Nearest: found}
}

// label is the name with what tells it from others: "Paris, Texas, United States of America".
func (p Place) label() string {
	out := p.Name
	for _, s := range []string{p.Admin, p.Country} {
		if s != "" {
			out += ", " + s
		}
	}
	return out
}

// Nearest returns at most n populated places with at least the population given,
// in the order that distance puts them in. The distance is the caller's, in any
// unit; places for which it returns false are left out.
func (g *Gazetteer) Nearest(ctx context.Context, n int, population float64, distance func(Place) (float64, bool)) ([]Place, error) {
	all, err := g.AllCities()
	if err != nil {
		return nil, err
	}
	type ranked struct {
		place    Place
		distance float64
	}
	var near []ranked
	for i, p := range all {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if p.Population < population {
			continue
		}
		if d, ok := distance(p); ok {
			near = append(near, ranked{p, d})
		}
	}
	slices.SortStableFunc(near, func(a, b ranked) int {
		switch {
		case a.distance < b.distance:
			return -1
		case a.distance > b.distance:
			return 1
		}
		return 0
	})
	out := make([]Place, 0, min(max(n, 0), len(near)))
	for _, r := range near[:min(max(n, 0), len(near))] {
		out = append(out, r.place)
	}
	return out, nil
}
