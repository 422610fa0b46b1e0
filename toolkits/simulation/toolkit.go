// Package simulation has the tools that turn weather into what it does: water that grass uses, rain that runs off,
// power of a wind turbine, degree days.
package simulation

import "almanac/toolkits"

// Toolkit returns the tools simulation.*.
func Toolkit() []*toolkits.Tool { return nil }
