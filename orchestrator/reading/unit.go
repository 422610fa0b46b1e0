package reading

import (
	"slices"
	"strings"
)

// unitWords are the ways in which requests write units. They are matched as whole tokens, the longest first, and in
// the letter case given where that tells units apart (C, K, M).
var unitWords = []struct{ unit, words string }{
	{"degC", "°c|degc|degrees celsius|degree celsius|degrees c|deg c|celsius|degrees centigrade|centigrade|℃"},
	{"degF", "°f|degf|degrees fahrenheit|degree fahrenheit|degrees f|deg f|fahrenheit|℉"},
	{"K", "kelvin|kelvins|degrees kelvin"},
	{"mm", "mm|millimetre|millimetres|millimeter|millimeters"},
	{"cm", "cm|centimetre|centimetres|centimeter|centimeters"},
	{"m", "m|metre|metres|meter|meters"},
	{"km", "km|kms|kilometre|kilometres|kilometer|kilometers"},
	{"mi", "mile|miles"}, {"ft", "ft|foot|feet"}, {"in", "inch|inches"}, {"nmile", "nautical mile|nautical miles"},
	{"km2", "km2|km ²|km^2|sq km|sq. km|square kilometre|square kilometres|square kilometer|square kilometers|square km"},
	{"m2", "m2|m ²|m^2|square metre|square metres|square meter|square meters"},
	{"ha", "ha|hectare|hectares"}, {"acre", "acre|acres"}, {"mi2", "square mile|square miles"},
	{"m3", "m3|m ³|cubic metre|cubic metres|cubic meter|cubic meters"},
	{"m s-1", "m/s|m s-1|m s^-1|metre per second|metres per second|meter per second|meters per second|metres a second|meters a second"},
	{"km h-1", "km/h|kmh|kph|km h-1|kilometre per hour|kilometres per hour|kilometer per hour|kilometers per hour|kilometres an hour|kilometers an hour|km per hour"},
	{"mph", "mph|mile per hour|miles per hour|miles an hour"}, {"kt", "knot|knots|kn"},
	{"mm day-1", "mm/day|mm/d|mm day-1|mm per day|mm a day|millimetres per day|millimeters per day|millimetres a day|millimeters a day"},
	{"mm h-1", "mm/h|mm per hour|mm an hour|millimetres per hour|millimeters per hour"},
	{"hPa", "hpa|hectopascal|hectopascals|millibar|millibars|mbar|mb"}, {"kPa", "kpa|kilopascal|kilopascals"}, {"Pa", "pascal|pascals"},
	{"kW", "kw|kilowatt|kilowatts"}, {"MW", "megawatt|megawatts"}, {"W", "watt|watts"}, {"GW", "gw|gigawatt|gigawatts"},
	{"kWh", "kwh|kilowatt hour|kilowatt hours"}, {"MWh", "mwh|megawatt hour|megawatt hours"}, {"W m-2", "w/m2|w/m²|w m-2|watts per square metre|watts per square meter"},
	{"ppm", "ppm|ppmv|parts per million"}, {"ppb", "ppb|parts per billion"}, {"ppm year-1", "ppm/yr|ppm/year|ppm per year|ppm a year"},
	{"g kg-1", "g/kg|g kg-1|grams per kilogram"}, {"1e-3", "psu|per mille|permille|‰"},
	{"kg", "kg|kilogram|kilograms"}, {"t", "tonne|tonnes"},
	{"day", "day|days"}, {"week", "week|weeks"}, {"month", "month|months"}, {"year", "year|years|yr|yrs"}, {"h", "hour|hours|hr|hrs"}, {"min", "minute|minutes"}, {"s", "seconds"},
	{"%", "%|percent|per cent|pct"}, {"degree", "degrees of latitude|degrees of longitude|degrees latitude|degrees longitude"},
}

// caseWords are units whose letter case matters.
var caseWords = map[string]string{"C": "degC", "F": "degF", "K": "K", "MW": "MW", "W": "W", "Pa": "Pa"}

type unitPhrase struct {
	words []string
	unit  string
}

var unitIndex = makeUnitIndex()

func makeUnitIndex() map[string][]unitPhrase {
	ix := map[string][]unitPhrase{}
	for _, u := range unitWords {
		for _, w := range strings.Split(u.words, "|") {
			var words []string
			for _, t := range tokens(w) {
				words = append(words, t.fold)
			}
			ix[words[0]] = append(ix[words[0]], unitPhrase{words, u.unit})
		}
	}
	for _, list := range ix {
		slices.SortStableFunc(list, func(a, b unitPhrase) int { return len(b.words) - len(a.words) })
	}
	return ix
}

// unitAt reads a unit at token i: the unit and how many tokens it takes, 0 where none stands.
func unitAt(ts []token, i int) (unit string, length int) {
	if i >= len(ts) {
		return "", 0
	}
	for _, p := range unitIndex[ts[i].fold] {
		if i+len(p.words) > len(ts) {
			continue
		}
		ok := true
		for k, w := range p.words {
			ok = ok && ts[i+k].fold == w
		}
		// A capital M alone is no metre, and 5M no metres either.
		if ok && !(ts[i].text == "M" && len(p.words) == 1) {
			return p.unit, len(p.words)
		}
	}
	if u, ok := caseWords[ts[i].text]; ok {
		return u, 1
	}
	return "", 0
}
