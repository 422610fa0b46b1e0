package catalog

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"almanac/toolkits/table"

	"github.com/paulmach/orb"
)

// cityIndex finds populated places.
type cityIndex struct {
	all   []Place
	byKey map[string][]int // into all, the largest first
	names []string         // as written, other names included
}

// named returns the places of that name, the largest first. "City of X" and
// "X city" are X where nothing else has that name.
func (c *cityIndex) named(name string) []Place {
	k := key(name)
	rows := c.byKey[k]
	if rows == nil {
		if rest, ok := strings.CutPrefix(k, "cityof"); ok {
			rows = c.byKey[rest]
		} else if rest, ok := strings.CutSuffix(k, "city"); ok {
			rows = c.byKey[rest]
		}
	}
	out := make([]Place, len(rows))
	for i, row := range rows {
		out[i] = c.all[row]
	}
	return out
}

// cityColumns are the columns of the table of places.
type cityColumns struct {
	name, others, country, iso, admin *table.Column
	lat, lon, population, capital     *table.Column
}

func columnsOf(t *table.Table) (c cityColumns, err error) {
	for _, want := range []struct {
		to      **table.Column
		name    string
		numeric bool
	}{
		{&c.name, "name", false}, {&c.others, "other_names", false}, {&c.country, "country", false}, {&c.iso, "iso_a3", false},
		{&c.admin, "admin", false}, {&c.lat, "latitude", true}, {&c.lon, "longitude", true}, {&c.population, "population", true},
		{&c.capital, "capital", true},
	} {
		*want.to, err = t.Column(want.name)
		if err != nil {
			return c, fmt.Errorf("catalog: %w: %w", errNoColumn, err)
		}
		if (*want.to).Numeric() != want.numeric {
			return c, fmt.Errorf("catalog: %w: %s", errNoColumn, want.name)
		}
	}
	return c, nil
}

func readCities(c *Catalog, refs gazetteerRefs, aliases func() (*aliasFile, error)) (*cityIndex, error) {
	index := &cityIndex{byKey: make(map[string][]int)}
	if refs.Places == "" {
		return index, nil
	}
	t, err := c.OpenTable(context.Background(), refs.Places)
	if err != nil {
		return nil, err
	}
	columns, err := columnsOf(t)
	if err != nil {
		return nil, err
	}
	other, err := aliases()
	if err != nil {
		return nil, err
	}
	for k := range t.Rows() {
		index.add(columns, k)
	}
	for _, a := range other.Places {
		row := slices.IndexFunc(index.all, func(p Place) bool { return p.Name == a.Name && p.Country == a.Country })
		if row < 0 {
			return nil, fmt.Errorf("catalog: %w: aliases are given for %s in %s, which is not in %s", ErrManifest, a.Name, a.Country, refs.Places)
		}
		for i, p := range index.all { // the largest of that name in the country
			if p.Name == a.Name && p.Country == a.Country && p.Population > index.all[row].Population {
				row = i
			}
		}
		index.all[row].OtherNames = append(index.all[row].OtherNames, a.Aliases...)
		index.enter(row, a.Aliases)
	}
	for _, rows := range index.byKey {
		slices.SortFunc(rows, func(a, b int) int {
			return cmp.Or(cmp.Compare(index.all[b].Population, index.all[a].Population), cmp.Compare(a, b))
		})
	}
	return index, nil
}

func (c *cityIndex) add(t cityColumns, k int) {
	p := Place{
		Name: t.name.Texts[k], Kind: City, Country: t.country.Texts[k], ISO3: t.iso.Texts[k], Admin: t.admin.Texts[k],
		Latitude: t.lat.Numbers[k], Longitude: t.lon.Numbers[k], Population: t.population.Numbers[k], Capital: t.capital.Numbers[k] == 1,
		Geometry: orb.Point{t.lon.Numbers[k], t.lat.Numbers[k]},
	}
	if math.IsNaN(p.Population) {
		p.Population = 0
	}
	if t.others.Texts[k] != "" {
		p.OtherNames = strings.Split(t.others.Texts[k], "|")
	}
	c.all = append(c.all, p)
	c.enter(len(c.all)-1, append([]string{p.Name}, p.OtherNames...))
}

func (c *cityIndex) enter(row int, names []string) {
	for _, name := range names {
		k := key(name)
		if k != "" && !slices.Contains(c.byKey[k], row) {
			c.byKey[k] = append(c.byKey[k], row)
		}
	}
	c.names = append(c.names, names...)
}
