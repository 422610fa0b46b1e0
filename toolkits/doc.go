// Package toolkits turns Go functions into tools that agents can use, and runs them.
//
// A tool is a function from one struct to another:
//
//	type meanIn struct {
//		Raster *grid.Raster    `arg:"raster" doc:"the field to average"`
//		Zones  *toolkits.Zones `arg:"zones" doc:"where" alias:"zone,area"`
//	}
//	type meanOut struct {
//		Mean toolkits.Quantity `out:"mean" unit:"@raster" doc:"area-weighted mean"`
//	}
//	tool := toolkits.New("gis.zonal_mean", zonalMean, toolkits.Doc{Group: "GIS", Purpose: "Average a field over an area."})
//
// Everything else is derived: the schema that a model sees, the checks of a schedule, the binding of arguments, the
// canonical form in which calls are compared, and the artifacts with their provenance. A unit, kind, default or closed
// vocabulary is declared once, in a tag.
//
// # Tags of an input field
//
//	arg:"name"            the parameter; arg:"name,optional" may be left out
//	doc:"…"               one line
//	alias:"zone,area"     other spellings that stand for the same parameter
//	unit:"mm"             unit of a number: a literal counts in it, a quantity is converted to it; "@raster": the
//	                      unit of the argument for parameter raster
//	kind:"raster,series"  kinds of artifact that an artifact.Value field accepts
//	enum:"mean,min,max"   closed vocabulary of a string
//	default:"mean"        value when left out (implies optional)
//	min:"0" max:"100"     bounds of a number, both inclusive
//	tolerance:"0.01"      absolute difference within which two numbers count as equal in scoring
//	type:"unit"           the string names a unit; type:"expression": an arithmetic expression
//	verbatim:"true"       letter case matters in scoring
//
// # Tags of an output field
//
//	out:"name" doc:"…" alias:"…"
//	unit:"degC"           fixed unit of a number; "@raster": the unit of that argument; "@series year-1": made from it;
//	                      "@to": the unit that the string argument names; "?": known only when it has run
//	kind:"@data"          an artifact.Value output of the same kind as that argument; "@variable": as the chosen
//	                      [Choice] says
//	difference:"true"     the number is a difference
//	type:"instant"        the string is the label of a time
//
// A pointer field of the output that is nil is absent. A number that is not finite is an error, never a result.
package toolkits
