package schedule

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t *testing.T, text string) *Program {
	t.Helper()
	p, problems := Parse(text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return p
}

func TestPlan(t *testing.T) {
	plan, err := NewPlan(mustParse(t, specProgram))
	if err != nil {
		t.Fatal(err)
	}
	wantLevels := [][]string{{"sst", "zone", "near"}, {"stats", "months", "far"}, {"fc", "check_1"}, {"answer"}}
	if diff := cmp.Diff(wantLevels, plan.Levels); diff != "" {
		t.Errorf("levels (-want +got)\n%s", diff)
	}
	wantNeeds := map[string][]string{"stats": {"sst", "zone"}, "months": {"sst", "zone"}, "fc": {"months"}, "far": {"near"},
		"check_1": {"stats"}, "answer": {"stats", "months", "far", "fc", "check_1"}}
	if diff := cmp.Diff(wantNeeds, plan.Needs); diff != "" {
		t.Errorf("needs (-want +got)\n%s", diff)
	}
	wantDependents := map[string][]string{"sst": {"stats", "months"}, "zone": {"stats", "months"}, "near": {"far"}, "months": {"fc", "answer"},
		"stats": {"check_1", "answer"}, "far": {"answer"}, "fc": {"answer"}, "check_1": {"answer"}}
	if diff := cmp.Diff(wantDependents, plan.Dependents); diff != "" {
		t.Errorf("dependents (-want +got)\n%s", diff)
	}
}

func TestPlanCycle(t *testing.T) {
	_, err := NewPlan(mustParse(t, "c = a.b(x=1)\ns1 = a.b(x=s2)\ns2 = a.b(x=s1, y=c)\nanswer(x=s2)\n"))
	if !errors.Is(err, ErrCycle) || !strings.HasSuffix(err.Error(), ": s1 > s2 > s1") {
		t.Errorf("err = %v", err)
	}
}

func TestRevise(t *testing.T) {
	old := "# asked\na = t.open(x=1)\nb = t.mean(a=a)\nt.check(value=b.mean)\nanswer(x=b.mean)\n"
	for _, tc := range []struct{ name, revision, want string }{
		{"replace one step", "b = t.median(a=a)\n", "# asked\na = t.open(x=1)\nb = t.median(a=a)\nt.check(value=b.mean)\nanswer(x=b.mean)\n"},
		{"add one that an old one needs", "b = t.mean(a=c)\nc = t.clip(a=a)\n", "# asked\na = t.open(x=1)\nc = t.clip(a=a)\nb = t.mean(a=c)\nt.check(value=b.mean)\nanswer(x=b.mean)\n"},
		{"answer", "answer(x=b.max)\n", "# asked\na = t.open(x=1)\nb = t.mean(a=a)\nt.check(value=b.mean)\nanswer(x=b.max)\n"},
		{"give up", "decline(reason=\"no data\")\n", "# asked\na = t.open(x=1)\nb = t.mean(a=a)\nt.check(value=b.mean)\ndecline(reason=\"no data\")\n"},
		{"the same check with other bounds", "t.check(value=b.mean, low=3)\n", "# asked\na = t.open(x=1)\nb = t.mean(a=a)\nt.check(value=b.mean, low=3)\nanswer(x=b.mean)\n"},
		{"another check", "t.check(value=b.max)\n", "# asked\na = t.open(x=1)\nb = t.mean(a=a)\nt.check(value=b.mean)\nt.check(value=b.max)\nanswer(x=b.mean)\n"},
		{"a name twice stays for the checker", "c = t.one(x=1)\nc = t.two(x=1)\n", "# asked\na = t.open(x=1)\nb = t.mean(a=a)\nt.check(value=b.mean)\nanswer(x=b.mean)\nc = t.one(x=1)\nc = t.two(x=1)\n"},
		{"a cycle stays for the checker", "a = t.open(x=b)\n", "a = t.open(x=b)\nb = t.mean(a=a)\nt.check(value=b.mean)\nanswer(x=b.mean)\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := mustParse(t, old)
			got := Revise(before, mustParse(t, tc.revision))
			if diff := cmp.Diff(tc.want, Print(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if Print(before) != old {
				t.Error("Revise changed the old program")
			}
		})
	}
}

func TestSteps(t *testing.T) {
	p := mustParse(t, "a = gis.area(zones=z[0], k={\"n\": 24, \"t\": None}, l=[True, -1.5])\nb = a.area * 2 if a.area > 1 else 3\n"+
		"c = [gis.distance(a=p, b=task.place) for p in task.ports]\nd = gis.ask(\"do it\", returns=\"table\")\nanswer(x=b)\n")
	want := `[{"id":"a","form":"direct","text":"a = gis.area(zones=z[0], k={\"n\": 24, \"t\": None}, l=[True, -1.5])",` +
		`"calls":[{"tool":"gis.area","args":{"zones":{"ref":"z[0]"},"k":{"n":24,"t":null},"l":[true,-1.5]}}],"needs":["z"]},` +
		`{"id":"b","form":"guarded","text":"b = a.area * 2 if a.area \u003e 1 else 3","guard":"a.area \u003e 1","needs":["a"]},` +
		`{"id":"c","form":"mapped","text":"c = [gis.distance(a=p, b=task.place) for p in task.ports]",` +
		`"calls":[{"tool":"gis.distance","args":{"a":{"ref":"p"},"b":{"ref":"task.place"}}}],"over":"task.ports","item":"p"},` +
		`{"id":"d","form":"objective","text":"d = gis.ask(\"do it\", returns=\"table\")","calls":[{"tool":"gis.ask","args":{"0":"do it","returns":"table"}}]},` +
		`{"id":"answer","form":"answer","text":"answer(x=b)","fields":{"x":{"ref":"b"}},"needs":["b"]}]`
	if diff := cmp.Diff(want, toJSON(t, Steps(p))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDiagrams(t *testing.T) {
	p := mustParse(t, "a = gis.area(zones=task.zone)\nb = gis.ask(\"say \\\"hi\\\"\", returns=\"text\", x=a) if a.area > 2 else None\nv.check(value=a.area)\nanswer(x=a.area)\n")
	wantMermaid := `flowchart TD
  n1["a<br/>gis.area"]
  n2{"b<br/>gis.ask: say &quot;hi&quot;<br/>if a.area &gt; 2"}
  n3{{"v.check"}}
  n4(["answer(x=a.area)"])
  n1 --> n2
  n1 --> n3
  n1 --> n4
  n3 --> n4
`
	if diff := cmp.Diff(wantMermaid, Mermaid(p)); diff != "" {
		t.Errorf("Mermaid (-want +got)\n%s", diff)
	}
	wantDOT := `digraph schedule {
  rankdir=TB;
  node [fontname="sans-serif"];
  n1 [label="a\ngis.area", shape=box];
  n2 [label="b\ngis.ask: say \"hi\"\nif a.area > 2", shape=diamond];
  n3 [label="v.check", shape=hexagon];
  n4 [label="answer(x=a.area)", shape=oval];
  n1 -> n2;
  n1 -> n3;
  n1 -> n4;
  n3 -> n4;
}
`
	if diff := cmp.Diff(wantDOT, DOT(p)); diff != "" {
		t.Errorf("DOT (-want +got)\n%s", diff)
	}
}
