package data

import (
	"context"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/grid"
	"almanac/toolkits/plausible"
	"almanac/toolkits/series"
	"almanac/toolkits/units"
)

type convertIn struct {
	Value artifact.Value `arg:"value" kind:"scalar,series,raster" doc:"what to convert" alias:"data,raster,series,number"`
	To    string         `arg:"to" type:"unit" doc:"the wanted unit" alias:"unit,units,target"`
}

type convertOut struct {
	Value artifact.Value `out:"value" kind:"@value" unit:"@to" doc:"the same in the wanted unit" alias:"data"`
}

func convertTool() *toolkits.Tool {
	return toolkits.New("data.convert_units", convert, toolkits.Doc{
		Group:   groupIO,
		Purpose: "Convert a number, series or field to another unit of the same dimension.",
		Details: "Units are written as UDUNITS does: m s-1, km/h, degC, K, hPa, mm day-1. A temperature that is a difference is converted without offset: " +
			"a warming of 2 degC is 2 K. Units of another dimension are refused, and so are temperatures that no place has.",
		Examples: []string{
			"What is that in Fahrenheit?",
			"Give me the wind in knots.",
			"How many hectares are these square kilometres?",
			"Express the pressure in pascal.",
			"I need the rain in inches.",
		},
		Resolver: true,
	})
}

func convert(ctx context.Context, args convertIn) (convertOut, error) {
	var out convertOut
	switch v := args.Value.(type) {
	case *artifact.Scalar:
		f, err := converter(v.Unit, args.To, v.Difference)
		if err != nil {
			return out, err
		}
		c := *v
		c.Value, c.Unit, c.Type = f(v.Value), args.To, artifact.Number
		out.Value = &c
	case *series.Series:
		f, err := converter(v.Unit, args.To, v.Difference)
		if err != nil {
			return out, err
		}
		c := *v
		c.Values, c.Unit = mapped(v.Values, f), args.To
		out.Value = &c
		return out, implausible(plausible.Check(v.Values, v.Unit, v.Difference))
	case *grid.Raster:
		f, err := converter(v.Unit, args.To, v.Difference)
		if err != nil {
			return out, err
		}
		c := *v
		c.Values, c.Unit = mapped(v.Values, f), args.To
		out.Value = &c
		return out, implausible(plausible.Check(v.Values, v.Unit, v.Difference))
	default:
		return out, toolkits.Errorf(toolkits.BadArgument, "a number, a series or a field is wanted")
	}
	return out, ctx.Err()
}

func converter(from, to string, difference bool) (func(float64) float64, error) {
	f, err := units.Converter(from, to, difference)
	if err != nil {
		return nil, toolkits.Errorf(toolkits.BadUnit, "%w", err)
	}
	return f, nil
}

func mapped(values []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}
