package catalog_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"almanac/toolkits/catalog"
)

// TestPlaces: positions from an atlas, to a fraction of a degree for cities; of
// a country any point well inside will do.
func TestPlaces(t *testing.T) {
	g := open(t).Gazetteer()
	for _, c := range []struct {
		asked, name, kind string
		lat, lon, within  float64
	}{
		{"Kenya", "Kenya", catalog.Country, 0.5, 38, 3},
		{"KENYA", "Kenya", catalog.Country, 0.5, 38, 3},
		{"Republic of Kenya", "Kenya", catalog.Country, 0.5, 38, 3},
		{"the Gambia", "Gambia", catalog.Country, 13.5, -15.5, 1},
		{"USA", "United States of America", catalog.Country, 39, -98, 4},
		{"the U.S.", "United States of America", catalog.Country, 39, -98, 4},
		{"United States", "United States of America", catalog.Country, 39, -98, 4},
		{"UK", "United Kingdom", catalog.Country, 54, -2, 3},
		{"Ivory Coast", "Côte d'Ivoire", catalog.Country, 7.5, -5.5, 2},
		{"Cote d’Ivoire", "Côte d'Ivoire", catalog.Country, 7.5, -5.5, 2},
		{"Congo", "Republic of the Congo", catalog.Country, -1, 15, 3},
		{"DRC", "Democratic Republic of the Congo", catalog.Country, -3, 23, 4},
		{"Congo-Kinshasa", "Democratic Republic of the Congo", catalog.Country, -3, 23, 4},
		{"Georgia", "Georgia", catalog.Country, 42, 43.5, 2},
		{"Holland", "Netherlands", catalog.Country, 52.2, 5.6, 2},
		{"Türkiye", "Turkey", catalog.Country, 39, 35, 4},
		{"Fiji", "Fiji", catalog.Country, -17.8, 178, 1},
		{"KEN", "Kenya", catalog.Country, 0.5, 38, 3},
		{"Niño 3.4", "nino34", catalog.Region, 0, -145, 0},
		{"nino 1+2", "nino12", catalog.Region, -5, -85, 0},
		{"Nino4", "nino4", catalog.Region, 0, -175, 0}, // 160 E to 150 W
		{"Nairobi", "Nairobi", catalog.City, -1.286, 36.817, 0.05},
		{"City of Nairobi", "Nairobi", catalog.City, -1.286, 36.817, 0.05},
		{"Paris", "Paris", catalog.City, 48.857, 2.352, 0.05},
		{"London", "London", catalog.City, 51.507, -0.128, 0.05},
		{"London, Ontario", "London", catalog.City, 42.983, -81.25, 0.05},
		{"London (Canada)", "London", catalog.City, 42.983, -81.25, 0.05},
		{"Portland, Oregon, USA", "Portland", catalog.City, 45.52, -122.68, 0.05},
		{"Portland, Maine", "Portland", catalog.City, 43.66, -70.26, 0.05},
		{"St Petersburg", "St. Petersburg", catalog.City, 59.94, 30.31, 0.05},
		{"Saint Petersburg, Florida", "St. Petersburg", catalog.City, 27.77, -82.68, 0.1},
		{"São Paulo", "Sao Paulo", catalog.City, -23.55, -46.63, 0.05},
		{"Copenhagen", "København", catalog.City, 55.676, 12.568, 0.05},
		{"Kyiv", "Kiev", catalog.City, 50.45, 30.52, 0.05},
		{"Bombay", "Mumbai", catalog.City, 19.02, 72.86, 0.1},
		{"Washington DC", "Washington, D.C.", catalog.City, 38.9, -77.04, 0.05},
		{"Tromso", "Tromsø", catalog.City, 69.65, 18.96, 0.1},
		{"Oymyakon", "Oymyakon", catalog.City, 63.46, 142.79, 0.1}, // the source's table has it at 0, 0
	} {
		p, err := g.Place(c.asked)
		if err != nil || p.Name != c.name || p.Kind != c.kind || math.Abs(p.Latitude-c.lat) > c.within || math.Abs(p.Longitude-c.lon) > c.within {
			t.Errorf("%q is %s, a %s at %.3f, %.3f; %v", c.asked, p.Name, p.Kind, p.Latitude, p.Longitude, err)
		}
	}
}

func TestUnknownPlaces(t *testing.T) {
	g := open(t).Gazetteer()
	for asked, want := range map[string]string{
		"Kenia": "Kenya", "Nairobbi": "Nairobi", "Untied Kingdom": "United Kingdom", "Paris, Texas": "Paris, Île-de-France, France",
		"": "", "zzzzzzzzzzzzzzz": "", "12": "", "\x00\xff": "", "日本": "", ",": "", strings.Repeat("long ", 1000): "",
	} {
		_, err := g.Place(asked)
		var missing *catalog.NotFound
		if !errors.As(err, &missing) || want != "" && !slices.Contains(missing.Nearest, want) {
			t.Errorf("%.20q: %v; want %q among the nearest", asked, err, want)
		}
	}
}

