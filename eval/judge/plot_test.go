package judge

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strings"
	"testing"

	"almanac/scenarios/data"
	"almanac/toolkits/artifact"
	"almanac/toolkits/catalog"
	"almanac/toolkits/cftime"
	"almanac/toolkits/plot"
	"almanac/toolkits/toolstest"
)

var (
	black = color.RGBA{0, 0, 0, 255}
	pale  = color.RGBA{225, 225, 225, 255}
	blue  = color.RGBA{31, 119, 180, 255}
)

// sheet is a white picture of 400 × 300 pixels; its data frame is from 60, 20 to 380, 250.
type sheet struct{ *image.RGBA }

func blank() sheet {
	s := sheet{image.NewRGBA(image.Rect(0, 0, 400, 300))}
	s.fill(s.Bounds(), color.White)
	return s
}

func (s sheet) fill(r image.Rectangle, c color.Color) sheet {
	draw.Draw(s.RGBA, r, image.NewUniform(c), image.Point{}, draw.Src)
	return s
}

func (s sheet) frame() sheet {
	for _, r := range []image.Rectangle{image.Rect(60, 20, 381, 21), image.Rect(60, 250, 381, 251), image.Rect(60, 20, 61, 251), image.Rect(380, 20, 381, 251)} {
		s.fill(r, black)
	}
	return s
}

func (s sheet) grid() sheet {
	for y := 60; y < 250; y += 40 {
		s.fill(image.Rect(61, y, 380, y+1), pale)
	}
	return s
}

// words stands for labels: small marks left of the frame and below it.
func (s sheet) words(beside, below bool) sheet {
	if beside {
		s.fill(image.Rect(20, 100, 50, 110), black)
	}
	if below {
		s.fill(image.Rect(200, 270, 240, 280), black)
	}
	return s
}

func (s sheet) curve() sheet {
	for x := 61; x < 380; x++ {
		y := 135 + int(80*math.Sin(float64(x)/30))
		s.fill(image.Rect(x, y, x+1, y+2), blue)
	}
	return s
}

func (s sheet) encode(t testing.TB) *artifact.Image {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, s.RGBA); err != nil {
		t.Fatal(err)
	}
	return &artifact.Image{Format: "png", Width: 400, Height: 300, Data: b.Bytes()}
}

func states(t testing.TB, m *artifact.Image, d *Drawn, w Expected) map[string]string {
	t.Helper()
	list, err := CheckPlot(m, d, w)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, c := range list {
		out[c.Name] = c.State
		if c.State != Passed && c.Reason == "" {
			t.Errorf("%s is %s without a reason", c.Name, c.State)
		}
	}
	return out
}

func TestPlotPixels(t *testing.T) {
	cases := []struct {
		name                string
		s                   sheet
		blank, data, labels string
	}{
		{"a curve with labels", blank().grid().frame().curve().words(true, true), Passed, Passed, Passed},
		{"nothing", blank(), Failed, Unknown, Unknown},
		{"a flat line is data", blank().grid().frame().words(true, true).fill(image.Rect(61, 120, 380, 122), blue), Passed, Passed, Passed},
		{"axes only", blank().frame().words(true, true), Passed, Failed, Passed},
		{"axes and grid lines only", blank().grid().frame().words(true, true), Passed, Failed, Passed},
		{"no labels", blank().frame().curve(), Passed, Passed, Failed},
		{"labels beside only", blank().frame().curve().words(true, false), Passed, Passed, Failed},
		{"labels below only", blank().frame().curve().words(false, true), Passed, Passed, Failed},
		{"no frame", blank().curve(), Passed, Unknown, Unknown},
		{"a field", blank().frame().fill(image.Rect(61, 21, 380, 250), blue).fill(image.Rect(100, 50, 200, 150), color.RGBA{200, 80, 0, 255}).words(true, true), Passed, Passed, Passed},
	}
	for _, c := range cases {
		got := states(t, c.s.encode(t), nil, Expected{})
		if got[NotBlank] != c.blank || got[DataDrawn] != c.data || got[AxesLabelled] != c.labels {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if _, err := CheckPlot(&artifact.Image{Format: "png", Data: []byte("no")}, nil, Expected{}); err == nil || !strings.Contains(err.Error(), "no PNG") {
		t.Errorf("bytes that are no picture: %v", err)
	}
}

func TestPlotDeclared(t *testing.T) {
	m := blank().frame().curve().words(true, true).encode(t)
	world := &[4]float64{-180, -90, 180, 90}
	cases := []struct {
		name                  string
		d                     *Drawn
		w                     Expected
		labels, units, extent string
	}{
		{"nothing is known", nil, Expected{Units: []string{"mm"}, Extent: world}, Passed, Unknown, Unknown},
		{"nothing is asked", nil, Expected{}, Passed, Passed, Passed},
		{"named", &Drawn{Labels: []string{"Rain [mm]", "Time"}}, Expected{Units: []string{"mm"}}, Passed, Passed, Passed},
		{"named otherwise", &Drawn{Labels: []string{"Temperature (°C)", "Time"}}, Expected{Units: []string{"degC"}}, Passed, Passed, Passed},
		{"another unit", &Drawn{Labels: []string{"Rain [cm]", "Time"}}, Expected{Units: []string{"mm"}}, Passed, Failed, Passed},
		{"within a word", &Drawn{Labels: []string{"summer rain", "Time"}}, Expected{Units: []string{"mm"}}, Passed, Failed, Passed},
		{"one empty", &Drawn{Labels: []string{"Rain [mm]", " "}}, Expected{}, Failed, Passed, Passed},
		{"extent", &Drawn{Extent: &[4]float64{-180, -90, 180, 90}}, Expected{Extent: world}, Passed, Passed, Passed},
		{"extent within 1 %", &Drawn{Extent: &[4]float64{-179, -89, 180, 90}}, Expected{Extent: world}, Passed, Passed, Passed},
		{"half the globe", &Drawn{Extent: &[4]float64{-180, 0, 180, 90}}, Expected{Extent: world}, Passed, Passed, Failed},
		{"no number", &Drawn{Extent: &[4]float64{math.NaN(), -90, 180, 90}}, Expected{Extent: world}, Passed, Passed, Failed},
	}
	for _, c := range cases {
		got := states(t, m, c.d, c.w)
		if got[AxesLabelled] != c.labels || got[UnitsNamed] != c.units || got[ExtentRight] != c.extent {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// What our own tools draw passes.
func TestPlotsOfTheToolkit(t *testing.T) {
	cat, err := catalog.Open(data.Files, "")
	if err != nil {
		t.Fatal(err)
	}
	tools := plot.Toolkit(cat)
	env := toolstest.NewEnv(t)
	var times []cftime.Time
	for day := range 5 {
		times = append(times, cftime.Time{Year: 2000, Month: 1, Day: day + 1, Calendar: "standard"})
	}
	field := toolstest.Raster(toolstest.Axis(-150, 1, 3), toolstest.Axis(-30, 1, 2), nil, 1, 2, 3, 4, 5, 6)
	for name, args := range map[string]toolstest.Args{
		"plot.series": {"series": toolstest.Series("mm", "day", times, 1, 5, 2, 4, 3)}, "plot.map": {"raster": field},
	} {
		res := toolstest.Call(t, env, toolstest.Tool(t, tools, name), args)
		for check, state := range states(t, toolstest.Artifact[*artifact.Image](t, env, res, "image"), nil, Expected{}) {
			if state != Passed {
				t.Errorf("%s: %s is %s", name, check, state)
			}
		}
	}
}
