package catalog

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v4"
)

const manifestName = "manifest.yaml"

// manifest is the file that describes a folder of data sets.
type manifest struct {
	Schema    int           `yaml:"schema"`
	Gazetteer gazetteerRefs `yaml:"gazetteer,omitempty"`
	Datasets  []entry       `yaml:"datasets"`
}

// gazetteerRefs names what the gazetteer is made from.
type gazetteerRefs struct {
	Countries string  `yaml:"countries,omitempty"` // a vector data set
	Places    string  `yaml:"places,omitempty"`    // a table data set
	Regions   fileRef `yaml:"regions,omitempty"`
	Aliases   fileRef `yaml:"aliases,omitempty"`
}

type fileRef struct {
	File   string `yaml:"file"`
	SHA256 string `yaml:"sha256"`
}

// entry is a data set as the manifest has it.
type entry struct {
	Name       string          `yaml:"name"`
	Title      string          `yaml:"title"`
	Kind       string          `yaml:"kind"`
	Aliases    []string        `yaml:"aliases,omitempty"`
	Period     string          `yaml:"period,omitempty"`
	Frequency  string          `yaml:"frequency,omitempty"`
	Calendar   string          `yaml:"calendar,omitempty"`
	Region     string          `yaml:"region,omitempty"`
	Resolution string          `yaml:"resolution,omitempty"`
	Place      Station         `yaml:"place,omitempty"`
	Licence    string          `yaml:"licence"`
	Source     string          `yaml:"source"`
	Cut        string          `yaml:"cut,omitempty"`
	Synthetic  bool            `yaml:"synthetic"`
	File       string          `yaml:"file"`
	Bytes      int64           `yaml:"bytes"`
	SHA256     string          `yaml:"sha256"`
	Variables  []variableEntry `yaml:"variables"`

	line int
}

type variableEntry struct {
	Name         string    `yaml:"name"`
	Aliases      []string  `yaml:"aliases,omitempty"`
	StandardName string    `yaml:"standard_name,omitempty"`
	LongName     string    `yaml:"long_name,omitempty"`
	Unit         string    `yaml:"unit"`
	SourceName   string    `yaml:"source_name,omitempty"`
	Packing      string    `yaml:"packing,omitempty"`
	CellMethods  string    `yaml:"cell_methods,omitempty"`
	Levels       []float64 `yaml:"levels,flow,omitempty"`
	LevelUnit    string    `yaml:"level_unit,omitempty"`
}

func (e entry) dataset(user bool) Dataset {
	d := Dataset{
		Name: e.Name, Title: e.Title, Kind: e.Kind, Aliases: e.Aliases, Period: e.Period, Frequency: e.Frequency,
		Calendar: e.Calendar, Region: e.Region, Resolution: e.Resolution, Licence: e.Licence, Source: e.Source, Cut: e.Cut,
		SHA256: e.SHA256, File: e.File, Bytes: e.Bytes, Station: e.Place, Synthetic: e.Synthetic, User: user,
	}
	for _, v := range e.Variables {
		d.Variables = append(d.Variables, Variable{
			Name: v.Name, Aliases: v.Aliases, StandardName: v.StandardName, LongName: v.LongName, Unit: v.Unit, Kind: e.Kind,
			CellMethods: v.CellMethods, SourceName: v.SourceName, Packing: v.Packing, Levels: v.Levels, LevelUnit: v.LevelUnit,
		})
	}
	return d
}

// UnmarshalYAML keeps the line on which the entry begins, for messages.
func (e *entry) UnmarshalYAML(n *yaml.Node) error {
	type bare entry
	known := fieldsOf(n, []string{"name", "title", "kind", "aliases", "period", "frequency", "calendar", "region", "resolution",
		"place", "licence", "source", "cut", "synthetic", "file", "bytes", "sha256", "variables"})
	if known != nil {
		return known
	}
	var b bare
	if err := n.Decode(&b); err != nil {
		return err
	}
	*e = entry(b)
	e.line = n.Line
	return nil
}

// fieldsOf refuses a key that is not known. (A node that decodes itself has to
// do so itself: the strictness of the loader does not reach into it.)
func fieldsOf(n *yaml.Node, known []string) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !slices.Contains(known, n.Content[i].Value) {
			return fmt.Errorf("line %d: unknown key %q", n.Content[i].Line, n.Content[i].Value)
		}
	}
	return nil
}

// readManifest reads and checks a manifest. Its errors wrap [ErrManifest] and
// name file and line, or wrap fs.ErrNotExist.
func readManifest(fsys fs.FS, name string) (*manifest, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("catalog: reading the manifest: %w", err)
	}
	m := new(manifest)
	if err := strictYAML(name, data, m); err != nil {
		return nil, err
	}
	if m.Schema != 1 {
		return nil, fmt.Errorf("catalog: %w: %s: schema %d is not known, only 1 is", ErrManifest, name, m.Schema)
	}
	for i := range m.Datasets {
		if fault := m.Datasets[i].fault(); fault != "" {
			return nil, fmt.Errorf("catalog: %w: %s:%d: data set %q: %s", ErrManifest, name, m.Datasets[i].line, m.Datasets[i].Name, fault)
		}
	}
	return m, nil
}

func strictYAML(name string, data []byte, into any) error {
	if err := yaml.Load(data, into, yaml.WithKnownFields()); err != nil {
		return fmt.Errorf("catalog: %w: %s: %v", ErrManifest, name, err)
	}
	return nil
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// fault says what is wrong with an entry, or "".
func (e *entry) fault() string {
	switch sum, err := hex.DecodeString(e.SHA256); {
	case !namePattern.MatchString(e.Name):
		return "a name is lower-case letters, digits and underscores, a letter first"
	case !slices.Contains([]string{Raster, Series, Table, Vector}, e.Kind):
		return fmt.Sprintf("kind %q is none of raster, series, table, vector", e.Kind)
	case e.Licence == "":
		return "it has no licence"
	case e.File == "" || path.Base(e.File) != e.File || !fs.ValidPath(e.File) || e.File == ".":
		return fmt.Sprintf("file %q is not the name of a file beside the manifest", e.File)
	case err != nil || len(sum) != 32 || hex.EncodeToString(sum) != e.SHA256:
		return "sha256 is not 64 lower-case hex digits"
	case len(e.Variables) == 0:
		return "it has no variables"
	}
	seen := make(map[string]bool)
	for _, v := range e.Variables {
		for _, name := range append([]string{v.Name}, v.Aliases...) {
			if v.Name == "" || key(name) == "" {
				return "a variable or alias has no name"
			}
			if seen[key(name)] {
				return fmt.Sprintf("two variables are named %q", name)
			}
		}
		for _, name := range append([]string{v.Name}, v.Aliases...) {
			seen[key(name)] = true
		}
	}
	return ""
}
