// Package catalog knows the data sets at hand and the places of the world by
// name, and opens them.
//
// Data sets come from two folders, each with a manifest.yaml: the shipped ones,
// usually embedded (package scenarios/data), and the user's own, which
// [Catalog.Add] fills. [Open] reads the manifests only; a file is read, checked
// against its SHA-256 and parsed when it is first asked for, and then kept. What
// the Open methods return is shared between callers and must not be changed.
//
// Names are matched without letter case, accents, punctuation and "the". A name
// that is not known is a [*NotFound] with the nearest known ones; nothing is
// ever opened in place of what was asked for.
//
// # Places
//
// The gazetteer holds countries and territories with their outlines, populated
// places, and a few named boxes of climate science such as nino34. A name that
// several places share is resolved by one rule: [Gazetteer.Place] prefers a
// named box, then a country, then the place with the largest population;
// [Gazetteer.City] looks at populated places only; [Gazetteer.Boundary] at
// countries and boxes only. "Paris, Texas" and "Paris (United States)" narrow a
// populated place by its division or country.
package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// ErrChanged is wrapped by the error for a file whose SHA-256 is not that of
// the manifest.
var ErrChanged = errors.New("the file is not the one that the manifest describes")

// ErrManifest is wrapped by errors about a manifest; they name file and line.
var ErrManifest = errors.New("bad manifest")

// Catalog is the set of data sets at hand, and the gazetteer made from them. It
// is safe for concurrent use.
type Catalog struct {
	shipped   fs.FS
	userDir   string
	gazetteer *Gazetteer

	mu       sync.RWMutex
	datasets []Dataset      // by name
	byKey    map[string]int // names and aliases, into datasets
	loads    map[string]*load
}

// Open reads the manifest of the shipped data sets, and that of the user's own
// in userDir if there is one; userDir may be "". It opens no data file.
//
// A data set of the user's that bears the name or alias of a shipped one is an
// error: neither may hide the other.
func Open(shipped fs.FS, userDir string) (*Catalog, error) {
	c := &Catalog{shipped: shipped, userDir: userDir, loads: make(map[string]*load)}
	m, err := readManifest(shipped, manifestName)
	if err != nil {
		return nil, err
	}
	for _, e := range m.Datasets {
		c.datasets = append(c.datasets, e.dataset(false))
	}
	if userDir != "" {
		if err := c.openUser(); err != nil {
			return nil, err
		}
	}
	if err := c.checkNames(); err != nil {
		return nil, err
	}
	c.gazetteer = newGazetteer(c, m.Gazetteer)
	return c, nil
}

func (c *Catalog) openUser() error {
	m, err := readManifest(os.DirFS(c.userDir), manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("in %s: %w", c.userDir, err)
	}
	for _, e := range m.Datasets {
		c.datasets = append(c.datasets, e.dataset(true))
	}
	return nil
}

// checkNames sorts the data sets and refuses two that answer to one name.
func (c *Catalog) checkNames() error {
	slices.SortFunc(c.datasets, func(a, b Dataset) int { return strings.Compare(a.Name, b.Name) })
	owner := make(map[string]int)
	for i, d := range c.datasets {
		for _, name := range append([]string{d.Name}, d.Aliases...) {
			if o, taken := owner[key(name)]; taken && o != i {
				other := c.datasets[o]
				return fmt.Errorf("catalog: %w: the data sets %s%s and %s%s are both named %q; rename one in its manifest",
					ErrManifest, other.Name, origin(other), d.Name, origin(d), name)
			}
			owner[key(name)] = i
		}
	}
	c.byKey = owner
	return nil
}

func origin(d Dataset) string {
	if d.User {
		return " (added by you)"
	}
	return " (shipped)"
}

// DefaultUserDir returns the folder of the user's own data sets:
// $XDG_DATA_HOME/almanac/data, or what the platform has for it. It is not made.
func DefaultUserDir() (string, error) {
	base := os.Getenv("XDG_DATA_HOME")
	if base == "" && runtime.GOOS == "windows" {
		base = os.Getenv("LOCALAPPDATA")
	}
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("catalog: the folder of your own data sets: %w; set XDG_DATA_HOME", err)
		}
		base = filepath.Join(home, ".local", "share")
		if runtime.GOOS == "darwin" {
			base = filepath.Join(home, "Library", "Application Support")
		}
	}
	return filepath.Join(base, "almanac", "data"), nil
}

// Datasets lists the data sets by name.
func (c *Catalog) Datasets() []Dataset {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.datasets)
}

// Dataset returns the data set of that name or alias, or a [*NotFound].
func (c *Catalog) Dataset(name string) (Dataset, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if i, ok := c.byKey[key(name)]; ok {
		return c.datasets[i], nil
	}
	var names []string
	for _, d := range c.datasets {
		names = append(names, d.Name)
	}
	return Dataset{}, &NotFound{What: "data set", Asked: name, Nearest: nearest(name, names, maxNearest)}
}

// Gazetteer returns the index of places. It is built on first use.
func (c *Catalog) Gazetteer() *Gazetteer { return c.gazetteer }

// Variable returns the variable of that name, alias or standard name. A standard
// name that several variables share is no answer: the [*NotFound] lists them.
func (d Dataset) Variable(name string) (Variable, error) {
	k := key(name)
	var names, standard []string
	var found Variable
	for _, v := range d.Variables {
		if key(v.Name) == k || slices.ContainsFunc(v.Aliases, func(a string) bool { return key(a) == k }) {
			return v, nil
		}
		if v.StandardName != "" && key(v.StandardName) == k {
			standard, found = append(standard, v.Name), v
		}
		names = append(names, v.Name)
	}
	if len(standard) == 1 {
		return found, nil
	}
	if len(standard) > 1 {
		return Variable{}, &NotFound{What: "single variable of " + d.Name, Asked: name, Nearest: standard}
	}
	return Variable{}, &NotFound{What: "variable of " + d.Name, Asked: name, Nearest: nearest(name, names, len(names))}
}
