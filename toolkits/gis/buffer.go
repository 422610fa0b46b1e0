package gis

import (
	"context"
	"math"

	"almanac/toolkits"
	"almanac/toolkits/geodesy"
	"almanac/toolkits/vector"
	"almanac/toolkits/zonal"

	"github.com/paulmach/orb"
)

// Limits of gis.buffer.
const (
	circlePoints = 720   // corners of a circle around a place
	circleMost   = 9900  // km, so that no circle holds both poles
	shapeMost    = 1000  // km around a shape
	sidesMost    = 10000 // sides of a shape, after simplification
)

type bufferIn struct {
	Zones    *toolkits.Zones `arg:"zones,optional" doc:"a country, shape or point to go around; give this or place" alias:"zone,area,region,geometry,polygon"`
	Place    *toolkits.Place `arg:"place,optional" doc:"a place to go around; give this or zones" alias:"point,location,center,centre,city"`
	Distance float64         `arg:"distance" doc:"how far" unit:"km" min:"0.001" alias:"radius,km,buffer"`
}

type bufferOut struct {
	Zone *vector.Features `out:"zone" doc:"everything within the distance, the place or shape included" alias:"zones,buffer,circle"`
}

func bufferTool() *toolkits.Tool {
	return toolkits.New("gis.buffer", buffer, toolkits.Doc{
		Group:   group,
		Purpose: "Make the area within a distance of a place or shape.",
		Details: "Around a place: the 720 end points of geodesics of that length on the WGS84 ellipsoid, up to 9,900 km; a circle over a pole holds it. " +
			"Around a shape: the union of the shape with geodesic circles along its border, after leaving out vertices that move the border by less than half a percent of the distance; " +
			"up to 1,000 km, 10,000 sides, and away from the poles. Zones and place must not both be given.",
		Examples: []string{
			"Everything within 150 km of Darwin.",
			"Draw a circle of 20 miles around the power plant at 47 N, 1 E.",
			"Which area lies less than 200 km off Sri Lanka?",
			"Give me the surroundings of Accra.",
			"Extend the box by half a degree's length, 55 km.",
		},
	})
}

func buffer(ctx context.Context, args bufferIn) (bufferOut, error) {
	if (args.Zones == nil) == (args.Place == nil) {
		return bufferOut{}, toolkits.Errorf(toolkits.BadArgument, "exactly one of zones and place is wanted")
	}
	if args.Place != nil {
		return around(*args.Place, args.Distance)
	}
	features := args.Zones.Features
	if p, ok := singlePoint(features); ok {
		return around(p, args.Distance)
	}
	polygons, err := zonal.Polygons(features)
	if err != nil {
		return bufferOut{}, zonal.Fault(err)
	}
	g, err := widen(ctx, polygons, args.Distance)
	if err != nil {
		return bufferOut{}, err
	}
	return bufferOut{zone(g)}, nil
}

func zone(g orb.Geometry) *vector.Features {
	return &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{ID: "buffer", Geometry: g}}}
}

// singlePoint is the place that features of one point stand for.
func singlePoint(f *vector.Features) (toolkits.Place, bool) {
	if f.CRS != vector.WGS84 || len(f.Features) != 1 {
		return toolkits.Place{}, false
	}
	p, ok := f.Features[0].Geometry.(orb.Point)
	if !ok || !(math.Abs(p[1]) <= 90 && math.Abs(p[0]) <= 720) {
		return toolkits.Place{}, false
	}
	return toolkits.Place{Latitude: p[1], Longitude: p[0]}, true
}

func around(p toolkits.Place, km float64) (bufferOut, error) {
	if km > circleMost {
		return bufferOut{}, toolkits.Errorf(toolkits.TooLarge, "a circle of %g km holds most of the Earth; up to %d km are possible", km, circleMost)
	}
	return bufferOut{zone(orb.Polygon{circle(position(p), km, circlePoints)})}, nil
}

// circle is the ring of points at the distance, counter-clockwise. Where it holds a pole its longitudes go once round
// and it is closed along the pole.
func circle(centre geodesy.Point, km float64, n int) orb.Ring {
	ring := make(orb.Ring, 0, n+3)
	for i := range n { // azimuths from 360 down: counter-clockwise
		end, _ := geodesy.Direct(centre, 360-360*float64(i)/float64(n), km)
		lon := end.Longitude
		if i > 0 {
			lon = ring[i-1][0] + math.Remainder(lon-ring[i-1][0], 360)
		}
		ring = append(ring, orb.Point{lon, end.Latitude})
	}
	turn := ring[n-1][0] + math.Remainder(ring[0][0]-ring[n-1][0], 360) - ring[0][0]
	if math.Abs(turn) > 180 { // round a pole
		pole := math.Copysign(90, centre.Latitude)
		return append(ring, orb.Point{ring[0][0] + turn, ring[0][1]}, orb.Point{ring[0][0] + turn, pole}, orb.Point{ring[0][0], pole}, ring[0])
	}
	return append(ring, ring[0])
}
