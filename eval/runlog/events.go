package runlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"almanac/orchestrator/event"
)

// Events is what a log holds. Size is the number of bytes up to the end of the last whole line, Torn the number after
// it.
type Events struct {
	List []event.Event
	Size int64
	Torn int64
}

// LastSeq is the number of the last event, 0 for none.
func (e *Events) LastSeq() int64 {
	if len(e.List) == 0 {
		return 0
	}
	return e.List[len(e.List)-1].Seq
}

// maxLine is the longest line, in bytes, that is written or read: what is longer is no event of ours.
const maxLine = 64 << 20

var errLong = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// ReadEvents reads a log. A last line without its line feed is torn and passed over. A line that cannot be read, a
// number out of order, an event that its episode cannot have at that place (a second call of one id, a second answer,
// anything outside an attempt) or a schema version of another program is an error that names the line.
func ReadEvents(path string) (*Events, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("runlog: reading the log: %w", err)
	}
	defer f.Close()
	return readEvents(f, path)
}

func readEvents(r io.Reader, path string) (*Events, error) {
	out := &Events{}
	var err error
	out.Torn, err = each(r, path, decodeLine, func(e event.Event, at Line) error {
		out.List = append(out.List, e)
		out.Size = at.Offset + int64(at.Size)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Line is where an event stands in the log.
type Line struct {
	Offset int64
	Size   int
}

// each reads and checks a log event by event.
func each(r io.Reader, path string, decode decoder, take func(event.Event, Line) error) (torn int64, err error) {
	order, last, offset := newOrder(), int64(0), int64(0)
	return scan(r, path, decode, func(e event.Event, number, size int) error {
		if err := check(e, last, order, path, number); err != nil {
			return err
		}
		at := Line{offset, size}
		last, offset = e.Seq, offset+int64(size)
		return take(e, at)
	})
}

// Each hands on every event of the log as it stands, in order, and where it stands, without keeping any. It gives the number
// of bytes of a torn last line. The errors are those of [ReadEvents], and take's. With lean, requests to models come without
// their messages, tools and schema, which are the largest part of a log and in no figure.
func (f *Folder) Each(lean bool, take func(event.Event, Line) error) (torn int64, err error) {
	path := filepath.Join(f.Dir, logName)
	file, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("runlog: reading the log: %w", err)
	}
	defer file.Close()
	decode := decodeLine
	if lean {
		decode = decodeLean
	}
	return each(file, path, decode, take)
}

// At reads events again from where [Folder.Each] found them.
func (f *Folder) At(lines []Line) ([]event.Event, error) {
	path := filepath.Join(f.Dir, logName)
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("runlog: reading the log: %w", err)
	}
	defer file.Close()
	out := make([]event.Event, len(lines))
	for i, l := range lines {
		data := make([]byte, l.Size)
		if _, err := file.ReadAt(data, l.Offset); err != nil {
			return nil, fmt.Errorf("runlog: reading the log: %w", err)
		}
		if out[i], err = decodeLine(data); err != nil {
			return nil, fmt.Errorf("runlog: %s at byte %d is %w: %v", path, l.Offset, ErrDamaged, err)
		}
	}
	return out, nil
}

// check refuses an event that cannot stand after event number last.
func check(e event.Event, last int64, order *order, path string, number int) error {
	if e.Seq != last+1 {
		return fmt.Errorf("runlog: %s line %d is %w: event %d follows event %d", path, number, ErrDamaged, e.Seq, last)
	}
	if s, ok := e.Body.(*event.RunStart); ok && s.Schema != event.Version {
		return fmt.Errorf("runlog: %s line %d: the log has schema %d, this program reads %d: %w", path, number, s.Schema, event.Version, ErrSchema)
	}
	if err := order.take(e); err != nil {
		return fmt.Errorf("runlog: %s line %d is %w: %v", path, number, ErrDamaged, err)
	}
	return nil
}

// readLine reads up to and with the next line feed. Of a line that is too long it reads no more than the limit.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, errLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func onlyZeros(line []byte) bool { return len(bytes.Trim(line, "\x00\n")) == 0 }

func atEnd(r *bufio.Reader) bool {
	_, err := r.Peek(1)
	return err != nil
}

// Attempt is one try at an episode. End is nil if it was cut off.
type Attempt struct {
	Start  *event.EpisodeStart
	End    *event.EpisodeEnd
	Events []event.Event // without start and end
	First  event.Event   // the start, for its time
	Last   event.Event   // the last event seen
}

// Counts reports whether the attempt is finished: an outcome that is neither the harness's fault nor an interruption.
func (a *Attempt) Counts() bool {
	return a.End != nil && a.End.Outcome != event.Harness && a.End.Outcome != event.Cancelled
}

// Episode is every attempt at one episode, in order.
type Episode struct {
	ID       string
	Attempts []Attempt
}

// Final is the newest attempt that is finished; if none is, the newest with an end; nil if there is neither.
func (e *Episode) Final() *Attempt {
	var ended *Attempt
	for i := len(e.Attempts) - 1; i >= 0; i-- {
		a := &e.Attempts[i]
		if a.Counts() {
			return a
		}
		if ended == nil && a.End != nil {
			ended = a
		}
	}
	return ended
}

// Abandoned returns the attempts that do not count.
func (e *Episode) Abandoned() []*Attempt {
	final := e.Final()
	var out []*Attempt
	for i := range e.Attempts {
		if a := &e.Attempts[i]; a != final {
			out = append(out, a)
		}
	}
	return out
}

// Episodes groups events by episode, in the order of their first event. Events of episodes that run side by side may
// be mixed; an attempt begins with its start.
func Episodes(events []event.Event) []*Episode {
	var out []*Episode
	byID := map[string]*Episode{}
	for _, e := range events {
		if e.Episode == "" {
			continue
		}
		ep := byID[e.Episode]
		if ep == nil {
			ep = &Episode{ID: e.Episode}
			byID[e.Episode] = ep
			out = append(out, ep)
		}
		ep.add(e)
	}
	return out
}

func (ep *Episode) add(e event.Event) {
	switch body := e.Body.(type) {
	case *event.EpisodeStart:
		ep.Attempts = append(ep.Attempts, Attempt{Start: body, First: e, Last: e})
	case *event.EpisodeEnd:
		if a := ep.open(); a != nil {
			a.End, a.Last = body, e
		}
	default:
		if a := ep.open(); a != nil {
			a.Events, a.Last = append(a.Events, e), e
		}
	}
}

// open is the attempt that is still without an end, nil if there is none.
func (ep *Episode) open() *Attempt {
	if n := len(ep.Attempts); n > 0 && ep.Attempts[n-1].End == nil {
		return &ep.Attempts[n-1]
	}
	return nil
}
