package catalog

import "slices"

// Regions returns all named boxes. The slice belongs to the caller.
func (g *Gazetteer) Regions() ([]Place, error) {
	areas, err := g.areas()
	if err != nil {
		return nil, err
	}
	return slices.Clone(areas.regions), nil
}
