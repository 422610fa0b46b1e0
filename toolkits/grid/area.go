package grid

import (
	"fmt"
	"math"
)

// The WGS84 ellipsoid.
const (
	semiMajorAxis = 6378.137 // km
	flattening    = 1 / 298.257223563
)

// BandArea is the area in km2, on the WGS84 ellipsoid, between two latitudes
// and over a width of longitude in degrees. It is exact: the integral behind
// the authalic latitude (Snyder, Map Projections, USGS 1395, eq. 3-12).
func BandArea(south, north, width float64) float64 {
	return width * math.Pi / 180 * (authalic(north) - authalic(south))
}

// authalic is the area in km2 per radian of longitude from the equator to a
// latitude in degrees.
func authalic(lat float64) float64 {
	e2 := flattening * (2 - flattening)
	e := math.Sqrt(e2)
	s := math.Sin(lat * math.Pi / 180)
	q := s/(1-e2*s*s) + math.Atanh(e*s)/e
	return semiMajorAxis * semiMajorAxis * (1 - e2) / 2 * q
}

// CellArea is the area of a cell in km2.
func (r *Raster) CellArea(row, col int) float64 {
	return BandArea(r.LatEdges[row], r.LatEdges[row+1], r.LonEdges[col+1]-r.LonEdges[col])
}

// Areas are the areas [lat][lon] of all cells in km2.
func (r *Raster) Areas() []float64 {
	areas := make([]float64, 0, len(r.Lat)*len(r.Lon))
	for row := range r.Lat {
		perDegree := BandArea(r.LatEdges[row], r.LatEdges[row+1], 1)
		for col := range r.Lon {
			areas = append(areas, perDegree*(r.LonEdges[col+1]-r.LonEdges[col]))
		}
	}
	return areas
}

// AreaMean is the mean of one step over all cells that have a value, weighted
// by their area on the ellipsoid, and the number of those cells. Without any
// the error wraps ErrEmpty.
func (r *Raster) AreaMean(step int) (mean float64, valid int, err error) {
	sum, weight := 0.0, 0.0
	areas := r.Areas()
	for i, v := range r.Field(step) {
		if v != v {
			continue
		}
		sum += v * areas[i]
		weight += areas[i]
		valid++
	}
	if valid == 0 {
		return math.NaN(), 0, fmt.Errorf("grid: mean of %s: %w: all %d cells are missing", r.Variable, ErrEmpty, len(areas))
	}
	return sum / weight, valid, nil
}
