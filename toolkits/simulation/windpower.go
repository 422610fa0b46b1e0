package simulation

import (
	"context"
	"math"

	"almanac/toolkits"
	"almanac/toolkits/cftime"
	"almanac/toolkits/series"
)

type windPowerIn struct {
	Wind      *series.Series     `arg:"wind_speed" doc:"wind speed" alias:"wind,speed,windspeed"`
	Rated     toolkits.Quantity  `arg:"rated_power" unit:"kW" min:"0.001" max:"100000" doc:"power at rated speed and above" alias:"capacity,nominal_power,rated"`
	CutIn     toolkits.Quantity  `arg:"cut_in" unit:"m s-1" min:"0" max:"50" default:"3" doc:"speed from which power is made" alias:"cut_in_speed"`
	RatedAt   toolkits.Quantity  `arg:"rated_speed" unit:"m s-1" min:"0" max:"100" default:"12" doc:"speed from which the rated power is made" alias:"nominal_speed"`
	CutOut    toolkits.Quantity  `arg:"cut_out" unit:"m s-1" min:"0" max:"200" default:"25" doc:"speed from which the turbine stands still" alias:"cut_out_speed"`
	Hub       *toolkits.Quantity `arg:"hub_height,optional" unit:"m" min:"1" max:"500" doc:"height of the hub; left out: the wind is taken as measured" alias:"hub"`
	Measured  toolkits.Quantity  `arg:"measurement_height" unit:"m" min:"0.5" max:"500" default:"10" doc:"height of the wind measurement; used only with hub_height"`
	Roughness toolkits.Quantity  `arg:"roughness" unit:"m" min:"0.00001" max:"5" default:"0.03" doc:"roughness length of the ground, 0.03 m for open grass; used only with hub_height" alias:"roughness_length,z0"`
}

type windPowerOut struct {
	Series   *series.Series    `out:"series" unit:"kW" doc:"power in every step" alias:"power"`
	Energy   toolkits.Quantity `out:"energy" unit:"kWh" doc:"energy over all steps" alias:"total,yield"`
	Capacity float64           `out:"capacity_factor" unit:"1" doc:"energy over that of the rated power in the same time" alias:"load_factor"`
	Mean     toolkits.Quantity `out:"mean_power" unit:"kW" doc:"energy over the time" alias:"mean"`
}

func windPowerTool() *toolkits.Tool {
	return toolkits.New("simulation.wind_power", windPower, toolkits.Doc{
		Group:   group,
		Purpose: "Simulate a wind turbine: power, energy and capacity factor from wind speed.",
		Details: "Power is 0 below cut_in; rated_power × (v³ - cut_in³)/(rated_speed³ - cut_in³) up to rated_speed; rated_power up to cut_out; 0 from cut_out on. " +
			"With hub_height the wind is first raised by the logarithmic law: v × ln(hub_height/roughness)/ln(measurement_height/roughness). " +
			"Energy is power times the length of every step, whatever it is. Air density and losses are not modelled; power from mean winds of days or longer leaves out gusts, and is mostly too low. " +
			"Every step must have a value.",
		Examples: []string{
			"What would a 3 MW machine have fed into the grid last winter?",
			"Is the site windy enough for a turbine?",
			"Work out the load factor from the station's wind record.",
			"How much electricity comes from a hub at 100 m height?",
			"Which power would the mill have given on average?",
		},
	})
}

func windPower(ctx context.Context, in windPowerIn) (windPowerOut, error) {
	s := in.Wind
	speed, err := complete(s, "wind_speed", "m s-1")
	if err != nil {
		return windPowerOut{}, err
	}
	cutIn, ratedAt, cutOut := in.CutIn.Value, in.RatedAt.Value, in.CutOut.Value
	if !(cutIn < ratedAt && ratedAt < cutOut) {
		return windPowerOut{}, toolkits.Errorf(toolkits.BadArgument, "cut_in %g, rated_speed %g and cut_out %g m s-1 must rise in this order", cutIn, ratedAt, cutOut)
	}
	factor, err := in.raise()
	if err != nil {
		return windPowerOut{}, err
	}
	days, err := cftime.StepDays(s.Times, s.TimeEdges, s.Frequency)
	if err != nil {
		return windPowerOut{}, toolkits.Errorf(toolkits.Unsupported, "energy needs the length of every step: %w", err)
	}
	power := make([]float64, len(speed))
	energy, hours := 0.0, 0.0
	for i, v := range speed {
		if v < 0 {
			return windPowerOut{}, toolkits.Errorf(toolkits.OutOfDomain, "the wind speed of %s is negative, %g m s-1: is it a component of the wind?", s.Label(i), v)
		}
		power[i] = in.Rated.Value * share(v*factor, cutIn, ratedAt, cutOut)
		energy += power[i] * days[i] * 24
		hours += days[i] * 24
	}
	q := func(v float64, unit string) toolkits.Quantity {
		return toolkits.Quantity{Value: v, Unit: unit, Variable: "wind_power"}
	}
	return windPowerOut{
		Series: like(s, "wind_power", "power of a wind turbine", "kW", power), Energy: q(energy, "kWh"),
		Capacity: energy / (in.Rated.Value * hours), Mean: q(energy/hours, "kW"),
	}, ctx.Err()
}

// share is the part of the rated power at a wind speed.
func share(v, cutIn, ratedAt, cutOut float64) float64 {
	switch {
	case v < cutIn || v >= cutOut:
		return 0
	case v >= ratedAt:
		return 1
	}
	return (v*v*v - cutIn*cutIn*cutIn) / (ratedAt*ratedAt*ratedAt - cutIn*cutIn*cutIn)
}

// raise is the wind at the hub over that at the mast.
func (in *windPowerIn) raise() (float64, error) {
	if in.Hub == nil {
		return 1, nil
	}
	if lowest := math.Min(in.Hub.Value, in.Measured.Value); lowest <= in.Roughness.Value {
		return 0, toolkits.Errorf(toolkits.OutOfDomain, "the logarithmic law holds above the roughness length of %g m, not at %g m", in.Roughness.Value, lowest)
	}
	return math.Log(in.Hub.Value/in.Roughness.Value) / math.Log(in.Measured.Value/in.Roughness.Value), nil
}
