package judge

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"slices"
	"strings"

	"almanac/toolkits/artifact"
	"almanac/toolkits/units"
)

// States of a check.
const (
	Passed  = "passed"
	Failed  = "failed"
	Unknown = "unknown" // nothing tells
)

// Check is one thing that a plot must have.
type Check struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}

// Names of the checks, in order.
const (
	NotBlank     = "not_blank"
	DataDrawn    = "data_drawn"
	AxesLabelled = "axes_labelled"
	UnitsNamed   = "units_named"
	ExtentRight  = "extent_right"
)

// Drawn is what the program that drew a plot declares of it. Pixels cannot be read as words: without it the units and
// the extent are unknown.
type Drawn struct {
	// Labels are the texts at the axes and the colour scale, empty ones included; nil: not known.
	Labels []string
	// Extent is what the axes span: x from, y from, x to, y to (for maps west, south, east, north); nil: not known.
	Extent *[4]float64
}

// Expected is what a plot must show.
type Expected struct {
	Units  []string    // that have to be named at an axis or the colour scale
	Extent *[4]float64 // that has to be shown, nil: any
	Tol    float64     // of the extent, in its units; 0: 1 % of its sides
}

// CheckPlot looks at a plot without a model. drawn may be nil. The error says that the picture cannot be read.
func CheckPlot(m *artifact.Image, drawn *Drawn, want Expected) ([]Check, error) {
	img, err := decoded(m)
	if err != nil {
		return nil, fmt.Errorf("judge: the plot %w", err)
	}
	if drawn == nil {
		drawn = &Drawn{}
	}
	p := look(img)
	return []Check{p.notBlank(), p.dataDrawn(), p.axesLabelled(drawn), unitsNamed(drawn, want), extentRight(drawn, want)}, nil
}

// Shares of pixels below which a plot shows nothing. A thin line over a plot 400 pixels high is about 0.25 % of it.
const (
	leastInk  = 0.002
	leastData = 0.0005
)

// looked is a picture with its background and the frame of its data, if it has one.
type looked struct {
	luma       [][]uint8 // 0 to 255
	colour     [][]uint32
	background uint32
	frame      image.Rectangle
	framed     bool
}

func look(img image.Image) *looked {
	b := img.Bounds()
	flat := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(flat, flat.Rect, image.White, image.Point{}, draw.Src) // on white, where it is transparent
	draw.Draw(flat, flat.Rect, img, b.Min, draw.Over)
	p := &looked{luma: make([][]uint8, b.Dy()), colour: make([][]uint32, b.Dy())}
	count := map[uint32]int{}
	for y := range b.Dy() {
		p.luma[y], p.colour[y] = make([]uint8, b.Dx()), make([]uint32, b.Dx())
		begin := 0 // of the run of one colour
		for x := range b.Dx() {
			i := flat.PixOffset(x, y)
			r, g, bl := uint32(flat.Pix[i]), uint32(flat.Pix[i+1]), uint32(flat.Pix[i+2])
			p.luma[y][x] = uint8((299*r + 587*g + 114*bl) / 1000)
			p.colour[y][x] = r<<16 | g<<8 | bl
			if p.colour[y][x] != p.colour[y][begin] {
				count[p.colour[y][begin]] += x - begin
				begin = x
			}
		}
		if b.Dx() > 0 {
			count[p.colour[y][begin]] += b.Dx() - begin
		}
	}
	most := 0
	for c, n := range count {
		if n > most || n == most && c > p.background {
			p.background, most = c, n
		}
	}
	p.findFrame()
	return p
}

// dark is the luma below which a pixel can be part of a frame, light the one above which it can be part of a grid line.
const (
	dark  = 110
	light = 150
)

// findFrame takes the outermost dark lines that run over a third of the picture as the frame.
func (p *looked) findFrame() {
	h := len(p.luma)
	if h == 0 {
		return
	}
	w := len(p.luma[0])
	p.frame = image.Rect(0, 0, w, h)
	var rows, columns []int
	for y := range h {
		if longest(w, func(x int) bool { return p.luma[y][x] < dark }) > w/3 {
			rows = append(rows, y)
		}
	}
	for x := range w {
		if longest(h, func(y int) bool { return p.luma[y][x] < dark }) > h/3 {
			columns = append(columns, x)
		}
	}
	if len(rows) == 0 || len(columns) == 0 {
		return
	}
	top, bottom, left, right := rows[0], rows[len(rows)-1], columns[0], columns[len(columns)-1]
	if bottom == top { // an axis alone: the data is above it
		top = 0
	}
	if left == right {
		right = w - 1
	}
	if bottom-top > h/4 && right-left > w/4 {
		p.frame, p.framed = image.Rect(left+1, top+1, right, bottom), true
	}
}

func longest(n int, holds func(int) bool) int {
	best, run := 0, 0
	for i := range n {
		if run++; !holds(i) {
			run = 0
		}
		best = max(best, run)
	}
	return best
}

// share is the part of a rectangle's pixels for which f holds.
func (p *looked) share(r image.Rectangle, f func(x, y int) bool) float64 {
	n := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if f(x, y) {
				n++
			}
		}
	}
	if r.Empty() {
		return 0
	}
	return float64(n) / float64(r.Dx()*r.Dy())
}

func (p *looked) ink(x, y int) bool { return p.colour[y][x] != p.background }

func (p *looked) notBlank() Check {
	whole := image.Rect(0, 0, 0, 0)
	if len(p.luma) > 0 {
		whole = image.Rect(0, 0, len(p.luma[0]), len(p.luma))
	}
	if s := p.share(whole, p.ink); s < leastInk {
		return Check{NotBlank, Failed, fmt.Sprintf("%.2f %% of the picture is not background", 100*s)}
	}
	return Check{Name: NotBlank, State: Passed}
}

