package zonal

import (
	"almanac/toolkits/geodesy"
)

// window is the part of a grid that one polygon is in: rows row0 to row1-1, columns col0 to col1-1. For every cell it
// adds up two numbers: the signed area between the sides that run through the cell and the cell's southern edge, and
// the signed width of these sides, which every cell to the south is filled over.
type window struct {
	s                      *sweeper
	col0, col1, row0, row1 int
}

// side adds one side. It is cut where it crosses meridians of the grid, then where it crosses parallels.
func (w *window) side(x0, y0, x1, y1, sign float64) {
	if x0 > x1 {
		x0, y0, x1, y1, sign = x1, y1, x0, y0, -sign
	}
	lon := w.s.lon
	west, east := lon[w.col0], lon[w.col1]
	if x1 <= west || x0 >= east {
		return
	}
	slope := (y1 - y0) / (x1 - x0)
	at := func(x float64) float64 {
		switch x {
		case x0:
			return y0
		case x1:
			return y1
		}
		return y0 + (x-x0)*slope
	}
	x := max(x0, west)
	y := at(x)
	for col := cellBelow(lon, x); col < w.col1; col++ {
		next := min(x1, lon[col+1])
		yNext := at(next)
		w.strip(col, x, y, next, yNext, sign)
		if next >= x1 {
			return
		}
		x, y = next, yNext
	}
}

// strip adds a side that stays within one column.
func (w *window) strip(col int, x0, y0, x1, y1, sign float64) {
	lat := w.s.lat
	south, north := lat[w.row0], lat[w.row1]
	if x1 <= x0 || y0 <= south && y1 <= south {
		return
	}
	if y0 >= north && y1 >= north {
		w.add(w.row1-1, col, x1-x0, north, north, sign)
		return
	}
	if y0 == y1 {
		w.add(cellBelow(lat, y0), col, x1-x0, y0, y1, sign)
		return
	}
	if y0 > y1 { // the area below a side does not ask for its direction
		y0, y1 = y1, y0
	}
	perDegree := (x1 - x0) / (y1 - y0)
	y := y0
	if y < south {
		y = south
	}
	for row := cellBelow(lat, y); row < w.row1; row++ {
		next := min(y1, lat[row+1])
		w.add(row, col, (next-y)*perDegree, y, next, sign)
		if next >= y1 {
			return
		}
		y = next
	}
	w.add(w.row1-1, col, (y1-north)*perDegree, north, north, sign)
}

// add adds a piece of a side within one cell: width degrees, between two latitudes.
func (w *window) add(row, col int, width, lat0, lat1, sign float64) {
	i := (row-w.row0)*(w.col1-w.col0) + col - w.col0
	floor := geodesy.Below(w.s.lat[row])
	w.s.area[i] -= sign * width * (geodesy.MeanBelow(lat0, lat1) - floor)
	w.s.width[i] -= sign * width
}

// sweep goes down every column, turns the two numbers into areas and keeps what is not zero.
func (w *window) sweep() {
	cols := w.col1 - w.col0
	carried := make([]float64, cols)
	for row := w.row1 - 1; row >= w.row0; row-- {
		band := geodesy.Below(w.s.lat[row+1]) - geodesy.Below(w.s.lat[row])
		for col := range cols {
			i := (row-w.row0)*cols + col
			w.s.area[i] += carried[col] * band
			carried[col] += w.s.width[i]
		}
	}
	all := len(w.s.lon) - 1
	for i, area := range w.s.area {
		if area != 0 {
			w.s.parts = append(w.s.parts, part{index: (w.row0+i/cols)*all + w.col0 + i%cols, area: area})
		}
	}
}
