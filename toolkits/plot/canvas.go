package plot

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"almanac/toolkits/artifact"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Colours of everything that is no data.
var (
	white   = color.RGBA{255, 255, 255, 255}
	ink     = color.RGBA{30, 30, 30, 255}
	coast   = color.RGBA{60, 60, 60, 255}
	missing = color.RGBA{190, 190, 190, 255}
	gridded = color.RGBA{225, 225, 225, 255}
	outline = color.RGBA{200, 30, 30, 255}
	curve   = color.RGBA{31, 90, 160, 255}
)

// canvas is an image with a frame inside, in which data is drawn.
type canvas struct {
	*image.RGBA
	frame image.Rectangle
	face  font.Face
	title font.Face
}

func newCanvas(width, height int, frame image.Rectangle) (*canvas, error) {
	c := &canvas{RGBA: image.NewRGBA(image.Rect(0, 0, width, height)), frame: frame}
	draw.Draw(c.RGBA, c.Bounds(), image.NewUniform(white), image.Point{}, draw.Src)
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		return nil, err
	}
	if c.face, err = opentype.NewFace(f, &opentype.FaceOptions{Size: 12, DPI: 72, Hinting: font.HintingFull}); err != nil {
		return nil, err
	}
	c.title, err = opentype.NewFace(f, &opentype.FaceOptions{Size: 16, DPI: 72, Hinting: font.HintingFull})
	return c, err
}

// text writes s so that its anchor lies at x, y: 0 is its left edge or top, 1 its right edge or bottom.
func (c *canvas) text(face font.Face, s string, x, y, anchorX, anchorY float64) {
	m := face.Metrics()
	width, height := float64(font.MeasureString(face, s).Ceil()), float64(m.CapHeight.Ceil())
	d := font.Drawer{Dst: c.RGBA, Src: image.NewUniform(ink), Face: face}
	d.Dot = fixed.P(int(math.Round(x-anchorX*width)), int(math.Round(y+(1-anchorY)*height)))
	d.DrawString(s)
}

// heading writes the title over the frame, shortened to the image's width.
func (c *canvas) heading(s string) {
	room := c.Bounds().Dx() - c.frame.Min.X - 10
	words := []rune(s)
	for len(words) > 0 && font.MeasureString(c.title, string(words)).Ceil() > room {
		words = words[:len(words)-1]
	}
	short := string(words)
	if short != s && len(words) > 1 {
		short = string(words[:len(words)-1]) + "…"
	}
	c.text(c.title, short, float64(c.frame.Min.X), float64(c.frame.Min.Y)-14, 0, 1)
}

// point is a place on the image in pixels, (0, 0) being the corner of the first one.
type point struct{ x, y float64 }

// strokes draws lines of a width; each line is a list of points. Everything outside the frame is cut off.
func (c *canvas) strokes(lines [][]point, width float64, col color.Color) {
	w, h := c.frame.Dx(), c.frame.Dy()
	r := vector.NewRasterizer(w, h)
	dx, dy := float64(c.frame.Min.X), float64(c.frame.Min.Y)
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			segment(r, line[i-1].x-dx, line[i-1].y-dy, line[i].x-dx, line[i].y-dy, width/2)
		}
	}
	r.Draw(c.RGBA, c.frame, image.NewUniform(col), image.Point{})
}

// segment adds a bar around a line. All bars turn the same way, so that overlaps do not cancel.
func segment(r *vector.Rasterizer, x0, y0, x1, y1, half float64) {
	ux, uy := x1-x0, y1-y0
	length := math.Hypot(ux, uy)
	if length == 0 {
		return
	}
	ux, uy = ux/length*half, uy/length*half
	nx, ny := -uy, ux
	x0, y0, x1, y1 = x0-ux/2, y0-uy/2, x1+ux/2, y1+uy/2
	r.MoveTo(float32(x0+nx), float32(y0+ny))
	r.LineTo(float32(x1+nx), float32(y1+ny))
	r.LineTo(float32(x1-nx), float32(y1-ny))
	r.LineTo(float32(x0-nx), float32(y0-ny))
	r.ClosePath()
}

// box draws the frame's edge, one pixel outside the data.
func (c *canvas) box(r image.Rectangle) {
	for x := r.Min.X - 1; x <= r.Max.X; x++ {
		c.Set(x, r.Min.Y-1, ink)
		c.Set(x, r.Max.Y, ink)
	}
	for y := r.Min.Y - 1; y <= r.Max.Y; y++ {
		c.Set(r.Min.X-1, y, ink)
		c.Set(r.Max.X, y, ink)
	}
}

// fill paints a rectangle.
func (c *canvas) fill(r image.Rectangle, col color.Color) {
	draw.Draw(c.RGBA, r, image.NewUniform(col), image.Point{}, draw.Src)
}

// encode makes the artifact.
func (c *canvas) encode(title string) (*artifact.Image, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, c.RGBA); err != nil {
		return nil, err
	}
	return &artifact.Image{Format: "png", Width: c.Bounds().Dx(), Height: c.Bounds().Dy(), Data: b.Bytes(), Title: title}, nil
}
