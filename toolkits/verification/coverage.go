package verification

import (
	"context"
	"errors"
	"fmt"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/cftime"
	"almanac/toolkits/geodesy"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/table"
	"almanac/toolkits/vector"
	"almanac/toolkits/zonal"
)

type nonEmptyIn struct {
	Data artifact.Value `arg:"data" kind:"raster,series,table,vector,text,image" doc:"what should hold something" alias:"value,raster,series,table,vector"`
}

func nonEmptyTool() *toolkits.Tool {
	return toolkits.New("verification.non_empty", nonEmpty, toolkits.Doc{
		Group:   groupChecks,
		Purpose: "Check that data holds at least one value, row, feature or character.",
		Details: "A field or a series needs a value that is not missing; a value of 0 counts as one. A table needs a row, a vector a feature with a shape.",
		Examples: []string{
			"Did the selection return anything at all?",
			"Make sure there is data before averaging.",
			"Is the layer blank?",
			"Are all of those readings missing?",
			"Check that the list has at least one row.",
		},
	})
}

func nonEmpty(ctx context.Context, in nonEmptyIn) (verdict, error) {
	n, of, what := 0, 0, ""
	switch v := in.Data.(type) {
	case *grid.Raster:
		n, of, what = v.Valid(), len(v.Values), "cells with a value"
	case *series.Series:
		n, of, what = v.Valid(), v.Len(), "steps with a value"
	case *table.Table:
		n, of, what = v.Rows(), v.Rows(), "rows"
	case *vector.Features:
		n, of, what = shapes(v), len(v.Features), "features with a shape"
	case *artifact.Text:
		n, of, what = len(v.Text), len(v.Text), "bytes of text"
	case *artifact.Image:
		n, of, what = v.Width*v.Height, v.Width*v.Height, "pixels"
	}
	reason := fmt.Sprintf("%d %s", n, what)
	if of > n {
		reason = fmt.Sprintf("%d of %d %s", n, of, what)
	}
	return verdict{n > 0, reason}, ctx.Err()
}

func shapes(v *vector.Features) int {
	n := 0
	for _, f := range v.Features {
		if f.Geometry != nil && !f.Geometry.Bound().IsEmpty() {
			n++
		}
	}
	return n
}

type coversRegionIn struct {
	Raster *grid.Raster    `arg:"raster" doc:"the field" alias:"data,field,grid,layer"`
	Zones  *toolkits.Zones `arg:"zones" doc:"the area that it should cover" alias:"zone,area,region,place,box"`
}

func coversRegionTool() *toolkits.Tool {
	return toolkits.New("verification.covers_region", coversRegion, toolkits.Doc{
		Group:   groupChecks,
		Purpose: "Check that a field reaches over the whole of an area and has a value in it.",
		Details: "Passes when at most a thousandth of the area, by km2 on the WGS84 ellipsoid, lies beyond the grid's edges, and at least one cell inside has a value. " +
			"The reason says how much of the area has no value in any step; a sea field is missing over land, and that alone does not fail.",
		Examples: []string{
			"Does the grid reach far enough to the south for this basin?",
			"Will this field do for the whole of Chile?",
			"Is the box inside the data?",
			"Check that the map covers the island before averaging.",
			"Does the data include the western end of the region?",
		},
	})
}

func coversRegion(ctx context.Context, in coversRegionIn) (verdict, error) {
	cover, err := zonal.Cover(in.Raster, in.Zones.Features)
	if errors.Is(err, zonal.ErrOutside) {
		return verdict{false, fmt.Sprintf("the area lies outside the grid, which covers %s", in.Raster.Extent())}, ctx.Err()
	}
	if errors.Is(err, geodesy.ErrNoArea) || errors.Is(err, zonal.ErrEmpty) {
		return verdict{}, toolkits.Errorf(toolkits.BadArgument, "%w", err)
	}
	if err != nil {
		return verdict{}, zonal.Fault(err)
	}
	total := cover.Inside + cover.Outside
	if beyond := cover.Outside / total; beyond > 1e-3 {
		return verdict{false, fmt.Sprintf("%.1f %% of the area lies beyond the grid, which covers %s", 100*beyond, in.Raster.Extent())}, ctx.Err()
	}
	known := 0.0
	for _, c := range cover.Cells {
		if hasValue(in.Raster, c.Index) {
			known += c.Area
		}
	}
	if known == 0 {
		return verdict{false, "the area lies on the grid, but no cell in it has a value"}, ctx.Err()
	}
	return verdict{true, fmt.Sprintf("the area lies on the grid; cells with a value make up %.1f %% of it", 100*known/cover.Inside)}, ctx.Err()
}

func hasValue(r *grid.Raster, cell int) bool {
	for step := range r.Steps() {
		if v := r.Field(step)[cell]; v == v {
			return true
		}
	}
	return false
}

type coversPeriodIn struct {
	Data   artifact.Value `arg:"data" kind:"series,raster" doc:"what should cover the period" alias:"series,raster,value"`
	Period cftime.Period  `arg:"period" doc:"the period, both ends included" alias:"time,date,dates"`
}

func coversPeriodTool() *toolkits.Tool {
	return toolkits.New("verification.covers_period", coversPeriod, toolkits.Doc{
		Group:   groupChecks,
		Purpose: "Check that a series or field has a value for every step of a period.",
		Details: "The first step must begin no later than the period and the last one end no earlier; between them no step may be absent or without any value. " +
			"Steps are those of the data's own frequency, in its own calendar. Months of any year (August, JJA) are asked of every year of the data, or of the climatology. " +
			"Data without regular steps and without bounds cannot be judged.",
		Examples: []string{
			"Is the record complete for the 1990s?",
			"Are there any gaps in that summer?",
			"Does the data go back far enough for this baseline?",
			"Are all twelve months of the year there?",
			"Before summing, make sure that no day is missing.",
		},
	})
}

func coversPeriod(ctx context.Context, in coversPeriodIn) (verdict, error) {
	a := axisOf(in.Data)
	if err := in.Period.CheckCalendar(a.calendar); err != nil {
		return verdict{}, toolkits.Errorf(toolkits.BadArgument, "%w", err)
	}
	if a.climatology() && !in.Period.AnyYear() {
		return verdict{false, "the data is a climatology without years"}, ctx.Err()
	}
	if len(a.times) == 0 {
		return verdict{false, "the data has no time"}, ctx.Err()
	}
	if a.edges == nil {
		if a.edges = cftime.Edges(a.times, a.frequency); a.edges == nil {
			return verdict{}, toolkits.Errorf(toolkits.Unsupported, "the steps are %s and have no bounds, so that nobody can tell whether one is absent; aggregate to months or years first", a.frequency)
		}
	}
	if in.Period.AnyYear() {
		return a.coversMonths(in.Period), ctx.Err()
	}
	return a.covers(in.Period), ctx.Err()
}
