package reading_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"almanac/orchestrator/reading"
	"almanac/toolkits"
	"almanac/toolkits/cftime"

	"github.com/google/go-cmp/cmp"
)

func TestNumbers(t *testing.T) {
	cases := []struct {
		text string
		want []string
	}{
		{"1,234.56 m and 1234.56 m", []string{"1234.56 m digits", "1234.56 m digits"}},
		{"12,34 and 1,2345", []string{"12 digits", "34 digits", "1 digits", "2345 digits"}},
		{"the 95th percentile", []string{"95 % ordinal"}},
		{"10 to 20 mm", []string{"10 mm digits", "20 mm digits"}},
		{"twenty-five days, a hundred and twenty km", []string{"25 day word", "120 km word"}},
		{"two thousand three hundred", []string{"2300 word"}},
		{"minus 5 °C, −5 °C, -5 °C, 3-5", []string{"-5 degC digits", "-5 degC digits", "-5 degC digits", "3 digits", "5 digits"}},
		{"in August 1998", []string{"8 month", "1998 digits"}},
		{"50°W", []string{"50 digits", "-50 degree signed"}},
		{"Nino 3.4, nino3.4, PM2.5, CO2", []string{"3.4 digits", "3.4 digits", "2.5 digits", "2 digits"}},
		{"2 million people", []string{"2000000 digits"}},
		{"12 percent, 12 per cent, 12 %", []string{"12 % digits", "12 % digits", "12 % digits"}},
		{"third quarter", []string{"3 ordinal"}},
		{"10 km²/5 square kilometres", []string{"10 km2 digits", "5 km2 digits"}},
		{"1e3 Pa", []string{"1000 Pa digits"}},
		{"500Pa 5m/s 20C 7 K", []string{"500 Pa digits", "5 m s-1 digits", "20 degC digits", "7 K digits"}},
		{"no number here", nil},
		{"", nil},
	}
	for _, c := range cases {
		var got []string
		for _, n := range reading.Numbers(c.text) {
			s := fmt.Sprintf("%.7g ", n.Value)
			if n.Unit != "" {
				s += n.Unit + " "
			}
			got = append(got, s+n.Form)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, d)
		}
	}
}

