// Package zonal finds which part of every cell of a grid lies inside an area, and takes statistics with these parts as
// weights.
//
// The part is exact: the shape is clipped by the cell, its sides straight in longitude and latitude, and the area of
// what remains is taken on the WGS84 ellipsoid. An area smaller than a cell therefore has that cell's value, and cells
// on a border count as much as lies inside. Only cells that a side runs through are clipped; for the cells between,
// one sweep from north to south carries the widths on. The cost is that of the sides plus one pass over the cells of the
// bounding box.
//
// Longitudes may be in any convention; shapes may be cut at the antimeridian or drawn on past it. Rings may be wound
// either way.
package zonal

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"almanac/toolkits/geodesy"
	"almanac/toolkits/grid"
	"almanac/toolkits/vector"

	"github.com/paulmach/orb"
)

// The faults of an area. Errors of [Cover] wrap one of them, or geodesy.ErrNoArea.
var (
	ErrCRS     = errors.New("not in longitude and latitude")
	ErrEmpty   = errors.New("no area")
	ErrShape   = errors.New("shapes that overlap or cross themselves")
	ErrOutside = errors.New("outside the grid")
)

// Smallest is the share of a cell below which it counts as untouched: what rounding leaves along a shared edge.
const Smallest = 1e-9

// Cell is a cell that has a part inside the area.
type Cell struct {
	Index int     // row × number of columns + column
	Share float64 // of the cell that is inside, above 0 up to 1
	Area  float64 // km2 of the part inside
}

// Coverage is an area as parts of cells.
type Coverage struct {
	Cells   []Cell  // by index
	Inside  float64 // km2 of the area on the grid
	Outside float64 // km2 of the area beyond the edges of the grid
}

// Cover finds the cells of r's grid that have a part inside the features, taken together. An area that does not touch
// the grid is an error that wraps [ErrOutside].
func Cover(r *grid.Raster, zones *vector.Features) (*Coverage, error) {
	polygons, err := Polygons(zones)
	if err != nil {
		return nil, err
	}
	if err := Geographic(r); err != nil {
		return nil, err
	}
	total := 0.0
	s := &sweeper{lon: r.LonEdges, lat: r.LatEdges}
	for _, p := range polygons {
		total += geodesy.PolygonArea(p)
		s.polygon(p)
	}
	if total <= 0 {
		return nil, fmt.Errorf("zonal: the area has %w: its rings enclose nothing", ErrEmpty)
	}
	return s.coverage(r, total)
}

// CoverMost is [Cover] for tools that speak of the whole area: when less than 95 % of it lies on the grid, the error
// wraps [ErrOutside] and says how much.
func CoverMost(r *grid.Raster, zones *vector.Features) (*Coverage, error) {
	c, err := Cover(r, zones)
	if err != nil {
		return nil, err
	}
	if share := c.Inside / (c.Inside + c.Outside); share < 0.95 {
		return nil, fmt.Errorf("zonal: the area is to %.1f %% %w, which covers %s (west, south, east, north)", 100*(1-share), ErrOutside, r.Extent())
	}
	return c, nil
}

// Geographic refuses a field that is not in longitude and latitude.
func Geographic(r *grid.Raster) error {
	if r.CRS != vector.WGS84 {
		return fmt.Errorf("zonal: the field is in %s: %w (%s)", r.CRS, ErrCRS, vector.WGS84)
	}
	return nil
}

// Polygons lists the polygons of features in longitude and latitude.
func Polygons(zones *vector.Features) ([]orb.Polygon, error) {
	if zones == nil || len(zones.Features) == 0 {
		return nil, fmt.Errorf("zonal: the area has %w: there are no features", ErrEmpty)
	}
	var polygons []orb.Polygon
	for _, f := range zones.Features {
		if zones.CRS != vector.WGS84 {
			return nil, fmt.Errorf("zonal: the area is in %s: %w (%s)%s", zones.CRS, ErrCRS, vector.WGS84, pasted(f.Geometry))
		}
		p, err := geodesy.Polygons(f.Geometry)
		if err != nil {
			return nil, err
		}
		polygons = append(polygons, p...)
	}
	for _, p := range polygons {
		for _, ring := range p {
			for _, v := range ring {
				if !(math.Abs(v[1]) <= 90 && math.Abs(v[0]) <= 720) {
					return nil, fmt.Errorf("zonal: %w: the vertex longitude %g, latitude %g is on no map (are they swapped?)", ErrCRS, v[0], v[1])
				}
			}
		}
	}
	return polygons, nil
}

