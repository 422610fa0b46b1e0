package runlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"almanac/orchestrator/event"

	"github.com/google/go-cmp/cmp"
)

// Thousands of lines, more than one batch holds, come in their order.
func TestScanKeepsTheOrder(t *testing.T) {
	var log bytes.Buffer
	const n = 5000
	for i := range n {
		fmt.Fprintf(&log, `{"seq":%d,"time":"2026-01-01T00:00:00Z","type":"error","body":{"code":"%d","message":"","harness":false}}`+"\n", i+1, i)
	}
	log.WriteString(`{"seq":`)
	next := 1
	torn, err := scan(&log, "log", decodeLine, func(e event.Event, line, size int) error {
		if e.Seq != int64(next) || line != next || e.Body.(*event.Error).Code != fmt.Sprint(next-1) || size < 80 {
			return fmt.Errorf("line %d holds event %d of %d bytes", line, e.Seq, size)
		}
		next++
		return nil
	})
	if err != nil || torn != 7 || next != n+1 {
		t.Errorf("%d events, %d bytes torn, %v", next-1, torn, err)
	}
}

// The first line that is wrong is the one that is named, whatever is wrong further down.
func TestScanNamesTheFirstError(t *testing.T) {
	line := func(i int) string {
		return fmt.Sprintf(`{"seq":%d,"time":"2026-01-01T00:00:00Z","type":"error","body":{}}`, i)
	}
	for _, bad := range []int{1, 2, 255, 256, 257, 900} {
		var lines []string
		for i := 1; i <= 1000; i++ {
			if i == bad || i == 950 {
				lines = append(lines, `{"seq":`)
				continue
			}
			lines = append(lines, line(i))
		}
		_, err := scan(strings.NewReader(strings.Join(lines, "\n")+"\n"), "log", decodeLean, func(event.Event, int, int) error { return nil })
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), fmt.Sprintf("line %d is damaged", bad)) {
			t.Errorf("line %d: %v", bad, err)
		}
	}
	stop := errors.New("enough")
	_, err := scan(strings.NewReader(strings.Repeat(line(1)+"\n", 5000)), "log", decodeLine, func(event.Event, int, int) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("a reader that has enough: %v", err)
	}
}

// Taking a line apart at its body gives what decoding it whole gives.
func FuzzDecodeLine(f *testing.F) {
	f.Add([]byte(`{"seq":1,"time":"2026-01-01T00:00:00Z","episode":"e","type":"step","agent":"a\",\"body\":","parent":3,"body":{"step":"a","item":-1}}`))
	f.Add([]byte(`{"body":{"step":"b"},"type":"step","seq":2}`))
	f.Add([]byte(`{"seq":1,"type":"step","body":{"step":"b"},"body":{"step":"c"}}`))
	f.Add([]byte(`{"seq":1,"type":"nothing","body":{}}`))
	f.Add([]byte(`{"seq":1,"type":"error","body":null}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsRune(line, '\n') {
			return
		}
		var want event.Event
		wantErr := json.Unmarshal(line, &want)
		got, err := decodeLine(line)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%v, not %v", err, wantErr)
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })); err == nil && diff != "" {
			t.Fatal(diff)
		}
	})
}
