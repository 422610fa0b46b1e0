// Package plot draws fields and series as PNG images: a map with coastlines, a colour scale with its unit and the extent
// in degrees, or a line over time.
//
// North is up and east is right, whatever the order of the data; a pixel shows the value of the cell that its middle
// lies in, and nothing between cells is made up. Missing cells are grey, a colour that no scale has. Equal input gives
// equal bytes: the fonts come with the program and no time is written.
package plot

import (
	"almanac/toolkits"
	"almanac/toolkits/catalog"
)

// group is the group of the published inventory that these tools belong to.
const group = "Visualization"

// Toolkit returns the tools plot.*, with coastlines from cat's countries.
func Toolkit(cat *catalog.Catalog) []*toolkits.Tool {
	return []*toolkits.Tool{mapTool(cat), seriesTool()}
}
