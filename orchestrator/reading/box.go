package reading

import (
	"math"

	"almanac/toolkits"
)

// Box is an area in degrees; West greater than East crosses the antimeridian.
type Box struct{ West, South, East, North float64 }

// coordinate is a latitude or a longitude of the text.
type coordinate struct {
	value    float64
	latitude bool
	next     int // token after it
}

// coordinateAt reads "10°N", "10 degrees north", "50 W", "the equator".
// With lenient the words may stand without degrees, as after "latitudes".
func coordinateAt(ts []token, i int, lenient bool) (coordinate, bool) {
	if ts[i].fold == "equator" {
		return coordinate{0, true, i + 1}, true
	}
	if !ts[i].number {
		return coordinate{}, false
	}
	j := i + 1
	degrees := false
	for j < len(ts) && (ts[j].text == "°" || ts[j].text == "º" || ts[j].fold == "degrees" || ts[j].fold == "degree" || ts[j].fold == "deg") {
		j, degrees = j+1, true
	}
	if j >= len(ts) {
		return coordinate{}, false
	}
	sign, latitude := 1.0, false
	switch ts[j].fold {
	case "n", "north":
		latitude = true
	case "s", "south":
		sign, latitude = -1, true
	case "e", "east":
	case "w", "west":
		sign = -1
	default:
		return coordinate{}, false
	}
	// A single small letter, or a word without degrees, is too weak: "30 s", "10 km north", "5 west coast towns".
	if !degrees && !lenient && (len(ts[j].text) > 1 || ts[j].text == ts[j].fold) {
		return coordinate{}, false
	}
	return coordinate{sign * ts[i].value, latitude, j + 1}, true
}

// coordinates reads those that only "and", "to", commas and the like stand between. A number without a letter takes
// that of the next coordinate, "10-20°N", or of the one before where that has no other end yet, "10°S-0°".
func coordinates(ts []token, i int, lenient bool) (list []coordinate, next int) {
	var bare []float64
	next = i
	for j := i; j < len(ts); {
		if c, ok := coordinateAt(ts, j, lenient); ok {
			for _, b := range bare {
				list = append(list, coordinate{signed(b, c.value), c.latitude, c.next})
			}
			bare = nil
			list = append(list, c)
			j, next = c.next, c.next
			continue
		}
		if ts[j].number && len(bare) == 0 && (j == i || next == j || connects(ts[j-1].fold)) {
			v, comma := ts[j].value, ""
			if j > i {
				comma = ts[j-1].fold
			}
			for j++; j < len(ts) && (ts[j].text == "°" || ts[j].text == "º"); j++ {
			}
			if halfPair(list) && comma != "," {
				last := list[len(list)-1]
				list = append(list, coordinate{signed(v, last.value), last.latitude, j})
				next = j
			} else {
				bare = append(bare, v)
			}
			continue
		}
		if !connects(ts[j].fold) || j == i {
			break
		}
		j++
	}
	return list, next
}

// signed gives v the sign of like; 0 has none.
func signed(v, like float64) float64 {
	if v == 0 {
		return 0
	}
	return math.Copysign(v, like)
}

// halfPair says whether the last coordinate still waits for its other end: "10°S to 0°".
func halfPair(list []coordinate) bool {
	n := 0
	for _, c := range list {
		if c.latitude == list[len(list)-1].latitude {
			n++
		}
	}
	return n == 1
}

func connects(s string) bool {
	switch s {
	case "and", "to", "-", "–", "—", ",", ";", "/", "between", "from", "by", "latitude", "latitudes", "longitude", "longitudes", "the", "in", "×", "x", "(", ")":
		return true
	}
	return false
}

// box reads a box or a point from coordinates that start at token i.
func (r *run) box(i int) bool {
	ts := r.ts
	lenient := ts[i].fold == "latitudes" || ts[i].fold == "longitudes" || ts[i].fold == "latitude" || ts[i].fold == "longitude"
	if !ts[i].number && ts[i].fold != "equator" && !lenient {
		return r.sides(i)
	}
	from := i
	if lenient {
		from++
	}
	list, next := coordinates(ts, from, lenient)
	if len(list) == 0 {
		return false
	}
	var lat, lon []float64
	for _, c := range list {
		if c.latitude {
			lat = append(lat, c.value)
		} else {
			lon = append(lon, c.value)
		}
	}
	it := Item{Start: ts[i].start, End: ts[next-1].end}
	switch {
	case len(lat) == 2 && len(lon) == 2:
		it.Kind = KindBox
		it.Box = Box{lon[0], min(lat[0], lat[1]), lon[1], max(lat[0], lat[1])}
		it.Box.order()
	case len(lat) == 1 && len(lon) == 1:
		it.Kind, it.Point = KindPlace, &Point{Latitude: lat[0], Longitude: lon[0]}
	default:
		r.next = next // "south of 40°S": a coordinate that is no box is no quantity either
		return true
	}
	if !it.Box.legal() || it.Point != nil && (math.Abs(it.Point.Latitude) > 90 || math.Abs(it.Point.Longitude) > 360) {
		return false
	}
	r.take(it, i, next)
	return true
}

// order swaps west and east where the words name them the other way round: "30°W to 50°W" is 20 degrees wide, not 340.
func (b *Box) order() {
	if width := math.Mod(b.East-b.West+720, 360); width > 180 && b.West != b.East && (b.West < 0) == (b.East < 0) {
		b.West, b.East = b.East, b.West
	}
}

func (b Box) legal() bool {
	return b == Box{} || b.South < b.North && b.South >= -90 && b.North <= 90 && b.West != b.East && math.Abs(b.West) <= 360 && math.Abs(b.East) <= 360
}

// sides reads "west -10, south 35, east 5, north 44" in any order.
func (r *run) sides(i int) bool {
	side := map[string]float64{}
	j, next := i, i
	for j < len(r.ts) {
		w := r.ts[j].fold
		if w != "west" && w != "south" && w != "east" && w != "north" {
			if !connects(w) || j == i {
				break
			}
			j++
			continue
		}
		k := j + 1
		for k < len(r.ts) && (r.ts[k].text == ":" || r.ts[k].text == "=") {
			k++
		}
		if k >= len(r.ts) {
			break
		}
		n, length := numberAt(r.ts, k)
		if length == 0 || n.Form != Digits {
			break
		}
		if _, twice := side[w]; twice {
			break
		}
		side[w] = n.Value
		j, next = k+length, k+length
	}
	b := Box{side["west"], side["south"], side["east"], side["north"]}
	if len(side) != 4 || !b.legal() {
		return false
	}
	r.take(Item{Kind: KindBox, Box: b, Start: r.ts[i].start, End: r.ts[next-1].end}, i, next)
	return true
}

func (b Box) value() toolkits.Value {
	num := func(x float64) toolkits.Value { return toolkits.Value{Kind: toolkits.KindNumber, Number: x} }
	return toolkits.Value{Kind: toolkits.KindRecord, Record: map[string]toolkits.Value{
		"west": num(b.West), "south": num(b.South), "east": num(b.East), "north": num(b.North)}}
}
