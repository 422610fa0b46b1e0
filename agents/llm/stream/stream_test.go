package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestGuard(t *testing.T) {
	var numbers, prose strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&numbers, "%d, ", i)
		fmt.Fprintf(&prose, "In year %d it rained %d mm. ", 1900+i, i*i%997)
	}
	for _, tt := range []struct {
		name, text string
		runaway    bool
	}{
		{"blanks", "{" + strings.Repeat("\n", 5000), true},
		{"mixed blanks", strings.Repeat(" \t\n", 200), true},
		{"no-break spaces", strings.Repeat("\u00a0", 500), true},
		{"a phrase", strings.Repeat("the mean is ", 2000), true},
		{"a letter", strings.Repeat("z", 2000), true},
		{"a sentence", "Well. " + strings.Repeat("I will now call the tool to find the mean of the layer over the whole region.\n", 100), true},
		{"a paragraph", strings.Repeat(strings.Repeat("abcdefghij", 39)+"k", 60), true},
		{"letters beyond ASCII", strings.Repeat("ø→", 1000), true},
		{"too long", prose.String() + prose.String(), true},
		{"counting", numbers.String()[:9000], false},
		{"prose with a pattern", prose.String()[:40000], false},
		{"twenty equal lines", strings.Repeat("| 0 | 0 | 0 |\n", 20), false},
		{"a rule", strings.Repeat("-", 200), false},
		{"indentation", "if x:\n" + strings.Repeat(" ", 200) + "y", false},
		{"nothing", "", false},
	} {
		if why := Check(tt.text, nil); (why != "") != tt.runaway {
			t.Errorf("%s: %q", tt.name, why)
		}
	}
	g := NewGuard(&Limits{Pieces: 3})
	for i, piece := range []string{"a", "b", "c", "d"} {
		if why := g.Add(piece); (why != "") != (i == 3) {
			t.Errorf("piece %d: %q", i, why)
		}
	}
	if g.Text() != "abcd" {
		t.Errorf("text = %q", g.Text())
	}
}

// period against its definition.
func TestPeriod(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[ab]{1,12}`).Draw(t, "s")
		want := len(s)
		for p := len(s); p >= 1; p-- {
			ok := true
			for i := p; i < len(s); i++ {
				ok = ok && s[i] == s[i-p]
			}
			if ok {
				want = p
			}
		}
		if got := period(s); got != want {
			t.Fatalf("%q: %d, want %d", s, got, want)
		}
	})
}

// Text cut anywhere, each piece hidden, comes back as it was.
func TestHideAndRestore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.ToValidUTF8(rapid.String().Draw(t, "s"), "")
		if strings.ContainsFunc(s, isHidden) {
			return // these characters are ours
		}
		var b strings.Builder
		for rest := []byte(s); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			piece := HideBytes(rest[:n])
			if !utf8.Valid(piece) {
				t.Fatalf("%q is no UTF-8", piece)
			}
			b.Write(piece)
			rest = rest[n:]
		}
		if got := RestoreBytes(b.String()); got != s {
			t.Fatalf("%q comes back as %q", s, got)
		}
	})
}

func TestRewriteLines(t *testing.T) {
	body := "a\r\n\nlast \xc3\xb8"
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(body), "byte by byte": iotest.OneByteReader(strings.NewReader(body))} {
		var failure error
		out, err := io.ReadAll(RewriteLines(io.NopCloser(r), func(l []byte) []byte { return []byte("<" + string(l) + ">") }, func(err error) { failure = err }))
		if err != nil || failure != nil || string(out) != "<a>\r\n<>\n<last ø>" {
			t.Errorf("%s: %q, %v, %v", name, out, err, failure)
		}
	}
	broken := io.MultiReader(strings.NewReader("whole\nhal"), iotest.ErrReader(io.ErrUnexpectedEOF))
	var failure error
	out, err := io.ReadAll(RewriteLines(io.NopCloser(broken), func(l []byte) []byte { return l }, func(err error) { failure = err }))
	if string(out) != "whole\nhal" || !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(failure, io.ErrUnexpectedEOF) {
		t.Errorf("broken: %q, %v, %v", out, err, failure)
	}
	_, err = io.ReadAll(RewriteLines(io.NopCloser(io.LimitReader(endless{}, MaxLine+10)), func(l []byte) []byte { return l }, func(error) {}))
	if !errors.Is(err, ErrLineTooLong) {
		t.Errorf("a line without end: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, w := NewWatch(t.Context(), 10*time.Second, time.Second)
		defer w.Stop()
		time.Sleep(9 * time.Second)
		w.Tick()
		for range 5 {
			time.Sleep(900 * time.Millisecond)
			w.Tick()
		}
		if ctx.Err() != nil {
			t.Errorf("stopped: %v", context.Cause(ctx))
		}
		time.Sleep(1100 * time.Millisecond)
		if !errors.Is(context.Cause(ctx), ErrIdle) {
			t.Errorf("cause = %v", context.Cause(ctx))
		}
		if first, total := w.Times(); first != 9*time.Second || total != 14600*time.Millisecond {
			t.Errorf("first %s, total %s", first, total)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, w := NewWatch(t.Context(), 10*time.Second, time.Second)
		defer w.Stop()
		<-ctx.Done()
		if first, total := w.Times(); !errors.Is(context.Cause(ctx), ErrFirstByte) || first != 0 || total != 10*time.Second {
			t.Errorf("cause %v, first %s, total %s", context.Cause(ctx), first, total)
		}
	})
	synctest.Test(t, func(t *testing.T) { // no limits, and nothing is left behind
		ctx, w := NewWatch(t.Context(), 0, 0)
		w.Tick()
		time.Sleep(time.Hour)
		if ctx.Err() != nil {
			t.Error("stopped without a limit")
		}
		w.Stop()
		<-ctx.Done()
	})
}

func ExampleCheck() {
	fmt.Println(Check("The mean is 12.4.", nil) == "")
	fmt.Println(Check(strings.Repeat("the mean is ", 2000), nil) == "")
	// Output:
	// true
	// false
}
