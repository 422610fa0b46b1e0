package layout

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "almanac/"

// leaf are the data types that tools, schedules and tasks share.
var leaf = []string{
	"internal/canonical", "toolkits/artifact", "toolkits/cftime", "toolkits/geodesy", "toolkits/grid", "toolkits/netcdf",
	"toolkits/plausible", "toolkits/series", "toolkits/table", "toolkits/units", "toolkits/vector",
}

// below are the layers, each with all that stands under it.
var (
	toolkits     = append([]string{"toolkits"}, leaf...)
	agents       = append([]string{"agents", "memory"}, toolkits...)
	orchestrator = append([]string{"orchestrator"}, agents...)
	scenarios    = append([]string{"scenarios", "orchestrator/schedule"}, leaf...)
	eval         = append([]string{"eval", "scenarios"}, orchestrator...)
	all          = append([]string{"internal"}, eval...)
)

// rules say what a package may import, by its path's longest prefix here. Nothing stands for a package that imports
// none of ours.
var rules = map[string][]string{
	"cmd":                   {"internal/cli"},
	"internal":              all,
	"internal/canonical":    nil,
	"internal/layout":       nil,
	"internal/oracle":       nil,
	"internal/server":       nil,
	"internal/setup":        {"internal/server", "internal/setup"},
	"scripts":               {"internal/server", "internal/setup"},
	"eval":                  append([]string{"internal/canonical"}, eval...),
	"eval/metric":           nil,
	"eval/stats":            nil,
	"scenarios":             scenarios,
	"orchestrator":          append([]string{"internal/canonical"}, orchestrator...),
	"orchestrator/schedule": {"orchestrator/schedule"},
	"agents":                agents,
	"agents/llm":            {"agents/llm"},
	"memory":                append([]string{"memory"}, toolkits...),
	"toolkits":              toolkits,
}

func init() {
	for _, l := range leaf {
		if l != "internal/canonical" {
			rules[l] = leaf
		}
	}
}

// under reports whether the package is prefix or stands below it.
func under(pkg, prefix string) bool { return pkg == prefix || strings.HasPrefix(pkg, prefix+"/") }

// problem says why a package must not import another, or "".
func problem(pkg, imported string) string {
	longest := ""
	for prefix := range rules {
		if under(pkg, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	if longest == "" {
		return fmt.Sprintf("%s: no rule says what it may import: add one", pkg)
	}
	for _, may := range rules[longest] {
		if under(imported, may) {
			return ""
		}
	}
	return fmt.Sprintf("%s imports %s; what stands in %s may import %v", pkg, imported, longest, rules[longest])
}

func TestImportsPointDown(t *testing.T) {
	seen := 0
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name == "bench" {
			return fs.SkipDir // a module of its own, so that nothing here depends on the peers that it measures
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "bin" || base == "runs") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(imported, module); ok {
				seen++
				if p := problem(path.Dir(name), ours); p != "" {
					t.Errorf("%s: %s", name, p)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Errorf("only %d imports of ours were looked at: the walk does not see the module", seen)
	}
}

// The rules refuse what they are there to refuse.
func TestRulesRefuse(t *testing.T) {
	for _, c := range [][2]string{
		{"toolkits/gis", "agents"}, {"toolkits/grid", "toolkits"}, {"agents", "orchestrator"}, {"memory", "agents"},
		{"orchestrator/schedule", "toolkits/units"}, {"orchestrator", "eval"}, {"scenarios", "orchestrator"},
		{"scenarios", "agents/llm"}, {"eval/stats", "eval"}, {"agents/llm/ollama", "toolkits"}, {"cmd/almanac", "eval"},
		{"newfolder", "toolkits"},
	} {
		if problem(c[0], c[1]) == "" {
			t.Errorf("%s may import %s", c[0], c[1])
		}
	}
	for prefix, may := range rules {
		if slices.Contains(may, "cmd") {
			t.Errorf("%s may import commands", prefix)
		}
	}
}
