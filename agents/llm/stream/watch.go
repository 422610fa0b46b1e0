package stream

import (
	"context"
	"errors"
	"sync"
	"time"
)

// The causes with which a [Watch] cancels its context.
var (
	ErrFirstByte = errors.New("stream: no first byte in time")
	ErrIdle      = errors.New("stream: no further byte in time")
)

// Watch cancels a request whose answer does not come in time. Waiting for the
// first byte has its own limit, since a server sends nothing while it loads
// a model or reads a long prompt.
type Watch struct {
	idle    time.Duration
	cancel  context.CancelCauseFunc
	started time.Time

	mu    sync.Mutex
	timer *time.Timer
	first time.Duration // 0 until the first byte
}

// NewWatch starts the clock. The context is for the request; call Stop at the
// end. A limit of 0 is no limit.
func NewWatch(ctx context.Context, firstByte, idle time.Duration) (context.Context, *Watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &Watch{idle: idle, cancel: cancel, started: time.Now()}
	if firstByte > 0 {
		w.timer = time.AfterFunc(firstByte, func() { cancel(ErrFirstByte) })
	}
	return ctx, w
}

// Tick notes that something came.
func (w *Watch) Tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == 0 {
		w.first = max(time.Since(w.started), 1)
	}
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	if w.idle > 0 {
		w.timer = time.AfterFunc(w.idle, func() { w.cancel(ErrIdle) })
	}
}

// Stop ends the watch and the request.
func (w *Watch) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	w.cancel(nil)
}

// Times are the time to the first byte (0 if none came) and the time so far.
func (w *Watch) Times() (first, total time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.first, time.Since(w.started)
}
