package report

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"almanac/eval"
	"almanac/eval/internal/sample"
)

// tenThousand is a run of 2,500 tasks with four setups.
func tenThousand(t testing.TB) (string, *eval.Results) {
	t.Helper()
	arms := contenders("scripted:a")[1:5]
	tasks := sample.Tasks(2500, false)
	for i := range tasks {
		tasks[i].Task.Template = fmt.Sprintf("template-%02d", i%40)
	}
	return runOf(t, tasks, arms, 1, "scripted:a")
}

// The page of 10,000 episodes holds a hundred traces and a line a task, in a few megabytes; everything else is beside it.
func TestTenThousandEpisodes(t *testing.T) {
	_, r := tenThousand(t)
	rep, err := HTML(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(rep.Beside()); n != 10_000-maxTraces {
		t.Errorf("%d traces beside the page", n)
	}
	if n := len(rep.HTML); n > 5<<20 {
		t.Errorf("the page has %d bytes", n)
	}
	if keep := os.Getenv("ALMANAC_REPORT_DIR"); keep != "" {
		if err := os.WriteFile(filepath.Join(keep, "ten-thousand.html"), rep.HTML, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkTenThousandEpisodes(b *testing.B) {
	_, r := tenThousand(b)
	for b.Loop() {
		if _, err := HTML(r, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
