package workflow

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v4"
)

// version of the file's form.
const version = 1

type document struct {
	Version int     `yaml:"version"`
	Entries []Entry `yaml:"workflows"`
}

// Load reads a memory's file. One that is not there is [fs.ErrNotExist]; an unknown key, a missing one and an entry from
// scored tasks are errors that say where.
func Load(path string, opts *Options) (*Memory, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("workflow: no memory at %s: %w; make one with `almanac memory build`", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("workflow: %w", err)
	}
	var doc document
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("workflow: %s: %w", path, err)
	}
	if doc.Version != version {
		return nil, fmt.Errorf("workflow: %s has version %d; this program reads version %d", path, doc.Version, version)
	}
	m := New(opts)
	for i, e := range doc.Entries {
		if err := e.fault(); err != nil {
			return nil, fmt.Errorf("%w (%s, entry %d)", err, path, i+1)
		}
		if _, err := m.Write(e); err != nil {
			return nil, err
		}
		m.counted(e)
	}
	return m, nil
}

// counted sets what the file says of an entry's use, which Write leaves to the memory.
func (m *Memory) counted(e Entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.entries {
		if m.entries[i].ID == e.ID {
			m.entries[i].Shown, m.entries[i].Solved = e.Shown, e.Solved
		}
	}
}

// Save writes the memory's file: whole, or not at all.
func (m *Memory) Save(path string) error {
	text, err := yaml.Dump(document{version, m.Entries()})
	if err != nil {
		return fmt.Errorf("workflow: saving: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("workflow: saving: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("workflow: saving: %w", err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("workflow: saving: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// Sources are the suites, splits and templates that a memory is from, for the check that it shares none with what is
// scored.
func (m *Memory) Sources() []string {
	var out []string
	for _, e := range m.Entries() {
		if s := strings.Join([]string{e.Suite, e.Split, e.Template}, "/"); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	sort.Strings(out)
	return out
}

// sortedKeys are the keys of a set in order, so that sums do not depend on the map's.
func sortedKeys(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
