package earthbench

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"almanac/eval/internal/pyjson"
)

// The names of Earth-Agent's own files.
const (
	goldFile      = "extracted_tool_calls_GT.json"
	questionsFile = "question.json"
	callsFile     = "extracted_tool_calls.json"
	answersFile   = "results_summary_polished.json"
	stepsFile     = "published_step_scores.json"
	endFile       = "published_end_to_end.json"
)

//go:embed data/extracted_tool_calls_GT.json.gz data/question.json.gz data/LICENSE
var embedded embed.FS

// Embedded is the gold and the questions that come with the program.
func Embedded() fs.FS {
	sub, err := fs.Sub(embedded, "data")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return sub
}

// ErrMissing is wrapped by errors about a file that is not there.
var ErrMissing = errors.New("file not found")

// maxFile is how large a file may be once it is unpacked.
const maxFile = 1 << 30

// document is one file, unpacked.
type document struct {
	name string // as it is named in errors
	data []byte
}

// read reads the file of that name, or name.gz; which of the two is compressed is seen from the content. dir names the
// folder in errors; remedy says how a missing file comes to be there.
func read(fsys fs.FS, dir, name, remedy string) (*document, error) {
	for _, n := range []string{name, name + ".gz"} {
		data, err := fs.ReadFile(fsys, n)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("earthbench: reading %s/%s: %w", dir, n, err)
		}
		d := &document{name: dir + "/" + n, data: data}
		return d, d.unpack()
	}
	return nil, fmt.Errorf("earthbench: %s/%s (or %s.gz): %w; %s", dir, name, name, ErrMissing, remedy)
}

func (d *document) unpack() error {
	if !bytes.HasPrefix(d.data, []byte{0x1f, 0x8b}) {
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(d.data))
	if err == nil {
		d.data, err = io.ReadAll(io.LimitReader(z, maxFile+1))
	}
	switch {
	case err != nil:
		return fmt.Errorf("earthbench: %s cannot be unpacked: %w", d.name, err)
	case len(d.data) > maxFile:
		return fmt.Errorf("earthbench: %s has more than %d bytes unpacked", d.name, maxFile)
	}
	return nil
}

// open returns a reader of the whole document.
func (d *document) open() (*pyjson.Reader, error) {
	r, err := pyjson.NewReader(d.data)
	if err != nil {
		return nil, d.wrap(err)
	}
	return r, nil
}

func (d *document) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("earthbench: reading %s: %w", d.name, err)
}

// items reads a list of objects: item reads one, and is called with its number.
func (d *document) items(item func(r *pyjson.Reader, i int) error) error {
	r, err := d.open()
	if err != nil {
		return err
	}
	err = r.Array(func(i int) error { return item(r, i) })
	if err == nil {
		err = r.End()
	}
	return d.wrap(err)
}

// key reads the id of an item: text, or a whole number as text.
func key(r *pyjson.Reader) (string, error) {
	if r.Kind() == pyjson.String {
		return r.Text()
	}
	if r.Kind() == pyjson.Number {
		begin := r.Offset()
		raw, err := r.Raw()
		if err == nil && strings.Trim(string(raw), "0123456789") != "" {
			err = r.FailAt(begin, "the item's id: text or a whole number")
		}
		return string(raw), err
	}
	return "", r.Fail("the item's id: text or a whole number")
}

// Prefixed is the key by which a run's item is looked up: digits alone get the word "question" before them.
func Prefixed(key string) string {
	if isDigits(key) {
		return "question" + key
	}
	return key
}
