package canonical_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"almanac/internal/canonical"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func Example() {
	w := &canonical.Writer{}
	w.String("sst")
	w.Floats([]float64{1, 2})
	r := canonical.NewReader(w.Bytes)
	fmt.Println(r.String(), r.Floats(), r.End())
	// Output: sst [1 2] <nil>
}

func TestEqualValuesHaveEqualBytes(t *testing.T) {
	quiet, other := math.NaN(), math.Float64frombits(0x7ff8dead00000000)
	a, b := &canonical.Writer{}, &canonical.Writer{}
	a.Floats([]float64{quiet, 0})
	b.Floats([]float64{other, math.Copysign(0, -1)})
	if diff := cmp.Diff(a.Bytes, b.Bytes); diff != "" {
		t.Error(diff)
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		number := rapid.Int().Draw(t, "integer")
		floats := rapid.SliceOfN(rapid.Float64(), 1, 20).Draw(t, "floats")
		w := &canonical.Writer{}
		w.Int(number)
		w.String(text)
		w.OptionalFloat(&floats[0])
		w.OptionalFloat(nil)
		w.Floats(floats)
		w.Bool(true)
		r := canonical.NewReader(w.Bytes)
		if r.Int() != number || r.String() != text || *r.OptionalFloat() != floats[0] || r.OptionalFloat() != nil {
			t.Fatal("values differ")
		}
		if diff := cmp.Diff(floats, r.Floats()); diff != "" || !r.Bool() || r.End() != nil {
			t.Fatal(diff, r.Err())
		}
	})
}

func TestHostile(t *testing.T) {
	for name, read := range map[string]func(*canonical.Reader){
		"a length of 2^60":   func(r *canonical.Reader) { r.Floats() },
		"a long string":      func(r *canonical.Reader) { _ = r.String() },
		"an endless integer": func(r *canonical.Reader) { r.Int(); r.Float() },
		"a truth value of 2": func(r *canonical.Reader) { r.Bool() },
	} {
		r := canonical.NewReader([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x10})
		read(r)
		if !errors.Is(r.End(), canonical.ErrFormat) {
			t.Errorf("%s: %v", name, r.End())
		}
	}
	r := canonical.NewReader([]byte{0, 0})
	if r.Bool(); r.Err() != nil || !errors.Is(r.End(), canonical.ErrFormat) {
		t.Errorf("left-over bytes: %v", r.End())
	}
}
