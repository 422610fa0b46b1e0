package plot

import (
	"context"
	"fmt"
	"image"
	"math"
	"sort"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/catalog"
	"almanac/toolkits/grid"
	"almanac/toolkits/plausible"
	"almanac/toolkits/zonal"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"
)

// coastlines is the data set whose borders maps show.
const coastlines = "natural_earth_countries"

type mapIn struct {
	Raster *grid.Raster    `arg:"raster" doc:"the field, of one step in time" alias:"data,field,grid,layer"`
	Title  string          `arg:"title,optional" doc:"text over the map; left out: the variable and its time" verbatim:"true" alias:"heading,caption"`
	Zones  *toolkits.Zones `arg:"zones,optional" doc:"areas to draw as red outlines" alias:"zone,area,region,outline,overlay"`
}

type imageOut struct {
	Image *artifact.Image `out:"image" doc:"the picture, PNG" alias:"figure,picture,map,plot"`
}

func mapTool(cat *catalog.Catalog) *toolkits.Tool {
	draw := func(ctx context.Context, in mapIn) (imageOut, error) { return drawMap(ctx, cat, in) }
	return toolkits.New("plot.map", draw, toolkits.Doc{
		Group:   group,
		Purpose: "Draw a field as a map with coastlines and a colour scale.",
		Details: "Longitude and latitude are drawn straight (plate carrée), north up, over the whole extent of the field; every pixel has the colour of the cell that its middle lies in. " +
			"The scale runs from the smallest to the largest value and shows the unit; a field of differences has zero in the middle, in white. Missing cells are grey. " +
			"Borders are Natural Earth's. A field of several steps is refused: select one, or aggregate.",
		Examples: []string{
			"Show me how the salinity is spread over the oceans.",
			"Make a picture of the relief of South America.",
			"I want to see the pattern of the anomaly.",
			"Put the pressure field of July into a figure.",
			"Plot the field with the box outlined.",
		},
	})
}

func drawMap(ctx context.Context, cat *catalog.Catalog, in mapIn) (imageOut, error) {
	r := in.Raster
	if err := drawable(r); err != nil {
		return imageOut{}, err
	}
	low, high := plausible.Extremes(r.Values)
	s, err := newScale(low, high, r.Difference)
	if err != nil {
		return imageOut{}, err
	}
	p, err := newProjection(r)
	if err != nil {
		return imageOut{}, err
	}
	p.cells(r, s)
	countries, err := cat.OpenVector(ctx, coastlines)
	if err != nil {
		return imageOut{}, toolkits.Errorf(toolkits.Unsupported, "the coastlines cannot be read: %w", err)
	}
	var lines [][]point
	for _, f := range countries.Features {
		lines = p.trace(lines, f.Geometry)
	}
	p.strokes(lines, 0.8, coast)
	if in.Zones != nil {
		if err := p.zones(in.Zones); err != nil {
			return imageOut{}, err
		}
	}
	title := in.Title
	if title == "" {
		title = titleOf(r)
	}
	p.box(p.frame)
	p.axes()
	p.bar(s, r.Unit)
	p.heading(title)
	img, err := p.encode(title)
	if err != nil {
		return imageOut{}, err
	}
	return imageOut{img}, ctx.Err()
}

func drawable(r *grid.Raster) error {
	if err := zonal.Geographic(r); err != nil {
		return zonal.Fault(err)
	}
	if n := r.Steps(); n > 1 {
		return toolkits.Errorf(toolkits.BadArgument, "a map shows one step and the field has %d, %s: open one of them, or aggregate over time", n, r.PeriodLabel())
	}
	if r.Valid() == 0 {
		return toolkits.Errorf(toolkits.EmptySelection, "all %d cells of the field are missing", len(r.Values))
	}
	if err := plausible.Check(r.Values, r.Unit, r.Difference); err != nil {
		return toolkits.Errorf(toolkits.OutOfDomain, "%w", err)
	}
	return nil
}

func titleOf(r *grid.Raster) string {
	title := r.LongName
	if title == "" {
		title = r.Variable
	}
	if r.Level != nil {
		title += fmt.Sprintf(" at %g %s", *r.Level, r.LevelUnit)
	}
	if label := r.Label(0); label != "" {
		title += ", " + label
	}
	return title
}

// projection is a canvas whose frame shows a stretch of longitudes and latitudes.
type projection struct {
	*canvas
	west, south, east, north float64
}

// newProjection fits the field into at most 900 × 560 pixels, a degree of longitude as wide as one of latitude is high
// unless the field is very flat or narrow.
func newProjection(r *grid.Raster) (*projection, error) {
	p := &projection{
		west: r.LonEdges[0], east: r.LonEdges[len(r.LonEdges)-1], south: r.LatEdges[0], north: r.LatEdges[len(r.LatEdges)-1],
	}
	scale := math.Min(900/(p.east-p.west), 560/(p.north-p.south))
	width := max(200, int(math.Round(scale*(p.east-p.west))))
	height := max(200, int(math.Round(scale*(p.north-p.south))))
	var err error
	p.canvas, err = newCanvas(width+190, height+90, image.Rect(70, 50, 70+width, 50+height))
	return p, err
}

// cells gives every pixel of the frame the colour of its cell.
func (p *projection) cells(r *grid.Raster, s scale) {
	cols := make([]int, p.frame.Dx())
	for i := range cols {
		cols[i] = cellAt(r.LonEdges, p.west+(float64(i)+0.5)/float64(p.frame.Dx())*(p.east-p.west))
	}
	for j := range p.frame.Dy() {
		row := cellAt(r.LatEdges, p.north-(float64(j)+0.5)/float64(p.frame.Dy())*(p.north-p.south))
		for i, col := range cols {
			c := missing
			if v := r.At(0, row, col); v == v {
				c = s.at(v)
			}
			p.SetRGBA(p.frame.Min.X+i, p.frame.Min.Y+j, c)
		}
	}
}