func TestSlotsKeepTheOrderOfTheWords(t *testing.T) {
	r := reading.New(vocabulary(t), nil)
	got := r.Read("From Lima to Quito in 1998, or to Bogota in 2001, more than 5 km and 10 m?\nThe box is between 10°S and 0°, 80°W to 70°W; data: coads")
	slots := got.Slots()
	texts := func(v toolkits.Value) []string {
		var s []string
		for _, x := range v.List {
			s = append(s, x.Text)
		}
		return s
	}
	if d := cmp.Diff([]string{"Lima", "Quito", "Bogota"}, texts(slots["places"])); d != "" {
		t.Errorf("places (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"1998", "2001"}, texts(slots["periods"])); d != "" {
		t.Errorf("periods (-want +got):\n%s", d)
	}
	if slots["place"].Text != "Lima" || slots["period"].Text != "1998" || slots["comparison"].Text != "above" || slots["dataset"].Text != "coads_climatology" {
		t.Errorf("first slots: %v", slots)
	}
	if n := slots["number"]; n.Number != 5 || n.Unit != "km" || len(slots["numbers"].List) != 2 {
		t.Errorf("number %v, numbers %v", n, slots["numbers"])
	}
	if b := slots["box"].Record; b["west"].Number != -80 || b["north"].Number != 0 {
		t.Errorf("box %v", b)
	}
	if typ := got.Types()["places"]; !typ.Type.List || typ.Type.Kind != "place" || !slices.Equal(typ.Value.([]any), []any{"Lima", "Quito", "Bogota"}) {
		t.Errorf("type of places: %+v", typ)
	}
}

// Every period that is read must be one that the tools can use.
func TestPeriodsParse(t *testing.T) {
	r := reading.New(vocabulary(t), nil)
	for _, text := range labelledTexts(t) {
		for _, it := range r.Read(text).Items {
			if it.Period == "" {
				continue
			}
			if _, err := cftime.ParsePeriod(it.Period); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
}

func TestReadIsDeterministicAndQuick(t *testing.T) {
	v := vocabulary(t)
	if n := len(v.places); n < 7000 {
		t.Fatalf("%d places; the limit is stated for 7,000", n)
	}
	r := reading.New(v, nil)
	texts := labelledTexts(t)
	first := make([]reading.Request, len(texts))
	for i, text := range texts {
		first[i] = r.Read(text)
	}
	best := time.Duration(math.MaxInt64)
	for range 5 {
		start := time.Now()
		for i, text := range texts {
			if d := cmp.Diff(first[i], r.Read(text)); d != "" {
				t.Fatalf("%q is read differently the second time:\n%s", text, d)
			}
		}
		best = min(best, time.Since(start))
	}
	if per := best / time.Duration(len(texts)); per > time.Millisecond {
		t.Errorf("%v a request, want under 1 ms", per)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range labelledTexts(f) {
		f.Add(text)
	}
	f.Add("between 10°")
	f.Add("from to - – '97 \xff 1e999 9999999999999999999999999999 °N")
	r := reading.New(vocabulary(f), nil)
	f.Fuzz(func(t *testing.T, text string) {
		got := r.Read(text)
		for _, it := range got.Items {
			if it.Start < 0 || it.End > len(text) || it.Start >= it.End {
				t.Fatalf("item %+v lies outside %q", it, text)
			}
			if math.IsNaN(it.Number) || math.IsInf(it.Number, 0) {
				t.Fatalf("item %+v is not finite", it)
			}
		}
		got.Slots()
		got.Types()
		for _, n := range reading.Numbers(text) {
			if n.Start < 0 || n.End > len(text) || math.IsNaN(n.Value) || math.IsInf(n.Value, 0) {
				t.Fatalf("number %+v of %q", n, text)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	r := reading.New(vocabulary(b), nil)
	text := "From June to September 2014, how many days had less than 1 mm of rain in Seattle, and how long was the longest dry spell?"
	for b.Loop() {
		r.Read(text)
	}
}

// few is a vocabulary of one place and one data set.
type few struct{}

func (few) Places() []reading.Place { return []reading.Place{{Name: "Kenya"}} }
func (few) Datasets() []reading.Dataset {
	return []reading.Dataset{{Name: "rain_gauges", Variables: []reading.Variable{{Name: "precipitation", Aliases: []string{"rain"}}}}}
}

func ExampleReader_Read() {
	r := reading.New(few{}, nil)
	got := r.Read("On how many days of May 1997 did Kenya get no more than 1,200 mm of rain?")
	for _, it := range got.Items {
		fmt.Printf("%s: %q\n", it.Kind, got.Words(it))
	}
	fmt.Println(got.Slots()["period"].Text, got.Slots()["comparison"].Text)
	// Output:
	// period: "May 1997"
	// place: "Kenya"
	// comparison: "no more than"
	// number: "1,200 mm"
	// variable: "rain"
	// 1997-05 at_most
}

// Two boxes and two months have lists, in the order of the words; one has none.
func TestSlotsOfSeveralBoxesAndMonths(t *testing.T) {
	slots := reading.New(vocabulary(t), nil).Read("Is the sea between 10°S and 0°, 80°W to 70°W warmer in March than between 20°N and 30°N, 50°W to 40°W in July?").Slots()
	if b := slots["boxes"].List; len(b) != 2 || b[0].Record["west"].Number != -80 || b[1].Record["west"].Number != -50 {
		t.Errorf("boxes %v", slots["boxes"])
	}
	if m := slots["months"].List; len(m) != 2 || m[0].Text == m[1].Text {
		t.Errorf("months %v", slots["months"])
	}
	if one := reading.New(vocabulary(t), nil).Read("In March?").Slots(); one["months"].Kind != "" {
		t.Errorf("one month is a list: %v", one["months"])
	}
}
