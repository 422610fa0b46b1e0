// Package data has the tools that find and open data sets and turn fields and series into other series and numbers.
//
// [Toolkit] makes them for a catalog of data sets. Each is a plain Go function from one struct to another; package
// toolkits says how the structs become parameters, units and checks.
//
// What holds for all of them:
//
//   - A missing value is no value: it leaves sums, means and counts, and its weight leaves the denominator.
//   - Means over time weight every step by its length: a February counts less than a March. In a climatological year
//     February has 28.2425 days. A series without regular steps or bounds counts every value once.
//   - Means over an area weight every cell by the area, on the WGS84 ellipsoid, of its part inside (package zonal).
//   - Of equal largest or smallest values the first is named.
//   - Values that cannot be what their unit says stop the tool (package plausible).
package data

import (
	"almanac/toolkits"
	"almanac/toolkits/catalog"
)

// Groups of the published inventory that these tools belong to.
const (
	groupIO       = "Data I/O"
	groupAnalysis = "Reanalysis and environment"
)

// Toolkit returns the tools data.*, for the data sets of cat.
func Toolkit(cat *catalog.Catalog) []*toolkits.Tool {
	return []*toolkits.Tool{
		listTool(cat), describeTool(cat), openTool(cat), convertTool(),
		regionSeriesTool(), pointSeriesTool(), seriesStatsTool(),
		percentileTool(), countEventsTool(), trendTool(),
		aggregateTool(), anomalyTool(),
	}
}

// datasetChoices closes the vocabulary of a parameter that names a data set.
func datasetChoices(cat *catalog.Catalog) []toolkits.Choice {
	var choices []toolkits.Choice
	for _, d := range cat.Datasets() {
		choices = append(choices, toolkits.Choice{Value: d.Name, Aliases: d.Aliases, Doc: d.Title, Kind: d.Kind})
	}
	return choices
}

// variableChoices closes the vocabulary of a parameter that names a variable of the data set in parameter dataset.
func variableChoices(cat *catalog.Catalog) []toolkits.Choice {
	var choices []toolkits.Choice
	for _, d := range cat.Datasets() {
		names := map[string]int{}
		for _, v := range d.Variables {
			names[v.StandardName]++
		}
		for _, v := range d.Variables {
			aliases := v.Aliases
			if v.StandardName != "" && v.StandardName != v.Name && names[v.StandardName] == 1 {
				aliases = append(aliases[:len(aliases):len(aliases)], v.StandardName)
			}
			c := toolkits.Choice{Value: v.Name, Aliases: aliases, Doc: v.LongName, When: map[string]string{"dataset": d.Name}, Kind: v.Kind}
			if v.Kind == catalog.Raster || v.Kind == catalog.Series {
				c.Unit = v.Unit
			}
			choices = append(choices, c)
		}
	}
	return choices
}
