package schedule

import (
	"os"
	"path/filepath"
	"testing"
)

func addSeeds(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, cases := range problemCases {
		for _, tc := range cases {
			f.Add(prelude + tc.text)
		}
	}
	for _, cases := range repairCases {
		for _, tc := range cases {
			f.Add(prelude + tc.text)
		}
	}
}

// What parses without a problem prints as a text that parses to the same.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		p, problems := Parse(text)
		if len(problems) > 0 {
			return
		}
		printed := Print(p)
		back, problems := Parse(printed)
		if len(problems) > 0 {
			t.Fatalf("%q prints as\n%s\nwhich does not parse: %v", text, printed, problems)
		}
		if again := Print(back); again != printed {
			t.Fatalf("%s\nreads back as\n%s", printed, again)
		}
	})
}

// A repair makes no new kind of trouble: what it returns prints and parses, a
// second repair changes nothing, and what the checker passes can be bound.
func FuzzRepair(f *testing.F) {
	addSeeds(f)
	catalog := newTestCatalog()
	f.Fuzz(func(t *testing.T, text string) {
		p, _, problems := RepairText(text, catalog, oneField, testSlots, nil)
		again, _ := Repair(p, catalog, oneField, testSlots, nil)
		if !Equal(p, again) {
			t.Fatalf("%s\nis repaired a second time to\n%s", Print(p), Print(again))
		}
		if len(Errors(problems)) > 0 {
			return
		}
		printed := Print(p)
		back, parsed := Parse(printed)
		if len(parsed) > 0 || Print(back) != printed {
			t.Fatalf("%s\ndoes not read back: %v", printed, parsed)
		}
		bound, err := Bind(p, catalog, oneField, testSlots, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := (&dryRun{catalog: catalog, slots: testSlots}).run(bound); err != nil {
			t.Fatalf("%s\ncannot be run: %v", Print(bound), err)
		}
	})
}