func TestBoundaries(t *testing.T) {
	g := open(t).Gazetteer()
	countries, err := g.Countries()
	if err != nil {
		t.Fatal(err)
	}
	// The source has 241 features.
	if len(countries) != 241 {
		t.Errorf("%d countries, want 241", len(countries))
	}
	for _, p := range countries {
		f, err := g.Boundary(p.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		if !f.Contains(p.Longitude, p.Latitude) {
			t.Errorf("the point of %s is not inside it", p.Name)
		}
		if len(f.Features) != 1 || f.Features[0].Text("name") != p.Name || f.Licence == "" {
			t.Errorf("%s: %d features named %q", p.Name, len(f.Features), f.Features[0].Text("name"))
		}
	}
	// Capitals lie in their countries; enclaves and neighbours do not.
	for _, c := range []struct {
		country  string
		lon, lat float64
		in       bool
	}{
		{"Kenya", 36.82, -1.29, true}, {"Kenya", 32.58, 0.32, false}, // Nairobi, Kampala
		{"South Africa", 28.19, -25.75, true}, {"South Africa", 28.3, -29.5, false}, // Pretoria, Lesotho in the hole
		{"Italy", 12.45, 43.94, false}, // San Marino
		{"Fiji", 178.44, -17.8, true}, {"Fiji", -179.97, -16.85, true}, {"Fiji", 0, -17, false},
		{"Russia", -175, 67, true}, {"Russia", 100, 62, true}, {"Russia", 0, 66, false},
		{"United States of America", -155.5, 19.6, true}, {"United States of America", -147.72, 64.84, true}, // Hawaii, Fairbanks
		{"Antarctica", 0, -85, true}, {"Antarctica", 179.99, -89, true}, {"Antarctica", 0, -60, false},
		{"France", -53, 4, true}, // French Guiana is a part of it here
		{"nino34", -145, 0, true}, {"nino34", 215, 0, true}, {"nino4", 179, 0, true}, {"nino4", -155, 0, true}, {"nino4", -145, 0, false},
	} {
		f, err := g.Boundary(c.country)
		if err != nil || f.Contains(c.lon, c.lat) != c.in {
			t.Errorf("%s holds %g, %g: %v, %v", c.country, c.lon, c.lat, !c.in, err)
		}
	}
	var none *catalog.NoBoundary
	if _, err := g.Boundary("Nairobi"); !errors.As(err, &none) || none.Place.Name != "Nairobi" {
		t.Errorf("the outline of Nairobi: %v", err)
	}
	var missing *catalog.NotFound
	if _, err := g.Boundary("Kenia"); !errors.As(err, &missing) || !slices.Contains(missing.Nearest, "Kenya") {
		t.Errorf("the outline of Kenia: %v", err)
	}
	box, err := g.Boundary("nino4")
	if err != nil {
		t.Fatal(err)
	}
	// NOAA: 5 N to 5 S, 160 E to 150 W, which is 50 degrees wide.
	if b, err := box.Bound(); err != nil || b.West != 160 || b.East != -150 || b.South != -5 || b.North != 5 || b.Width() != 50 {
		t.Errorf("nino4 is %+v, %v", b, err)
	}
}

func TestSameName(t *testing.T) {
	g := open(t).Gazetteer()
	all, err := g.Cities("Springfield")
	if err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, p := range all {
		states = append(states, p.Admin)
	}
	// Populations of the source: 421780, 150443, 134715, 84576, 56032.
	if want := []string{"Massachusetts", "Missouri", "Illinois", "Ohio", "Oregon"}; !slices.Equal(states, want) {
		t.Errorf("Springfields: %v, want %v", states, want)
	}
	if p, err := g.City("Singapore"); err != nil || p.Kind != catalog.City || p.Population < 1e6 {
		t.Errorf("the city of Singapore: %+v, %v", p, err)
	}
	if p, err := g.Place("Singapore"); err != nil || p.Kind != catalog.Country {
		t.Errorf("Singapore: %s, %v", p.Kind, err)
	}
	if none, err := g.Cities("Kenya"); err != nil || len(none) != 0 {
		t.Errorf("cities named Kenya: %v, %v", none, err)
	}
}

func TestNames(t *testing.T) {
	names, err := open(t).Gazetteer().Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Kenya", "ivory coast", "nino 3.4", "Nairobi", "Copenhagen", "usa"} {
		if _, found := slices.BinarySearch(names, want); !found {
			t.Errorf("%q is not among the names", want)
		}
	}
	if _, found := slices.BinarySearch(names, "KEN"); found {
		t.Error("a code is among the names")
	}
}

func TestNearestCities(t *testing.T) {
	g := open(t).Gazetteer()
	nairobi, err := g.City("Nairobi")
	if err != nil {
		t.Fatal(err)
	}
	flat := func(p catalog.Place) (float64, bool) {
		return math.Hypot(p.Latitude-nairobi.Latitude, p.Longitude-nairobi.Longitude), p.Name != "Nairobi"
	}
	near, err := g.Nearest(ctx, 3, 1e6, flat)
	if err != nil || len(near) != 3 || near[0].Name != "Kampala" {
		t.Errorf("nearest cities of a million: %v, %v", near, err)
	}
	for _, p := range near {
		if p.Population < 1e6 || p.Name == "Nairobi" {
			t.Errorf("%s with %g people", p.Name, p.Population)
		}
	}
	if none, err := g.Nearest(ctx, 0, 0, flat); err != nil || len(none) != 0 {
		t.Errorf("nearest 0: %v, %v", none, err)
	}
}

func TestRegions(t *testing.T) {
	regions, err := open(t).Gazetteer().Regions()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range regions {
		names = append(names, r.Name)
	}
	if want := []string{"nino12", "nino3", "nino34", "nino4"}; !slices.Equal(names, want) {
		t.Errorf("regions %v, want %v", names, want)
	}
}