// pasted is a hint for a shape whose label cannot be right.
func pasted(g orb.Geometry) string {
	if g == nil {
		return ""
	}
	b := g.Bound()
	if math.Abs(b.Min[0]) <= 360 && math.Abs(b.Max[0]) <= 360 && math.Abs(b.Min[1]) <= 90 && math.Abs(b.Max[1]) <= 90 {
		return "; its coordinates look like degrees, so the label may be wrong"
	}
	return ""
}

// sweeper collects the parts of cells of one grid.
type sweeper struct {
	lon, lat []float64 // edges
	parts    []part
	windows  int

	area, width []float64 // of the window at work, reused
}

type part struct {
	index int
	area  float64
}

func (s *sweeper) coverage(r *grid.Raster, total float64) (*Coverage, error) {
	if s.windows > 1 {
		slices.SortFunc(s.parts, func(a, b part) int { return a.index - b.index })
	}
	c := &Coverage{Cells: make([]Cell, 0, len(s.parts))}
	cols := len(s.lon) - 1
	for i := 0; i < len(s.parts); {
		index, area := s.parts[i].index, 0.0
		for ; i < len(s.parts) && s.parts[i].index == index; i++ {
			area += s.parts[i].area
		}
		cell := r.CellArea(index/cols, index%cols)
		share := area / cell
		switch {
		case share > 1+1e-6 || share < -1e-6:
			return nil, fmt.Errorf("zonal: the area has %w: %.3f of the cell at latitude %g, longitude %g would be inside", ErrShape, share, r.Lat[index/cols], r.Lon[index%cols])
		case share > 1:
			share, area = 1, cell
		case share < Smallest:
			continue
		}
		c.Cells = append(c.Cells, Cell{index, share, area})
		c.Inside += area
	}
	c.Outside = max(0, total-c.Inside)
	if len(c.Cells) == 0 {
		return nil, fmt.Errorf("zonal: the area is %w, which covers %s (west, south, east, north)", ErrOutside, r.Extent())
	}
	return c, nil
}

// polygon adds the parts of one polygon, in every turn round the Earth in which it meets the grid.
func (s *sweeper) polygon(p orb.Polygon) {
	if len(p) == 0 {
		return
	}
	b := p[0].Bound()
	west, east := s.lon[0], s.lon[len(s.lon)-1]
	if b.Max[1] <= s.lat[0] || b.Min[1] >= s.lat[len(s.lat)-1] {
		return
	}
	first := math.Ceil((west - b.Max[0]) / 360)
	last := math.Floor((east - b.Min[0]) / 360)
	for turn := first; turn <= last; turn++ {
		s.window(p, b, turn*360)
	}
}

// window adds the parts of one polygon moved east by shift.
func (s *sweeper) window(p orb.Polygon, b orb.Bound, shift float64) {
	w := window{
		s:    s,
		col0: cellBelow(s.lon, b.Min[0]+shift), col1: cellBelow(s.lon, b.Max[0]+shift) + 1,
		row0: cellBelow(s.lat, b.Min[1]), row1: cellBelow(s.lat, b.Max[1]) + 1,
	}
	n := (w.col1 - w.col0) * (w.row1 - w.row0)
	s.area, s.width = cleared(s.area, n), cleared(s.width, n)
	for i, ring := range p {
		sign := 1.0
		if (signedArea(ring) < 0) != (i > 0) {
			sign = -1 // outer rings counter-clockwise, holes clockwise
		}
		for j := range ring {
			a, b := ring[j], ring[(j+1)%len(ring)]
			if a[0] != b[0] {
				w.side(a[0]+shift, a[1], b[0]+shift, b[1], sign)
			}
		}
	}
	w.sweep()
	s.windows++
}

func cleared(buf []float64, n int) []float64 {
	if cap(buf) < n {
		return make([]float64, n)
	}
	buf = buf[:n]
	clear(buf)
	return buf
}

// signedArea is the plane area of a ring times two: enough to see how it is wound.
func signedArea(r orb.Ring) float64 {
	sum := 0.0
	for i := range r {
		a, b := r[i], r[(i+1)%len(r)]
		sum += (a[0]-r[0][0])*(b[1]-r[0][1]) - (b[0]-r[0][0])*(a[1]-r[0][1])
	}
	return sum
}

// cellBelow is the cell whose lower edge is the last one not above x, kept inside the grid.
func cellBelow(edges []float64, x float64) int {
	i, found := slices.BinarySearch(edges, x)
	if !found {
		i--
	}
	return min(max(i, 0), len(edges)-2)
}