// cellAt is the cell between whose edges x lies.
func cellAt(edges []float64, x float64) int {
	return min(max(sort.SearchFloat64s(edges, x)-1, 0), len(edges)-2)
}

func (p *projection) at(v orb.Point) point {
	return point{
		float64(p.frame.Min.X) + (v[0]-p.west)/(p.east-p.west)*float64(p.frame.Dx()),
		float64(p.frame.Min.Y) + (p.north-v[1])/(p.north-p.south)*float64(p.frame.Dy()),
	}
}

// trace adds the lines of a geometry, in every convention of longitude that meets the frame.
func (p *projection) trace(lines [][]point, g orb.Geometry) [][]point {
	switch g := g.(type) {
	case orb.Point:
		mark := (p.north - p.south) / float64(p.frame.Dy()) * 5
		lines = p.trace(lines, orb.LineString{{g[0] - mark, g[1] - mark}, {g[0] + mark, g[1] + mark}})
		return p.trace(lines, orb.LineString{{g[0] - mark, g[1] + mark}, {g[0] + mark, g[1] - mark}})
	case orb.MultiPoint:
		for _, x := range g {
			lines = p.trace(lines, x)
		}
	case orb.LineString:
		return p.line(lines, g)
	case orb.MultiLineString:
		for _, x := range g {
			lines = p.line(lines, x)
		}
	case orb.Ring:
		return p.line(lines, orb.LineString(g))
	case orb.Polygon:
		for _, x := range g {
			lines = p.line(lines, orb.LineString(x))
		}
	case orb.MultiPolygon:
		for _, x := range g {
			lines = p.trace(lines, x)
		}
	case orb.Collection:
		for _, x := range g {
			lines = p.trace(lines, x)
		}
	case orb.Bound:
		return p.trace(lines, g.ToPolygon())
	}
	return lines
}

func (p *projection) line(lines [][]point, l orb.LineString) [][]point {
	for _, piece := range uncut(l) {
		for shift := -720.0; shift <= 720; shift += 360 {
			frame := orb.Bound{Min: orb.Point{p.west - shift, p.south}, Max: orb.Point{p.east - shift, p.north}}
			if !piece.Bound().Intersects(frame) {
				continue
			}
			for _, part := range clip.LineString(frame, piece) {
				points := make([]point, len(part))
				for i, v := range part {
					points[i] = p.at(orb.Point{v[0] + shift, v[1]})
				}
				lines = append(lines, points)
			}
		}
	}
	return lines
}

// uncut leaves out the sides along which a shape was cut at the antimeridian and the poles: they are no coast.
func uncut(l orb.LineString) []orb.LineString {
	var pieces []orb.LineString
	start := 0
	for i := 1; i < len(l); i++ {
		along := l[i][0] == l[i-1][0] && math.Abs(l[i][0]) == 180 || l[i][1] == l[i-1][1] && math.Abs(l[i][1]) == 90
		if along {
			if i-start > 1 {
				pieces = append(pieces, l[start:i])
			}
			start = i
		}
	}
	if len(l)-start > 1 {
		pieces = append(pieces, l[start:])
	}
	return pieces
}

func (p *projection) zones(z *toolkits.Zones) error {
	if z.CRS != "EPSG:4326" {
		return toolkits.Errorf(toolkits.BadCRS, "the zones are in %s: use longitude and latitude in degrees (EPSG:4326)", z.CRS)
	}
	var lines [][]point
	for _, f := range z.Features.Features {
		lines = p.trace(lines, f.Geometry)
	}
	if len(lines) == 0 {
		return toolkits.Errorf(toolkits.OutOfDomain, "no zone lies on the map, which covers longitudes %g to %g and latitudes %g to %g", p.west, p.east, p.south, p.north)
	}
	p.strokes(lines, 2, outline)
	return nil
}

// axes writes longitudes below and latitudes to the left of the frame.
func (p *projection) axes() {
	values, decimals := degreeTicks(p.west, p.east, max(2, p.frame.Dx()/110))
	for _, v := range values {
		x := p.at(orb.Point{v, p.south}).x
		p.fill(image.Rect(int(x), p.frame.Max.Y, int(x)+1, p.frame.Max.Y+5), ink)
		p.text(p.face, degrees(math.Remainder(v, 360), decimals, "E", "W"), x, float64(p.frame.Max.Y+9), 0.5, 0)
	}
	values, decimals = degreeTicks(p.south, p.north, max(2, p.frame.Dy()/60))
	for _, v := range values {
		y := p.at(orb.Point{p.west, v}).y
		p.fill(image.Rect(p.frame.Min.X-5, int(y), p.frame.Min.X, int(y)+1), ink)
		p.text(p.face, degrees(v, decimals, "N", "S"), float64(p.frame.Min.X-8), y, 1, 0.5)
	}
}

// degreeTicks prefers the steps of a compass to those of a ruler.
func degreeTicks(low, high float64, n int) ([]float64, int) {
	for _, step := range []float64{10, 15, 30, 45, 60, 90} {
		if count := (high - low) / step; count <= float64(n) && count > 1 && (high-low)/10 > float64(n)/2 {
			var values []float64
			for v := math.Ceil(low/step-1e-9) * step; v <= high+1e-9; v += step {
				values = append(values, v)
			}
			return values, 0
		}
	}
	return ticks(low, high, n)
}
