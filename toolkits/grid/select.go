package grid

import (
	"fmt"
	"math"
	"slices"

	"almanac/toolkits/cftime"
)

// SelectBox keeps the cells whose centre lies in the box, edges included; a
// box too small for any centre keeps the cells that it touches. Longitudes
// come back ascending in the convention of the box's west, so a box over the
// seam of the grid is one piece. The error wraps ErrEmpty.
func (r *Raster) SelectBox(b Box) (*Raster, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	b = b.Normalize()
	rows := r.rowsIn(b)
	cols, lons := r.colsIn(b)
	if len(rows) == 0 || len(cols) == 0 {
		return nil, fmt.Errorf("grid: selecting box %s (west, south, east, north): %w: the data covers %s", b, ErrEmpty, r.Extent())
	}
	out := *r
	out.Lat = slices.Clone(r.Lat[rows[0] : rows[len(rows)-1]+1])
	out.LatEdges = slices.Clone(r.LatEdges[rows[0] : rows[len(rows)-1]+2])
	out.Lon = lons
	out.LonEdges = make([]float64, 0, len(cols)+1)
	for i, c := range cols {
		shift := lons[i] - r.Lon[c]
		if i == 0 {
			out.LonEdges = append(out.LonEdges, r.LonEdges[c]+shift)
		}
		out.LonEdges = append(out.LonEdges, r.LonEdges[c+1]+shift)
	}
	out.Values = make([]float64, 0, r.Steps()*len(rows)*len(cols))
	for step := range r.Steps() {
		for _, row := range rows {
			for _, col := range cols {
				out.Values = append(out.Values, r.At(step, row, col))
			}
		}
	}
	return &out, nil
}

func (r *Raster) rowsIn(b Box) []int {
	var inside, touched []int
	for i, lat := range r.Lat {
		if lat >= b.South-degreeTolerance && lat <= b.North+degreeTolerance {
			inside = append(inside, i)
		}
		if r.LatEdges[i] <= b.North && r.LatEdges[i+1] >= b.South {
			touched = append(touched, i)
		}
	}
	if inside != nil {
		return inside
	}
	return touched
}

// colsIn gives the columns of the box from west to east and their longitudes.
func (r *Raster) colsIn(b Box) (cols []int, lons []float64) {
	if b.FullCircle() {
		for i := range r.Lon {
			cols = append(cols, i)
		}
		return cols, slices.Clone(r.Lon)
	}
	type column struct {
		index int
		lon   float64
	}
	var inside, touched []column
	for i, lon := range r.Lon {
		d := wrap(lon - b.West)
		if d >= 360-degreeTolerance {
			d -= 360
		}
		if d <= b.Width()+degreeTolerance {
			inside = append(inside, column{i, b.West + d})
		}
		size := r.LonEdges[i+1] - r.LonEdges[i]
		from := wrap(b.West-r.LonEdges[i]) <= size // the box begins in the cell
		if from || wrap(r.LonEdges[i]-b.West) <= b.Width() {
			near := d
			if near > 180 {
				near -= 360
			}
			touched = append(touched, column{i, b.West + near})
		}
	}
	if inside == nil {
		inside = touched
	}
	slices.SortFunc(inside, func(a, b column) int {
		if a.lon < b.lon {
			return -1
		}
		return 1
	})
	for _, c := range inside {
		cols = append(cols, c.index)
		lons = append(lons, c.lon)
	}
	return cols, lons
}

