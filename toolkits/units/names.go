package units

// definition is one named unit: how it is written in canonical strings, what
// it is worth in terms of others, and the other words for it.
type definition struct {
	symbol    string   // canonical spelling
	value     string   // definition in terms of earlier units; "" for a base unit
	offset    float64  // kelvin at the unit's zero, only for temperature scales
	symbols   []string // other case-sensitive symbols
	names     []string // case-insensitive names; an English plural is accepted too
	prefixed  bool     // the symbols take SI prefixes
	dimension int      // base units only
}

// The base dimensions. Angles are kept apart from plain numbers on purpose.
const (
	dimLength = iota
	dimMass
	dimTime
	dimCurrent
	dimTemperature
	dimAmount
	dimLight
	dimAngle
	dimSolidAngle
	dimCount
)

// definitions is the unit database in the order of dependence.
func definitions() []definition {
	return []definition{
		{symbol: "m", names: []string{"meter", "metre"}, prefixed: true, dimension: dimLength},
		{symbol: "kg", names: []string{"kilogram"}, dimension: dimMass},
		{symbol: "s", symbols: []string{"sec"}, names: []string{"second"}, prefixed: true, dimension: dimTime},
		{symbol: "A", names: []string{"ampere"}, prefixed: true, dimension: dimCurrent},
		{symbol: "K", symbols: []string{"degK", "deg_K", "°K", "degree_K", "degrees_K"}, names: []string{"kelvin", "degree_kelvin", "degrees_kelvin"}, prefixed: true, dimension: dimTemperature},
		{symbol: "mol", names: []string{"mole"}, prefixed: true, dimension: dimAmount},
		{symbol: "cd", names: []string{"candela"}, prefixed: true, dimension: dimLight},
		{symbol: "rad", names: []string{"radian"}, prefixed: true, dimension: dimAngle},
		{symbol: "sr", names: []string{"steradian"}, prefixed: true, dimension: dimSolidAngle},

		{symbol: "g", value: "1e-3 kg", names: []string{"gram", "gramme"}, prefixed: true},
		{symbol: "t", value: "1000 kg", names: []string{"tonne", "metric_ton"}, prefixed: true},
		{symbol: "min", value: "60 s", names: []string{"minute"}},
		{symbol: "h", value: "60 min", symbols: []string{"hr"}, names: []string{"hour"}},
		{symbol: "day", value: "24 h", symbols: []string{"d"}, names: []string{}},
		{symbol: "week", value: "7 day"},
		{symbol: "year", value: "365.242198781 day", symbols: []string{"yr"}, names: []string{"tropical_year"}},
		{symbol: "month", value: "30.43684989841667 day"},
		{symbol: "common_year", value: "365 day"},
		{symbol: "julian_year", value: "365.25 day"},

		{symbol: "degree", value: "1.7453292519943295e-2 rad", symbols: []string{"°", "deg"}, names: []string{"arc_degree", "arcdeg"}},
		{symbol: "degrees_north", value: "degree", symbols: []string{"degree_N", "degrees_N", "degreeN", "degreesN", "degN", "deg_N"}, names: []string{"degree_north"}},
		{symbol: "degrees_east", value: "degree", symbols: []string{"degree_E", "degrees_E", "degreeE", "degreesE", "degE", "deg_E"}, names: []string{"degree_east"}},
		{symbol: "degrees_south", value: "-1 degree", names: []string{"degree_south"}},
		{symbol: "degrees_west", value: "-1 degree", names: []string{"degree_west"}},
		{symbol: "arcmin", value: "1.6666666666666666e-2 degree", names: []string{"arc_minute", "arcminute", "angular_minute"}},
		{symbol: "arcsec", value: "1.6666666666666666e-2 arcmin", names: []string{"arc_second", "arcsecond", "angular_second"}},

		{symbol: "N", value: "kg m s-2", names: []string{"newton"}, prefixed: true},
		{symbol: "Pa", value: "N m-2", names: []string{"pascal"}, prefixed: true},
		{symbol: "bar", value: "1e5 Pa", prefixed: true},
		{symbol: "mb", value: "100 Pa", names: []string{"millibar"}},
		{symbol: "atm", value: "101325 Pa", names: []string{"atmosphere", "standard_atmosphere"}},
		{symbol: "mmHg", value: "133.322387415 Pa", symbols: []string{"mm_Hg"}, names: []string{"millimeter_Hg", "torr"}},
		{symbol: "J", value: "N m", names: []string{"joule"}, prefixed: true},
		{symbol: "W", value: "J s-1", names: []string{"watt"}, prefixed: true},
		{symbol: "Wh", value: "3600 J", names: []string{"watt_hour", "watthour"}, prefixed: true},
		{symbol: "cal", value: "4.1868 J", names: []string{"calorie"}, prefixed: true},
		{symbol: "C", value: "A s", names: []string{"coulomb"}, prefixed: true},
		{symbol: "V", value: "W A-1", names: []string{"volt"}, prefixed: true},
		{symbol: "ohm", value: "V A-1", symbols: []string{"Ω"}, prefixed: true},
		{symbol: "S", value: "A V-1", names: []string{"siemens"}, prefixed: true},
		{symbol: "F", value: "C V-1", names: []string{"farad"}, prefixed: true},
		{symbol: "Wb", value: "V s", names: []string{"weber"}, prefixed: true},
		{symbol: "T", value: "Wb m-2", names: []string{"tesla"}, prefixed: true},
		{symbol: "Hz", value: "s-1", names: []string{"hertz"}, prefixed: true},
		{symbol: "Bq", value: "s-1", names: []string{"becquerel"}, prefixed: true},
		{symbol: "lm", value: "cd sr", names: []string{"lumen"}, prefixed: true},
		{symbol: "lx", value: "lm m-2", names: []string{"lux"}, prefixed: true},

		{symbol: "degC", value: "K", offset: 273.15, symbols: []string{"°C", "℃", "deg_C", "degree_C", "degrees_C", "degreeC", "degreesC"}, names: []string{"celsius", "degree_celsius", "degrees_celsius", "degree_c", "degrees_c"}},
		{symbol: "degF", value: "0.5555555555555556 K", offset: 255.3722222222222, symbols: []string{"°F", "℉", "deg_F", "degree_F", "degrees_F"}, names: []string{"fahrenheit", "degree_fahrenheit", "degrees_fahrenheit"}},

		{symbol: "L", value: "1e-3 m3", symbols: []string{"l"}, names: []string{"liter", "litre"}, prefixed: true},
		{symbol: "ha", value: "10000 m2", names: []string{"hectare"}},
		{symbol: "acre", value: "4046.872609874252 m2"},
		{symbol: "in", value: "0.0254 m", names: []string{"inch", "inches"}},
		{symbol: "ft", value: "0.3048 m", names: []string{"foot", "feet", "international_foot"}},
		{symbol: "yd", value: "0.9144 m", names: []string{"yard"}},
		{symbol: "mi", value: "1609.344 m", names: []string{"mile", "international_mile"}},
		{symbol: "nmile", value: "1852 m", names: []string{"nautical_mile"}},
		{symbol: "kt", value: "0.5144444444444445 m s-1", names: []string{"knot"}},
		{symbol: "mph", value: "0.44704 m s-1"},
		{symbol: "kph", value: "0.2777777777777778 m s-1"},
		{symbol: "lb", value: "0.45359237 kg", names: []string{"pound"}},
		{symbol: "Sv", value: "1 m2 s-2", names: []string{"sievert"}},
		{symbol: "DU", value: "4.46158e-4 mol m-2", symbols: []string{"dobson"}},

		{symbol: "%", value: "0.01", names: []string{"percent"}},
		{symbol: "ppm", value: "1e-6", symbols: []string{"ppmv"}, names: []string{"parts_per_million"}},
		{symbol: "ppb", value: "1e-9", symbols: []string{"ppbv"}, names: []string{"parts_per_billion"}},
		{symbol: "psu", value: "1e-3", names: []string{"practical_salinity_unit"}},
		{symbol: "permil", value: "1e-3", symbols: []string{"‰"}, names: []string{"per_mille"}},
	}
}

