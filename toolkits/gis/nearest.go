package gis

import (
	"context"
	"math"
	"slices"
	"strings"

	"almanac/toolkits"
	"almanac/toolkits/catalog"
	"almanac/toolkits/geodesy"
	"almanac/toolkits/table"
)

type nearestIn struct {
	Place         toolkits.Place `arg:"place" doc:"around here" alias:"point,location,from,origin,site"`
	MinPopulation float64        `arg:"min_population" doc:"only places with at least so many inhabitants" unit:"1" min:"0" default:"0" alias:"population,minimum_population"`
	Count         int            `arg:"count" doc:"how many places" unit:"1" min:"1" max:"100" default:"1" alias:"n,number,k,limit"`
}

type nearestOut struct {
	Name       string       `out:"name" doc:"the nearest of them" alias:"place,city"`
	Distance   float64      `out:"distance" unit:"km" doc:"distance to it on the ellipsoid"`
	Population *float64     `out:"population" unit:"1" doc:"its inhabitants with the suburbs; absent where unknown"`
	Places     *table.Table `out:"places" doc:"one row a place, the nearest first: name, country, distance, population, latitude, longitude"`
}

func nearestTool(cat *catalog.Catalog) *toolkits.Tool {
	n := neighbours{cat}
	return toolkits.New("gis.nearest", n.nearest, toolkits.Doc{
		Group:   group,
		Purpose: "Find the populated places nearest to a place, itself left out.",
		Details: "Searches the 7,322 populated places of Natural Earth by geodesic distance on the WGS84 ellipsoid. A place with a name leaves itself out " +
			"(the entry at its position, or of its name within 30 km); a bare position leaves nothing out. Places of unknown population pass only when min_population is 0.",
		Examples: []string{
			"Which town is closest to Timbuktu?",
			"What is the nearest city with over a million people to Alice Springs?",
			"Name the five places nearest to 60 S, 60 W.",
			"How far does one travel from Iquitos to the next town?",
			"Which big city is a ship at 20 N, 160 W nearest to?",
		},
	})
}

type neighbours struct {
	cat *catalog.Catalog
}

type neighbour struct {
	row      int
	distance float64
}

func (n neighbours) nearest(ctx context.Context, args nearestIn) (nearestOut, error) {
	t, err := n.cat.OpenTable(ctx, "natural_earth_places")
	if err != nil {
		return nearestOut{}, toolkits.Errorf(toolkits.Unsupported, "the populated places cannot be read: %w", err)
	}
	c, err := columns(t)
	if err != nil {
		return nearestOut{}, err
	}
	near := c.around(args)
	if len(near) == 0 {
		return nearestOut{}, toolkits.Errorf(toolkits.EmptySelection, "none of the %d places has %g inhabitants or more", t.Rows(), args.MinPopulation)
	}
	first := near[0]
	out := nearestOut{Name: c.name.Texts[first.row], Distance: first.distance, Places: c.rows(near, t)}
	if p := c.population.Numbers[first.row]; p == p {
		out.Population = &p
	}
	return out, ctx.Err()
}

// placeColumns are the columns of the table of places.
type placeColumns struct {
	name, country, lat, lon, population *table.Column
}

func columns(t *table.Table) (c placeColumns, err error) {
	for name, to := range map[string]**table.Column{
		"name": &c.name, "country": &c.country, "latitude": &c.lat, "longitude": &c.lon, "population": &c.population,
	} {
		if *to, err = t.Column(name); err != nil {
			return c, toolkits.Errorf(toolkits.Unsupported, "the table of populated places: %w", err)
		}
	}
	return c, nil
}

// around finds the nearest rows: by distance on the sphere first, then, among all that the flattening could bring
// forward (it changes distances by less than 0.6 %), on the ellipsoid.
func (c placeColumns) around(args nearestIn) []neighbour {
	from := position(args.Place)
	var all []neighbour
	for i := range c.lat.Numbers {
		if p := c.population.Numbers[i]; args.MinPopulation > 0 && !(p >= args.MinPopulation) {
			continue
		}
		d := haversine(from, geodesy.Point{Latitude: c.lat.Numbers[i], Longitude: c.lon.Numbers[i]})
		if d == d && !c.same(args.Place, i, d) {
			all = append(all, neighbour{i, d})
		}
	}
	byDistance := func(a, b neighbour) int {
		switch {
		case a.distance < b.distance:
			return -1
		case a.distance > b.distance:
			return 1
		}
		return a.row - b.row
	}
	slices.SortFunc(all, byDistance)
	n := min(args.Count, len(all))
	last := n
	for n > 0 && last < len(all) && all[last].distance <= all[n-1].distance*1.013+0.001 {
		last++
	}
	all = all[:last]
	for i := range all {
		to := geodesy.Point{Latitude: c.lat.Numbers[all[i].row], Longitude: c.lon.Numbers[all[i].row]}
		all[i].distance, _, _ = geodesy.Inverse(from, to)
	}
	slices.SortFunc(all, byDistance)
	return all[:n]
}

// same reports whether the row is the place itself.
func (c placeColumns) same(p toolkits.Place, row int, km float64) bool {
	return p.Name != "" && (km < 0.5 || km < 30 && strings.EqualFold(c.name.Texts[row], p.Name))
}

func (c placeColumns) rows(near []neighbour, t *table.Table) *table.Table {
	text := func(name string, from *table.Column) table.Column {
		col := table.Column{Name: name, Type: table.Text}
		for _, n := range near {
			col.Texts = append(col.Texts, from.Texts[n.row])
		}
		return col
	}
	number := func(name, unit string, at func(neighbour) float64) table.Column {
		col := table.Column{Name: name, Unit: unit, Type: table.Number}
		for _, n := range near {
			col.Numbers = append(col.Numbers, at(n))
		}
		return col
	}
	return &table.Table{Source: t.Source, Licence: t.Licence, Columns: []table.Column{
		text("name", c.name), text("country", c.country),
		number("distance", "km", func(n neighbour) float64 { return n.distance }),
		number("population", "1", func(n neighbour) float64 { return c.population.Numbers[n.row] }),
		number("latitude", "degrees_north", func(n neighbour) float64 { return c.lat.Numbers[n.row] }),
		number("longitude", "degrees_east", func(n neighbour) float64 { return c.lon.Numbers[n.row] }),
	}}
}

// haversine is the distance in km on a sphere of the Earth's mean radius.
func haversine(p, q geodesy.Point) float64 {
	const degree = math.Pi / 180
	s1 := math.Sin((q.Latitude - p.Latitude) * degree / 2)
	s2 := math.Sin((q.Longitude - p.Longitude) * degree / 2)
	a := s1*s1 + math.Cos(p.Latitude*degree)*math.Cos(q.Latitude*degree)*s2*s2
	return 2 * 6371.0088 * math.Asin(math.Sqrt(min(1, a)))
}