// dataDrawn looks for something inside the frame that is no grid line: grid lines are light and run along a whole side.
func (p *looked) dataDrawn() Check {
	inner := p.frame.Inset(2)
	if !p.framed {
		return Check{DataDrawn, Unknown, "no frame of axes can be made out"}
	}
	inside := p.most(inner)
	full := func(n int, line func(int) bool) bool { return longest(n, line) >= n*9/10 }
	pale := func(x, y int) bool { return p.colour[y][x] != inside && p.luma[y][x] > light }
	rows, columns := map[int]bool{}, map[int]bool{}
	for y := inner.Min.Y; y < inner.Max.Y; y++ {
		rows[y] = full(inner.Dx(), func(i int) bool { return pale(inner.Min.X+i, y) })
	}
	for x := inner.Min.X; x < inner.Max.X; x++ {
		columns[x] = full(inner.Dy(), func(i int) bool { return pale(x, inner.Min.Y+i) })
	}
	s := p.share(inner, func(x, y int) bool { return p.colour[y][x] != inside && !rows[y] && !columns[x] })
	if s >= leastData || p.fills(inner) {
		return Check{Name: DataDrawn, State: Passed}
	}
	return Check{DataDrawn, Failed, fmt.Sprintf("%.3f %% of the frame is drawn on", 100*s)}
}

// most is the commonest colour of a rectangle.
func (p *looked) most(r image.Rectangle) uint32 {
	count := map[uint32]int{}
	var best uint32
	for y := r.Min.Y; y < r.Max.Y; y++ {
		begin := r.Min.X
		for x := r.Min.X + 1; x <= r.Max.X; x++ {
			if x < r.Max.X && p.colour[y][x] == p.colour[y][begin] {
				continue
			}
			c := p.colour[y][begin]
			count[c] += x - begin
			if n := count[c]; n > count[best] || n == count[best] && c > best {
				best = c
			}
			begin = x
		}
	}
	return best
}

// fills reports whether the frame is covered by several colours, none of which is most of it: a map.
func (p *looked) fills(r image.Rectangle) bool {
	inside := p.most(r)
	return inside != p.background && p.share(r, func(x, y int) bool { return p.colour[y][x] != inside }) > 0.05
}

// axesLabelled wants words where they are declared, and else ink where words would stand: left of the frame or right of
// it, and below it.
func (p *looked) axesLabelled(d *Drawn) Check {
	if d.Labels != nil {
		if i := slices.IndexFunc(d.Labels, func(s string) bool { return strings.TrimSpace(s) == "" }); i >= 0 || len(d.Labels) == 0 {
			return Check{AxesLabelled, Failed, "an axis has no label"}
		}
		return Check{Name: AxesLabelled, State: Passed}
	}
	if !p.framed {
		return Check{AxesLabelled, Unknown, "no frame of axes can be made out"}
	}
	w, h := len(p.luma[0]), len(p.luma)
	left := image.Rect(0, p.frame.Min.Y, max(0, p.frame.Min.X-2), p.frame.Max.Y)
	right := image.Rect(min(w, p.frame.Max.X+2), p.frame.Min.Y, w, p.frame.Max.Y)
	below := image.Rect(p.frame.Min.X, min(h, p.frame.Max.Y+2), p.frame.Max.X, h)
	beside := p.share(left, p.ink) + p.share(right, p.ink)
	switch under := p.share(below, p.ink); {
	case beside == 0:
		return Check{AxesLabelled, Failed, "nothing stands beside the frame"}
	case under == 0:
		return Check{AxesLabelled, Failed, "nothing stands under the frame"}
	}
	return Check{Name: AxesLabelled, State: Passed}
}

// unitsNamed looks for each unit as a word of a label, in any spelling of it.
func unitsNamed(d *Drawn, want Expected) Check {
	switch {
	case len(want.Units) == 0:
		return Check{UnitsNamed, Passed, "no unit is asked for"}
	case d.Labels == nil:
		return Check{UnitsNamed, Unknown, "the labels are not known"}
	}
	for _, unit := range want.Units {
		if !slices.ContainsFunc(d.Labels, func(label string) bool { return names(label, unit) }) {
			return Check{UnitsNamed, Failed, fmt.Sprintf("no label names %s", unit)}
		}
	}
	return Check{Name: UnitsNamed, State: Passed}
}

// names reports whether a label has the unit: its text as it stands, or a part in brackets, after a comma or at the end
// that is another spelling of it.
func names(label, unit string) bool {
	parts := strings.FieldsFunc(label, func(r rune) bool { return strings.ContainsRune("[](),;", r) })
	parts = append(parts, strings.Fields(label)...)
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if part == unit {
			return true
		}
		if _, err := units.Parse(part); err == nil && part != "" && units.Same(part, unit) {
			return true
		}
	}
	return false
}

func extentRight(d *Drawn, want Expected) Check {
	switch {
	case want.Extent == nil:
		return Check{ExtentRight, Passed, "no extent is asked for"}
	case d.Extent == nil:
		return Check{ExtentRight, Unknown, "the extent is not known"}
	}
	for i, w := range want.Extent {
		tol := want.Tol
		if tol == 0 {
			tol = 0.01 * math.Abs(want.Extent[i%2+2]-want.Extent[i%2])
		}
		if g := d.Extent[i]; !(math.Abs(g-w) <= tol) {
			side := [4]string{"x begins", "y begins", "x ends", "y ends"}[i]
			return Check{ExtentRight, Failed, fmt.Sprintf("%s at %g, not %g", side, g, w)}
		}
	}
	return Check{Name: ExtentRight, State: Passed}
}