// SelectPeriod keeps the steps in the period, both ends included. The error
// wraps ErrEmpty when there are none, cftime.ErrDate when the calendar lacks a
// day of the period.
func (r *Raster) SelectPeriod(p cftime.Period) (*Raster, error) {
	if len(r.Times) == 0 {
		return nil, fmt.Errorf("grid: selecting period %s of %s: %w: the data has no time", p, r.Variable, ErrEmpty)
	}
	if r.Climatology && !p.AnyYear() {
		return nil, fmt.Errorf("grid: selecting period %s of %s: %w: the data is a climatology of months without years; ask for months, as August or JJA", p, r.Variable, ErrEmpty)
	}
	if err := p.CheckCalendar(r.Calendar); err != nil {
		return nil, fmt.Errorf("grid: selecting from %s: %w", r.Variable, err)
	}
	var steps []int
	for i, t := range r.Times {
		if p.Contains(t) {
			steps = append(steps, i)
		}
	}
	if steps == nil {
		return nil, fmt.Errorf("grid: selecting period %s of %s: %w: the data covers %s", p, r.Variable, ErrEmpty, r.PeriodLabel())
	}
	return r.SelectSteps(steps), nil
}

// SelectSteps keeps the steps with the given indices, in that order.
func (r *Raster) SelectSteps(steps []int) *Raster {
	out := *r
	out.Times, out.TimeEdges = nil, nil
	out.Values = make([]float64, 0, len(steps)*len(r.Lat)*len(r.Lon))
	edges := r.TimeEdges
	if edges == nil {
		edges = cftime.Edges(r.Times, r.Frequency()) // the frequency of a few steps could no longer be seen
	}
	for _, s := range steps {
		if len(r.Times) > 0 {
			out.Times = append(out.Times, r.Times[s])
		}
		if edges != nil {
			out.TimeEdges = append(out.TimeEdges, edges[s])
		}
		out.Values = append(out.Values, r.Field(s)...)
	}
	return &out
}

// Nearest is the row and column of the cell that contains the point. A point
// beyond the outer edges gives an error that wraps ErrOutside and tells the
// distance.
func (r *Raster) Nearest(lat, lon float64) (row, col int, err error) {
	if math.IsNaN(lat) || math.IsInf(lat, 0) || math.IsNaN(lon) || math.IsInf(lon, 0) || math.Abs(lat) > 90 {
		return 0, 0, fmt.Errorf("grid: point at latitude %g, longitude %g: %w: a latitude lies within ±90%s", lat, lon, ErrOutside, swapHint(lat, lon))
	}
	aligned := r.AlignLon(lon)
	row, rowOK := cellOf(r.LatEdges, lat)
	col, colOK := cellOf(r.LonEdges, aligned)
	if rowOK && colOK {
		return row, col, nil
	}
	return 0, 0, fmt.Errorf("grid: point at latitude %g, longitude %g is %w, about %.0f km from it; the data covers %s (west, south, east, north)", lat, lon, ErrOutside, r.distanceTo(lat, aligned), r.Extent())
}

// swapHint asks whether the two were swapped, where that would explain them.
func swapHint(lat, lon float64) string {
	if math.Abs(lat) > 90 && math.Abs(lon) <= 90 {
		return "; were latitude and longitude swapped?"
	}
	return ""
}

// cellOf finds the cell of ascending edges that holds x; a point on an inner
// edge belongs to the cell above it.
func cellOf(edges []float64, x float64) (int, bool) {
	n := len(edges) - 1
	if x < edges[0]-degreeTolerance || x > edges[n]+degreeTolerance {
		return 0, false
	}
	i, found := slices.BinarySearch(edges, x)
	if !found {
		i--
	}
	return min(max(i, 0), n-1), true
}

// distanceTo is the great-circle distance in km from a point outside to the
// nearest edge of the grid, for messages.
func (r *Raster) distanceTo(lat, lon float64) float64 {
	box := r.Extent()
	nearLat := min(max(lat, box.South), box.North)
	west, east := wrap(box.West-lon), wrap(lon-box.East)
	dLon := min(west, east)
	if lon >= box.West && lon <= box.East {
		dLon = 0
	}
	const degree = math.Pi / 180
	a := math.Pow(math.Sin((nearLat-lat)*degree/2), 2) +
		math.Cos(lat*degree)*math.Cos(nearLat*degree)*math.Pow(math.Sin(dLon*degree/2), 2)
	return 2 * 6371.0088 * math.Asin(math.Sqrt(min(a, 1)))
}
