package series

import (
	"fmt"

	"almanac/internal/canonical"
	"almanac/toolkits/cftime"
)

const encodingName = "almanac series 1"

// Canonical is the one encoding of data, variable, unit, place and time that
// an artifact's hash covers; source, licence and long name are not in it.
func (s *Series) Canonical() []byte {
	w := &canonical.Writer{}
	s.encode(w)
	return w.Bytes
}

func (s *Series) encode(w *canonical.Writer) {
	w.String(encodingName)
	for _, text := range []string{s.Variable, s.Unit, s.Calendar, s.Frequency, s.CellMethods, s.Place} {
		w.String(text)
	}
	w.Bool(s.Difference)
	w.OptionalFloat(s.Latitude)
	w.OptionalFloat(s.Elevation)
	cftime.WriteTimes(w, s.Times)
	cftime.WriteEdges(w, s.TimeEdges)
	w.Floats(s.Values)
}

// MarshalBinary is Canonical followed by long name, source and licence. The
// series must be valid.
func (s *Series) MarshalBinary() ([]byte, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	w := &canonical.Writer{}
	s.encode(w)
	for _, text := range []string{s.LongName, s.Source, s.Licence} {
		w.String(text)
	}
	return w.Bytes, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Bytes from anywhere are
// safe: a fault is an error that wraps canonical.ErrFormat or ErrInvalid.
func (s *Series) UnmarshalBinary(data []byte) error {
	r := canonical.NewReader(data)
	if name := r.String(); r.Err() == nil && name != encodingName {
		r.Fail("not a series")
	}
	var out Series
	for _, text := range []*string{&out.Variable, &out.Unit, &out.Calendar, &out.Frequency, &out.CellMethods, &out.Place} {
		*text = r.String()
	}
	out.Difference = r.Bool()
	out.Latitude = r.OptionalFloat()
	out.Elevation = r.OptionalFloat()
	out.Times = cftime.ReadTimes(r, out.Calendar)
	out.TimeEdges = cftime.ReadEdges(r, out.Calendar)
	out.Values = r.Floats()
	for _, text := range []*string{&out.LongName, &out.Source, &out.Licence} {
		*text = r.String()
	}
	if err := r.End(); err != nil {
		return fmt.Errorf("series: decoding a series: %w", err)
	}
	if err := out.Validate(); err != nil {
		return fmt.Errorf("series: decoding a series: %w", err)
	}
	*s = out
	return nil
}
