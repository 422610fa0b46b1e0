package plot_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/toolstest"

	"github.com/paulmach/orb"
)

// The ends of viridis as published, and the grey of missing cells.
var (
	lowest  = color.RGBA{68, 1, 84, 255}
	highest = color.RGBA{253, 231, 37, 255}
	grey    = color.RGBA{190, 190, 190, 255}
)

func picture(t testing.TB, name string, args toolstest.Args) (*artifact.Image, image.Image) {
	t.Helper()
	env := toolstest.NewEnv(t)
	res := toolstest.Call(t, env, toolstest.Tool(t, kit(t), name), args)
	m := toolstest.Artifact[*artifact.Image](t, env, res, "image")
	img, err := png.Decode(bytes.NewReader(m.Data))
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); m.Format != "png" || b.Dx() != m.Width || b.Dy() != m.Height {
		t.Fatalf("%s of %d × %d says that it is %d × %d", m.Format, b.Dx(), b.Dy(), m.Width, m.Height)
	}
	return m, img
}

// extent is the smallest rectangle around the pixels of a colour left of right, and their number.
func extent(img image.Image, c color.RGBA, right int) (r image.Rectangle, n int) {
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < min(right, img.Bounds().Max.X); x++ {
			if img.At(x, y) == color.Color(c) {
				r = r.Union(image.Rect(x, y, x+1, y+1))
				n++
			}
		}
	}
	return r, n
}

// Two rows and three columns of open ocean, one degree each. The largest value is the north-west cell, the smallest the
// south-east one, and the south-west one is missing: 560 pixels over two degrees are 280 a degree.
//
//	north   6  3  3
//	south   -  3  1
func TestMapPutsCellsWhereTheyAre(t *testing.T) {
	for name, west := range map[string]float64{"0 to 360": 200, "-180 to 180": -160} {
		r := toolstest.Raster(toolstest.Axis(west+0.5, 1, 3), toolstest.Axis(-30.5, 1, 2), nil, math.NaN(), 3, 1, 6, 3, 3)
		_, img := picture(t, "plot.map", toolstest.Args{"raster": r})
		edge := 70 + 840 // the frame starts at 70; the colour bar, which has the same colours, lies beyond
		for _, c := range []struct {
			what   string
			colour color.RGBA
			want   image.Rectangle
		}{
			{"north-west, largest", highest, image.Rect(70, 50, 350, 330)},
			{"south-east, smallest", lowest, image.Rect(630, 330, 910, 610)},
			{"south-west, missing", grey, image.Rect(70, 330, 350, 610)},
		} {
			if got, n := extent(img, c.colour, edge); got != c.want || n != 280*280 {
				t.Errorf("%s: the %s cell is drawn in %v with %d pixels, want %v", name, c.what, got, n, c.want)
			}
		}
	}
}

// Unequal cells: bands of 1 and 3 degrees. The boundary lies a quarter of the height from the south edge, not half way
// between the centres.
func TestMapUsesTheEdgesOfCells(t *testing.T) {
	r := toolstest.Raster(toolstest.Axis(-150, 4, 2), []float64{-29.5, -27.5}, nil, 1, 1, 2, 2)
	r.LatEdges = []float64{-30, -29, -26}
	_, img := picture(t, "plot.map", toolstest.Args{"raster": r})
	// 8 × 4 degrees: 900 / 8 = 112.5 pixels a degree; the height is 450, of which the south band has 112.5.
	if got, _ := extent(img, lowest, 70+900); got.Min.Y != 50+450-113 && got.Min.Y != 50+450-112 || got.Max.Y != 500 {
		t.Errorf("the south band is drawn in %v", got)
	}
}

