package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"almanac/eval/runlog"
	"almanac/orchestrator/event"
	"almanac/toolkits/artifact"
)

func logRows(context.Context, config) ([]row, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	folder, err := runlog.Create(filepath.Join(dir, "run"), runlog.Manifest{ID: "bench"})
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	e := event.Event{Episode: "squad.area-kenya.0", Type: event.TypeStep, Agent: "engine", Body: &event.Step{Step: "zone", State: "done", Item: -1}}
	r, err := bench(func() error {
		_, err := folder.Log().Emit(e)
		return err
	})
	rate := float64(r.N) / r.T.Seconds()
	return []row{{what: "event log", measured: fmt.Sprintf("%.0f events/s", rate), limit: "100000 events/s", within: rate >= 100_000}}, err
}

func artifactRows(ctx context.Context, _ config) ([]row, error) {
	const n = 10_000
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	store, err := artifact.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	for i := range n {
		if _, err := store.Put(ctx, &artifact.Scalar{Value: float64(i), Unit: "1"}); err != nil {
			return nil, err
		}
	}
	r, err := bench(func() error {
		listed := 0
		for _, err := range store.List(ctx) {
			if err != nil {
				return err
			}
			listed++
		}
		if listed != n {
			return fmt.Errorf("%d artifacts listed, not %d", listed, n)
		}
		return nil
	})
	return []row{timed("list 10,000 artifacts", per(r, 1), 100*time.Millisecond, "")}, err
}
