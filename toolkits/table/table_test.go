package table_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"almanac/toolkits/cftime"
	"almanac/toolkits/table"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func read(t *testing.T, text string, o *table.Options) *table.Table {
	t.Helper()
	out, err := table.ReadCSV(strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestReadCSV(t *testing.T) {
	got := read(t, "\ufefftime,rain [mm],wind speed [m s-1],station,code,big,wet,n\r\n"+
		"2012-01-01,1234.56,-1.5e3,\"a, b\",007,9007199254740993,true,1\r\n"+
		"2012-01-02,,+.5,NA,012,1,FALSE,\r\n", nil)
	want := &table.Table{Columns: []table.Column{
		{Name: "time", Type: table.Instant, Texts: []string{"2012-01-01", "2012-01-02"}},
		{Name: "rain", Unit: "mm", Type: table.Number, Numbers: []float64{1234.56, math.NaN()}},
		{Name: "wind speed", Unit: "m s-1", Type: table.Number, Numbers: []float64{-1500, 0.5}},
		{Name: "station", Type: table.Text, Texts: []string{"a, b", "NA"}},
		{Name: "code", Type: table.Text, Texts: []string{"007", "012"}},
		{Name: "big", Type: table.Text, Texts: []string{"9007199254740993", "1"}},
		{Name: "wet", Type: table.Boolean, Numbers: []float64{1, 0}},
		{Name: "n", Type: table.Integer, Numbers: []float64{1, math.NaN()}},
	}}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

func TestSeparators(t *testing.T) {
	for name, text := range map[string]string{"semicolon": "a;b\n1;2\n", "tab": "a\tb\n1\t2\n", "comma": "a,b\n1,2\n"} {
		got := read(t, text, nil)
		if len(got.Columns) != 2 || got.Columns[1].Numbers[0] != 2 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestStrictNumbers: what looks like a number and is none is never read as a
// part of itself.
func TestStrictNumbers(t *testing.T) {
	if got := read(t, "x\n1234.56\n", nil); got.Columns[0].Numbers[0] != 1234.56 {
		t.Errorf("1234.56 is read as %v", got.Columns[0].Numbers[0])
	}
	for _, cell := range []string{`"1,234.56"`, `"1234,56"`, "12 mm", "12mm", "1 234", "1_234", "1'234", "50%", "1.2.3", "--1", "1-", "0x10", "1e", "inf", "Infinity", "+", ".", "1e999"} {
		_, err := table.ReadCSV(strings.NewReader("k,x [mm]\na,3\nb,"+cell+"\n"), nil)
		if !errors.Is(err, table.ErrCSV) || !strings.Contains(err.Error(), "line 3, column x") {
			t.Errorf("%s in a column with a unit: %v", cell, err)
		}
	}
	for _, cell := range []string{`"1,234.56"`, "12 mm", "50%", "1 234", "1.2.3"} {
		_, err := table.ReadCSV(strings.NewReader("k,x\na,3\nb,"+cell+"\n"), nil)
		if !errors.Is(err, table.ErrCSV) || !strings.Contains(err.Error(), "line 3, column x") {
			t.Errorf("%s among numbers: %v", cell, err)
		}
	}
}

func TestOptions(t *testing.T) {
	got := read(t, "x,y\n1,2\n", &table.Options{Units: map[string]string{"x": "m"}, Types: map[string]string{"y": table.Text}})
	if got.Columns[0].Unit != "m" || got.Columns[1].Texts[0] != "2" {
		t.Errorf("%+v", got)
	}
	for name, o := range map[string]*table.Options{
		"unit contradicts":  {Units: map[string]string{"z": "m"}},
		"unit of no column": {Units: map[string]string{"q": "m"}},
		"type of no column": {Types: map[string]string{"q": table.Text}},
		"unknown type":      {Types: map[string]string{"x": "float"}},
		"not an integer":    {Types: map[string]string{"x": table.Integer}},
		"not a boolean":     {Types: map[string]string{"x": table.Boolean}},
		"not an instant":    {Types: map[string]string{"x": table.Instant}},
	} {
		if _, err := table.ReadCSV(strings.NewReader("x,z [km]\n1.5,2\n"), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestReadCSVFaults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", "empty"},
		"ragged":      {"a,b\n1,2\n3\n", "line 3"},
		"quote":       {"a,b\n\"1,2\n", "line"},
		"two names":   {"a,a\n1,2\n", "named \"a\""},
		"no name":     {"a,\n1,2\n", "no name"},
		"only a unit": {"[mm]\n1\nx\n", ""},
	} {
		_, err := table.ReadCSV(strings.NewReader(c.text), nil)
		if c.want == "" {
			continue
		}
		if !errors.Is(err, table.ErrCSV) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

func TestSeries(t *testing.T) {
	s, err := read(t, "time,co2 [ppm]\n1958-03,316.1\n1958-04,\n1958-05,317.5\n", nil).Series("time", "co2")
	if err != nil {
		t.Fatal(err)
	}
	if s.Frequency != cftime.FrequencyMonth || s.Label(2) != "1958-05" || s.Unit != "ppm" || s.Variable != "co2" || s.Valid() != 2 || s.Calendar != cftime.Standard {
		t.Errorf("%+v", s)
	}
	hours, err := read(t, "time,t [degC]\n2020-02-29T23:00Z,1\n2020-03-01T00:00Z,2\n", nil).Series("time", "t")
	if err != nil || hours.Frequency != cftime.FrequencyHour {
		t.Errorf("%+v, %v", hours, err)
	}
	years, err := read(t, "year,t [degC]\n2019,1\n2020,2\n", nil).Series("year", "t")
	if err != nil || years.Frequency != cftime.FrequencyYear {
		t.Errorf("%+v, %v", years, err)
	}
	for name, text := range map[string]string{
		"goes back":   "time,x\n2020-01-02,1\n2020-01-01,2\n",
		"twice":       "time,x\n2020-01-01,1\n2020-01-01,2\n",
		"no such day": "time,x\n2019-02-29,1\n",
		"no month 13": "time,x\n2019-13,1\n",
		"no time":     "time,x\n2020-01-01,1\n,2\n",
		"words":       "time,x\nyesterday,1\n",
		"text values": "time,x\n2020-01-01,a\n",
		"hour 24":     "time,x\n2020-01-01T24:00,1\n",
	} {
		if s, err := read(t, text, nil).Series("time", "x"); !errors.Is(err, table.ErrCSV) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	if _, err := read(t, "time,x\n2020-01-01,1\n", nil).Series("time", "y"); !errors.Is(err, table.ErrNoColumn) {
		t.Errorf("no such column: %v", err)
	}
}

func TestValidate(t *testing.T) {
	for name, c := range map[string][]table.Column{
		"no name":      {{Type: table.Number}},
		"same name":    {{Name: "a", Type: table.Number}, {Name: "a", Type: table.Number}},
		"unknown type": {{Name: "a", Type: "float"}},
		"wrong cells":  {{Name: "a", Type: table.Number, Texts: []string{"1"}}},
		"lengths":      {{Name: "a", Type: table.Number, Numbers: []float64{1}}, {Name: "b", Type: table.Text}},
	} {
		bad := &table.Table{Columns: c}
		if bad.Validate() == nil {
			t.Errorf("%s: valid", name)
		}
		if _, err := bad.MarshalBinary(); err == nil {
			t.Errorf("%s: encoded", name)
		}
		if table.WriteCSV(&bytes.Buffer{}, bad) == nil {
			t.Errorf("%s: written", name)
		}
	}
	if (&table.Table{}).Rows() != 0 {
		t.Error("an empty table has rows")
	}
}

func anyTable(t *rapid.T) *table.Table {
	rows := rapid.IntRange(1, 6).Draw(t, "rows")
	numbers := rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.Just(math.NaN())), rows, rows)
	whole := rapid.SliceOfN(rapid.Map(rapid.Int64Range(-1<<53, 1<<53), func(i int64) float64 { return float64(i) }), rows, rows)
	words := rapid.SliceOfN(rapid.StringMatching(`[a-zé,"; ]{0,6}x`), rows, rows)
	return &table.Table{Columns: []table.Column{
		{Name: "v", Unit: "mm", Type: table.Number, Numbers: append(numbers.Draw(t, "v")[:rows-1], 0.5)},
		{Name: "n", Type: table.Integer, Numbers: whole.Draw(t, "n")},
		{Name: "w", Type: table.Text, Texts: words.Draw(t, "w")},
		{Name: "b", Type: table.Boolean, Numbers: rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1}), rows, rows).Draw(t, "b")},
	}}
}

// TestRoundTrips: CSV and bytes read back what was written.
func TestRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyTable(t)
		var text bytes.Buffer
		if err := table.WriteCSV(&text, want); err != nil {
			t.Fatal(err)
		}
		got, err := table.ReadCSV(&text, &table.Options{Types: map[string]string{"w": table.Text, "v": table.Number}})
		if err != nil {
			t.Fatal(err)
		}
		spaced := cmp.Transformer("trim", strings.TrimSpace) // cells lose spaces at their ends
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), spaced); diff != "" {
			t.Fatal(diff)
		}
		want.Source, want.Licence = "a test", "CC0-1.0"
		data, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back table.Table
		if err := back.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, &back, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		for cut := range data {
			if new(table.Table).UnmarshalBinary(data[:cut]) == nil {
				t.Fatalf("the first %d of %d bytes are decoded", cut, len(data))
			}
		}
	})
}

func TestCanonical(t *testing.T) {
	a := read(t, "x [mm]\n1\n", nil)
	one, err := a.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	a.Source = "elsewhere"
	if two, _ := a.Canonical(); !bytes.Equal(one, two) {
		t.Error("the source changes the canonical bytes")
	}
	a.Columns[0].Unit = "cm"
	if three, _ := a.Canonical(); bytes.Equal(one, three) {
		t.Error("the unit does not change the canonical bytes")
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add([]byte("time,rain [mm]\n2012-01-01,1\n"))
	f.Add([]byte("a;b\n\"1,5\";2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := table.ReadCSV(bytes.NewReader(data), nil)
		if err != nil {
			return
		}
		if err := got.Validate(); err != nil {
			t.Fatal(err)
		}
		for i := range got.Columns {
			got.Series(got.Columns[0].Name, got.Columns[i].Name)
		}
		if _, err := got.MarshalBinary(); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzUnmarshalBinary(f *testing.F) {
	f.Add([]byte("\x0falmanac table 1\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) { new(table.Table).UnmarshalBinary(data) })
}