func TestMapDrawsCoastAndZones(t *testing.T) {
	flat := toolstest.Raster(toolstest.Axis(-179, 2, 180), toolstest.Axis(-89, 2, 90), nil, make([]float64, 180*90)...)
	_, img := picture(t, "plot.map", toolstest.Args{"raster": flat})
	at := func(lon, lat float64) (x, y int) { return 70 + int((lon+180)*2.5), 50 + int((90-lat)*2.5) }
	sea := img.At(at(-140, 0))
	dark := func(lon, lat float64) bool {
		x, y := at(lon, lat)
		for dy := -2; dy <= 2; dy++ {
			for dx := -2; dx <= 2; dx++ {
				if r, _, _, _ := img.At(x+dx, y+dy).RGBA(); img.At(x+dx, y+dy) != sea && r>>8 < 120 {
					return true
				}
			}
		}
		return false
	}
	// Cape Agulhas (20.0 E, 34.8 S), the tip of Florida (80.9 W, 25.2 N) and Cape Comorin (77.5 E, 8.1 N) are coasts.
	for _, c := range [][2]float64{{20, -34.8}, {-80.9, 25.2}, {77.5, 8.1}} {
		if !dark(c[0], c[1]) {
			t.Errorf("no coast at %v", c)
		}
	}
	// Mirrored in the equator they would lie in the open sea.
	for _, c := range [][2]float64{{-140, 0}, {-80.9, -45}, {77.5, -20}, {-120, -40}} {
		if dark(c[0], c[1]) {
			t.Errorf("a line in the open sea at %v", c)
		}
	}
	// An outline that crosses the antimeridian appears on both sides.
	_, img = picture(t, "plot.map", toolstest.Args{"raster": flat, "zones": map[string]any{"west": 170, "south": -10, "east": -170, "north": 10}})
	red := color.RGBA{200, 30, 30, 255}
	got, n := extent(img, red, 70+900)
	if n == 0 || got.Min.X > 71 || got.Max.X < 70+899 || got.Min.Y > 251 || got.Min.Y < 247 || got.Max.Y < 299 || got.Max.Y > 303 {
		t.Errorf("the outline, 170 E to 170 W and 10 S to 10 N, is drawn in %v", got)
	}
}

func TestMapScaleOfDifferencesHasZeroInTheMiddle(t *testing.T) {
	r := toolstest.Raster(toolstest.Axis(-150, 1, 3), toolstest.Axis(-30, 1, 1), nil, -1, 0, 4)
	r.Difference = true
	_, img := picture(t, "plot.map", toolstest.Args{"raster": r})
	// RdBu: white middle, and the dark red end for the largest magnitude; the dark blue end occurs only in the bar.
	for colour, want := range map[color.RGBA]bool{{247, 247, 247, 255}: true, {103, 0, 31, 255}: true, {5, 48, 97, 255}: false} {
		if _, n := extent(img, colour, 70+900); (n > 0) != want {
			t.Errorf("colour %v: %d pixels", colour, n)
		}
	}
}

func TestPicturesAreDeterministic(t *testing.T) {
	r := toolstest.Raster(toolstest.Axis(0.5, 1, 30), toolstest.Axis(30.5, 1, 20), nil, make([]float64, 600)...)
	for i := range r.Values {
		r.Values[i] = math.Sin(float64(i))
	}
	for name, args := range map[string]toolstest.Args{
		"plot.map":    {"raster": r, "title": "Übersicht — Σ"},
		"plot.series": {"series": toolstest.Series("mm", "day", toolstest.Days(2001, 1, 1, 5), 1, 2, 0, 4, 5)},
	} {
		a, _ := picture(t, name, args)
		b, _ := picture(t, name, args)
		if !bytes.Equal(a.Data, b.Data) || len(a.Data) > 200_000 {
			t.Errorf("%s: two runs gave %d and %d bytes", name, len(a.Data), len(b.Data))
		}
	}
}

