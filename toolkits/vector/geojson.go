package vector

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
)

// MaxGeoJSON is the most bytes that [ReadGeoJSON] reads.
const MaxGeoJSON = 256 << 20

// maxDepth bounds how deep geometry collections may be nested.
const maxDepth = 8

type jsonGeometry struct {
	Type        string          `json:"type"`
	Coordinates json.RawMessage `json:"coordinates"`
	Geometries  []*jsonGeometry `json:"geometries"`
}

type jsonObject struct {
	Type       string                     `json:"type"`
	ID         any                        `json:"id"`
	Properties map[string]json.RawMessage `json:"properties"`
	Geometry   *jsonGeometry              `json:"geometry"`
	Features   []jsonObject               `json:"features"`
	CRS        *struct {
		Properties struct {
			Name string `json:"name"`
		} `json:"properties"`
	} `json:"crs"`
	jsonGeometryBody
}

// jsonGeometryBody is there for a file that is a geometry and nothing else.
type jsonGeometryBody struct {
	Coordinates json.RawMessage `json:"coordinates"`
	Geometries  []*jsonGeometry `json:"geometries"`
}

// ReadGeoJSON reads a feature collection, a single feature or a bare geometry.
// Rings may be wound either way; they come back closed and normalized. The
// older "crs" member is honoured, without it the system is [WGS84]. A feature
// without geometry is an error, because nothing could be computed on it.
//
// An edge that spans more than half of the globe (but not all of it) is refused:
// it is either a shape that should have been cut at the antimeridian or a box
// too wide for its corners, and nothing in the file tells which.
//
// Errors wrap [ErrInvalid] and name feature and byte.
func ReadGeoJSON(r io.Reader) (*Features, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxGeoJSON+1))
	if err != nil {
		return nil, fmt.Errorf("vector: reading GeoJSON: %w", err)
	}
	if len(data) > MaxGeoJSON {
		return nil, fmt.Errorf("vector: %w: more than %d bytes of GeoJSON", ErrInvalid, MaxGeoJSON)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var top jsonObject
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, fmt.Errorf("vector: %w: not GeoJSON: %s", ErrInvalid, where(data, err))
	}
	out := &Features{CRS: WGS84}
	if top.CRS != nil {
		out.CRS = canonicalCRS(top.CRS.Properties.Name)
	}
	list := top.Features
	switch top.Type {
	case "FeatureCollection":
	case "Feature":
		list = []jsonObject{top}
	case "":
		return nil, fmt.Errorf("vector: %w: the file has no member \"type\"; is it GeoJSON?", ErrInvalid)
	default:
		g := &jsonGeometry{Type: top.Type, Coordinates: top.Coordinates, Geometries: top.Geometries}
		list = []jsonObject{{Type: "Feature", Geometry: g}}
	}
	for i := range list {
		f, err := readFeature(&list[i])
		if err != nil {
			return nil, fmt.Errorf("vector: %w: feature %d%s: %v", ErrInvalid, i+1, named(f), err)
		}
		out.Features = append(out.Features, f)
	}
	return out, nil
}

func named(f Feature) string {
	for _, s := range []string{f.Text("name"), f.ID} {
		if s != "" {
			return fmt.Sprintf(" (%s)", s)
		}
	}
	return ""
}

// where adds the line and column to an error of encoding/json.
func where(data []byte, err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	at := int64(-1)
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	if at < 0 || at > int64(len(data)) {
		return err.Error()
	}
	line := 1 + bytes.Count(data[:at], []byte("\n"))
	column := at - int64(bytes.LastIndexByte(data[:at], '\n')+1)
	return fmt.Sprintf("line %d, column %d: %v", line, column, err)
}

