package gis

import (
	"context"
	"math"

	"almanac/toolkits"
	"almanac/toolkits/geodesy"
	"almanac/toolkits/grid"
	"almanac/toolkits/units"
	"almanac/toolkits/zonal"
)

type terrainIn struct {
	Raster     *grid.Raster `arg:"raster" doc:"elevation" alias:"elevation,dem,data,layer,field,grid"`
	Derivative string       `arg:"derivative" doc:"what to derive" alias:"kind,product,output,method"`
}

type terrainOut struct {
	Data *grid.Raster `out:"data" unit:"@derivative" doc:"slope or aspect in degrees, or hillshade from 0 to 1" alias:"raster"`
}

func terrainTool() *toolkits.Tool {
	return toolkits.New("gis.terrain", terrain, toolkits.Doc{
		Group:   group,
		Purpose: "Derive slope, aspect or hillshade from an elevation field.",
		Details: "Horn (1981): gradients from the eight neighbours with weights 1 2 1, over distances in metres of the WGS84 ellipsoid at each row's latitude. " +
			"slope is the angle of the steepest descent, aspect its direction clockwise from north (missing where flat), hillshade the light from azimuth 315°, altitude 45°, " +
			"0 in the dark to 1. Cells beside a missing one or at the edge are missing; columns go on round the globe where the grid does. " +
			"On coarse grids slopes are those of the smoothed relief, much gentler than on the ground.",
		Examples: []string{
			"How steep are the Himalayas in this relief?",
			"Compute slopes from the DEM.",
			"Which way do the flanks of the Andes face?",
			"Make a shaded relief of Iceland.",
			"Where is the sea floor steepest?",
		},
		Choices: map[string][]toolkits.Choice{"derivative": {
			{Value: "slope", Aliases: []string{"steepness", "gradient"}, Doc: "angle of the steepest descent", Unit: "degree"},
			{Value: "aspect", Aliases: []string{"exposure", "direction"}, Doc: "direction that the slope faces", Unit: "degree"},
			{Value: "hillshade", Aliases: []string{"shading", "shaded_relief"}, Doc: "light from the north-west", Unit: "1"},
		}},
	})
}

func terrain(ctx context.Context, args terrainIn) (terrainOut, error) {
	r := args.Raster
	if err := oneStep(r, "take one field"); err != nil {
		return terrainOut{}, err
	}
	if err := zonal.Geographic(r); err != nil {
		return terrainOut{}, zonal.Fault(err)
	}
	metres, err := units.Converter(r.Unit, "m", true)
	if err != nil {
		return terrainOut{}, toolkits.Errorf(toolkits.BadUnit, "an elevation in metres or another length is wanted, not %s in %s", r.Variable, r.Unit)
	}
	if len(r.Lat) < 3 || len(r.Lon) < 3 {
		return terrainOut{}, toolkits.Errorf(toolkits.NotEnoughData, "slopes need at least 3 × 3 cells, the field has %d × %d", len(r.Lat), len(r.Lon))
	}
	derive, unit, long := derivative(args.Derivative)
	out := r.Like()
	out.Variable, out.StandardName, out.LongName, out.Unit, out.Difference = args.Derivative, "", long, unit, false
	s := surface{r: r, metres: metres}
	for row := 1; row < len(r.Lat)-1; row++ {
		if err := ctx.Err(); err != nil {
			return terrainOut{}, err
		}
		for col := range r.Lon {
			if east, north, ok := s.gradient(row, col); ok {
				out.Values[r.Index(0, row, col)] = derive(east, north)
			}
		}
	}
	if out.Valid() == 0 {
		return terrainOut{}, toolkits.Errorf(toolkits.EmptySelection, "no cell has all eight neighbours with a slope among them")
	}
	return terrainOut{out}, nil
}

// derivative is a function of the gradient towards east and north (rise over run), with its unit and name.
func derivative(name string) (derive func(east, north float64) float64, unit, long string) {
	switch name {
	case "aspect":
		return aspect, "degree", "direction that the slope faces, clockwise from north"
	case "hillshade":
		return hillshade, "1", "light from azimuth 315, altitude 45 degrees"
	}
	return slope, "degree", "slope"
}

func slope(east, north float64) float64 { return math.Atan(math.Hypot(east, north)) * 180 / math.Pi }

func aspect(east, north float64) float64 {
	if east == 0 && north == 0 {
		return math.NaN()
	}
	return compass(math.Atan2(-east, -north) * 180 / math.Pi)
}

// hillshade is the cosine of the angle between the light and the surface's normal, not below 0.
func hillshade(east, north float64) float64 {
	const half = 0.5 // sin 45° × sin 45°: the light's component towards west and towards north
	up := math.Sqrt2 / 2
	// light from the north-west: direction (-half, half, up); normal (-east, -north, 1)
	return max(0, (half*east-half*north+up)/math.Sqrt(1+east*east+north*north))
}

// surface is an elevation field whose slopes are taken.
type surface struct {
	r      *grid.Raster
	metres func(float64) float64
}

// gradient is the rise per metre towards east and north; ok is false where a neighbour is missing.
func (s surface) gradient(row, col int) (east, north float64, ok bool) {
	r := s.r
	west, right := col-1, col+1
	spanWest, spanEast := 0.0, 0.0
	if n := len(r.Lon); r.FullCircle() {
		if west < 0 {
			west, spanWest = n-1, 360
		}
		if right == n {
			right, spanEast = 0, 360
		}
	} else if west < 0 || right == n {
		return 0, 0, false
	}
	z := func(dRow, c int) float64 { return s.metres(r.At(0, row+dRow, c)) }
	left := z(-1, west) + 2*z(0, west) + z(1, west)
	rightSum := z(-1, right) + 2*z(0, right) + z(1, right)
	above := z(1, west) + 2*z(1, col) + z(1, right)
	below := z(-1, west) + 2*z(-1, col) + z(-1, right)
	if all := left + rightSum + above + below + z(0, col); math.IsNaN(all) {
		return 0, 0, false
	}
	width, height := perDegree(r.Lat[row])
	dx := (r.Lon[right] + spanEast - r.Lon[west] + spanWest) * width
	dy := (r.Lat[row+1] - r.Lat[row-1]) * height
	if dx <= 0 {
		return 0, 0, false
	}
	return (rightSum - left) / 4 / dx, (above - below) / 4 / dy, true
}

// perDegree is the length in metres of a degree of longitude and of latitude at a latitude.
func perDegree(lat float64) (lon, meridian float64) {
	const e2 = geodesy.Flattening * (2 - geodesy.Flattening)
	sin, cos := math.Sincos(lat * math.Pi / 180)
	w := 1 - e2*sin*sin
	n := geodesy.SemiMajorAxis * 1000 / math.Sqrt(w)
	return n * cos * math.Pi / 180, n * (1 - e2) / w * math.Pi / 180
}
