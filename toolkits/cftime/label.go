package cftime

import "fmt"

// The frequencies of an axis.
const (
	FrequencyHour                 = "hour"
	FrequencyDay                  = "day"
	FrequencyWeek                 = "week"
	FrequencyMonth                = "month"
	FrequencySeason               = "season"
	FrequencyYear                 = "year"
	FrequencyClimatologicalMonth  = "climatological_month"
	FrequencyClimatologicalSeason = "climatological_season"
	FrequencyIrregular            = "irregular"
)

// Label is how an answer names the step: "August" (climatological_month),
// "JJA" (climatological_season), "1998-08" (month), "DJF 2015" (season),
// "1998" (year), "2014-07-06" (day, week), otherwise the ISO moment.
func (t Time) Label(frequency string) string {
	switch frequency {
	case FrequencyClimatologicalMonth:
		return MonthName(t.Month)
	case FrequencyClimatologicalSeason:
		name, _ := Season(t)
		return name
	case FrequencyMonth:
		return t.MonthStart().String()[:len(t.MonthStart().String())-3]
	case FrequencySeason:
		name, year := Season(t)
		return fmt.Sprintf("%s %04d", name, year)
	case FrequencyYear:
		return fmt.Sprintf("%04d", t.Year)
	case FrequencyDay, FrequencyWeek:
		return t.DayStart().String()
	}
	return t.String()
}

// Season is the meteorological season of t and its year: December belongs to
// the DJF of the next year.
func Season(t Time) (name string, year int) {
	names := [4]string{"DJF", "MAM", "JJA", "SON"}
	if t.Month == 12 {
		return names[0], t.Year + 1
	}
	return names[t.Month/3], t.Year
}

// InferFrequency names the spacing of an ascending axis in one calendar.
// Any irregular step, or fewer than two times, makes it "irregular".
func InferFrequency(times []Time) string {
	if len(times) < 2 {
		return FrequencyIrregular
	}
	first := stepName(times[0], times[1])
	for i := 2; i < len(times); i++ {
		if stepName(times[i-1], times[i]) != first {
			return FrequencyIrregular
		}
	}
	return first
}

// FrequencyOfEdges names the common length of steps ("month" when every step
// is one month), also where the axis has gaps; "irregular" when they differ.
func FrequencyOfEdges(edges [][2]Time) string {
	if len(edges) == 0 {
		return FrequencyIrregular
	}
	first := stepName(edges[0][0], edges[0][1])
	for _, e := range edges[1:] {
		if stepName(e[0], e[1]) != first {
			return FrequencyIrregular
		}
	}
	return first
}

func stepName(a, b Time) string {
	months := (b.Year-a.Year)*12 + b.Month - a.Month
	days := b.DaysSince(a)
	switch {
	case near(days, 1.0/24):
		return FrequencyHour
	case near(days, 1):
		return FrequencyDay
	case near(days, 7):
		return FrequencyWeek
	case months == 1 && days > 26 && days < 34:
		return FrequencyMonth
	case months == 3 && days > 85 && days < 95:
		return FrequencySeason
	case months > 10 && months < 14 && b.Year-a.Year == 1 && days > 355 && days < 370:
		return FrequencyYear
	}
	return FrequencyIrregular
}

func near(a, b float64) bool { return a-b < 1e-4 && b-a < 1e-4 }

// Edges gives the start and end of every step of an axis of the frequency:
// whole days, weeks (the week starts at the time), months, seasons or years.
// It is nil for other frequencies, whose steps have no natural edges.
func Edges(times []Time, frequency string) [][2]Time {
	edges := make([][2]Time, len(times))
	for i, t := range times {
		start, months, days := t.DayStart(), 0, 0
		switch frequency {
		case FrequencyDay:
			days = 1
		case FrequencyWeek:
			days = 7
		case FrequencyMonth, FrequencyClimatologicalMonth:
			start, months = t.MonthStart(), 1
		case FrequencySeason, FrequencyClimatologicalSeason:
			start, months = seasonStart(t), 3
		case FrequencyYear:
			start = Time{Year: t.Year, Month: 1, Day: 1, Calendar: t.Calendar}
			months = 12
		default:
			return nil
		}
		end := start.AddDays(days)
		if months > 0 {
			end, _ = start.AddMonths(months) // the first of a month always exists
		}
		edges[i] = [2]Time{start, end}
	}
	return edges
}

func seasonStart(t Time) Time {
	start := t.MonthStart()
	back := t.Month % 3
	start, _ = start.AddMonths(-back) // the first of a month always exists
	return start
}

// StepDays is the length of every step in days, for weighting means: from the
// edges when they are given, from the calendar for a known frequency, and
// otherwise, or when a step has no length, an error.
func StepDays(times []Time, edges [][2]Time, frequency string) ([]float64, error) {
	days := make([]float64, len(times))
	if frequency == FrequencyClimatologicalMonth {
		for i, t := range times {
			days[i] = MeanMonthDays(t.Calendar, t.Month)
		}
		return days, nil
	}
	if frequency == FrequencyHour && edges == nil {
		for i := range days {
			days[i] = 1.0 / 24
		}
		return days, nil
	}
	if edges == nil {
		edges = Edges(times, frequency)
	}
	if len(edges) != len(times) {
		return nil, fmt.Errorf("cftime: the %d steps have no known length: the axis is %s and has no bounds", len(times), frequency)
	}
	for i, e := range edges {
		if days[i] = e[1].DaysSince(e[0]); days[i] <= 0 {
			return nil, fmt.Errorf("cftime: step %d at %s has a length of %g days", i, times[i], days[i])
		}
	}
	return days, nil
}
