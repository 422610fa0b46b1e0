// Package agents describes the specialists that a supervisor can call: who they are, which tools they have, and how
// they are told to work.
//
// A specialist is data, not code. One is a YAML file:
//
//	name: ocean
//	purpose: reads and summarises ocean fields
//	tools: [ocean]            # all tools of these agents (ocean.*), or single tools by full name
//	guidance: |
//	  Depths are positive downwards.
//	examples:
//	  - objective: mean salinity of the upper 100 m off Chile
//	    call: ocean.layer_mean(raster=salt, zones="Chile", top=0, bottom=100)
//
// together with a toolkit of Go functions (package toolkits).
package agents

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sort"
	"strings"

	"almanac/toolkits"
)

// Agent is a specialist.
type Agent struct {
	Name     string    `yaml:"name"`
	Purpose  string    `yaml:"purpose"`  // one line, shown to the supervisor
	Tools    []string  `yaml:"tools"`    // tool prefixes (gis) or full names (compute.evaluate)
	Guidance string    `yaml:"guidance"` // what it should mind, shown to the specialist itself
	Examples []Example `yaml:"examples"`
}

// Example shows an objective and the call that reaches it.
type Example struct {
	Objective string `yaml:"objective"`
	Call      string `yaml:"call"`
}

// Anyone are the tool prefixes that every specialist may use.
func Anyone() []string { return []string{"compute", "plot"} }

//go:embed specialists/*.yaml
var builtin embed.FS

// Builtin returns the five specialists that come with the program, by name.
func Builtin() ([]Agent, error) { return LoadAll(builtin, "specialists") }

// LoadAll reads every YAML file of a folder.
func LoadAll(fsys fs.FS, dir string) ([]Agent, error) {
	names, err := fs.Glob(fsys, dir+"/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("agents: %w", err)
	}
	var all []Agent
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("agents: %w", err)
		}
		a, err := Parse(name, data)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all, nil
}

// Load reads one file of the user's.
func Load(file string) (Agent, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Agent{}, fmt.Errorf("agents: %w", err)
	}
	return Parse(file, data)
}

// Parse reads one agent. An unknown key, a value of another type, a missing name or purpose, or no tool is an error with
// file, line and column.
func Parse(file string, data []byte) (Agent, error) { return read(file, data) }

// Has reports whether the agent may call the tool of that full name.
func (a Agent) Has(tool string) bool {
	for _, list := range [][]string{a.Tools, Anyone()} {
		for _, t := range list {
			if tool == t || strings.HasPrefix(tool, t+".") {
				return true
			}
		}
	}
	return false
}

// Check says what is wrong with the agent as a member of a team over these tools: tools that do not exist, or none.
func (a Agent) Check(r *toolkits.Registry) error {
	var errs []error
	for _, t := range a.Tools {
		found := false
		for _, name := range r.Names() {
			found = found || name == t || strings.HasPrefix(name, t+".")
		}
		if !found {
			errs = append(errs, fmt.Errorf("agents: %s: no tool is named %q or starts with %q; tools are of %s",
				a.Name, t, t+".", strings.Join(prefixes(r), ", ")))
		}
	}
	return errors.Join(errs...)
}

func prefixes(r *toolkits.Registry) []string {
	seen := map[string]bool{}
	var out []string
	for _, t := range r.Tools() {
		if !seen[t.Agent] {
			seen[t.Agent] = true
			out = append(out, t.Agent)
		}
	}
	return out
}
