package netcdf_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"almanac/toolkits/netcdf"

	"github.com/google/go-cmp/cmp"
)

// byHand is a whole CDF-1 file spelled out from the format specification: an
// unlimited dimension t with 3 records, a lone short record variable v(t),
// whose records are therefore not padded, and an attribute.
var byHand = []byte("CDF\x01" + // magic, version
	"\x00\x00\x00\x03" + // 3 records
	"\x00\x00\x00\x0a\x00\x00\x00\x01" + // one dimension
	"\x00\x00\x00\x01t\x00\x00\x00" + "\x00\x00\x00\x00" + // t, length 0: unlimited
	"\x00\x00\x00\x00\x00\x00\x00\x00" + // no global attributes
	"\x00\x00\x00\x0b\x00\x00\x00\x01" + // one variable
	"\x00\x00\x00\x01v\x00\x00\x00" + "\x00\x00\x00\x01\x00\x00\x00\x00" + // v, over dimension 0
	"\x00\x00\x00\x0c\x00\x00\x00\x01" + // one attribute
	"\x00\x00\x00\x05units\x00\x00\x00" + "\x00\x00\x00\x02\x00\x00\x00\x01K\x00\x00\x00" + // units = "K"
	"\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00\x68" + // short, size 4, begins at byte 104
	"\x00\x01\xff\xfe\x01\x00") // 1, -2, 256

