package eval

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// object is a JSON object that keeps the order of its members, so that equal results give equal bytes and a metric
// can be added without a struct to change.
type object []member

type member struct {
	key   string
	value any
}

func (o *object) set(key string, value any) { *o = append(*o, member{key, value}) }

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// list is a JSON array whose members are made one after another: thousands of them are never there at the same time.
type list struct {
	n  int
	at func(i int) object
}

// MarshalJSON writes the members in order.
func (l list) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range l.n {
		if i > 0 {
			b.WriteByte(',')
		}
		data, err := l.at(i).MarshalJSON()
		if err != nil {
			return nil, err
		}
		b.Write(data)
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// rounded keeps twelve significant digits: what lies beyond may differ between machines.
func rounded(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(*v, 'e', 11, 64), 64)
	if err != nil {
		return nil
	}
	if r == 0 {
		r = 0 // no negative zero
	}
	return &r
}

// encode writes v as indented JSON with a line feed at its end.
func encode(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(data, '\n'), nil
}
