package judge

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"

	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
)

// gridTolerance is how far, in degrees, edges of two equal grids may lie apart.
const gridTolerance = 1e-9

// raster compares shape, reference system, transform, time axis and level, then every cell: never a sample of them.
func (c *comparer) raster(where string, got, want *grid.Raster) error {
	switch {
	case len(got.Lat) != len(want.Lat) || len(got.Lon) != len(want.Lon) || len(got.Values) != len(want.Values):
		return differs(where, "has %d values on %d × %d cells, not %d on %d × %d", len(got.Values), len(got.Lat), len(got.Lon),
			len(want.Values), len(want.Lat), len(want.Lon))
	case got.CRS != want.CRS:
		return differs(where, "is in %s, not %s", got.CRS, want.CRS)
	}
	for _, axis := range []struct {
		name      string
		got, want []float64
	}{{"longitude", got.Lon, want.Lon}, {"latitude", got.Lat, want.Lat}, {"longitude edge", got.LonEdges, want.LonEdges},
		{"latitude edge", got.LatEdges, want.LatEdges}} {
		if err := sameAxis(where, axis.name, axis.got, axis.want); err != nil {
			return err
		}
	}
	if err := sameTimes(where, got.Times, want.Times); err != nil {
		return err
	}
	if err := sameLevel(where, got.Level, want.Level); err != nil {
		return err
	}
	convert, err := converter(got.Unit, want.Unit, want.Difference)
	if err != nil {
		return differs(where, "%v", err)
	}
	cells := max(1, len(want.Lat)*len(want.Lon))
	return c.values(where, got.Values, want.Values, convert, func(i int) string {
		cell := i % cells
		return fmt.Sprintf("step %d, row %d, column %d", i/cells, cell/len(want.Lon), cell%len(want.Lon))
	})
}

// values compares the valid masks, then all values.
func (c *comparer) values(where string, got, want []float64, convert func(float64) float64, place func(int) string) error {
	for i, w := range want {
		switch g, missing := got[i], math.IsNaN(want[i]); {
		case math.IsNaN(g) && missing:
		case math.IsNaN(g):
			return differs(where, "%s is missing, not %g", place(i), w)
		case missing:
			return differs(where, "%s is %g, not missing", place(i), g)
		case !c.near(convert(g), w):
			return differs(where, "%s is %g, not %g within %.3g", place(i), convert(g), w, c.tolerance(w))
		}
	}
	return nil
}

func sameAxis(where, name string, got, want []float64) error {
	if len(got) != len(want) {
		return differs(where, "has %d %ss, not %d", len(got), name, len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= gridTolerance) {
			return differs(where, "%s %d is at %v, not %v", name, i, got[i], want[i])
		}
	}
	return nil
}

func sameTimes(where string, got, want []cftime.Time) error {
	if len(got) != len(want) {
		return differs(where, "has %d times, not %d", len(got), len(want))
	}
	for i := range want {
		if got[i].Calendar != want[i].Calendar || got[i].Compare(want[i]) != 0 {
			return differs(where, "time %d is %s, not %s", i, got[i], want[i])
		}
	}
	return nil
}

func sameLevel(where string, got, want *float64) error {
	if (got == nil) != (want == nil) || got != nil && !(math.Abs(*got-*want) <= relative*math.Abs(*want)) {
		return differs(where, "is at another level")
	}
	return nil
}

func (c *comparer) series(where string, got, want *series.Series) error {
	if len(got.Values) != len(want.Values) {
		return differs(where, "has %d values, not %d", len(got.Values), len(want.Values))
	}
	if err := sameTimes(where, got.Times, want.Times); err != nil {
		return err
	}
	convert, err := converter(got.Unit, want.Unit, want.Difference)
	if err != nil {
		return differs(where, "%v", err)
	}
	return c.values(where, got.Values, want.Values, convert, func(i int) string { return fmt.Sprintf("value %d", i) })
}

// image compares pixels, however they are encoded.
func (c *comparer) image(where string, got, want *artifact.Image) error {
	g, err := decoded(got)
	if err != nil {
		return differs(where, "%v", err)
	}
	w, err := decoded(want)
	if err != nil {
		return differs(where, "the expected image: %v", err)
	}
	if g.Bounds().Size() != w.Bounds().Size() {
		return differs(where, "is %v pixels, not %v", g.Bounds().Size(), w.Bounds().Size())
	}
	for y := range w.Bounds().Dy() {
		for x := range w.Bounds().Dx() {
			r1, g1, b1, a1 := g.At(g.Bounds().Min.X+x, g.Bounds().Min.Y+y).RGBA()
			r2, g2, b2, a2 := w.At(w.Bounds().Min.X+x, w.Bounds().Min.Y+y).RGBA()
			if r1 != r2 || g1 != g2 || b1 != b2 || a1 != a2 {
				return differs(where, "pixel %d, %d has another colour", x, y)
			}
		}
	}
	return nil
}

// maxPixels bounds what is decoded: a header can promise more than any memory holds.
const maxPixels = 64 << 20

func decoded(m *artifact.Image) (image.Image, error) {
	if m.Format != "png" {
		return nil, fmt.Errorf("is a %q image, which cannot be read", m.Format)
	}
	config, err := png.DecodeConfig(bytes.NewReader(m.Data))
	if err != nil {
		return nil, fmt.Errorf("is no PNG: %w", err)
	}
	if config.Width*config.Height > maxPixels {
		return nil, fmt.Errorf("has %d × %d pixels, more than can be looked at", config.Width, config.Height)
	}
	img, err := png.Decode(bytes.NewReader(m.Data))
	if err != nil {
		return nil, fmt.Errorf("is a damaged PNG: %w", err)
	}
	return img, nil
}
