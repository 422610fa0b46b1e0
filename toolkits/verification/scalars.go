package verification

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/units"
)

type inRangeIn struct {
	Value artifact.Value    `arg:"value" kind:"scalar" doc:"the number to look at" alias:"number,result"`
	Low   toolkits.Quantity `arg:"low" unit:"@value" doc:"smallest value that passes" alias:"min,minimum,lower"`
	High  toolkits.Quantity `arg:"high" unit:"@value" doc:"largest value that passes" alias:"max,maximum,upper"`
}

func inRangeTool() *toolkits.Tool {
	return toolkits.New("verification.in_range", inRange, toolkits.Doc{
		Group:   groupChecks,
		Purpose: "Check that a number lies between two bounds.",
		Details: "Both bounds pass. Bounds without unit count in the number's unit; bounds in another unit of the dimension are converted. " +
			"A lower bound above the upper one is an error.",
		Examples: []string{
			"Make sure that the temperature is one that a sea can have.",
			"Is the share between nought and one?",
			"Stop if the total is beyond anything plausible.",
			"Does the elevation fall within what mountains reach?",
			"Sanity-check the number against these limits.",
		},
	})
}

func inRange(ctx context.Context, in inRangeIn) (verdict, error) {
	s, err := scalarOf(in.Value)
	if err != nil {
		return verdict{}, err
	}
	if in.Low.Value > in.High.Value {
		return verdict{}, toolkits.Errorf(toolkits.BadArgument, "low, %s, is above high, %s: swap them", amount(in.Low.Value, s.Unit), amount(in.High.Value, s.Unit))
	}
	got, low, high := amount(s.Value, s.Unit), amount(in.Low.Value, s.Unit), amount(in.High.Value, s.Unit)
	switch {
	case s.Value < in.Low.Value:
		return verdict{false, fmt.Sprintf("%s is below %s", got, low)}, ctx.Err()
	case s.Value > in.High.Value:
		return verdict{false, fmt.Sprintf("%s is above %s", got, high)}, ctx.Err()
	}
	return verdict{true, fmt.Sprintf("%s lies from %s to %s", got, low, high)}, ctx.Err()
}

func scalarOf(v artifact.Value) (*artifact.Scalar, error) {
	s, ok := v.(*artifact.Scalar)
	if !ok || s.Type == artifact.Boolean {
		return nil, toolkits.Errorf(toolkits.BadArgument, "a number is wanted")
	}
	return s, nil
}

func amount(v float64, unit string) string {
	text := strconv.FormatFloat(v, 'g', 7, 64)
	if unit == "" || unit == "1" {
		return text
	}
	return text + " " + unit
}

type unitIsIn struct {
	Value artifact.Value `arg:"value" kind:"scalar,series,raster" doc:"the number, series or field to look at" alias:"data,number,raster,series"`
	Unit  string         `arg:"unit" type:"unit" doc:"the unit that it should have" alias:"units"`
}

func unitIsTool() *toolkits.Tool {
	return toolkits.New("verification.unit_is", unitIs, toolkits.Doc{
		Group:   groupChecks,
		Purpose: "Check that a number, series or field is in a given unit.",
		Details: "Spellings of one unit are equal: m/s and m s-1. Another unit of the same dimension fails; the reason then names data.convert_units.",
		Examples: []string{
			"Is this in kelvin or in degrees Celsius?",
			"Make sure the answer comes in millimetres.",
			"Confirm that the area is in square kilometres.",
			"Are the winds really metres per second?",
			"Before adding, check what the values are measured in.",
		},
	})
}

func unitIs(ctx context.Context, in unitIsIn) (verdict, error) {
	var unit string
	switch v := in.Value.(type) {
	case *artifact.Scalar:
		unit = v.Unit
	case *series.Series:
		unit = v.Unit
	case *grid.Raster:
		unit = v.Unit
	}
	switch {
	case units.Same(unit, in.Unit):
		return verdict{true, fmt.Sprintf("the unit is %q", unit)}, ctx.Err()
	case units.Convertible(unit, in.Unit):
		return verdict{false, fmt.Sprintf("the unit is %q, not %q; data.convert_units can convert it", unit, in.Unit)}, ctx.Err()
	}
	return verdict{false, fmt.Sprintf("the unit is %q, which is of another dimension than %q", unit, in.Unit)}, ctx.Err()
}

type recomputeIn struct {
	Value     artifact.Value    `arg:"value" kind:"scalar" doc:"the number to confirm" alias:"number,result"`
	Other     toolkits.Quantity `arg:"other" unit:"@value" doc:"the same number by another path" alias:"second,expected,reference"`
	Tolerance float64           `arg:"tolerance" unit:"1" min:"0" max:"1" default:"0.01" doc:"largest difference that passes, as a share of the larger of the two" alias:"rel_tol"`
}

func recomputeTool() *toolkits.Tool {
	return toolkits.New("verification.recompute", recompute, toolkits.Doc{
		Group:   groupChecks,
		Purpose: "Check that two paths to the same number agree.",
		Details: "Passes when |value - other| <= tolerance × max(|value|, |other|), after other has been converted to value's unit. " +
			"Temperatures on a scale with an offset are compared in kelvin, where a share has a meaning; temperature differences as they are. Two zeros agree.",
		Examples: []string{
			"Work it out a second way and see whether both agree.",
			"Does the sum of the months equal the total for the year?",
			"Cross-check the mean against an independent calculation.",
			"Are the two estimates the same to within one percent?",
			"Verify the figure by another route before reporting it.",
		},
	})
}

func recompute(ctx context.Context, in recomputeIn) (verdict, error) {
	s, err := scalarOf(in.Value)
	if err != nil {
		return verdict{}, err
	}
	if s.Difference != in.Other.Difference && isTemperature(s.Unit) {
		return verdict{false, fmt.Sprintf("%s and %s: one is a temperature, the other a difference of temperatures", amount(s.Value, s.Unit), amount(in.Other.Value, s.Unit))}, ctx.Err()
	}
	a, b, unit := s.Value, in.Other.Value, s.Unit
	if isTemperature(s.Unit) && !s.Difference {
		for _, v := range []*float64{&a, &b} {
			if *v, err = units.Convert(*v, s.Unit, "K", false); err != nil {
				return verdict{}, toolkits.Errorf(toolkits.BadUnit, "%w", err)
			}
		}
	}
	off := math.Abs(a - b)
	share := 0.0
	if off > 0 {
		share = off / math.Max(math.Abs(a), math.Abs(b))
	}
	words := fmt.Sprintf("%s and %s differ by %s of the larger", amount(s.Value, unit), amount(in.Other.Value, unit), amount(share, "1"))
	if share <= in.Tolerance {
		return verdict{true, words}, ctx.Err()
	}
	return verdict{false, words + ", more than " + amount(in.Tolerance, "1")}, ctx.Err()
}

func isTemperature(unit string) bool {
	u, err := units.Parse(unit)
	return err == nil && u.IsTemperature()
}
