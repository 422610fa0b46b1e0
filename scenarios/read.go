package scenarios

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

const (
	suiteFile = "suite.yaml"
	maxFile   = 1 << 20
)

// inclusion is the part of suite.yaml that takes tasks of another suite over.
type inclusion struct {
	file  string
	from  string
	tasks []located // none takes all tasks over
	// distractors are tools that look plausible and never run, shown beside the others to who solves the suite's tasks.
	distractors int
	pools       map[string][]*yaml.Node // what the suite's templates draw from
}

type located struct {
	value     string
	line, col int
}

// readSuite reads the suite.yaml of a folder.
func readSuite(fsys fs.FS, dir string) (*Suite, inclusion, error) {
	name := path.Join(dir, suiteFile)
	in := inclusion{file: name}
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, in, fmt.Errorf("scenarios: reading the suite in %s: %w", dir, err)
	}
	d := &decoder{file: name}
	s := &Suite{Name: path.Base(dir)}
	if top := d.root(src); top != nil {
		d.mapping(top, "the suite", fields{
			"name":    func(n *yaml.Node) { s.Name = d.text(n, "name") },
			"title":   func(n *yaml.Node) { s.Title = d.text(n, "title") },
			"licence": func(n *yaml.Node) { s.Licence = d.text(n, "licence") },
			"distractors": func(n *yaml.Node) {
				if in.distractors = d.integer(n, "distractors"); in.distractors <= 0 {
					d.fail(n, "distractors must be above 0")
				}
			},
			"pools": func(n *yaml.Node) { in.pools = d.readPools(n) },
			"include": func(n *yaml.Node) {
				d.mapping(n, "include", fields{
					"from": func(n *yaml.Node) { in.from = d.text(n, "from") },
					"tasks": func(n *yaml.Node) {
						d.sequence(n, "tasks", func(n *yaml.Node) {
							in.tasks = append(in.tasks, located{d.text(n, "a task"), n.Line, n.Column})
						})
					},
				})
				if in.from == path.Base(dir) || strings.ContainsAny(in.from, `/\.`) {
					d.fail(n, "include from %q: name another suite", in.from)
				}
			},
		})
	}
	return s, in, errors.Join(d.errs...)
}

// Parse reads the tasks of one file; file names it in errors.
func Parse(file string, src []byte) ([]Task, error) {
	d := &decoder{file: file}
	top := d.root(src)
	if top == nil {
		return nil, errors.Join(d.errs...)
	}
	base := draft{Task: Task{File: file, Line: top.Line}}
	var children []*yaml.Node
	known := d.taskFields(&base)
	known["tasks"] = func(n *yaml.Node) {
		d.sequence(n, "tasks", func(item *yaml.Node) { children = append(children, item) })
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			d.fail(n, "tasks is empty")
		}
	}
	known["vary"] = func(n *yaml.Node) { d.readVary(n, nil) }
	known["draw"] = func(n *yaml.Node) { d.readDraw(n) }
	d.mapping(top, "the file", known)
	if len(d.errs) > 0 {
		return nil, errors.Join(d.errs...)
	}
	drafts := []draft{base}
	if children != nil {
		drafts = drafts[:0]
	}
	for _, n := range children {
		t := base.child()
		t.Line = n.Line
		d.mapping(n, "the task", d.taskFields(&t))
		drafts = append(drafts, t)
	}
	var tasks []Task
	for _, t := range drafts {
		tasks = append(tasks, d.finish(t))
	}
	if len(d.errs) > 0 {
		return nil, errors.Join(d.errs...)
	}
	return tasks, nil
}

func readFile(fsys fs.FS, name string) ([]Task, error) {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("scenarios: reading tasks: %w", err)
	}
	return Parse(name, src)
}

// draft is a task while it is read: its texts still hold {slot}.
type draft struct{ Task }

// child is a draft that starts with the file's keys; its lists are its own.
func (b draft) child() draft {
	b.Slots = slices.Clone(b.Slots)
	b.Answer = slices.Clone(b.Answer)
	b.Paraphrases = slices.Clone(b.Paraphrases)
	return b
}

// taskFields are the keys of a task.
func (d *decoder) taskFields(t *draft) fields {
	str := func(to *string, what string) func(*yaml.Node) {
		return func(n *yaml.Node) { *to = d.text(n, what) }
	}
	return fields{
		"id":        str(&t.ID, "id"),
		"template":  str(&t.Template, "template"),
		"split":     str(&t.Split, "split"),
		"question":  str(&t.Question, "question"),
		"context":   str(&t.Context, "context"),
		"reference": str(&t.Reference, "reference"),
		"licence":   str(&t.Licence, "licence"),
		"track":     func(n *yaml.Node) { t.Track = d.oneOf(n, "track", Fundamentals, Simulation, Document) },
		"mode": func(n *yaml.Node) {
			t.Mode = d.oneOf(n, "mode", "exact", "approximate", "structural", "proxy")
		},
		"domain": func(n *yaml.Node) { t.Domains = d.domains(n) },
		"level": func(n *yaml.Node) {
			if t.Level = d.integer(n, "level"); t.Level < 0 || t.Level > 3 {
				d.fail(n, "level %d: there are 0 to 3", t.Level)
			}
		},
		"paraphrases":  func(n *yaml.Node) { t.Paraphrases = d.paraphrases(n) },
		"slots":        func(n *yaml.Node) { t.Slots = d.slots(n, t.Slots) },
		"answer":       func(n *yaml.Node) { t.Answer = d.answer(n) },
		"required":     func(n *yaml.Node) { t.Required = d.required(n) },
		"decline":      func(n *yaml.Node) { t.Decline = d.boolean(n, "decline") },
		"tools":        func(n *yaml.Node) { t.Tools = d.texts(n, "tools") },
		"budget":       func(n *yaml.Node) { t.Budget = d.budget(n) },
		"gold":         func(n *yaml.Node) { t.Gold = d.gold(n) },
		"expected":     func(n *yaml.Node) { t.Expected = d.values(n, "expected") },
		"alternatives": func(n *yaml.Node) { t.Alternatives = d.alternatives(n) },
		"evidence":     func(n *yaml.Node) { t.Evidence = d.evidence(n) },
	}
}

// Domains that a task can be of.
var domains = []string{"agriculture", "water", "climate", "urban", "forest", "ocean", "heat", "air_quality", "hazards", "energy"}

func (d *decoder) domains(n *yaml.Node) []string {
	list := d.texts(n, "domain")
	for _, name := range list {
		if !slices.Contains(domains, name) {
			d.fail(n, "domain %q: there are %s", name, strings.Join(domains, ", "))
		}
	}
	if len(list) == 0 || len(list) > 5 {
		d.fail(n, "a task has one to five domains, found %d", len(list))
	}
	return list
}

func (d *decoder) budget(n *yaml.Node) (b Budget) {
	count := func(to *int, what string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			if *to = d.integer(n, what); *to <= 0 {
				d.fail(n, "%s must be above 0", what)
			}
		}
	}
	d.mapping(n, "budget", fields{
		"model_calls": count(&b.ModelCalls, "model_calls"),
		"tool_calls":  count(&b.ToolCalls, "tool_calls"),
		"tokens":      count(&b.Tokens, "tokens"),
		"replans":     count(&b.Replans, "replans"),
		"working_s": func(n *yaml.Node) {
			if b.WorkingS = d.number(n, "working_s"); b.WorkingS <= 0 {
				d.fail(n, "working_s must be above 0")
			}
		},
	})
	return b
}
