package runlog_test

import (
	"fmt"
	"log"
	"os"

	"almanac/eval/runlog"
	"almanac/orchestrator/event"
)

func ExampleCreate() {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	f, err := runlog.Create(dir, runlog.Manifest{ID: "example"})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	seq, err := f.Log().Emit(event.Event{Type: event.TypeRunStart, Body: &event.RunStart{Schema: event.Version}})
	fmt.Println(seq, err)
	// Output: 1 <nil>
}
