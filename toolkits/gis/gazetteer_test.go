package gis_test

import (
	"context"

	"almanac/toolkits"
	"almanac/toolkits/vector"
)

// named is a gazetteer of one place.
type named struct{ place toolkits.Place }

func (n named) Place(context.Context, string) (toolkits.Place, error) { return n.place, nil }

func (n named) Boundary(context.Context, string) (*vector.Features, error) {
	return nil, toolkits.Errorf(toolkits.NotFound, "%s has no outline", n.place.Name)
}
