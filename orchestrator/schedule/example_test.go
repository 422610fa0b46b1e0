package schedule_test

import (
	"fmt"

	"almanac/orchestrator/schedule"
)

// tools is a catalog of two tools; a real one is made from the registry of
// toolkits.
type tools []schedule.Signature

func (t tools) Signatures() []schedule.Signature { return t }
func (t tools) Units() schedule.Units            { return sameUnit{} }
func (t tools) Signature(name string) (schedule.Signature, bool) {
	for _, s := range t {
		if s.Name == name {
			return s, true
		}
	}
	return schedule.Signature{}, false
}

// sameUnit converts nothing.
type sameUnit struct{}

func (sameUnit) Convertible(a, b string) bool    { return a == b }
func (sameUnit) Mul(a, b string) (string, error) { return a + " " + b, nil }
func (sameUnit) Div(a, b string) (string, error) { return a + " (" + b + ")-1", nil }

var catalog = tools{
	{Name: "gis.area", Params: []schedule.Param{{Name: "zones", Kinds: []string{schedule.KindVector}, Required: true}},
		Outputs: []schedule.Output{{Name: "area", Kind: schedule.KindScalar, Unit: "km2"}}},
	{Name: "gis.boundary", Resolver: true, Params: []schedule.Param{{Name: "place", Kinds: []string{schedule.KindPlace}, Required: true}},
		Outputs: []schedule.Output{{Name: "zone", Kind: schedule.KindVector}}},
}

func Example() {
	reply := "Here is the schedule:\n```\nsize = gis.area(zones=\"Kenya\")\nanswer(area=size)\n```"
	contract := schedule.Contract{{Key: "area", Type: "number", Unit: "km2"}}
	program, repairs, problems := schedule.RepairText(reply, catalog, contract, schedule.Slots{}, nil)
	for _, r := range repairs {
		fmt.Printf("%d:%d %s\n", r.Line, r.Col, r.ID)
	}
	fmt.Println(len(problems), "problems")
	fmt.Print(schedule.Print(program))
	// Output:
	// 1:1 strip_prose
	// 2:1 strip_fence
	// 3:23 insert_boundary
	// 4:13 name_to_field
	// 0 problems
	// zone = gis.boundary(place="Kenya")
	// size = gis.area(zones=zone)
	// answer(area=size.area)
}

func ExampleCheckText() {
	text := "size = gis.area(zones=zone)\nanswer(area=size.mean)\n"
	_, problems := schedule.CheckText(text, catalog, nil, nil, nil)
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// 1:23 undefined_name: no step is named zone
	// 2:13 unknown_field: gis.area does not give mean; legal: size.area
}

func ExampleBind() {
	p, _ := schedule.Parse("zone = gis.boundary(\"Kenya\")\nsize = gis.area(zone)\nanswer(area=size.area)\n")
	bound, err := schedule.Bind(p, catalog, nil, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(schedule.Print(bound))
	// Output:
	// zone = gis.boundary(place="Kenya")
	// size = gis.area(zones=zone.zone)
	// answer(area=size.area)
}