// wholeStrings are spellings of old data files that no grammar covers: a
// space inside a name, or a fixed-width upper-case label of the Ferret era.
func wholeStrings() map[string]string {
	return map[string]string{
		"deg c": "degC", "degree c": "degC", "degrees c": "degC", "deg. c": "degC",
		"degree celsius": "degC", "degrees celsius": "degC", "deg celsius": "degC",
		"deg f": "degF", "degrees f": "degF", "degrees fahrenheit": "degF",
		"deg k": "K", "degrees k": "K", "degrees kelvin": "K",
		"degrees north": "degrees_north", "degrees east": "degrees_east",
		"parts per million": "ppm", "parts per billion": "ppb",
		"per cent": "%", "dimensionless": "1", "unitless": "1", "none": "1", "n/a": "1",
		"sq km": "km2", "square kilometers": "km2", "square kilometres": "km2", "sq m": "m2",
		"square meters": "m2", "square metres": "m2",
	}
}

// upperCase are whole strings in capitals that would otherwise be unknown.
func upperCase() map[string]string {
	return map[string]string{
		"M/S": "m s-1", "CM/S": "cm s-1", "KM/H": "km h-1", "G/KG": "g kg-1", "KG/KG": "kg kg-1",
		"MB": "mb", "MBAR": "mb", "HPA": "hPa", "PA": "Pa", "MM": "mm", "CM": "cm", "KM": "km", "M": "m",
		"MM/DAY": "mm day-1", "W/M2": "W m-2", "W/M^2": "W m-2", "W/M**2": "W m-2", "DEGC": "degC",
		"PPM": "ppm", "PPMV": "ppm", "PPB": "ppb", "PSU": "psu",
	}
}

type prefix struct {
	symbol, name string
	factor       float64
}

func prefixes() []prefix {
	return []prefix{
		{"Q", "quetta", 1e30}, {"R", "ronna", 1e27}, {"Y", "yotta", 1e24}, {"Z", "zetta", 1e21},
		{"E", "exa", 1e18}, {"P", "peta", 1e15}, {"T", "tera", 1e12}, {"G", "giga", 1e9}, {"M", "mega", 1e6},
		{"k", "kilo", 1e3}, {"h", "hecto", 1e2}, {"da", "deka", 1e1}, {"da", "deca", 1e1},
		{"d", "deci", 1e-1}, {"c", "centi", 1e-2}, {"m", "milli", 1e-3}, {"u", "micro", 1e-6},
		{"µ", "micro", 1e-6}, {"μ", "micro", 1e-6}, {"n", "nano", 1e-9}, {"p", "pico", 1e-12},
		{"f", "femto", 1e-15}, {"a", "atto", 1e-18}, {"z", "zepto", 1e-21}, {"y", "yocto", 1e-24},
		{"r", "ronto", 1e-27}, {"q", "quecto", 1e-30},
	}
}
