// Package gis has the tools for places and areas: names to positions and outlines, statistics of a field inside an
// area, areas and distances on the WGS84 ellipsoid, nearest towns, buffers, slopes.
//
// [Toolkit] makes them for a catalog, whose table of populated places gis.nearest searches.
//
// What holds for all of them:
//
//   - Sides of shapes are straight in longitude and latitude, as in GeoJSON; which way a ring is wound carries no
//     meaning, all parts and holes count, and shapes over the antimeridian may be cut there or drawn on past 180°.
//   - A cell of a grid counts in an area with the share of its own that is inside, weighted by its area on the
//     ellipsoid. An area smaller than a cell has that cell's value. Missing cells are never in a denominator.
//   - Distances are geodesics on the ellipsoid (packages geodesy and zonal have the methods and their sources).
//   - A shape or field in another reference system than longitude and latitude is refused, with both named.
package gis

import (
	"almanac/toolkits"
	"almanac/toolkits/catalog"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
)

// group is the group of the published inventory that these tools belong to.
const group = "GIS and OSM"

// Toolkit returns the tools gis.*.
func Toolkit(cat *catalog.Catalog) []*toolkits.Tool {
	return []*toolkits.Tool{
		geocodeTool(), boundaryTool(), zonalStatsTool(), areaAboveTool(), areaTool(), distanceTool(),
		nearestTool(cat), bufferTool(), terrainTool(), sampleTool(),
	}
}

// atPeriod is the part of a raster in a period, all of it when there is none.
func atPeriod(r *grid.Raster, p cftime.Period) (*grid.Raster, error) {
	if p.IsZero() {
		return r, nil
	}
	cut, err := r.SelectPeriod(p)
	if err != nil {
		return nil, toolkits.Errorf(toolkits.EmptySelection, "%w", err)
	}
	return cut, nil
}

// oneStep refuses a raster of several steps.
func oneStep(r *grid.Raster, instead string) error {
	if r.Steps() == 1 {
		return nil
	}
	return toolkits.Errorf(toolkits.BadArgument, "%s has %d steps (%s); choose one by period, join them by data.aggregate_time, or %s", r.Variable, r.Steps(), r.PeriodLabel(), instead)
}

// in is a number in the raster's unit.
func in(r *grid.Raster, v float64) toolkits.Quantity {
	return toolkits.Quantity{Value: v, Unit: r.Unit, Difference: r.Difference, Variable: r.Variable}
}
