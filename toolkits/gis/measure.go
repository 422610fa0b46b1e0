package gis

import (
	"context"
	"math"

	"almanac/toolkits"
	"almanac/toolkits/geodesy"
	"almanac/toolkits/zonal"
)

type areaIn struct {
	Zones *toolkits.Zones `arg:"zones" doc:"what to measure" alias:"zone,area,region,place,geometry,polygon,box,bbox,country"`
}

type areaOut struct {
	Area      float64 `out:"area" unit:"km2" doc:"area, holes taken off"`
	Perimeter float64 `out:"perimeter" unit:"km" doc:"length of all borders, those of holes too" alias:"border"`
	Parts     int     `out:"parts" unit:"1" doc:"polygons; a shape that was cut at the antimeridian has one on each side"`
}

func areaTool() *toolkits.Tool {
	return toolkits.New("gis.area", area, toolkits.Doc{
		Group:   group,
		Purpose: "Measure the area and border length of a country or shape.",
		Details: "On the WGS84 ellipsoid, by the integral behind the authalic latitude (Snyder, USGS 1395, eq. 3-12). Sides are straight in longitude and latitude, so a box " +
			"follows its parallels. Several shapes are added up. The cut of a shape at the antimeridian is no border. Border lengths depend on the detail of the outline " +
			"(1:50 million for countries).",
		Examples: []string{
			"How big is Paraguay?",
			"How long is the border of Lesotho?",
			"Of how many islands and pieces does Greece consist?",
			"What area does a box of 5 by 5 degrees at the equator have?",
			"Is Libya larger than Iran?",
		},
	})
}

func area(ctx context.Context, args areaIn) (areaOut, error) {
	polygons, err := zonal.Polygons(args.Zones.Features)
	if err != nil {
		return areaOut{}, zonal.Fault(err)
	}
	var out areaOut
	for _, p := range polygons {
		out.Area += geodesy.PolygonArea(p)
	}
	if out.Area <= 0 {
		return out, toolkits.Errorf(toolkits.EmptySelection, "the rings enclose no area")
	}
	out.Perimeter = geodesy.Perimeter(polygons)
	out.Parts = len(polygons)
	return out, ctx.Err()
}

type distanceIn struct {
	A toolkits.Place `arg:"a" doc:"from here" alias:"from,start,origin,place1,point1,place_a"`
	B toolkits.Place `arg:"b" doc:"to here" alias:"to,end,destination,place2,point2,place_b"`
}

type distanceOut struct {
	Distance       float64 `out:"distance" unit:"km" doc:"length of the shortest line on the ellipsoid"`
	InitialBearing float64 `out:"initial_bearing" unit:"degree" doc:"direction at the start, clockwise from north, 0 up to 360" alias:"bearing,azimuth"`
}

func distanceTool() *toolkits.Tool {
	return toolkits.New("gis.distance", distance, toolkits.Doc{
		Group:   group,
		Purpose: "Measure the distance between two places and the direction from the first to the second.",
		Details: "Geodesic on the WGS84 ellipsoid (Karney 2013), exact to a micrometre; not a route by road. Of a country its inner point is taken. " +
			"For places that coincide the direction is 0.",
		Examples: []string{
			"How far is it from Cape Town to Perth?",
			"Which way must I fly from Santiago to reach Auckland?",
			"How many kilometres separate Oslo and Bergen?",
			"Is Kampala nearer to Kigali or to Mombasa?",
			"What is the distance between 10 N 20 E and 15 N 25 E?",
		},
	})
}

func distance(ctx context.Context, args distanceIn) (distanceOut, error) {
	km, bearing, _ := geodesy.Inverse(position(args.A), position(args.B))
	return distanceOut{Distance: km, InitialBearing: compass(bearing)}, ctx.Err()
}

func position(p toolkits.Place) geodesy.Point {
	return geodesy.Point{Latitude: p.Latitude, Longitude: p.Longitude}
}

// compass brings an azimuth into [0, 360).
func compass(azimuth float64) float64 {
	a := math.Mod(azimuth, 360)
	if a < 0 {
		a += 360
	}
	if a >= 360 {
		a = 0
	}
	return a
}
