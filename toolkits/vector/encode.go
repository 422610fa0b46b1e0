package vector

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"almanac/internal/canonical"

	"github.com/paulmach/orb"
)

const encodingName = "almanac vector 1"

// Geometry tags of the canonical encoding.
const (
	tagPoint = iota + 1
	tagMultiPoint
	tagLineString
	tagMultiLineString
	tagPolygon
	tagMultiPolygon
	tagCollection
)

// Canonical is the one encoding of reference system, shapes and properties that
// an artifact's hash covers. Source and licence are not in it. The order of
// features and of vertices counts.
func (f *Features) Canonical() ([]byte, error) {
	w := &canonical.Writer{}
	if err := f.encode(w); err != nil {
		return nil, err
	}
	return w.Bytes, nil
}

func (f *Features) encode(w *canonical.Writer) error {
	w.String(encodingName)
	w.String(f.CRS)
	length(w, len(f.Features))
	for i, feature := range f.Features {
		w.String(feature.ID)
		properties := "{}"
		if len(feature.Properties) > 0 {
			b, err := json.Marshal(feature.Properties) // keys come out sorted
			if err != nil {
				return fmt.Errorf("vector: encoding the properties of feature %d: %w", i+1, err)
			}
			properties = string(b)
		}
		w.String(properties)
		if err := encodeGeometry(w, feature.Geometry); err != nil {
			return fmt.Errorf("vector: encoding feature %d: %w", i+1, err)
		}
	}
	return nil
}

// MarshalBinary is Canonical followed by source and licence.
func (f *Features) MarshalBinary() ([]byte, error) {
	w := &canonical.Writer{}
	if err := f.encode(w); err != nil {
		return nil, err
	}
	w.String(f.Source)
	w.String(f.Licence)
	return w.Bytes, nil
}

func encodeGeometry(w *canonical.Writer, g orb.Geometry) error {
	line := func(points []orb.Point) {
		length(w, len(points))
		for _, p := range points {
			w.Float(p[0])
			w.Float(p[1])
		}
	}
	polygon := func(p orb.Polygon) {
		length(w, len(p))
		for _, r := range p {
			line(r)
		}
	}
	switch g := g.(type) {
	case orb.Point:
		w.Int(tagPoint)
		w.Float(g[0])
		w.Float(g[1])
	case orb.MultiPoint:
		w.Int(tagMultiPoint)
		line(g)
	case orb.LineString:
		w.Int(tagLineString)
		line(g)
	case orb.MultiLineString:
		w.Int(tagMultiLineString)
		length(w, len(g))
		for _, l := range g {
			line(l)
		}
	case orb.Ring:
		w.Int(tagPolygon)
		polygon(orb.Polygon{g})
	case orb.Bound:
		w.Int(tagPolygon)
		polygon(g.ToPolygon())
	case orb.Polygon:
		w.Int(tagPolygon)
		polygon(g)
	case orb.MultiPolygon:
		w.Int(tagMultiPolygon)
		length(w, len(g))
		for _, p := range g {
			polygon(p)
		}
	case orb.Collection:
		w.Int(tagCollection)
		length(w, len(g))
		for _, member := range g {
			if err := encodeGeometry(w, member); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("%w: it has no geometry", ErrInvalid)
	}
	return nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Bytes from anywhere are safe:
// a fault is an error that wraps canonical.ErrFormat.
func (f *Features) UnmarshalBinary(data []byte) error {
	r := canonical.NewReader(data)
	if name := r.String(); r.Err() == nil && name != encodingName {
		r.Fail("not vector features")
	}
	out := Features{CRS: r.String()}
	for n := r.Length(4); n > 0 && r.Err() == nil; n-- {
		feature := Feature{ID: r.String()}
		if err := json.Unmarshal([]byte(r.String()), &feature.Properties); err != nil && r.Err() == nil {
			r.Fail("the properties of feature %d: %v", len(out.Features)+1, err)
		}
		feature.Geometry = decodeGeometry(r, 0)
		out.Features = append(out.Features, feature)
	}
	out.Source, out.Licence = r.String(), r.String()
	if err := r.End(); err != nil {
		return fmt.Errorf("vector: decoding: %w", err)
	}
	*f = out
	return nil
}

func decodeGeometry(r *canonical.Reader, depth int) orb.Geometry {
	switch tag := r.Int(); tag {
	case tagPoint:
		return orb.Point{r.Float(), r.Float()}
	case tagMultiPoint:
		return orb.MultiPoint(decodePoints(r))
	case tagLineString:
		return orb.LineString(decodePoints(r))
	case tagMultiLineString:
		var out orb.MultiLineString
		for n := r.Length(1); n > 0 && r.Err() == nil; n-- {
			out = append(out, orb.LineString(decodePoints(r)))
		}
		return out
	case tagPolygon:
		return decodePolygon(r)
	case tagMultiPolygon:
		var out orb.MultiPolygon
		for n := r.Length(1); n > 0 && r.Err() == nil; n-- {
			out = append(out, decodePolygon(r))
		}
		return out
	case tagCollection:
		var out orb.Collection
		if depth > maxDepth {
			r.Fail("collections nested deeper than %d", maxDepth)
		}
		for n := r.Length(2); n > 0 && r.Err() == nil; n-- {
			out = append(out, decodeGeometry(r, depth+1))
		}
		return out
	default:
		r.Fail("unknown geometry tag %d", tag)
		return orb.Collection(nil)
	}
}

func decodePolygon(r *canonical.Reader) orb.Polygon {
	var out orb.Polygon
	for n := r.Length(1); n > 0 && r.Err() == nil; n-- {
		out = append(out, orb.Ring(decodePoints(r)))
	}
	return out
}

func decodePoints(r *canonical.Reader) []orb.Point {
	n := r.Length(16)
	if n == 0 {
		return nil
	}
	out := make([]orb.Point, n)
	for i := range out {
		out[i] = orb.Point{r.Float(), r.Float()}
	}
	return out
}

// length writes a count as canonical.Reader.Length reads it.
func length(w *canonical.Writer, n int) { w.Bytes = binary.AppendUvarint(w.Bytes, uint64(n)) }