func open(t *testing.T, data []byte) *netcdf.File {
	t.Helper()
	f, err := netcdf.New(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// written lays out a dataset and opens it again.
func written(t *testing.T, ds *netcdf.Dataset) *netcdf.File {
	t.Helper()
	var out bytes.Buffer
	if err := netcdf.Write(&out, ds); err != nil {
		t.Fatal(err)
	}
	return open(t, out.Bytes())
}

func TestFileByHand(t *testing.T) {
	f := open(t, byHand)
	values, err := f.Read("v", nil, nil)
	if err != nil || !slices.Equal(values, []float64{1, -2, 256}) {
		t.Errorf("%v, %v", values, err)
	}
	v, err := f.Variable("v")
	if err != nil || v.Text("units") != "K" || f.Dimensions[0] != (netcdf.Dimension{Name: "t", Length: 3, Unlimited: true}) {
		t.Errorf("%+v, %+v, %v", v, f.Dimensions, err)
	}
	// The writer lays the same data out in the same bytes.
	var out bytes.Buffer
	err = netcdf.Write(&out, &netcdf.Dataset{
		Dimensions: []netcdf.Dimension{{Name: "t", Length: 3, Unlimited: true}},
		Variables: []netcdf.VariableData{{
			Variable: netcdf.Variable{Name: "v", Type: netcdf.Short, Dimensions: []int{0}, Attributes: []netcdf.Attribute{netcdf.TextAttribute("units", "K")}},
			Numbers:  []float64{1, -2, 256},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(byHand, out.Bytes()); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownNumberOfRecords(t *testing.T) {
	data := slices.Clone(byHand)
	copy(data[4:], "\xff\xff\xff\xff") // the writer was still streaming
	values, err := open(t, data).Read("v", nil, nil)
	if err != nil || !slices.Equal(values, []float64{1, -2, 256}) {
		t.Errorf("%v, %v", values, err)
	}
}

// Every cut of a file is an error that says where, never a panic.
func TestTruncated(t *testing.T) {
	for n := range byHand {
		_, err := netcdf.New(bytes.NewReader(byHand[:n]), int64(n), nil)
		if !errors.Is(err, netcdf.ErrFormat) {
			t.Errorf("%d of %d bytes: %v", n, len(byHand), err)
		}
	}
	_, err := netcdf.New(bytes.NewReader(byHand[:len(byHand)-1]), int64(len(byHand)-1), nil)
	var broken *netcdf.FormatError
	if !errors.As(err, &broken) || broken.Variable != "v" || broken.Offset != 109 {
		t.Errorf("a file cut in the data: %v", err)
	}
}

func TestHostile(t *testing.T) {
	patch := func(at int, bytes string) []byte {
		data := slices.Clone(byHand)
		copy(data[at:], bytes)
		return data
	}
	for name, c := range map[string]struct {
		data    []byte
		message string
	}{
		"not NetCDF":          {[]byte("GRIB\x00\x00\x00\x02"), "GRIB"},
		"version 3":           {patch(3, "\x03"), "version 3"},
		"4 billion records":   {patch(4, "\xff\xff\xff\xfe"), `"v" at byte 110`},
		"2 billion dims":      {patch(12, "\x7f\xff\xff\xff"), "dimensions do not fit"},
		"negative dims":       {patch(12, "\xff\xff\xff\xff"), "is -1"},
		"wrong tag":           {patch(8, "\x00\x00\x00\x0b"), "tag 0xb"},
		"endless name":        {patch(16, "\x7f\xff\xff\xff"), "name of"},
		"huge dimension":      {patch(24, "\x7f\xff\xff\xff"), `"v"`},
		"unknown dimension":   {patch(56, "\x00\x00\x00\x07"), "dimension 7 of 1"},
		"unknown type":        {patch(92, "\x00\x00\x00\x63"), `"v"`},
		"type of CDF-5":       {patch(92, "\x00\x00\x00\x0a"), `"v"`},
		"endless attribute":   {patch(84, "\x7f\xff\xff\xff"), `attribute "units"`},
		"data in the header":  {patch(100, "\x00\x00\x00\x10"), `"v" at byte 16`},
		"data after the end":  {patch(100, "\x7f\xff\xff\xf0"), `"v" at byte 110`},
		"negative offset":     {patch(100, "\x80\x00\x00\x00"), `"v"`},
		"many dimensions":     {patch(52, "\x00\xff\xff\xff"), `"v"`},
		"list of nothing":     {patch(8, "\x00\x00\x00\x00\x00\x00\x00\x05"), "tag"},
		"attribute is a list": {patch(80, "\x00\x00\x00\x00"), "unknown type 0"},
	} {
		_, err := netcdf.New(bytes.NewReader(c.data), int64(len(c.data)), nil)
		if !errors.Is(err, netcdf.ErrFormat) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v, want something about %s", name, err, c.message)
		}
	}
}

func TestOverlappingVariables(t *testing.T) {
	ds := &netcdf.Dataset{Dimensions: []netcdf.Dimension{{Name: "x", Length: 4}}}
	for _, name := range []string{"first", "second"} {
		ds.Variables = append(ds.Variables, netcdf.VariableData{
			Variable: netcdf.Variable{Name: name, Type: netcdf.Int, Dimensions: []int{0}}, Numbers: make([]float64, 4),
		})
	}
	var out bytes.Buffer
	if err := netcdf.Write(&out, ds); err != nil {
		t.Fatal(err)
	}
	data := out.Bytes()
	data[len(data)-33] -= 4 // the last header byte is the offset of "second"
	_, err := netcdf.New(bytes.NewReader(data), int64(len(data)), nil)
	var broken *netcdf.FormatError
	if !errors.As(err, &broken) || broken.Variable != "second" || !strings.Contains(broken.Reason, `overlaps variable "first"`) {
		t.Errorf("%v", err)
	}
}

func TestNetCDF4(t *testing.T) {
	data := []byte("\x89HDF\r\n\x1a\n\x00\x00\x00\x00")
	_, err := netcdf.New(bytes.NewReader(data), int64(len(data)), nil)
	if !errors.Is(err, netcdf.ErrUnsupported) || !strings.Contains(err.Error(), "nccopy -k cdf5") {
		t.Errorf("%v", err)
	}
}

func TestSlabs(t *testing.T) {
	numbers := make([]float64, 2*3*4)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	for _, unlimited := range []bool{false, true} {
		ds := &netcdf.Dataset{
			Dimensions: []netcdf.Dimension{{Name: "t", Length: 2, Unlimited: unlimited}, {Name: "y", Length: 3}, {Name: "x", Length: 4}},
			Variables: []netcdf.VariableData{
				{Variable: netcdf.Variable{Name: "b", Type: netcdf.Byte, Dimensions: []int{0}}, Numbers: []float64{1, 2}},
				{Variable: netcdf.Variable{Name: "v", Type: netcdf.Short, Dimensions: []int{0, 1, 2}}, Numbers: numbers},
			},
		}
		f := written(t, ds)
		for _, c := range []struct{ start, count []int64 }{
			{nil, nil}, {[]int64{1, 0, 0}, []int64{1, 3, 4}}, {[]int64{0, 1, 1}, []int64{2, 2, 2}},
			{[]int64{0, 2, 0}, []int64{2, 1, 4}}, {[]int64{1, 2, 3}, []int64{1, 1, 1}}, {[]int64{0, 0, 0}, []int64{2, 0, 4}},
		} {
			got, err := f.Read("v", c.start, c.count)
			if err != nil {
				t.Fatal(err)
			}
			start, count := c.start, c.count
			if start == nil {
				start, count = []int64{0, 0, 0}, []int64{2, 3, 4}
			}
			want := []float64{}
			for i := range count[0] {
				for j := range count[1] {
					for k := range count[2] {
						want = append(want, float64((start[0]+i)*12+(start[1]+j)*4+start[2]+k))
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("slab %v %v, unlimited %t: %s", c.start, c.count, unlimited, diff)
			}
		}
		for _, bad := range [][2][]int64{{{0, 0, 0}, {3, 1, 1}}, {{-1, 0, 0}, {1, 1, 1}}, {{0, 0}, {1, 1}}, {{2, 0, 0}, {1, 1, 1}}} {
			if _, err := f.Read("v", bad[0], bad[1]); err == nil {
				t.Errorf("slab %v was read", bad)
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	f, err := netcdf.New(bytes.NewReader(byHand), int64(len(byHand)), &netcdf.Options{MaxValues: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read("v", nil, nil); !errors.Is(err, netcdf.ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

func TestMissingVariable(t *testing.T) {
	_, err := open(t, byHand).Read("w", nil, nil)
	if !errors.Is(err, netcdf.ErrNotFound) || !strings.Contains(err.Error(), "the file has v") {
		t.Errorf("%v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	variable := func(typ netcdf.Type, numbers ...float64) *netcdf.Dataset {
		return &netcdf.Dataset{
			Dimensions: []netcdf.Dimension{{Name: "x", Length: 1}},
			Variables:  []netcdf.VariableData{{Variable: netcdf.Variable{Name: "v", Type: typ, Dimensions: []int{0}}, Numbers: numbers}},
		}
	}
	old := variable(netcdf.UInt, 1)
	old.Version = 1
	for name, ds := range map[string]*netcdf.Dataset{
		"a fraction": variable(netcdf.Int, 1.5), "out of range": variable(netcdf.Byte, 200), "negative": variable(netcdf.UShort, -1),
		"too many": variable(netcdf.Float, 1, 2), "no such type": variable(99, 1), "old version": old,
	} {
		if err := netcdf.Write(&bytes.Buffer{}, ds); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// seededDataset has every type, and some record variables.
func seededDataset(r *rand.Rand, recordVariables, version int) *netcdf.Dataset {
	ds := &netcdf.Dataset{
		Version:    version,
		Dimensions: []netcdf.Dimension{{Name: "t", Length: int64(1 + r.IntN(3)), Unlimited: true}, {Name: "x", Length: int64(1 + r.IntN(5))}},
		Attributes: []netcdf.Attribute{netcdf.TextAttribute("title", "seeded"), netcdf.NumberAttribute("n", netcdf.Short, 1, 2, 3)},
	}
	types := []netcdf.Type{netcdf.Byte, netcdf.Short, netcdf.Int, netcdf.Float, netcdf.Double}
	if version == 0 || version == 5 {
		types = append(types, netcdf.UByte, netcdf.UShort, netcdf.UInt, netcdf.Int64, netcdf.UInt64)
	}
	for i := range recordVariables + len(types) {
		typ, dimensions, n := types[i%len(types)], []int{1}, ds.Dimensions[1].Length
		if i < recordVariables {
			typ, dimensions, n = types[r.IntN(len(types))], []int{0, 1}, n*ds.Dimensions[0].Length
		}
		numbers := make([]float64, n)
		for k := range numbers {
			numbers[k] = float64(r.IntN(100))
		}
		ds.Variables = append(ds.Variables, netcdf.VariableData{
			Variable: netcdf.Variable{Name: "v" + string(rune('a'+i)), Type: typ, Dimensions: dimensions, Attributes: []netcdf.Attribute{netcdf.TextAttribute("units", "1")}},
			Numbers:  numbers,
		})
	}
	return ds
}

func TestWriteRead(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		ds := seededDataset(r, i%4, []int{0, 1, 2, 5}[i%4])
		f := written(t, ds)
		for _, v := range ds.Variables {
			got, err := f.Read(v.Name, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(v.Numbers, got); diff != "" {
				t.Fatalf("file %d, %s %s: %s", i, v.Type, v.Name, diff)
			}
		}
	}
}

func FuzzNew(f *testing.F) {
	f.Add(byHand)
	r := rand.New(rand.NewPCG(4, 4))
	for i := range 8 {
		var out bytes.Buffer
		if err := netcdf.Write(&out, seededDataset(r, i%4, []int{0, 1, 2, 5}[i%4])); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	for _, ds := range []*netcdf.Dataset{simple(nil, nil), cube("months since 1960-01-01", false), cube("days since 0000-01-15", true)} {
		var out bytes.Buffer
		if err := netcdf.Write(&out, ds); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := netcdf.New(bytes.NewReader(data), int64(len(data)), nil)
		if err != nil {
			return
		}
		for _, v := range file.Variables {
			if v.Type == netcdf.Char {
				_, _ = file.ReadText(v.Name)
				continue
			}
			// A checked layout can be read; only unusable attributes or an
			// unreasonable size may stop it.
			if values, err := file.ReadValues(v.Name, nil, nil); err == nil && len(values) > len(data) {
				t.Errorf("%d bytes gave %d values", len(data), len(values))
			}
			_, _ = netcdf.ReadRaster(file, v.Name, &netcdf.RasterOptions{Unit: "1"})
		}
	})
}
