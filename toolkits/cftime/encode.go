package cftime

import "almanac/internal/canonical"

// WriteTimes appends an axis of one calendar to canonical bytes; the
// calendar itself is not written.
func WriteTimes(w *canonical.Writer, times []Time) {
	w.Int(len(times))
	for _, t := range times {
		writeTime(w, t)
	}
}

// WriteEdges appends step edges to canonical bytes.
func WriteEdges(w *canonical.Writer, edges [][2]Time) {
	w.Int(len(edges))
	for _, e := range edges {
		writeTime(w, e[0])
		writeTime(w, e[1])
	}
}

func writeTime(w *canonical.Writer, t Time) {
	for _, field := range [7]int{t.Year, t.Month, t.Day, t.Hour, t.Minute, t.Second, t.Nanosecond} {
		w.Int(field)
	}
}

// ReadTimes reads what WriteTimes wrote and checks every date against the
// calendar.
func ReadTimes(r *canonical.Reader, calendar string) []Time {
	n := readCount(r, 7)
	times := make([]Time, 0, n)
	for range n {
		times = append(times, readTime(r, calendar))
	}
	if r.Err() != nil || n == 0 {
		return nil
	}
	return times
}

// ReadEdges reads what WriteEdges wrote.
func ReadEdges(r *canonical.Reader, calendar string) [][2]Time {
	n := readCount(r, 14)
	edges := make([][2]Time, 0, n)
	for range n {
		edges = append(edges, [2]Time{readTime(r, calendar), readTime(r, calendar)})
	}
	if r.Err() != nil || n == 0 {
		return nil
	}
	return edges
}

// readCount refuses a count that the bytes cannot hold at one byte a field.
func readCount(r *canonical.Reader, fields int) int {
	n := r.Int()
	if n < 0 || n > r.Remaining()/fields {
		r.Fail("%d times do not fit the bytes that follow", n)
		return 0
	}
	return n
}

func readTime(r *canonical.Reader, calendar string) Time {
	t := Time{Calendar: calendar}
	for _, field := range []*int{&t.Year, &t.Month, &t.Day, &t.Hour, &t.Minute, &t.Second, &t.Nanosecond} {
		*field = r.Int()
	}
	if r.Err() == nil {
		if err := t.Valid(); err != nil {
			r.Fail("%v", err)
		}
	}
	return t
}
