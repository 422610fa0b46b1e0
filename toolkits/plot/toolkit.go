// Package plot draws fields and series as PNG images.
package plot

import (
	"almanac/toolkits"
	"almanac/toolkits/catalog"
)

// Toolkit returns the tools plot.*, with coastlines from cat.
func Toolkit(cat *catalog.Catalog) []*toolkits.Tool { _ = cat; return nil }
