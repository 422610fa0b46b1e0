package toolkits

import (
	"context"
	"errors"
	"math"

	"almanac/toolkits/artifact"
	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
)

// Place is a point with a name. A parameter of this type takes a place name, a record {latitude, longitude}, or a
// vector artifact of one point.
type Place struct {
	Name       string
	Latitude   float64 // degrees_north
	Longitude  float64 // degrees_east, -180..180
	Country    string
	Population float64 // 0 where unknown
}

// IsZero reports whether p was left out.
func (p Place) IsZero() bool { return p == Place{} }

// Zones is one or more areas. A parameter of this type takes a vector artifact, a box {west, south, east, north} in
// degrees (west > east crosses the antimeridian), or the name of a place that has a boundary.
type Zones struct {
	*vector.Features
	Hash artifact.Hash // of the vector artifact that the zones are
	Name string        // the place's name when they came from one
}

// Gazetteer finds places by name. Its errors are [*Error] with code not_found and the nearest names.
type Gazetteer interface {
	Place(ctx context.Context, name string) (Place, error)
	Boundary(ctx context.Context, name string) (*vector.Features, error)
}

// BoxZone makes the area of a box in degrees. A box that crosses the antimeridian is drawn on past 180°.
func BoxZone(west, south, east, north float64) (*vector.Features, error) {
	switch {
	case !(south >= -90 && north <= 90 && south < north):
		return nil, Errorf(BadArgument, "a box needs -90 <= south < north <= 90, not south %g, north %g (are latitude and longitude swapped?)", south, north)
	case math.Abs(west) > 360 || math.Abs(east) > 360 || math.IsNaN(west+east):
		return nil, Errorf(BadArgument, "a box needs west and east in degrees, not west %g, east %g", west, east)
	case west == east:
		return nil, Errorf(BadArgument, "a box of no width: west and east are both %g", west)
	}
	if west > east {
		east += 360
	}
	if east-west > 360 {
		return nil, Errorf(BadArgument, "a box spans at most 360 degrees, not %g", east-west)
	}
	ring := orb.Ring{{west, south}, {east, south}, {east, north}, {west, north}, {west, south}}
	return &vector.Features{CRS: vector.WGS84, Features: []vector.Feature{{ID: "box", Geometry: orb.Polygon{ring}}}}, nil
}

// boxOf reads a record {west, south, east, north}.
func boxOf(v Value) (*vector.Features, error) {
	var side [4]float64
	for i, name := range []string{"west", "south", "east", "north"} {
		x, ok := v.Record[name]
		if !ok || !x.IsNumber() {
			return nil, Errorf(BadArgument, "a box is {west, south, east, north} in degrees; %s is missing or no number", name)
		}
		side[i] = x.Number
	}
	if len(v.Record) != 4 {
		return nil, Errorf(BadArgument, "a box is {west, south, east, north} and nothing else")
	}
	return BoxZone(side[0], side[1], side[2], side[3])
}

// corners are the sides of a box: west, south, east, north.
func corners(v Value) []float64 {
	return []float64{v.Record["west"].Number, v.Record["south"].Number, v.Record["east"].Number, v.Record["north"].Number}
}

func (b *binder) zones(v Value) (*Zones, error) {
	switch {
	case v.Kind == artifact.KindVector:
		val, err := b.load(v)
		if err != nil {
			return nil, err
		}
		f, ok := val.(*vector.Features)
		if !ok {
			return nil, Errorf(Internal, "artifact %s is no vector", v.Hash.Short())
		}
		return &Zones{Features: f, Hash: v.Hash}, nil
	case v.Kind == KindRecord:
		f, err := boxOf(v)
		if err != nil {
			return nil, err
		}
		return b.keep(f, "")
	case v.Kind == KindString || v.Kind == KindPlace || v.Kind == artifact.KindText:
		f, err := b.env.Places.Boundary(b.ctx, v.Text)
		if err != nil {
			return nil, err
		}
		return b.keep(f, v.Text)
	}
	if v.Kind == KindList && len(v.List) == 1 {
		return b.zones(v.List[0])
	}
	return nil, Errorf(BadArgument, "an area is a vector, a box {west, south, east, north} or a place name, not %s", v.describe())
}

func (b *binder) keep(f *vector.Features, name string) (*Zones, error) {
	meta, err := b.env.Store.Put(b.ctx, f)
	if err != nil {
		return nil, err
	}
	return &Zones{Features: f, Hash: meta.Hash, Name: name}, nil
}

func (b *binder) place(v Value) (Place, error) {
	switch {
	case v.Kind == KindString || v.Kind == KindPlace || v.Kind == artifact.KindText:
		return b.env.Places.Place(b.ctx, v.Text)
	case v.Kind == KindRecord:
		lat, okLat := v.Record["latitude"]
		lon, okLon := v.Record["longitude"]
		if !okLat || !okLon || !lat.IsNumber() || !lon.IsNumber() || len(v.Record) != 2 {
			return Place{}, Errorf(BadArgument, "a point is {latitude, longitude} in degrees")
		}
		return point(lat.Number, lon.Number)
	case v.Kind == artifact.KindVector:
		val, err := b.load(v)
		if err != nil {
			return Place{}, err
		}
		f, ok := val.(*vector.Features)
		if !ok || len(f.Features) != 1 {
			return Place{}, Errorf(BadArgument, "a place is one point; this vector has several features")
		}
		if f.CRS != vector.WGS84 {
			return Place{}, Errorf(BadCRS, "the point is labelled %s; a place is wanted in longitude and latitude (%s)%s", f.CRS, vector.WGS84, looksLikeDegrees(f))
		}
		pt, ok := f.Features[0].Geometry.(orb.Point)
		if !ok {
			return Place{}, Errorf(BadArgument, "a place is one point, not a %s", f.Features[0].Geometry.GeoJSONType())
		}
		return point(pt.Lat(), pt.Lon())
	}
	return Place{}, Errorf(BadArgument, "a place is a name, {latitude, longitude} or a point, not %s", v.describe())
}

// looksLikeDegrees is a hint for coordinates whose label cannot be right.
func looksLikeDegrees(f *vector.Features) string {
	b := f.Features[0].Geometry.Bound()
	if math.Abs(b.Min[0]) <= 360 && math.Abs(b.Max[0]) <= 360 && math.Abs(b.Min[1]) <= 90 && math.Abs(b.Max[1]) <= 90 {
		return "; its coordinates look like degrees, so the label may be wrong"
	}
	return ""
}

func point(lat, lon float64) (Place, error) {
	if !(math.Abs(lat) <= 90) {
		return Place{}, Errorf(BadArgument, "latitude %g is not within -90 to 90 (are latitude and longitude swapped?)", lat)
	}
	if !(math.Abs(lon) <= 360) {
		return Place{}, Errorf(BadArgument, "longitude %g is not within -360 to 360", lon)
	}
	return Place{Latitude: lat, Longitude: math.Remainder(lon, 360)}, nil
}

// transient reports whether err may go away when the call is tried again.
func transient(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == Unavailable
}
