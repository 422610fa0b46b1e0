package compute

import (
	"context"
	"errors"
	"math"
	"testing"

	"almanac/toolkits"
)

func q(v float64, unit string) toolkits.Quantity { return toolkits.Quantity{Value: v, Unit: unit} }

// Every expected number is worked out by hand in the comment beside it.
func TestEvaluate(t *testing.T) {
	vars := map[string]toolkits.Quantity{
		"a": q(30, "degC"), "b": q(20, "degC"), "k": q(293.15, "K"), "m": q(1500, "m"), "km": q(2, "km"), "h": q(4, "hour"), "n": q(3, "1"),
	}
	for _, tt := range []struct {
		expr, unit string
		want       float64
		difference bool
	}{
		{"a - b", "degC", 10, true},
		{"a - k", "degC", 10, true},             // 293.15 K = 20 degC
		{"m + km", "m", 3500, false},            // 1500 m + 2000 m
		{"km / h", "km h-1", 0.5, false},        // 2 km in 4 h
		{"(m + km) / m", "1", 7.0 / 3.0, false}, // 3500/1500
		{"mean(m, km)", "m", 1750, false},       // (1500 + 2000)/2
		{"max(m, km)", "m", 2000, false},
		{"min(m, km, 100)", "m", 100, false}, // the bare 100 is in m
		{"abs(b - a)", "degC", 10, true},
		{"n * 2 + 1", "1", 7, false},
		{"round(2.5)", "1", 3, false},
		{"sum([m, m])", "m", 3000, false},
		{"sum(m, m, m)", "m", 4500, false}, // over a mapped step of three: 3 × 1500 m
	} {
		got, err := evaluate(context.Background(), in{tt.expr, vars})
		if err != nil || got.Value == nil {
			t.Errorf("%s: %v, %v", tt.expr, got, err)
			continue
		}
		if math.Abs(got.Value.Value-tt.want) > 1e-9 || got.Value.Difference != tt.difference || got.Value.Unit != tt.unit {
			t.Errorf("%s = %+v, want %v %s difference %v", tt.expr, *got.Value, tt.want, tt.unit, tt.difference)
		}
	}
}

func TestEvaluateTruthAndText(t *testing.T) {
	vars := map[string]toolkits.Quantity{"m": q(1500, "m"), "km": q(2, "km")}
	got, err := evaluate(context.Background(), in{"m < km", vars})
	if err != nil || got.Truth == nil || !*got.Truth {
		t.Errorf("1500 m < 2 km: %v, %v", got, err)
	}
	got, err = evaluate(context.Background(), in{`m > km ? "first" : "second"`, vars})
	if err != nil || got.Text == nil || *got.Text != "second" {
		t.Errorf("choice: %v, %v", got, err)
	}
}

func TestEvaluateRefuses(t *testing.T) {
	vars := map[string]toolkits.Quantity{"m": q(1, "m"), "s": q(1, "s"), "z": q(0, "m"), "t": q(10, "degC"), "u": q(20, "degC")}
	for expr, code := range map[string]toolkits.Code{
		"m + s": toolkits.BadUnit, "m / z": toolkits.OutOfDomain, "x + 1": toolkits.NotFound, "m +": toolkits.BadArgument,
		"map([1], {# * 2})": toolkits.BadArgument, "m.y": toolkits.BadArgument, "sqrt(m)": toolkits.BadArgument, "t / u": toolkits.BadUnit,
		"m % m": toolkits.BadArgument, "1 ? 2 : 3": toolkits.BadArgument, "abs(m, m)": toolkits.BadArgument, `"a" + 1`: toolkits.BadArgument,
	} {
		_, err := evaluate(context.Background(), in{expr, vars})
		var te *toolkits.Error
		if !errors.As(err, &te) || te.Code != code {
			t.Errorf("%s: %v, want code %s", expr, err, code)
		}
	}
}

func FuzzEvaluate(f *testing.F) {
	for _, s := range []string{"a - b", "(a", "1/0", `a > b ? "x" : "y"`, "min()", "[1,2]", "a..b", "not a"} {
		f.Add(s)
	}
	vars := map[string]toolkits.Quantity{"a": q(1, "m"), "b": q(2, "km")}
	f.Fuzz(func(t *testing.T, expr string) {
		got, err := evaluate(context.Background(), in{expr, vars})
		if err == nil && got.Value != nil && (math.IsNaN(got.Value.Value) || math.IsInf(got.Value.Value, 0)) {
			t.Errorf("%q gave %v", expr, got.Value.Value)
		}
	})
}
