// Package catalog finds data sets and places by name.
package catalog

import (
	"context"
	"errors"
	"io/fs"

	"almanac/toolkits/vector"
)

// Catalog is the set of data sets at hand, and the gazetteer made from them.
// It is safe for concurrent use.
type Catalog struct{}

var errOpen = errors.New("catalog: opening")

// Open reads the manifests of the shipped data sets and of the user's own.
func Open(shipped fs.FS, userDir string) (*Catalog, error) { return nil, errOpen }

// Datasets lists the data sets by name.
func (c *Catalog) Datasets() []Dataset { return nil }

// Dataset returns the data set of that name or alias, or a [*NotFound].
func (c *Catalog) Dataset(name string) (Dataset, error) { return Dataset{}, errOpen }

// OpenVector reads a vector data set.
func (c *Catalog) OpenVector(ctx context.Context, dataset string) (*vector.Features, error) {
	return nil, errOpen
}

// Gazetteer returns the index of places.
func (c *Catalog) Gazetteer() *Gazetteer { return nil }

func findVariable(d Dataset, name string) (Variable, error) { return Variable{}, errOpen }
