package geodesy

import (
	"slices"

	"github.com/paulmach/orb"
)

// seam holds the sides along 180°: going north they have a shape in the west, going south one in the east. Where both
// are, the shape was cut.
type seam struct {
	north, south [][2]float64
}

func (s *seam) add(from, to float64) {
	switch {
	case from < to:
		s.north = append(s.north, [2]float64{from, to})
	case from > to:
		s.south = append(s.south, [2]float64{to, from})
	}
}

// length is the length in km of the sides that have a shape on one hand only.
func (s *seam) length() float64 {
	var marks []float64
	for _, spans := range [][][2]float64{s.north, s.south} {
		for _, x := range spans {
			marks = append(marks, x[0], x[1])
		}
	}
	slices.Sort(marks)
	marks = slices.Compact(marks)
	sum := 0.0
	for i := 1; i < len(marks); i++ {
		mid := (marks[i-1] + marks[i]) / 2
		if n := covering(s.north, mid) - covering(s.south, mid); n != 0 {
			sum += SideLength(orb.Point{180, marks[i-1]}, orb.Point{180, marks[i]})
		}
	}
	return sum
}

func covering(spans [][2]float64, x float64) int {
	n := 0
	for _, s := range spans {
		if s[0] < x && x < s[1] {
			n++
		}
	}
	return n
}
