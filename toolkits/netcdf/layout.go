package netcdf

import (
	"fmt"
	"math"
	"slices"
)

// checkLayout computes the size of every variable and of a record, settles
// the number of records, and refuses a layout that does not fit the file.
func (f *File) checkLayout(headerEnd int64) error {
	recordVariables := 0
	for i := range f.Variables {
		if f.isRecord(&f.Variables[i]) {
			recordVariables++
		}
	}
	for i := range f.Variables {
		v := &f.Variables[i]
		if err := f.setSize(v); err != nil {
			return err
		}
		if v.begin < headerEnd && v.size > 0 {
			return &FormatError{Variable: v.Name, Offset: max(v.begin, 0), Reason: fmt.Sprintf("its data begins at byte %d, inside the header of %d bytes", v.begin, headerEnd)}
		}
		if f.isRecord(v) {
			size := v.size
			if recordVariables > 1 {
				size += -size & 3 // a lone record variable is not padded
			}
			f.recordSize += size
			if f.recordSize > f.size+3 {
				return &FormatError{Variable: v.Name, Offset: v.begin, Reason: fmt.Sprintf("a record of %d bytes is larger than the file of %d", f.recordSize, f.size)}
			}
		}
	}
	f.settleRecords()
	for i := range f.Variables {
		if err := f.checkEnd(&f.Variables[i]); err != nil {
			return err
		}
	}
	return f.checkOverlap()
}

// setSize multiplies the lengths with care: their product may be anything.
func (f *File) setSize(v *Variable) error {
	v.size = v.Type.Size()
	for i, d := range v.Dimensions {
		if i == 0 && f.Dimensions[d].Unlimited {
			continue
		}
		length := f.Dimensions[d].Length
		if length > 0 && v.size > math.MaxInt64/length || v.size*length > f.size {
			return &FormatError{Variable: v.Name, Offset: max(v.begin, 0), Reason: fmt.Sprintf("it is larger than the file of %d bytes", f.size)}
		}
		v.size *= length
	}
	return nil
}

// settleRecords finds the number of records of a file whose writer left it
// open, from the size of the file.
func (f *File) settleRecords() {
	if f.records == streaming {
		f.records = 0
		first := int64(math.MaxInt64)
		for i := range f.Variables {
			if v := &f.Variables[i]; f.isRecord(v) {
				first = min(first, v.begin)
			}
		}
		if f.recordSize > 0 && first < f.size {
			f.records = (f.size - first) / f.recordSize
		}
	}
	for i := range f.Dimensions {
		if f.Dimensions[i].Unlimited {
			f.Dimensions[i].Length = f.records
		}
	}
}

// span is the bytes from the first to after the last value of a variable.
func (f *File) span(v *Variable) (begin, end int64, ok bool) {
	if !f.isRecord(v) {
		return v.begin, v.begin + v.size, v.begin <= f.size-v.size
	}
	if f.records == 0 {
		return v.begin, v.begin, true
	}
	last := f.records - 1
	if f.recordSize > 0 && last > f.size/f.recordSize {
		return v.begin, math.MaxInt64, false
	}
	end = v.begin + last*f.recordSize
	return v.begin, end + v.size, v.begin <= f.size && end <= f.size-v.size
}

func (f *File) checkEnd(v *Variable) error {
	if _, _, ok := f.span(v); !ok {
		records := ""
		if f.isRecord(v) {
			records = fmt.Sprintf(" in each of %d records", f.records)
		}
		return &FormatError{Variable: v.Name, Offset: f.size, Reason: fmt.Sprintf("the file ends here, but the variable has %d bytes%s from byte %d", v.size, records, v.begin)}
	}
	return nil
}

// extent is a stretch of the file that belongs to one variable.
type extent struct {
	name       string
	begin, end int64
}

// checkOverlap refuses two variables that share bytes: fixed ones among each
// other and with the records, record variables within a record.
func (f *File) checkOverlap() error {
	var fixed, record []extent
	for i := range f.Variables {
		v := &f.Variables[i]
		switch {
		case v.size == 0:
		case f.isRecord(v):
			record = append(record, extent{v.Name, v.begin, v.begin + v.size})
		default:
			fixed = append(fixed, extent{v.Name, v.begin, v.begin + v.size})
		}
	}
	if err := firstOverlap(record); err != nil {
		return err
	}
	if len(record) > 0 && f.records > 0 {
		first, last := record[0], record[len(record)-1]
		if last.end-first.begin > f.recordSize {
			return &FormatError{Variable: last.name, Offset: last.begin, Reason: fmt.Sprintf("it lies outside the record of %d bytes that begins at byte %d", f.recordSize, first.begin)}
		}
		end := first.begin + (f.records-1)*f.recordSize + (last.end - first.begin)
		fixed = append(fixed, extent{first.name, first.begin, end})
	}
	return firstOverlap(fixed)
}

func firstOverlap(extents []extent) error {
	slices.SortFunc(extents, func(a, b extent) int {
		if a.begin < b.begin {
			return -1
		}
		return 1
	})
	for i := 1; i < len(extents); i++ {
		if a, b := extents[i-1], extents[i]; b.begin < a.end {
			return &FormatError{Variable: b.name, Offset: b.begin, Reason: fmt.Sprintf("it overlaps variable %q, which ends at byte %d", a.name, a.end)}
		}
	}
	return nil
}
