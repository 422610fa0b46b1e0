package netcdf

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Options bound what a file may ask for. The zero Options is useful.
type Options struct {
	// MaxValues is the largest number of values that one read returns;
	// 0 is 134,217,728 (1 GiB of float64).
	MaxValues int64
}

const defaultMaxValues = 1 << 27

// File is an open NetCDF classic file. It is safe for concurrent reads when
// its io.ReaderAt is.
type File struct {
	Version    int // 1, 2 or 5
	Dimensions []Dimension
	Attributes []Attribute // global ones
	Variables  []Variable

	r          io.ReaderAt
	size       int64
	records    int64 // length of the unlimited dimension
	recordSize int64 // bytes from one record to the next
	maxValues  int64
	close      func() error
}

// Open opens the file at path. The caller closes it.
func Open(path string, options *Options) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("netcdf: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("netcdf: %w", err)
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("netcdf: %s is not a regular file", path)
	}
	file, err := New(f, info.Size(), options)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file.close = f.Close
	return file, nil
}

// New reads the header of the size bytes of r and checks the layout. The
// reader must stay open as long as the File is used.
func New(r io.ReaderAt, size int64, options *Options) (*File, error) {
	f := &File{r: r, size: size, maxValues: defaultMaxValues, close: func() error { return nil }}
	if options != nil && options.MaxValues > 0 {
		f.maxValues = options.MaxValues
	}
	headerEnd, err := f.readHeader()
	if err != nil {
		return nil, err
	}
	if err := f.checkLayout(headerEnd); err != nil {
		return nil, err
	}
	return f, nil
}

// Close closes the underlying file when Open opened it.
func (f *File) Close() error { return f.close() }

// Variable finds a variable by name. The error wraps ErrNotFound and lists
// what exists.
func (f *File) Variable(name string) (*Variable, error) {
	i := slices.IndexFunc(f.Variables, func(v Variable) bool { return v.Name == name })
	if i < 0 {
		var names []string
		for _, v := range f.Variables {
			names = append(names, v.Name)
		}
		return nil, fmt.Errorf("netcdf: variable %q: %w: the file has %s", name, ErrNotFound, strings.Join(names, ", "))
	}
	return &f.Variables[i], nil
}

// Attribute finds a global attribute by name.
func (f *File) Attribute(name string) (Attribute, bool) {
	return findAttribute(f.Attributes, name)
}

// Shape is the length of every dimension of v, the slowest first.
func (f *File) Shape(v *Variable) []int64 {
	shape := make([]int64, len(v.Dimensions))
	for i, d := range v.Dimensions {
		shape[i] = f.Dimensions[d].Length
	}
	return shape
}

func (f *File) isRecord(v *Variable) bool {
	return len(v.Dimensions) > 0 && f.Dimensions[v.Dimensions[0]].Unlimited
}
