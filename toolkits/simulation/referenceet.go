package simulation

import (
	"context"
	"math"

	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
)

type referenceETIn struct {
	High       *series.Series     `arg:"temperature_max" doc:"daily maximum air temperature" alias:"tmax,temp_max,high,highs,maximum"`
	Low        *series.Series     `arg:"temperature_min" doc:"daily minimum air temperature" alias:"tmin,temp_min,low,lows,minimum"`
	Wind       *series.Series     `arg:"wind_speed,optional" doc:"daily mean wind speed; left out: 2 m/s at 2 m on every day" alias:"wind"`
	Latitude   *toolkits.Place    `arg:"latitude,optional" doc:"where, of which only the latitude counts; left out: where the series is from" alias:"place,location,point"`
	Elevation  *toolkits.Quantity `arg:"elevation,optional" unit:"m" min:"-500" max:"9000" doc:"height above the sea; left out: that of the series' station" alias:"altitude,height"`
	WindHeight toolkits.Quantity  `arg:"wind_height" unit:"m" min:"0.5" max:"200" default:"2" doc:"height of the wind measurement; counts only with wind_speed"`
}

type referenceETOut struct {
	Series *series.Series    `out:"series" unit:"mm day-1" doc:"reference evapotranspiration of every day" alias:"et0,daily"`
	Total  toolkits.Quantity `out:"total" unit:"mm" doc:"sum over the days" alias:"sum"`
	Mean   toolkits.Quantity `out:"mean" unit:"mm day-1" doc:"mean of the days" alias:"average"`
	Max    toolkits.Quantity `out:"max" unit:"mm day-1" doc:"largest daily value" alias:"maximum"`
	Argmax string            `out:"argmax" type:"instant" doc:"day of the largest value, the first of equal ones"`
}

func referenceETTool() *toolkits.Tool {
	return toolkits.New("simulation.reference_et", referenceET, toolkits.Doc{
		Group:   group,
		Purpose: "Compute FAO-56 Penman-Monteith reference evapotranspiration of grass from daily temperatures.",
		Details: "Allen et al. (1998), FAO Irrigation and Drainage Paper 56, equation 6 for days, with soil heat flux 0 and albedo 0.23. What is not measured is estimated as the paper says: " +
			"dew point = minimum temperature (equation 48); radiation 0.16 sqrt(Tmax - Tmin) Ra (equation 50, interior), not above the clear sky's (0.75 + 2e-5 z) Ra (equation 37); " +
			"relative radiation in equation 39 such that its factor stays within 0.05 to 1; pressure from elevation (equation 7); wind 2 m/s at 2 m where no series is given, " +
			"otherwise brought from wind_height to 2 m (equation 47). Latitude and elevation come from the arguments, else from the series. " +
			"Days on which the sun does not rise are refused. Every day needs every value.",
		Examples: []string{
			"How thirsty was the lawn in that hot week?",
			"Estimate ET0 from the daily highs and lows.",
			"On which day did a well-watered meadow lose the most?",
			"What is the atmosphere's demand for water here, in mm a day?",
			"How much irrigation would grass have needed if it had not rained?",
		},
	})
}

func referenceET(ctx context.Context, in referenceETIn) (referenceETOut, error) {
	tmax, tmin, err := extremes(in.High, in.Low)
	if err != nil {
		return referenceETOut{}, err
	}
	if in.High.Calendar == cftime.Day360 {
		return referenceETOut{}, toolkits.Errorf(toolkits.Unsupported, "the sun's height needs the real days of the year, and calendar 360_day has others")
	}
	latitude, elevation, err := in.site()
	if err != nil {
		return referenceETOut{}, err
	}
	wind, err := in.wind2m()
	if err != nil {
		return referenceETOut{}, err
	}
	values := make([]float64, len(tmax))
	for i, t := range in.High.Times {
		ra := extraterrestrial(t.DayOfYear(), latitude)
		if ra <= 0 {
			return referenceETOut{}, toolkits.Errorf(toolkits.OutOfDomain, "on %s the sun does not rise at latitude %g: reference evapotranspiration is not defined", in.High.Label(i), latitude)
		}
		values[i] = penmanMonteith(tmax[i], tmin[i], ra, elevation, wind[i])
	}
	k := highest(values)
	q := func(v float64, unit string) toolkits.Quantity {
		return toolkits.Quantity{Value: v, Unit: unit, Variable: "reference_et"}
	}
	sum := total(values)
	return referenceETOut{
		Series: like(in.High, "reference_et", "reference evapotranspiration (FAO-56)", "mm day-1", values),
		Total:  q(sum, "mm"), Mean: q(sum/float64(len(values)), "mm day-1"), Max: q(values[k], "mm day-1"), Argmax: in.High.Label(k),
	}, ctx.Err()
}

