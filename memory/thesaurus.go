package memory

import (
	"fmt"
	"strings"

	"github.com/kljensen/snowball/english"
)

// kin are words of general English and of the trade, those of a line near to each other in what they say: where a question
// has one of them and an entry another, that counts for something.
const kin = `
big large size extent extensive area surface
border outline boundary contour frontier limit perimeter edge
shape polygon geometry outline boundary
far distance apart separate separation away kilometre
near close closest nearest next neighbour surround surrounding vicinity adjacent
town city settlement village place
where position location coordinate latitude longitude lat lon locate
people inhabitant population live resident
direction bearing compass way heading azimuth
high elevation height altitude relief dem topography terrain mountain
deep depth level
steep slope incline inclination gradient
face aspect orientation
picture image figure map plot draw graphic chart graph diagram show visualize visualise render see
curve line graph diagram chart
mean average typical usual normal ordinary climatology climatological
maximum highest largest greatest max peak hottest warmest wettest
minimum lowest smallest least min coldest driest
extreme maximum minimum highest lowest peak
sum total add altogether accumulate
spread scatter deviation variability vary range standard
summary summarize overview statistics numerical
trend drift tendency rise climb increase decline decrease warming slope rate linear
significant significance chance
linear straight line regression slope trend
predict prediction forecast outlook expect project projection extrapolate continue future coming ahead extend prolong forward guess
same unchanged constant persist persistence hold naive stay nothing exactly
unusual anomaly departure deviate depart abnormal anomalous deviation
difference subtract minus
ratio divide quotient factor times
compute calculate work evaluate determine arithmetic
convert express turn unit translate
unit kelvin celsius fahrenheit inch mile knot hectare pascal hectopascal millimetre centimetre degc
many count number often frequent frequency
share fraction percentage percent portion part proportion
exceed above over more higher greater beyond than hotter
below under less lower beneath fewer colder
longest run spell consecutive streak
dataset archive collection source product catalogue catalog
available offer have
licence license permission redistribute terms free publish
load open fetch read get bring extract pull retrieve
percentile quantile median quartile decile
point spot location cell site position station
series record history evolution chronology time development
monthly seasonal annual yearly calendar
aggregate resample join group collapse average
field raster grid layer map
rain rainfall precipitation downpour storm cloudburst shower wet
runoff overland flow drain drainage
evapotranspiration evaporate evaporation transpire et0 thirsty drink lawn grass meadow turf irrigation
turbine windmill mill generator
power energy electricity megawatt yield output
heating cooling boiler hdd cdd thermal warmth crop growing maize wheat
warm hot temperature heat cold cool freezing frost
sea ocean
gap missing absent complete completeness whole present every
empty blank void anything something nothing content
check verify sure confirm ensure validate sanity
plausible possible limit bound range interval between
error wrong off accurate accuracy skill score rmse mae bias good
observe observation measure actual reality happen
independent second another cross twice recompute alternative route differently
equal agree identical match consistent compare
circle radius ring buffer within around
contain cover include reach span inside stretch
smooth smoothing exponential
season seasonal cycle rhythm swing wiggle
first begin start
last end latest recent final
date when day
`

// thesaurus has, for a stem, the lines of kin in which it stands.
type thesaurus map[string][]string

func newThesaurus() thesaurus {
	out := thesaurus{}
	for i, line := range strings.Split(strings.TrimSpace(kin), "\n") {
		for _, w := range strings.Fields(line) {
			stem := english.Stem(w, true)
			out[stem] = append(out[stem], fmt.Sprintf("~%d", i)) // a term that no word is
		}
	}
	return out
}
