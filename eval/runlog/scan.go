package runlog

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	"almanac/orchestrator/event"

	"golang.org/x/sync/errgroup"
)

// batch is some lines of a log, decoded by one worker while others are read.
type batch struct {
	first   int // number of the first line
	lines   [][]byte
	events  []event.Event
	err     error         // of the first line that cannot be decoded; events end before it
	decoded chan struct{} // closed when events and err are there
}

const (
	batchLines = 256
	batchBytes = 1 << 20
)

// scan reads a log and hands its events on, in order, with the length of their lines. Lines are decoded on every core;
// only a few batches of them are in memory at a time. torn is what stands after the last whole line.
func scan(r io.Reader, path string, decode decoder, take func(e event.Event, line, size int) error) (torn int64, err error) {
	workers := runtime.GOMAXPROCS(0)
	g, ctx := errgroup.WithContext(context.Background())
	undecoded, ordered := make(chan *batch, workers), make(chan *batch, 2*workers)
	g.Go(func() error {
		defer close(undecoded)
		defer close(ordered)
		var err error
		torn, err = split(ctx, r, path, undecoded, ordered)
		return err
	})
	for range workers {
		g.Go(func() error {
			for b := range undecoded {
				b.decode(decode)
			}
			return nil
		})
	}
	taken := consume(ordered, path, take)
	if taken != nil {
		g.Go(func() error { return taken }) // stops the reader
		for range ordered {                 // what it has read already
		}
	}
	err = g.Wait()
	if taken != nil {
		err = taken
	}
	return torn, err
}

// consume hands the events of batches on until one cannot be taken.
func consume(ordered <-chan *batch, path string, take func(e event.Event, line, size int) error) error {
	for b := range ordered {
		<-b.decoded
		for i, e := range b.events {
			if err := take(e, b.first+i, len(b.lines[i])); err != nil {
				return err
			}
		}
		if b.err != nil {
			return fmt.Errorf("runlog: %s line %d is %w: %v", path, b.first+len(b.events), ErrDamaged, b.err)
		}
	}
	return nil
}

// split reads lines into batches, and gives each to the workers and to who takes them in order.
func split(ctx context.Context, r io.Reader, path string, undecoded, ordered chan<- *batch) (torn int64, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	b := &batch{first: 1, decoded: make(chan struct{})}
	size := 0
	send := func() bool {
		next := &batch{first: b.first + len(b.lines), decoded: make(chan struct{})}
		for _, c := range []chan<- *batch{undecoded, ordered} {
			select {
			case c <- b:
			case <-ctx.Done():
				return false
			}
		}
		b, size = next, 0
		return true
	}
	for {
		line, err := readLine(in)
		switch {
		case errors.Is(err, io.EOF):
			send()
			return int64(len(line)), nil
		case err == nil && onlyZeros(line) && atEnd(in): // a power cut can leave a length without its content
			send()
			return int64(len(line)), nil
		case errors.Is(err, errLong):
			err = fmt.Errorf("runlog: %s line %d is %w: %v", path, b.first+len(b.lines), ErrDamaged, err)
		case err != nil:
			err = fmt.Errorf("runlog: reading the log: %w", err)
		}
		if err != nil {
			send() // an error of an earlier line goes first
			return 0, err
		}
		b.lines, size = append(b.lines, line), size+len(line)
		if (len(b.lines) == batchLines || size >= batchBytes) && !send() {
			return 0, nil
		}
	}
}

// decoder decodes a line.
type decoder func(line []byte) (event.Event, error)

func (b *batch) decode(one decoder) {
	defer close(b.decoded)
	b.events = make([]event.Event, 0, len(b.lines))
	for _, line := range b.lines {
		e, err := one(line)
		if err != nil {
			b.err = err
			return
		}
		b.events = append(b.events, e)
	}
}

var bodyMark = []byte(`,"body":`)

// decodeLine decodes an event. A line as [Log.Emit] writes it is taken apart at its body, so that the body, which is most
// of it, is gone through as few times as can be; anything else is left to the event itself.
func decodeLine(line []byte) (event.Event, error) {
	if e, ok := decodeWritten(bytes.TrimSuffix(line, []byte("\n")), decodeBody); ok {
		return e, nil
	}
	var e event.Event
	err := json.Unmarshal(line, &e)
	return e, err
}

// decodeLean is decodeLine, but for what of a request to a model is in no figure.
func decodeLean(line []byte) (event.Event, error) {
	if e, ok := decodeWritten(bytes.TrimSuffix(line, []byte("\n")), leanBody); ok {
		return e, nil
	}
	return decodeLine(line)
}

func decodeBody(t event.Type, data []byte) (any, bool) {
	body, ok := event.Body(t)
	return body, ok && json.Unmarshal(data, body) == nil
}

func leanBody(t event.Type, data []byte) (any, bool) {
	if t != event.TypeModelRequest {
		return decodeBody(t, data)
	}
	var r struct {
		Role    string `json:"role"`
		Purpose string `json:"purpose"`
		Model   string `json:"model"`
		Bytes   int64  `json:"bytes"`
	}
	err := json.Unmarshal(data, &r)
	return &event.ModelRequest{Role: r.Role, Purpose: r.Purpose, Model: r.Model, Bytes: r.Bytes}, err == nil
}

func decodeWritten(line []byte, decode func(event.Type, []byte) (any, bool)) (event.Event, bool) {
	at := bytes.Index(line, bodyMark)
	if at < 0 || line[len(line)-1] != '}' {
		return event.Event{}, false
	}
	var h head
	if err := json.Unmarshal(append(bytes.Clone(line[:at]), '}'), &h); err != nil {
		return event.Event{}, false
	}
	body, ok := decode(h.Type, line[at+len(bodyMark):len(line)-1])
	if !ok {
		return event.Event{}, false
	}
	return event.Event{Seq: h.Seq, Time: h.Time, Episode: h.Episode, Type: h.Type, Agent: h.Agent, Parent: h.Parent, Body: body}, true
}
