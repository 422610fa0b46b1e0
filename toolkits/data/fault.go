package data

import (
	"errors"

	"almanac/toolkits"
	"almanac/toolkits/catalog"
	"almanac/toolkits/cftime"
	"almanac/toolkits/grid"
	"almanac/toolkits/series"
)

// fault gives an error of the data packages its code.
func fault(err error) error {
	var missing *catalog.NotFound
	var level *catalog.LevelError
	var kind *catalog.KindError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &missing):
		e := toolkits.Errorf(toolkits.NotFound, "%w", err)
		e.Legal = missing.Nearest
		return e
	case errors.As(err, &level), errors.As(err, &kind), errors.Is(err, cftime.ErrDate):
		return toolkits.Errorf(toolkits.BadArgument, "%w", err)
	case errors.Is(err, grid.ErrEmpty), errors.Is(err, series.ErrEmpty):
		return toolkits.Errorf(toolkits.EmptySelection, "%w", err)
	case errors.Is(err, grid.ErrOutside):
		return toolkits.Errorf(toolkits.OutOfDomain, "%w; choose a point on the grid", err)
	case errors.Is(err, catalog.ErrChanged), errors.Is(err, catalog.ErrManifest):
		return toolkits.Errorf(toolkits.Unsupported, "%w", err)
	}
	return err
}

// implausible wraps a finding of package plausible.
func implausible(err error) error {
	if err == nil {
		return nil
	}
	return toolkits.Errorf(toolkits.OutOfDomain, "%w", err)
}