// site is latitude in degrees and elevation in m, from the arguments or the series.
func (in *referenceETIn) site() (latitude, elevation float64, err error) {
	switch {
	case in.Latitude != nil:
		latitude = in.Latitude.Latitude
	case in.High.Latitude != nil:
		latitude = *in.High.Latitude
	default:
		return 0, 0, toolkits.Errorf(toolkits.BadArgument, "latitude is needed: the series does not say where it is from; give a place")
	}
	switch {
	case in.Elevation != nil:
		elevation = in.Elevation.Value
	case in.High.Elevation != nil:
		elevation = *in.High.Elevation
	default:
		return 0, 0, toolkits.Errorf(toolkits.BadArgument, "elevation is needed, in m: the series does not say how high its station lies")
	}
	return latitude, elevation, nil
}

// wind2m is the wind at 2 m for every day.
func (in *referenceETIn) wind2m() ([]float64, error) {
	if in.Wind == nil {
		wind := make([]float64, in.High.Len())
		for i := range wind {
			wind[i] = 2
		}
		return wind, nil
	}
	wind, err := completeDays(in.Wind, "wind_speed", "m s-1")
	if err != nil {
		return nil, err
	}
	if err := sameDays(in.High, in.Wind, "temperature_max", "wind_speed"); err != nil {
		return nil, err
	}
	factor := 1.0
	if z := in.WindHeight.Value; z != 2 {
		factor = 4.87 / math.Log(67.8*z-5.42)
	}
	for i := range wind {
		if wind[i] < 0 {
			return nil, toolkits.Errorf(toolkits.OutOfDomain, "the wind speed of %s is negative, %g m s-1: is it a component of the wind?", in.Wind.Label(i), wind[i])
		}
		wind[i] *= factor
	}
	return wind, nil
}

// extraterrestrial is Ra in MJ m-2 day-1: equations 21 to 25.
func extraterrestrial(dayOfYear int, latitude float64) float64 {
	turn, phi := 2*math.Pi*float64(dayOfYear)/365, latitude*math.Pi/180
	distance := 1 + 0.033*math.Cos(turn)
	declination := 0.409 * math.Sin(turn-1.39)
	sunset := math.Acos(math.Max(-1, math.Min(1, -math.Tan(phi)*math.Tan(declination))))
	return 24 * 60 / math.Pi * 0.0820 * distance *
		(sunset*math.Sin(phi)*math.Sin(declination) + math.Cos(phi)*math.Cos(declination)*math.Sin(sunset))
}

// saturation is the saturation vapour pressure in kPa at a temperature in degC: equation 11.
func saturation(t float64) float64 { return 0.6108 * math.Exp(17.27*t/(t+237.3)) }

// penmanMonteith is ET0 in mm day-1: equation 6. Temperatures in degC, ra in MJ m-2 day-1, wind in m s-1 at 2 m.
func penmanMonteith(tmax, tmin, ra, elevation, wind float64) float64 {
	mean := (tmax + tmin) / 2
	clear := (0.75 + 2e-5*elevation) * ra
	solar := math.Min(0.16*math.Sqrt(tmax-tmin)*ra, clear)
	vapour := saturation(tmin)
	saturated := (saturation(tmax) + saturation(tmin)) / 2
	cloud := math.Max(0.05, math.Min(1, 1.35*solar/clear-0.35))
	const stefanBoltzmann = 4.903e-9 // MJ K-4 m-2 day-1
	longwave := stefanBoltzmann * (math.Pow(tmax+273.16, 4) + math.Pow(tmin+273.16, 4)) / 2 * (0.34 - 0.14*math.Sqrt(vapour)) * cloud
	net := 0.77*solar - longwave
	slope := 4098 * saturation(mean) / ((mean + 237.3) * (mean + 237.3))
	psychrometric := 0.665e-3 * 101.3 * math.Pow((293-0.0065*elevation)/293, 5.26)
	return (0.408*slope*net + psychrometric*900/(mean+273)*wind*(saturated-vapour)) / (slope + psychrometric*(1+0.34*wind))
}
