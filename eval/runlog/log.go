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

// ErrWrite is wrapped where something of the run's folder but the log cannot be written.
var ErrWrite = errors.New("the run's folder cannot be written")

// Log appends events to a run's log. It is an [event.Sink], safe for concurrent use.
type Log struct {
	mu   sync.Mutex // guards what follows
	file *os.File
	seq  int64
	err  error // of the first write that failed

	flushing sync.Mutex // one flush at a time
	flushed  int64      // number of the last event that is on the disk; guarded by flushing

	now func() time.Time
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
	body, err := json.Marshal(e.Body) // outside of the lock: most of the work
	if err != nil {
		return 0, fmt.Errorf("runlog: writing a %s event: %w", e.Type, err) // nothing was written: the log goes on
	}
	seq, err := l.append(e, body)
	if err != nil {
		return 0, err
	}
	switch e.Type {
	case event.TypeRunStart, event.TypeRunEnd, event.TypeEpisodeEnd:
		if err := l.flush(seq); err != nil {
			return 0, err
		}
	}
	return seq, nil
}

// head is an event but for its body.
type head struct {
	Seq     int64      `json:"seq"`
	Time    time.Time  `json:"time"`
	Episode string     `json:"episode,omitempty"`
	Type    event.Type `json:"type"`
	Agent   string     `json:"agent,omitempty"`
	Parent  int64      `json:"parent,omitempty"`
}

func (l *Log) append(e event.Event, body []byte) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return 0, l.err
	}
	e.Seq = l.seq + 1
	line, err := json.Marshal(head{e.Seq, l.now().UTC(), e.Episode, e.Type, e.Agent, e.Parent})
	if err != nil {
		return 0, fmt.Errorf("runlog: writing a %s event: %w", e.Type, err)
	}
	line = append(line[:len(line)-1], `,"body":`...)
	line = append(append(line, body...), '}', '\n')
	if len(line) > maxLine {
		return 0, fmt.Errorf("runlog: writing a %s event of %d bytes: %w", e.Type, len(line), errLong)
	}
	if _, err := l.file.Write(line); err != nil {
		l.err = fmt.Errorf("runlog: writing a %s event: %w: %w", e.Type, ErrClosed, err)
		return 0, l.err
	}
	l.seq++
	return e.Seq, nil
}

// flush brings everything up to an event to the disk. Those who wait for a flush share the next one.
func (l *Log) flush(seq int64) error {
	l.flushing.Lock()
	defer l.flushing.Unlock()
	if l.flushed >= seq {
		return nil
	}
	l.mu.Lock()
	file, last, err := l.file, l.seq, l.err
	l.mu.Unlock()
	if err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.err = fmt.Errorf("runlog: flushing the log: %w: %w", ErrClosed, err)
		return l.err
	}
	l.flushed = last
	return nil
}

// Close flushes and closes the log.
func (l *Log) Close() error {
	l.flushing.Lock()
	defer l.flushing.Unlock()
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