func TestMapErrors(t *testing.T) {
	env := toolstest.NewEnv(t)
	tool := toolstest.Tool(t, kit(t), "plot.map")
	nan := math.NaN()
	lon, lat := toolstest.Axis(0.5, 1, 2), toolstest.Axis(0.5, 1, 1)
	other := toolstest.Raster(lon, lat, nil, 1, 2)
	other.CRS = "EPSG:3857"
	kelvin := toolstest.Raster(lon, lat, nil, 26, 27)
	kelvin.Unit = "K" // FieldE11: labelled K, plainly degC
	far := toolstest.Zone(toolstest.BoxPolygon(100, 50, 110, 60))
	for name, c := range map[string]struct {
		args toolstest.Args
		code toolkits.Code
	}{
		"several steps": {toolstest.Args{"raster": toolstest.Raster(lon, lat, toolstest.Months(2001, 1, 2), 1, 2, 3, 4)}, toolkits.BadArgument},
		"all missing":   {toolstest.Args{"raster": toolstest.Raster(lon, lat, nil, nan, nan)}, toolkits.EmptySelection},
		"other CRS":     {toolstest.Args{"raster": other}, toolkits.BadCRS},
		"wrong label":   {toolstest.Args{"raster": kelvin}, toolkits.OutOfDomain},
		"zone far away": {toolstest.Args{"raster": toolstest.Raster(lon, lat, nil, 1, 2), "zones": far}, toolkits.OutOfDomain},
		"too large":     {toolstest.Args{"raster": unit1(lon, lat, -1.7e308, 1.7e308)}, toolkits.OutOfDomain},
	} {
		t.Run(name, func(t *testing.T) { toolstest.Fails(t, env, tool, c.args, c.code) })
	}
	point := toolstest.Zone(orb.Point{1, 0.5})
	toolstest.Call(t, env, tool, toolstest.Args{"raster": toolstest.Raster(lon, lat, nil, 1, 2), "zones": point})
}

func unit1(lon, lat []float64, values ...float64) any {
	r := toolstest.Raster(lon, lat, nil, values...)
	r.Unit = "1"
	return r
}

// Five days, 0 to 4 with the third missing: the frame is 760 wide, so days lie 190 pixels apart, and with 4 % room
// the values run from -0.16 to 4.16 over 310 pixels, upwards.
func TestSeriesDrawsValuesWhereTheyAre(t *testing.T) {
	s := toolstest.Series("degC", cftime.FrequencyDay, toolstest.Days(2001, 1, 1, 5), 0, 1, math.NaN(), 3, 4)
	m, img := picture(t, "plot.series", toolstest.Args{"series": s, "title": "A title"})
	if m.Title != "A title" {
		t.Errorf("title %q", m.Title)
	}
	blue := func(c color.Color) bool { r, _, b, _ := c.RGBA(); return r>>8 < 140 && b>>8 > r>>8+40 }
	var rows []int
	for _, x := range []int{90 + 95, 90 + 190*3 + 95} { // half way between the first two and the last two days
		for y := range img.Bounds().Dy() {
			if blue(img.At(x, y)) {
				rows = append(rows, y)
			}
		}
	}
	at := func(v float64) int { return int(370 - (v+0.16)/4.32*310) }
	if len(rows) < 2 || math.Abs(float64(rows[0]-at(0.5))) > 2 || math.Abs(float64(rows[len(rows)-1]-at(3.5))) > 2 {
		t.Fatalf("the line is at rows %v, want about %d and %d", rows, at(0.5), at(3.5))
	}
	// Nothing is drawn over the gap.
	for x := 90 + 195; x < 90+565; x++ {
		for y := 60; y < 370; y++ {
			if blue(img.At(x, y)) {
				t.Fatalf("a line over the gap at %d, %d", x, y)
			}
		}
	}
}

func TestSeriesWithoutValues(t *testing.T) {
	env := toolstest.NewEnv(t)
	s := toolstest.Series("degC", cftime.FrequencyMonth, toolstest.Months(2001, 1, 2), math.NaN(), math.NaN())
	toolstest.Fails(t, env, toolstest.Tool(t, kit(t), "plot.series"), toolstest.Args{"series": s}, toolkits.EmptySelection)
	one := toolstest.Series("degC", cftime.FrequencyDay, toolstest.Days(2001, 1, 1, 1), 0)
	toolstest.Call(t, env, toolstest.Tool(t, kit(t), "plot.series"), toolstest.Args{"series": one})
}
