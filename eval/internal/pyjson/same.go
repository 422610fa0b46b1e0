package pyjson

import (
	"bytes"
	"slices"
)

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
	x, errX := a.Members()
	y, errY := b.Members()
	return errX == nil && errY == nil && SameMembers(x, y)
}

// Member is one of an object's.
type Member struct {
	Key   string
	Value []byte // as [Reader.Raw] returns it
}

// few is the number of members up to which looking through all of them is fastest.
const few = 16

// Members reads an object; of two members with one key the last counts, in the place of the first.
func (r *Reader) Members() ([]Member, error) {
	var out []Member
	var at map[string]int // where there are many
	err := r.Object(func(key string) error {
		value, err := r.Raw()
		i := -1
		switch {
		case len(out) < few:
			i = slices.IndexFunc(out, func(m Member) bool { return m.Key == key })
		case at == nil:
			at = map[string]int{}
			for k := range out {
				at[out[k].Key] = k
			}
			fallthrough
		default:
			if k, ok := at[key]; ok {
				i = k
			} else {
				at[key] = len(out)
			}
		}
		if i >= 0 {
			out[i].Value = value
		} else {
			out = append(out, Member{key, value})
		}
		return err
	})
	return out, err
}

// SameMembers is equality of two objects by their members.
func SameMembers(a, b []Member) bool {
	if len(a) != len(b) {
		return false
	}
	var at map[string]int
	for i := range a {
		k := i // most have one order
		if b[k].Key != a[i].Key && len(b) <= few {
			k = slices.IndexFunc(b, func(m Member) bool { return m.Key == a[i].Key })
		} else if b[k].Key != a[i].Key {
			if at == nil {
				at = map[string]int{}
				for j := range b {
					at[b[j].Key] = j
				}
			}
			j, ok := at[a[i].Key]
			if k = j; !ok {
				k = -1
			}
		}
		if k < 0 || !Same(a[i].Value, b[k].Value) {
			return false
		}
	}
	return true
}
