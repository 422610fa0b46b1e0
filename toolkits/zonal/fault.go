package zonal

import (
	"errors"

	"almanac/toolkits"
	"almanac/toolkits/geodesy"
)

// Fault turns an error of [Cover] or [Polygons] into a tool's, with its code and with what to try.
func Fault(err error) *toolkits.Error {
	switch {
	case errors.Is(err, ErrCRS):
		return toolkits.Errorf(toolkits.BadCRS, "%w; use longitude and latitude in degrees", err)
	case errors.Is(err, ErrOutside):
		return toolkits.Errorf(toolkits.OutOfDomain, "%w; choose another place, or open the data for a region that holds it", err)
	case errors.Is(err, ErrEmpty):
		return toolkits.Errorf(toolkits.EmptySelection, "%w", err)
	case errors.Is(err, geodesy.ErrNoArea):
		return toolkits.Errorf(toolkits.BadArgument, "%w; an area is wanted: a country, a named region, a box or a buffer around the point", err)
	case errors.Is(err, ErrShape):
		return toolkits.Errorf(toolkits.BadArgument, "%w; use shapes that lie side by side", err)
	}
	return toolkits.AsError(err)
}
