package toolkits_test

import (
	"errors"
	"fmt"
	"testing"

	"almanac/toolkits"
)

// A code stands once in a message, however often the error was wrapped on its way.
func TestCodesAreNotDoubled(t *testing.T) {
	inner := &toolkits.Error{Code: toolkits.BadArgument, Param: "period", Message: "2012-13 is no month", Legal: []string{"2012-12"}}
	cases := []struct {
		err  error
		want string
	}{
		{inner, "bad_argument: period: 2012-13 is no month; try 2012-12"},
		{toolkits.Errorf(toolkits.BadArgument, "%w", inner), "bad_argument: period: 2012-13 is no month; try 2012-12"},
		{toolkits.Errorf(toolkits.Internal, "reading the window: %w", inner), "internal: reading the window: period: 2012-13 is no month; try 2012-12"},
		{toolkits.Errorf(toolkits.BadUnit, "sst: %w", fmt.Errorf("converting: %w", inner)), "bad_unit: sst: converting: period: 2012-13 is no month; try 2012-12"},
		{toolkits.Errorf(toolkits.Internal, "%w", errors.New("broken")), "internal: broken"},
		{toolkits.AsError(fmt.Errorf("call: %w", inner)), "bad_argument: period: 2012-13 is no month; try 2012-12"},
	}
	for _, c := range cases {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
		if !errors.Is(c.err, inner) && c.want != "internal: broken" {
			t.Errorf("%q has lost its cause", c.want)
		}
	}
	if got := inner.Text(); got != "period: 2012-13 is no month; try 2012-12" {
		t.Errorf("without the code: %q", got)
	}
}