func readFeature(o *jsonObject) (Feature, error) {
	f := Feature{Properties: make(map[string]any, len(o.Properties))}
	switch id := o.ID.(type) {
	case string:
		f.ID = id
	case float64:
		f.ID = strconv.FormatFloat(id, 'f', -1, 64)
	}
	if o.Type != "Feature" {
		return f, fmt.Errorf("its type is %q, not Feature", o.Type)
	}
	for name, raw := range o.Properties {
		v, err := property(raw)
		if err != nil {
			return f, fmt.Errorf("property %s: %v", name, err)
		}
		f.Properties[name] = v
	}
	if o.Geometry == nil {
		return f, errors.New("it has no geometry")
	}
	g, err := o.Geometry.read(0)
	if err != nil {
		return f, err
	}
	f.Geometry, err = normalize(g)
	if err == nil {
		err = checkEdges(f.Geometry)
	}
	return f, err
}

func (g *jsonGeometry) read(depth int) (orb.Geometry, error) {
	if g == nil {
		return nil, errors.New("a geometry is null")
	}
	if g.Type != "GeometryCollection" {
		return geometryOf(g.Type, g.Coordinates)
	}
	if depth == maxDepth {
		return nil, fmt.Errorf("collections nested deeper than %d", maxDepth)
	}
	var out orb.Collection
	for _, member := range g.Geometries {
		part, err := member.read(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, part)
	}
	return out, nil
}

// property decodes a value. A whole number that a float64 cannot hold stays
// text, so that an identifier never turns into its neighbour.
func property(raw json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return plain(v), nil
}

func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil || math.Abs(f) >= 1<<53 && !strings.ContainsAny(v.String(), ".eE") {
			return v.String()
		}
		return f
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}

// canonicalCRS turns the spellings of a "crs" member into an authority code.
func canonicalCRS(name string) string {
	upper := strings.ToUpper(strings.TrimSpace(name))
	if strings.HasSuffix(upper, "CRS84") {
		return WGS84
	}
	if i := strings.Index(upper, "EPSG"); i >= 0 {
		code := upper[strings.LastIndexAny(upper, ":/")+1:]
		if _, err := strconv.Atoi(code); err == nil {
			return "EPSG:" + code
		}
	}
	return name
}

type outGeometry struct {
	Type        string         `json:"type"`
	Coordinates any            `json:"coordinates,omitempty"`
	Geometries  []*outGeometry `json:"geometries,omitempty"`
}

type outFeature struct {
	Type       string         `json:"type"`
	ID         string         `json:"id,omitempty"`
	Properties map[string]any `json:"properties"`
	Geometry   *outGeometry   `json:"geometry"`
}

// WriteGeoJSON writes f as a feature collection, a feature a line. GeoJSON
// knows one reference system; features in another one are an error that wraps
// [ErrCRS].
func WriteGeoJSON(w io.Writer, f *Features) error {
	if f.CRS != WGS84 {
		return fmt.Errorf("vector: writing GeoJSON: %w: features are in %s, GeoJSON is %s", ErrCRS, f.CRS, WGS84)
	}
	var b bytes.Buffer
	b.WriteString(`{"type":"FeatureCollection","features":[`)
	for i := range f.Features {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		line, err := json.Marshal(outFeature{"Feature", f.Features[i].ID, f.Features[i].Properties, outline(f.Features[i].Geometry)})
		if err != nil {
			return fmt.Errorf("vector: writing feature %d: %w", i+1, err)
		}
		b.Write(line)
	}
	b.WriteString("\n]}\n")
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("vector: writing GeoJSON: %w", err)
	}
	return nil
}

func outline(g orb.Geometry) *outGeometry {
	switch g := g.(type) {
	case orb.Collection:
		out := &outGeometry{Type: "GeometryCollection", Geometries: []*outGeometry{}}
		for _, member := range g {
			out.Geometries = append(out.Geometries, outline(member))
		}
		return out
	case orb.Ring:
		return &outGeometry{Type: "Polygon", Coordinates: orb.Polygon{g}}
	case orb.Bound:
		return &outGeometry{Type: "Polygon", Coordinates: g.ToPolygon()}
	case nil:
		return nil
	}
	return &outGeometry{Type: g.GeoJSONType(), Coordinates: g}
}
