package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"
)

// defaultConfig is the configuration file that is read when none is named.
const defaultConfig = "almanac.yaml"

// setting is the effective value of a flag and where it came from.
type setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"` // flag, environment, file or default
}

// settings is the configuration of this call.
type settings struct {
	file string
	all  []setting
}

// origin says where a flag's value came from.
func (s *settings) origin(name string) string {
	for _, x := range s.all {
		if x.Name == name {
			return x.Origin
		}
	}
	return "default"
}

// configure fills flags that were not given from the environment (ALMANAC_NAME) and the configuration file, in this
// order. A key that no command knows is refused with its line.
func (p *program) configure(cmd *cobra.Command) error {
	file, named := defaultConfig, false
	if f := cmd.Flag("config"); f != nil && f.Changed {
		file, named = f.Value.String(), true
	} else if v := os.Getenv("ALMANAC_CONFIG"); v != "" {
		file, named = v, true
	}
	var values map[string]configValue
	if cmd.CommandPath() != "almanac config init" { // which writes the file
		var err error
		if values, err = readConfig(file, named, flagNames(cmd.Root())); err != nil {
			return &exit{exitUsage, err}
		}
	}
	p.config = &settings{file: file}
	var errs []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		origin := "default"
		switch env := os.Getenv(envName(f.Name)); {
		case f.Changed:
			origin = "flag"
		case f.Name == "help":
			return
		case env != "":
			origin = "environment"
			if err := cmd.Flags().Set(f.Name, env); err != nil {
				errs = append(errs, fmt.Errorf("%s=%q: %w", envName(f.Name), env, err))
			}
		default:
			v, ok := values[f.Name]
			if !ok {
				break
			}
			origin = "file " + file
			if err := cmd.Flags().Set(f.Name, v.text); err != nil {
				errs = append(errs, fmt.Errorf("%s:%d: %s: %w", file, v.line, f.Name, err))
			}
		}
		p.config.all = append(p.config.all, setting{f.Name, f.Value.String(), origin})
	})
	if err := errors.Join(errs...); err != nil {
		return &exit{exitUsage, err}
	}
	return nil
}

func envName(flag string) string {
	return "ALMANAC_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// flagNames lists every flag of every command.
func flagNames(root *cobra.Command) []string {
	seen := map[string]bool{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		add := func(f *pflag.Flag) { seen[f.Name] = true }
		c.LocalFlags().VisitAll(add)
		c.PersistentFlags().VisitAll(add)
		for _, s := range c.Commands() {
			walk(s)
		}
	}
	walk(root)
	names := make([]string, 0, len(seen))
	for n := range seen {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

type configValue struct {
	text string
	line int
}

// readConfig reads a flat mapping of flag names to values; a list stands for a flag that may be repeated.
func readConfig(file string, named bool, known []string) (map[string]configValue, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		var at *yaml.LoadError
		if errors.As(err, &at) {
			return nil, fmt.Errorf("%s:%d:%d: not YAML: %s", file, max(1, at.Mark.Line), max(1, at.Mark.Column), at.Message)
		}
		return nil, fmt.Errorf("%s:1:1: not YAML: %w", file, err)
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s:%d:%d: a mapping of settings is expected", file, root.Line, root.Column)
	}
	out := map[string]configValue{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		k, v := root.Content[i], root.Content[i+1]
		if !contains(known, k.Value) {
			return nil, fmt.Errorf("%s:%d:%d: there is no setting %q; the nearest: %s", file, k.Line, k.Column, k.Value, nearest(k.Value, known))
		}
		if first, twice := out[k.Value]; twice {
			return nil, fmt.Errorf("%s:%d:%d: %s is given twice, first in line %d", file, k.Line, k.Column, k.Value, first.line)
		}
		list := []*yaml.Node{v}
		if v.Kind == yaml.SequenceNode {
			list = v.Content
		}
		var parts []string
		for _, x := range list {
			if x.Kind != yaml.ScalarNode || x.Tag == "!!null" {
				return nil, fmt.Errorf("%s:%d:%d: %s wants a value or a list of values", file, x.Line, x.Column, k.Value)
			}
			parts = append(parts, x.Value)
		}
		out[k.Value] = configValue{strings.Join(parts, ","), k.Line}
	}
	return out, nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
