package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The commands of README.md and docs are run as they stand there:
//
//	```console          every line "$ almanac …" is run; the lines below it must stand in its output, in this order, and
//	                    "…" passes over any. "# exit 1" at the end of the command is its exit code.
//	```console model    is not run: it needs a model
//	```yaml file=NAME   is written to the file NAME first
//
// A page's blocks share one folder, which has docs/examples. Commands other than almanac are not run.
func TestDocumentation(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("../../README.md"); err == nil {
		pages = append(pages, "../../README.md")
	}
	run := 0
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "docs", "examples"), os.DirFS("../../docs/examples")); err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks(string(text)) {
				run += b.run(t, dir)
			}
		})
	}
	if run < 5 {
		t.Errorf("%d commands of the documentation were run: the blocks are not found", run)
	}
}

type block struct {
	info  string
	lines []string
}

// blocks are the fenced code blocks of a page.
func blocks(text string) []block {
	var out []block
	var open *block
	for _, line := range strings.Split(text, "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{info: strings.TrimSpace(info)}
		case fence:
			out = append(out, *open)
			open = nil
		case open != nil:
			open.lines = append(open.lines, line)
		}
	}
	return out
}

var fileInfo = regexp.MustCompile(`^\w+ file=(\S+)$`)

// run runs the commands of a block and returns how many there were.
func (b block) run(t *testing.T, dir string) int {
	if m := fileInfo.FindStringSubmatch(b.info); m != nil {
		if err := os.WriteFile(filepath.Join(dir, m[1]), []byte(strings.Join(b.lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if b.info != "console" {
		return 0
	}
	n := 0
	for i := 0; i < len(b.lines); i++ {
		cmd, ok := strings.CutPrefix(b.lines[i], "$ almanac")
		if !ok {
			continue
		}
		var want []string
		for i+1 < len(b.lines) && !strings.HasPrefix(b.lines[i+1], "$ ") {
			i++
			want = append(want, b.lines[i])
		}
		documented(t, dir, "almanac"+cmd, want)
		n++
	}
	return n
}

var exitNote = regexp.MustCompile(`# exit (\d+)$`)

func documented(t *testing.T, dir, line string, want []string) {
	t.Helper()
	code := 0
	if m := exitNote.FindStringSubmatch(line); m != nil {
		code, _ = strconv.Atoi(m[1])
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir+"/.data", "XDG_CACHE_HOME="+dir+"/.cache", "OLLAMA_HOST=127.0.0.1:9")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exitErr *exec.ExitError
	if err != nil && !errors.As(err, &exitErr) {
		t.Fatalf("%s: %v", line, err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("$ %s\nexit code %d, want %d\n%s%s", line, got, code, out.Bytes(), errs.Bytes())
	}
	have := strings.Split(out.String()+errs.String(), "\n")
	for _, w := range want {
		if w = strings.TrimRight(w, " "); w == "" || w == "…" {
			continue
		}
		found := false
		for len(have) > 0 && !found {
			found = matches(w, strings.TrimRight(have[0], " "))
			have = have[1:]
		}
		if !found {
			t.Errorf("$ %s\nthe page shows the line\n%s\nwhich the output has not, or not there:\n%s%s", line, w, out.Bytes(), errs.Bytes())
			return
		}
	}
}

// matches compares a line of the page with one of the output; "…" stands for anything.
func matches(page, have string) bool {
	parts := strings.Split(page, "…")
	if !strings.HasPrefix(have, parts[0]) {
		return false
	}
	for i, p := range parts {
		k := strings.Index(have, p)
		if k < 0 {
			return false
		}
		have = have[k+len(p):]
		if i == len(parts)-1 && p != "" && have != "" {
			return false
		}
	}
	return len(parts) > 1 || have == ""
}
