package eval_test

import (
	"bytes"
	"testing"

	"almanac/eval"
	"almanac/eval/internal/sample"
	"almanac/eval/report"
	"almanac/eval/runlog"
)

// A run of more than a thousand episodes keeps only what is compared, and reads traces again: every figure and every page is
// that of results which keep all.
func TestLongRunsKeepNoTraces(t *testing.T) {
	f, arms := fresh(t, 17)
	tasks := sample.Tasks(20, true)
	out := mustRun(t, f, &runlog.Events{}, tasks, arms, eval.Options{Parallel: 16})
	light := out.Results
	events, err := f.Events()
	if err != nil {
		t.Fatal(err)
	}
	full, err := eval.Summarise(f.Manifest, tasks, events.List)
	if err != nil {
		t.Fatal(err)
	}
	if light.Episodes[0].Scores.Trace.Calls != nil || full.Episodes[0].Scores.Trace.Calls == nil {
		t.Error("the long run keeps its traces, or the other does not")
	}
	a, b := mustFiles(t, light), mustFiles(t, full)
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			t.Errorf("file %d differs", i)
		}
	}
	whole, err := light.Episodes[3].Full()
	if err != nil || len(whole.Scores.Trace.Calls) != len(full.Episodes[3].Scores.Trace.Calls) {
		t.Errorf("a trace that was read again: %v", err)
	}
}

func mustFiles(t *testing.T, r *eval.Results) [][]byte {
	t.Helper()
	results, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	timings, err := r.TimingsJSON()
	if err != nil {
		t.Fatal(err)
	}
	rep, err := report.HTML(r, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	beside, err := rep.Trace(rep.Beside()[7])
	if err != nil {
		t.Fatal(err)
	}
	return [][]byte{results, timings, r.EpisodesCSV(), r.MetricsCSV(), report.Markdown(r), rep.HTML, beside}
}
