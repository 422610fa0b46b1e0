package pyjson

import "bytes"

// Same is equality of two values as [Reader.Raw] returned them: the order of members is free, that of lists counts, 1 is
// 1.0 but not true, and NaN is NaN, as it is for Python inside of a list or an object. Whole numbers are compared exactly,
// texts by what they stand for. It stops at the first difference.
func Same(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	return same(&Reader{data: a}, &Reader{data: b})
}

// same compares the next values of both and passes over them where they are equal. Both were checked: nothing in them
// can be wrong, so errors mean a difference.
func same(a, b *Reader) bool {
	kind := a.Kind()
	if kind != b.Kind() {
		return false
	}
	switch kind {
	case Array:
		return sameLists(a, b)
	case Object:
		return sameObjects(a, b)
	}
	x, errX := a.Raw()
	y, errY := b.Raw()
	switch {
	case errX != nil || errY != nil:
		return false
	case kind == Number:
		return bytes.Equal(x, y) || equalNumbers(Literal(x), Literal(y))
	case kind == String && !bytes.Equal(x, y):
		return (bytes.IndexByte(x, '\\') >= 0 || bytes.IndexByte(y, '\\') >= 0) && unquote(x[1:len(x)-1]) == unquote(y[1:len(y)-1])
	}
	return bytes.Equal(x, y)
}

func sameLists(a, b *Reader) bool {
	a.pos++
	b.pos++
	for {
		endA, endB := a.ends(']'), b.ends(']')
		if endA || endB {
			return endA && endB
		}
		if !same(a, b) {
			return false
		}
	}
}

// ends passes over a comma, and over the closing bracket if that is next.
func (r *Reader) ends(bracket byte) bool {
	r.space()
	if r.pos < len(r.data) && r.data[r.pos] == ',' {
		r.pos++
		return false
	}
	if r.pos < len(r.data) && r.data[r.pos] == bracket {
		r.pos++
		return true
	}
	return r.pos == len(r.data)
}

func sameObjects(a, b *Reader) bool {
	x, y := a.members(), b.members()
	if len(x) != len(y) {
		return false
	}
	for key, value := range x {
		other, ok := y[key]
		if !ok || !Same(value, other) {
			return false
		}
	}
	return true
}

// members are those of the next object; of two with one key the last.
func (r *Reader) members() map[string][]byte {
	out := map[string][]byte{}
	// The object was checked when it was read: there is no error to come.
	_ = r.Object(func(key string) error {
		value, err := r.Raw()
		out[key] = value
		return err
	})
	return out
}
