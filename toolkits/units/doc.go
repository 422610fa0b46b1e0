// Package units reads, converts and combines unit strings the way the UDUNITS
// library and the CF conventions write them: "m s-1", "m/s", "kg m^-2",
// "g kg-1", "hPa", "degC day", "degrees_north", "1e-3", "%", "km2".
//
// # Canonical strings
//
// Parse accepts the spellings that occur in data files and Unit.String gives
// one readable spelling back: symbols separated by single spaces, powers as
// plain integers, positive powers first ("W/(m2 K)" becomes "W m-2 K-1").
// Names keep the field's own word where there is one (day, year, degC, ppm).
//
// # Values and differences
//
// 20 degC is 293.15 K, but a warming of 20 degC is a warming of 20 K. A unit
// string cannot tell the two apart, so Convert asks. Subtracting two
// temperatures gives a difference whose unit is still written "degC"; the
// caller keeps the fact that it is one (the Difference field of a raster,
// series or scalar). Inside a product ("degC day", "degC km-1") a temperature
// is always a difference and no offset is ever applied.
//
// # Where this is stricter than UDUNITS
//
// Angles (radian, degree) and solid angles are not convertible to plain
// numbers, because a slope in degrees taken for a ratio is a wrong number.
// Symbols are case-sensitive; names are not. "ppt" is refused: it means parts
// per thousand to an oceanographer and parts per trillion to UDUNITS. "mb" is
// the millibar of meteorology (to UDUNITS a millibarn). A year
// is the UDUNITS year of 365.242198781 days and a month is a twelfth of it.
//
// Definitions follow the SI brochure and the UDUNITS-2 unit database.
package units
