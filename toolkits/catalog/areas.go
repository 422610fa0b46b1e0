package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/planar"
)

// areaIndex finds countries and named boxes.
type areaIndex struct {
	countries       []Place
	regions         []Place
	byKey           map[string]Place // boxes take precedence over countries
	names           []string         // as written, other names included
	source, licence string
}

// titles that may stand before the name of a country.
var titles = []string{"federalrepublicof", "islamicrepublicof", "peoplesrepublicof", "republicof", "kingdomof", "stateof",
	"commonwealthof", "sultanateof", "principalityof", "unionof"}

func (a *areaIndex) named(name string) (Place, bool) {
	k := key(name)
	if p, ok := a.byKey[k]; ok {
		return p, true
	}
	for _, title := range titles {
		if rest, ok := strings.CutPrefix(k, title); ok {
			p, found := a.byKey[strings.TrimPrefix(rest, "the")]
			return p, found && p.Kind == Country
		}
	}
	return Place{}, false
}

// aliasFile is aliases.yaml.
type aliasFile struct {
	Schema    int                 `yaml:"schema"`
	Countries map[string][]string `yaml:"countries"`
	Places    []struct {
		Name    string   `yaml:"name"`
		Country string   `yaml:"country"`
		Aliases []string `yaml:"aliases"`
	} `yaml:"places"`
}

func readAliases(fsys fs.FS, ref fileRef) (*aliasFile, error) {
	out := new(aliasFile)
	if ref.File == "" {
		return out, nil
	}
	return out, readYAML(fsys, ref, out, &out.Schema)
}

func readYAML(fsys fs.FS, ref fileRef, into any, schema *int) error {
	data, err := checkedFile(fsys, ref.File, ref.SHA256)
	if err != nil {
		return err
	}
	if err := strictYAML(ref.File, data, into); err != nil {
		return err
	}
	if *schema != 1 {
		return fmt.Errorf("catalog: %w: %s: schema %d is not known, only 1 is", ErrManifest, ref.File, *schema)
	}
	return nil
}

// regionFile is regions.yaml.
type regionFile struct {
	Schema  int `yaml:"schema"`
	Regions []struct {
		Name    string   `yaml:"name"`
		Title   string   `yaml:"title"`
		Aliases []string `yaml:"aliases"`
		West    float64  `yaml:"west"`
		South   float64  `yaml:"south"`
		East    float64  `yaml:"east"`
		North   float64  `yaml:"north"`
	} `yaml:"regions"`
}

func readAreas(c *Catalog, refs gazetteerRefs, aliases func() (*aliasFile, error)) (*areaIndex, error) {
	a := &areaIndex{byKey: make(map[string]Place)}
	other, err := aliases()
	if err != nil {
		return nil, err
	}
	if refs.Countries != "" {
		if err := a.addCountries(c, refs.Countries, other.Countries); err != nil {
			return nil, err
		}
	}
	if refs.Regions.File != "" {
		if err := a.addRegions(c.shipped, refs.Regions); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *areaIndex) addCountries(c *Catalog, dataset string, aliases map[string][]string) error {
	f, err := c.OpenVector(context.Background(), dataset)
	if err != nil {
		return err
	}
	a.source, a.licence = f.Source, f.Licence
	codes := make(map[string]Place)
	for _, feature := range f.Features {
		lon, lat := inner(feature.Geometry)
		p := Place{Name: feature.Text("name"), Kind: Country, Longitude: lon, Latitude: lat, ISO3: feature.Text("iso_a3"), Geometry: feature.Geometry}
		p.Country, p.OtherNames = p.Name, aliases[p.Name]
		if p.Name == "" {
			return fmt.Errorf("catalog: %w: a feature of %s has no name", ErrManifest, dataset)
		}
		a.countries = append(a.countries, p)
		if err := a.add(p, append([]string{p.Name}, p.OtherNames...)); err != nil {
			return err
		}
		if p.ISO3 != "" {
			codes[key(p.ISO3)] = p
		}
	}
	for name := range aliases {
		if !slices.ContainsFunc(a.countries, func(p Place) bool { return p.Name == name }) {
			return fmt.Errorf("catalog: %w: aliases are given for %q, which is no country of %s", ErrManifest, name, dataset)
		}
	}
	for k, p := range codes {
		if _, taken := a.byKey[k]; !taken {
			a.byKey[k] = p
		}
	}
	return nil
}

// add enters a place under its names; two countries may not share one.
func (a *areaIndex) add(p Place, names []string) error {
	for _, name := range names {
		k := key(name)
		if other, taken := a.byKey[k]; taken && other.Kind == p.Kind && other.Name != p.Name {
			return fmt.Errorf("catalog: %w: %s and %s are both named %q", ErrManifest, other.Name, p.Name, name)
		}
		a.byKey[k] = p
	}
	a.names = append(a.names, names...)
	return nil
}

func (a *areaIndex) addRegions(fsys fs.FS, ref fileRef) error {
	file := new(regionFile)
	if err := readYAML(fsys, ref, file, &file.Schema); err != nil {
		return err
	}
	for _, r := range file.Regions {
		east := r.East
		if east < r.West {
			east += 360
		}
		if r.Name == "" || !(r.South >= -90 && r.South < r.North && r.North <= 90) || !(r.West >= -180 && r.West <= 180 && east <= r.West+360 && east > r.West) {
			return fmt.Errorf("catalog: %w: %s: region %q is not a box in degrees", ErrManifest, ref.File, r.Name)
		}
		p := Place{
			Name: r.Name, Kind: Region, OtherNames: r.Aliases, Latitude: (r.South + r.North) / 2, Longitude: math.Remainder((r.West+east)/2, 360),
			Geometry: orb.Polygon{{{r.West, r.South}, {east, r.South}, {east, r.North}, {r.West, r.North}, {r.West, r.South}}},
		}
		a.regions = append(a.regions, p)
		if err := a.add(p, append([]string{r.Name}, r.Aliases...)); err != nil {
			return err
		}
	}
	return nil
}

// inner returns a point inside the largest part: its centroid, or, where that
// lies outside (a crescent) or in a hole, the middle of the widest stretch on
// the centroid's parallel.
func inner(g orb.Geometry) (lon, lat float64) {
	var largest orb.Polygon
	area := -1.0
	each := func(p orb.Polygon) {
		if size := planar.Area(p); size > area {
			largest, area = p, size
		}
	}
	switch g := g.(type) {
	case orb.Polygon:
		each(g)
	case orb.MultiPolygon:
		for _, p := range g {
			each(p)
		}
	}
	if largest == nil {
		return math.NaN(), math.NaN()
	}
	centre, _ := planar.CentroidArea(largest)
	if planar.PolygonContains(largest, centre) {
		return centre[0], centre[1]
	}
	return widest(largest, centre[1]), centre[1]
}

// widest returns the middle of the longest stretch of a parallel inside p.
func widest(p orb.Polygon, lat float64) float64 {
	var crossings []float64
	for _, r := range p {
		for i := 1; i < len(r); i++ {
			a, b := r[i-1], r[i]
			if (a[1] > lat) != (b[1] > lat) {
				crossings = append(crossings, a[0]+(lat-a[1])/(b[1]-a[1])*(b[0]-a[0]))
			}
		}
	}
	slices.Sort(crossings)
	best, width := math.NaN(), -1.0
	for i := 1; i < len(crossings); i += 2 {
		if w := crossings[i] - crossings[i-1]; w > width {
			best, width = (crossings[i]+crossings[i-1])/2, w
		}
	}
	return best
}

var errNoColumn = errors.New("a column of the gazetteer's places is missing or of another type")
