package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)
	// named are paths of the project in text: in backticks, and with a slash.
	named = regexp.MustCompile("`((?:agents|cmd|docs|eval|internal|memory|orchestrator|scenarios|scripts|toolkits)/[a-zA-Z0-9_./-]+)`")
)

// What the guides point to is there.
func TestLinksAndPathsExist(t *testing.T) {
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range append(files, "../README.md", "../CONTRIBUTING.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			}
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			path := strings.NewReplacer("NAME", "starter", "…", "").Replace(m[1])
			seen++
			if _, err := os.Stat(filepath.Join("..", path)); err != nil {
				t.Errorf("%s names %s: %v", file, m[1], err)
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d links and paths were looked at", seen)
	}
}
