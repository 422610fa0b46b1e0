package simulation

import (
	"context"

	"almanac/toolkits"
	"almanac/toolkits/series"
)

type scsRunoffIn struct {
	Rain        *series.Series `arg:"precipitation" doc:"precipitation of every day; hours are added up to days" alias:"rain,rainfall,precip"`
	CurveNumber float64        `arg:"curve_number" unit:"1" min:"1" max:"100" doc:"how readily water runs off: 30 on sand under forest, 98 on pavement" alias:"cn,curve"`
}

type scsRunoffOut struct {
	Series   *series.Series    `out:"series" unit:"mm" doc:"direct runoff of every day" alias:"runoff,daily"`
	Total    toolkits.Quantity `out:"total" unit:"mm" doc:"sum over the days" alias:"sum,depth"`
	Fraction *float64          `out:"fraction" unit:"1" doc:"runoff over precipitation; absent without any precipitation" alias:"runoff_coefficient,ratio"`
	Days     int               `out:"days" unit:"1" doc:"days with runoff" alias:"count"`
}

func scsRunoffTool() *toolkits.Tool {
	return toolkits.New("simulation.scs_runoff", scsRunoff, toolkits.Doc{
		Group:   group,
		Purpose: "Estimate direct runoff from daily precipitation by the SCS curve number method.",
		Details: "USDA National Engineering Handbook part 630, chapter 10: S = 25400/CN - 254 mm, initial abstraction 0.2 S, runoff (P - 0.2 S)²/(P + 0.8 S) where P > 0.2 S, else 0; " +
			"each day is an event of its own, the curve number is not changed by earlier rain, and snow is rain. " +
			"Precipitation may be an amount (mm, m, kg m-2) or a rate (mm day-1, kg m-2 s-1), which is multiplied by the length of the step. Running totals are differenced first. " +
			"Steps shorter than a day are added up to calendar days (UTC), each of which must be covered wholly; longer ones are refused.",
		Examples: []string{
			"Will the creek get much of last night's downpour?",
			"How many millimetres leave a paved yard in a wet month?",
			"What part of the rain turns into surface flow on clay under pasture?",
			"Count the days on which the fields shed water.",
			"Compare runoff before and after the forest was cut.",
		},
	})
}

func scsRunoff(ctx context.Context, in scsRunoffIn) (scsRunoffOut, error) {
	daily, err := dailyRain(in.Rain)
	if err != nil {
		return scsRunoffOut{}, err
	}
	store := 25400/in.CurveNumber - 254
	flow := make([]float64, daily.Len())
	days := 0
	for i, p := range daily.Values {
		if p > 0.2*store {
			flow[i] = (p - 0.2*store) * (p - 0.2*store) / (p + 0.8*store)
			days++
		}
	}
	out := like(daily, "runoff", "direct runoff (SCS curve number)", "mm", flow)
	out.CellMethods = "time: sum"
	res := scsRunoffOut{Series: out, Total: toolkits.Quantity{Value: total(flow), Unit: "mm", Variable: "runoff"}, Days: days}
	if rain := total(daily.Values); rain > 0 {
		fraction := res.Total.Value / rain
		res.Fraction = &fraction
	}
	return res, ctx.Err()
}
