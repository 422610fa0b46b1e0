package gis

import (
	"context"

	"almanac/toolkits"
	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
)

type geocodeIn struct {
	Place toolkits.Place `arg:"place" doc:"name of a town, country or region, or a position" alias:"name,location,city,query"`
}

type geocodeOut struct {
	Point      *vector.Features `out:"point" doc:"the position"`
	Latitude   float64          `out:"latitude" unit:"degrees_north" doc:"latitude" alias:"lat"`
	Longitude  float64          `out:"longitude" unit:"degrees_east" doc:"longitude, -180 to 180" alias:"lon"`
	Population *float64         `out:"population" unit:"1" doc:"inhabitants with the suburbs; absent where unknown"`
	Country    *string          `out:"country" doc:"the country that a town is in; absent where unknown"`
}

func geocodeTool() *toolkits.Tool {
	return toolkits.New("gis.geocode", geocode, toolkits.Doc{
		Group:   group,
		Purpose: "Find the position of a place by its name, with its country and population.",
		Details: "Names are matched without letter case and accents. Of towns of one name the largest is meant; \"Paris, Texas\" narrows. " +
			"The position of a country is a point inside its largest part. An unknown name is an error that lists the nearest names.",
		Examples: []string{
			"Where is Ushuaia?",
			"At which latitude does Tromsø lie?",
			"How many people live in Lagos?",
			"Which country is Almaty in?",
			"Give the coordinates of Vancouver.",
			"Is Quito north or south of the equator?",
		},
		Resolver: true,
	})
}

func geocode(ctx context.Context, args geocodeIn) (geocodeOut, error) {
	p := args.Place
	f := &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{
		ID: p.Name, Geometry: orb.Point{p.Longitude, p.Latitude}, Properties: map[string]any{"name": p.Name},
	}}}
	out := geocodeOut{Point: f, Latitude: p.Latitude, Longitude: p.Longitude}
	if p.Population > 0 {
		out.Population = &p.Population
	}
	if p.Country != "" {
		out.Country = &p.Country
	}
	return out, ctx.Err()
}

type boundaryIn struct {
	Place *toolkits.Zones `arg:"place" doc:"name of a country or of a region such as nino34" alias:"name,country,region,area,zone"`
}

type boundaryOut struct {
	Zone *vector.Features `out:"zone" doc:"the outline, with all parts and holes" alias:"zones,boundary,geometry"`
	Name string           `out:"name" doc:"its name as the gazetteer has it"`
}

func boundaryTool() *toolkits.Tool {
	return toolkits.New("gis.boundary", boundary, toolkits.Doc{
		Group:   group,
		Purpose: "Get the outline of a country or named region.",
		Details: "Countries are Natural Earth's at 1:50 million; overseas parts that it counts as of the country belong to it. " +
			"A town has no outline: use gis.buffer for a distance around it. A box or shape is handed on as it is.",
		Examples: []string{
			"Give me the borders of Bolivia.",
			"Draw the outline of New Zealand.",
			"What shape does the Nino 1+2 box have?",
			"I need Madagascar as a polygon.",
			"Which area counts as Indonesia?",
		},
		Resolver: true,
	})
}

func boundary(ctx context.Context, args boundaryIn) (boundaryOut, error) {
	z := args.Place
	if len(z.Features.Features) == 0 {
		return boundaryOut{}, toolkits.Errorf(toolkits.EmptySelection, "the area has no shapes")
	}
	name := z.Name
	if f := z.Features.Features[0]; len(z.Features.Features) == 1 {
		if n := f.Text("name"); n != "" {
			name = n
		} else if name == "" {
			name = f.ID
		}
	}
	return boundaryOut{Zone: z.Features, Name: name}, ctx.Err()
}
