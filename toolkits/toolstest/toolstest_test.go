package toolstest_test

import (
	"context"
	"testing"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
	"almanac/toolkits/toolstest"
)

type firstIn struct {
	Raster *grid.Raster       `arg:"raster" doc:"any field"`
	Zones  *toolkits.Zones    `arg:"zones,optional" doc:"ignored"`
	Factor toolkits.Quantity  `arg:"factor,optional" doc:"what to multiply by" unit:"1"`
	Other  artifact.Value     `arg:"other,optional" doc:"ignored" kind:"series,raster"`
	Series []*series.Series   `arg:"list,optional" doc:"ignored"`
	Point  *toolkits.Place    `arg:"point,optional" doc:"ignored"`
	Name   string             `arg:"name,optional" doc:"ignored" enum:"a,b"`
	Number *toolkits.Quantity `arg:"number,optional" doc:"ignored" unit:"m"`
}

type firstOut struct {
	First toolkits.Quantity `out:"first" doc:"the first value" unit:"@raster"`
}

func first(ctx context.Context, in firstIn) (firstOut, error) {
	return firstOut{toolkits.Quantity{Value: in.Raster.Values[0], Unit: in.Raster.Unit}}, ctx.Err()
}

func TestConformAcceptsAGoodTool(t *testing.T) {
	tool := toolkits.New("test.first", first, toolkits.Doc{
		Group: "Test", Purpose: "Return the first value.", Details: "In the order of the data.",
		Examples: []string{"a?", "b?", "c?", "d?", "e?"},
	})
	toolstest.Conform(t, tool)
	env := toolstest.NewEnv(t)
	r := toolstest.Raster(toolstest.Axis(0, 1, 2), toolstest.Axis(0, 1, 1), nil, 7, 8)
	res := toolstest.Call(t, env, tool, toolstest.Args{"raster": r, "zones": "Boxland"})
	if got := toolstest.Number(t, res, "first"); got != 7 {
		t.Errorf("got %g", got)
	}
	toolstest.Fails(t, env, tool, toolstest.Args{"raster": r, "zones": "Nowhere"}, toolkits.NotFound)
}
