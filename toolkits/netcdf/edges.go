package netcdf

import (
	"fmt"
	"math"

	"almanac/toolkits/grid"
)

const (
	edgeTolerance = 1e-4 // degrees; bounds are often float32
	// circleSlack is the part of a cell by which rounded coordinates of a
	// whole circle may miss 360 degrees: 4320 steps of 0.083334 miss it by 4 %.
	circleSlack = 0.1
)

// joinEdges turns the bounds of cells, or nil, into one ascending list.
func joinEdges(c coordinate, centres []float64, bounds [][2]float64) ([]float64, error) {
	if bounds == nil {
		return midEdges(c, centres)
	}
	edges := make([]float64, len(centres)+1)
	for i, x := range centres {
		b := bounds[i]
		if c.kind == axisLon {
			shift := 360 * math.Round((x-(b[0]+b[1])/2)/360)
			b[0], b[1] = b[0]+shift, b[1]+shift
		}
		if x < b[0]-edgeTolerance || x > b[1]+edgeTolerance || b[0] >= b[1] {
			return nil, fmt.Errorf("netcdf: coordinate %q: %w: %g lies outside its bounds %g and %g", c.variable.Name, ErrFormat, x, b[0], b[1])
		}
		if i > 0 && math.Abs(edges[i]-b[0]) > edgeTolerance {
			return nil, fmt.Errorf("netcdf: coordinate %q: %w: the bounds %g and %g of neighbouring cells leave a gap or overlap", c.variable.Name, ErrUnsupported, edges[i], b[0])
		}
		if i == 0 {
			edges[0] = b[0]
		}
		edges[i+1] = b[1]
	}
	return closed(c, edges, centres)
}

// midEdges places edges halfway; a single cell without bounds has no size.
func midEdges(c coordinate, centres []float64) ([]float64, error) {
	if len(centres) == 1 {
		return nil, fmt.Errorf("netcdf: coordinate %q has one value and no bounds: %w: the size of its cell is unknown", c.variable.Name, ErrUnsupported)
	}
	if c.kind == axisLat {
		return grid.LatMidEdges(centres, 0), nil
	}
	return closed(c, grid.MidEdges(centres, 0), centres)
}

// closed makes the edges of a full circle meet exactly, latitudes end at the
// poles, and rounded bounds enclose their centres.
func closed(c coordinate, edges, centres []float64) ([]float64, error) {
	n := len(centres)
	if c.kind == axisLat {
		edges[0], edges[n] = max(edges[0], -90), min(edges[n], 90)
	} else if span := edges[n] - edges[0]; math.Abs(span-360) < circleSlack*span/float64(n) {
		edges[n] = edges[0] + 360
	} else if span > 360 {
		return nil, fmt.Errorf("netcdf: coordinate %q: %w: its cells cover %g degrees", c.variable.Name, ErrFormat, span)
	}
	for i, x := range centres {
		edges[i] = min(edges[i], x)
		edges[i+1] = max(edges[i+1], x)
	}
	return edges, nil
}
