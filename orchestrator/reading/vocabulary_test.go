package reading_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"almanac/orchestrator/reading"

	"go.yaml.in/yaml/v4"
)

// shipped is the vocabulary of the data sets that come with the program, read from their files.
type shipped struct {
	places   []reading.Place
	datasets []reading.Dataset
}

func (s shipped) Places() []reading.Place     { return s.places }
func (s shipped) Datasets() []reading.Dataset { return s.datasets }

const dataDir = "../../scenarios/data"

func load(t testing.TB, name string, into any) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(dataDir, name))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".geojson") {
		err = json.Unmarshal(src, into)
	} else {
		err = yaml.Unmarshal(src, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func vocabulary(t testing.TB) shipped {
	t.Helper()
	var s shipped
	var aliases struct {
		Countries map[string][]string
		Places    []struct {
			Name, Country string
			Aliases       []string
		}
	}
	load(t, "aliases.yaml", &aliases)
	var regions struct {
		Regions []struct {
			Name, Title string
			Aliases     []string
		}
	}
	load(t, "regions.yaml", &regions)
	for _, r := range regions.Regions {
		s.places = append(s.places, reading.Place{Name: r.Name, Aliases: append(r.Aliases, r.Title), Region: true})
	}
	s.places = append(s.places, countries(t, aliases.Countries)...)
	more := map[string][]string{}
	for _, p := range aliases.Places {
		more[p.Name+"|"+p.Country] = p.Aliases
	}
	s.places = append(s.places, cities(t, more)...)
	var manifest struct {
		Datasets []struct {
			Name      string
			Aliases   []string
			Variables []struct {
				Name         string
				Aliases      []string
				StandardName string `yaml:"standard_name"`
				LongName     string `yaml:"long_name"`
			}
		}
	}
	load(t, "manifest.yaml", &manifest)
	for _, d := range manifest.Datasets {
		set := reading.Dataset{Name: d.Name, Aliases: d.Aliases}
		for _, v := range d.Variables {
			set.Variables = append(set.Variables, reading.Variable{Name: v.Name, Aliases: append(v.Aliases, v.StandardName, v.LongName)})
		}
		s.datasets = append(s.datasets, set)
	}
	return s
}

func countries(t testing.TB, aliases map[string][]string) []reading.Place {
	var file struct {
		Features []struct {
			Properties struct{ Name string }
			Geometry   struct{ Coordinates any }
		}
	}
	load(t, "natural_earth_countries.geojson", &file)
	var list []reading.Place
	for _, f := range file.Features {
		list = append(list, reading.Place{Name: f.Properties.Name, Aliases: aliases[f.Properties.Name], Latitude: latitude(f.Geometry.Coordinates)})
	}
	return list
}

// latitude is that of the first vertex: enough for the hemisphere.
func latitude(c any) float64 {
	for {
		list := c.([]any)
		if v, ok := list[0].(float64); ok {
			_ = v
			return list[1].(float64)
		}
		c = list[0]
	}
}

func cities(t testing.TB, aliases map[string][]string) []reading.Place {
	file, err := os.Open(filepath.Join(dataDir, "natural_earth_places.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []reading.Place
	for _, row := range rows[1:] {
		lat, err := strconv.ParseFloat(row[5], 64)
		if err != nil {
			t.Fatal(err)
		}
		people, _ := strconv.ParseFloat(row[7], 64) // empty where it is not known
		list = append(list, reading.Place{Name: row[0], Country: row[2], Latitude: lat, Population: people, Aliases: aliases[row[0]+"|"+row[2]]})
	}
	return list
}
