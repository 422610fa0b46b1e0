package vector

import (
	"fmt"
	"strconv"

	"github.com/paulmach/orb"
)

// scanner reads the nested arrays of a GeoJSON "coordinates" member. The bytes
// are valid JSON already (encoding/json has been over them), so that only the
// shape has to be checked: the depth of nesting, and two to four finite numbers
// in a position.
type scanner struct {
	data []byte
	at   int
}

func (s *scanner) space() {
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) take(c byte) bool {
	s.space()
	if s.at < len(s.data) && s.data[s.at] == c {
		s.at++
		return true
	}
	return false
}

// list calls item for each element of an array.
func (s *scanner) list(item func() error) error {
	if !s.take('[') {
		return fmt.Errorf("expected [ at byte %d of the coordinates", s.at)
	}
	if s.take(']') {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if s.take(']') {
			return nil
		}
		if !s.take(',') {
			return fmt.Errorf("expected , or ] at byte %d of the coordinates", s.at)
		}
	}
}

func (s *scanner) number() (float64, error) {
	s.space()
	start := s.at
	for s.at < len(s.data) {
		c := s.data[s.at]
		if c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E' {
			s.at++
			continue
		}
		break
	}
	v, err := strconv.ParseFloat(string(s.data[start:s.at]), 64)
	if err != nil {
		return 0, fmt.Errorf("expected a number at byte %d of the coordinates", start)
	}
	return v, nil
}

// point reads a position; height and measure are dropped.
func (s *scanner) point() (orb.Point, error) {
	var p orb.Point
	n := 0
	err := s.list(func() error {
		v, err := s.number()
		if err != nil {
			return err
		}
		if n < 2 {
			p[n] = v
		}
		n++
		return nil
	})
	if err == nil && (n < 2 || n > 4) {
		err = fmt.Errorf("a position of %d numbers at byte %d of the coordinates; expected longitude and latitude", n, s.at)
	}
	return p, err
}

// points reads an array of positions.
func (s *scanner) points() ([]orb.Point, error) {
	var out []orb.Point
	err := s.list(func() error {
		p, err := s.point()
		out = append(out, p)
		return err
	})
	return out, err
}

func (s *scanner) polygon() (orb.Polygon, error) {
	var out orb.Polygon
	err := s.list(func() error {
		p, err := s.points()
		out = append(out, orb.Ring(p))
		return err
	})
	return out, err
}

func (s *scanner) lines() (orb.MultiLineString, error) {
	var out orb.MultiLineString
	err := s.list(func() error {
		p, err := s.points()
		out = append(out, orb.LineString(p))
		return err
	})
	return out, err
}

func (s *scanner) polygons() (orb.MultiPolygon, error) {
	var out orb.MultiPolygon
	err := s.list(func() error {
		p, err := s.polygon()
		out = append(out, p)
		return err
	})
	return out, err
}

// geometryOf reads the coordinates of a geometry of the given type.
func geometryOf(kind string, data []byte) (orb.Geometry, error) {
	s := &scanner{data: data}
	var g orb.Geometry
	var err error
	switch kind {
	case "Point":
		g, err = s.point()
	case "MultiPoint":
		var p []orb.Point
		p, err = s.points()
		g = orb.MultiPoint(p)
	case "LineString":
		var p []orb.Point
		p, err = s.points()
		g = orb.LineString(p)
	case "MultiLineString":
		g, err = s.lines()
	case "Polygon":
		g, err = s.polygon()
	case "MultiPolygon":
		g, err = s.polygons()
	default:
		return nil, fmt.Errorf("unknown geometry type %q", kind)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return g, nil
}
