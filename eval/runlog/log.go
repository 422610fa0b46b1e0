package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"almanac/orchestrator/event"
)

const logName = "events.jsonl"

// ErrClosed is wrapped by [Log.Emit] once the log is closed or a write has failed: what follows would not be a
// continuation of what is there.
var ErrClosed = errors.New("the log takes no more events")

// Log appends events to a run's log. It is an [event.Sink], safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	file *os.File
	seq  int64
	err  error // of the first write that failed
	now  func() time.Time
}

func openLog(dir string, last int64) (*Log, error) {
	path := filepath.Join(dir, logName)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("runlog: opening the log: %w", err)
	}
	return &Log{file: f, seq: last, now: time.Now}, nil
}

// Emit numbers, dates and appends an event. The line is written in one piece before Emit returns; the ends of episodes
// and runs are flushed to the disk. After a failed write every call fails: a log never has a hole.
func (l *Log) Emit(e event.Event) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	e.Seq, e.Time = l.seq+1, l.now().UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return 0, fmt.Errorf("runlog: writing a %s event: %w", e.Type, err) // nothing was written: the log goes on
	}
	if len(line) >= maxLine {
		return 0, fmt.Errorf("runlog: writing a %s event of %d bytes: %w", e.Type, len(line), errLong)
	}
	if _, err := l.file.Write(append(line, '\n')); err != nil {
		l.err = fmt.Errorf("runlog: writing a %s event: %w: %w", e.Type, ErrClosed, err)
		return 0, l.err
	}
	l.seq++
	switch e.Type {
	case event.TypeRunStart, event.TypeRunEnd, event.TypeEpisodeEnd:
		if err := l.file.Sync(); err != nil {
			l.err = fmt.Errorf("runlog: flushing the log: %w: %w", ErrClosed, err)
			return 0, l.err
		}
	}
	return e.Seq, nil
}

// Close flushes and closes the log.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := errors.Join(l.file.Sync(), l.file.Close())
	l.file = nil
	if l.err == nil {
		l.err = fmt.Errorf("runlog: %w", ErrClosed)
	}
	return err
}
