package schedule

import "testing"

func TestFits(t *testing.T) {
	mm := Param{Kinds: []string{KindScalar}, Unit: "mm"}
	zones := Param{Kinds: []string{KindVector, KindPlace}}
	layers := Param{Kinds: []string{KindVector}, List: true}
	for _, tc := range []struct {
		name string
		p    Param
		typ  Type
		unit string
		want bool
	}{
		{"same unit", mm, Type{Kind: KindScalar, Unit: "mm"}, "mm", true},
		{"unit that converts", mm, Type{Kind: KindScalar, Unit: "km"}, "mm", true},
		{"unit that does not", mm, Type{Kind: KindScalar, Unit: "degC"}, "mm", false},
		{"unit unknown", mm, Type{Kind: KindScalar}, "mm", true},
		{"any number is a scalar", mm, Type{Kind: KindInteger, Unit: "mm"}, "mm", true},
		{"raster", mm, Type{Kind: KindRaster, Unit: "mm"}, "mm", false},
		{"list for one", mm, Type{Kind: KindScalar, Unit: "mm", List: true}, "mm", false},
		{"place", zones, Type{Kind: KindPlace}, "", true},
		{"name of a place", zones, Type{Kind: KindString}, "", true},
		{"box is not declared", zones, Type{Kind: KindBox}, "", false},
		{"one for a list", layers, Type{Kind: KindVector}, "", false},
		{"list", layers, Type{Kind: KindVector, List: true}, "", true},
		{"kind unknown", layers, Type{}, "", true},
	} {
		if got := Fits(tc.p, tc.typ, tc.unit, testUnits{}); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
	for _, tc := range []struct {
		field Field
		typ   Type
		want  bool
	}{
		{Field{Type: "number", Unit: "m"}, Type{Kind: KindScalar, Unit: "km"}, true},
		{Field{Type: "number", Unit: "m"}, Type{Kind: KindScalar, Unit: "km2"}, false},
		{Field{Type: "text"}, Type{Kind: KindScalar}, false},
		{Field{Type: "text"}, Type{Kind: KindInstant}, true},
		{Field{Type: "boolean"}, Type{Kind: KindBoolean}, true},
		{Field{Type: "list"}, Type{Kind: KindScalar, List: true}, true},
		{Field{Type: "list"}, Type{Kind: KindScalar}, false},
		{Field{Type: "instant"}, Type{Kind: KindScalar}, false},
	} {
		if got := FitsField(tc.field, tc.typ, testUnits{}); got != tc.want {
			t.Errorf("%v for %v: %v", tc.typ, tc.field, got)
		}
	}
}
