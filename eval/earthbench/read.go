package earthbench

import (
	"errors"
	"fmt"
	"io/fs"

	"almanac/eval/internal/pyjson"
)

// name is a tool's name as the published programs tell them apart. They read a missing name as "" where they compare
// names alone, and as null where they compare whole calls.
type name struct {
	text    string
	null    bool // written as null
	missing bool
	id      int // of the name in the gold; -1 for one that no gold call has
}

// call is a recorded call. input is its JSON, nil where there is none; members are those of an input that is an object.
type call struct {
	name    name
	input   []byte
	members []pyjson.Member
}

// goldItem is one item of the gold. distinct are the ids of its names.
type goldItem struct {
	key      string
	calls    []call
	distinct []int
	answer   string
}

// Gold is what runs are scored against. Make it with [ReadGold].
type Gold struct {
	items []goldItem
	at    map[string]int // by key
	names map[name]int
}

// Run is a recorded run, as far as the gold has its items. Make it with [ReadRun].
type Run struct {
	items []runItem // in the order of the gold
}

// runItem is what a run has for one item of the gold.
type runItem struct {
	calls               []call
	answer              answerText
	hasCalls, hasAnswer bool
}

// any reports whether the run has the item at all.
func (r *runItem) any() bool { return r.hasCalls || r.hasAnswer }

// answerText is what an item answered: text, or something that is none.
type answerText struct {
	text    string
	isText  bool
	isEmpty bool // nothing, "", null, false, 0, [] or {}
}

// ReadGold reads extracted_tool_calls_GT.json from a folder; dir names it in errors.
func ReadGold(fsys fs.FS, dir string) (*Gold, error) {
	d, err := read(fsys, dir, goldFile, "leave --gold out to use the gold that comes with the program, or copy the file there from Earth-Agent")
	if err != nil {
		return nil, err
	}
	g := &Gold{names: map[name]int{}, at: map[string]int{}}
	err = d.items(func(r *pyjson.Reader, i int) error {
		var item goldItem
		if err := readItem(r, i, "question_index", &item.key, func(field string) error {
			var err error
			switch field {
			case "tool_calls":
				item.calls, err = readCalls(r, item.key)
			case "final_answer":
				item.answer, err = goldAnswer(r)
			default:
				_, err = r.Raw()
			}
			return err
		}); err != nil {
			return err
		}
		if k, ok := g.at[item.key]; ok { // the last counts, in the place of the first
			g.items[k] = item
			return nil
		}
		g.at[item.key] = len(g.items)
		g.items = append(g.items, item)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(g.items) == 0 {
		return nil, fmt.Errorf("earthbench: %s holds no item", d.name)
	}
	g.number()
	return g, nil
}

// number gives every name of the gold an id, and every item its distinct ones.
func (g *Gold) number() {
	for i := range g.items {
		item := &g.items[i]
		seen := map[int]bool{}
		for k := range item.calls {
			n := &item.calls[k].name
			id, ok := g.names[n.bare()]
			if !ok {
				id = len(g.names)
				g.names[n.bare()] = id
			}
			n.id = id
			if !seen[id] {
				seen[id] = true
				item.distinct = append(item.distinct, id)
			}
		}
	}
}

// bare is the name as names alone are compared.
func (n name) bare() name { return name{text: n.text, null: n.null} }

// ReadRun reads extracted_tool_calls.json and results_summary_polished.json from a folder; dir names it in errors.
func ReadRun(fsys fs.FS, dir string, gold *Gold) (*Run, error) {
	remedy := "--run names the folder of one run, with the files that Earth-Agent's programs write: " + callsFile + " and " + answersFile
	calls, err := read(fsys, dir, callsFile, remedy)
	if err != nil {
		return nil, err
	}
	answers, err := read(fsys, dir, answersFile, remedy)
	if err != nil {
		return nil, err
	}
	run := &Run{items: make([]runItem, len(gold.items))}
	return run, errors.Join(run.readCalls(calls, gold), run.readAnswers(answers, gold))
}

func (run *Run) readCalls(d *document, gold *Gold) error {
	return d.items(func(r *pyjson.Reader, i int) error {
		var id string
		var calls []call
		err := readItem(r, i, "question_index", &id, func(field string) error {
			var err error
			if field == "tool_calls" {
				calls, err = readCalls(r, id)
			} else {
				_, err = r.Raw()
			}
			return err
		})
		k, ok := gold.at[Prefixed(id)]
		if err != nil || !ok {
			return err
		}
		for k := range calls {
			n := &calls[k].name
			n.id = -1
			if known, ok := gold.names[n.bare()]; ok {
				n.id = known
			}
		}
		run.items[k].calls, run.items[k].hasCalls = calls, true
		return nil
	})
}

func (run *Run) readAnswers(d *document, gold *Gold) error {
	return d.items(func(r *pyjson.Reader, i int) error {
		var id string
		final, polished := answerText{isEmpty: true}, answerText{isEmpty: true}
		err := readItem(r, i, "question_id", &id, func(field string) error {
			var err error
			switch field {
			case "final_answer":
				final, err = readAnswer(r)
			case "polished_answer":
				polished, err = readAnswer(r)
			default:
				_, err = r.Raw()
			}
			return err
		})
		if final.isEmpty {
			final = polished
		}
		if k, ok := gold.at[Prefixed(id)]; ok && err == nil {
			run.items[k].answer, run.items[k].hasAnswer = final, true
		}
		return err
	})
}

// readItem reads the i-th item of a list: its id, and what field reads of the rest.
func readItem(r *pyjson.Reader, i int, idField string, id *string, field func(name string) error) error {
	begin, found := r.Offset(), false
	err := r.Object(func(name string) error {
		if name != idField {
			return field(name)
		}
		var err error
		*id, err = key(r)
		found = true
		return err
	})
	if err != nil {
		return err
	}
	if !found {
		return r.FailAt(begin, fmt.Sprintf("item %d to have %s", i+1, idField))
	}
	return nil
}

// readCalls reads a list of calls; null is none.
func readCalls(r *pyjson.Reader, item string) ([]call, error) {
	if r.Kind() == pyjson.Null {
		_, err := r.Raw()
		return nil, err
	}
	var calls []call
	return calls, r.Array(func(int) error {
		if r.Kind() != pyjson.Object {
			return r.Fail(fmt.Sprintf("call %d of item %q: an object with name and input", len(calls)+1, item))
		}
		c := call{name: name{missing: true}}
		err := r.Object(func(field string) error {
			var err error
			switch field {
			case "name":
				c.name, err = readName(r)
			case "input":
				err = c.readInput(r)
			default:
				_, err = r.Raw()
			}
			return err
		})
		calls = append(calls, c)
		return err
	})
}

func (c *call) readInput(r *pyjson.Reader) (err error) {
	c.members = nil
	if r.Kind() != pyjson.Object {
		c.input, err = r.Raw()
		return err
	}
	begin := r.Offset()
	c.members, err = r.Members()
	c.input = r.Since(begin)
	return err
}

func readName(r *pyjson.Reader) (name, error) {
	switch r.Kind() {
	case pyjson.Null:
		_, err := r.Raw()
		return name{null: true}, err
	case pyjson.String:
		text, err := r.Text()
		return name{text: text}, err
	}
	return name{}, r.Fail("the tool's name as text")
}

// goldAnswer reads a right answer: text, or a number as it is written; null is none.
func goldAnswer(r *pyjson.Reader) (string, error) {
	switch r.Kind() {
	case pyjson.Null:
		_, err := r.Raw()
		return "", err
	case pyjson.Number:
		raw, err := r.Raw()
		return string(raw), err
	case pyjson.String:
		text, err := r.Text()
		return stripped(text), err
	}
	return "", r.Fail("the right answer as text")
}

func readAnswer(r *pyjson.Reader) (answerText, error) {
	if r.Kind() == pyjson.String {
		text, err := r.Text()
		return answerText{text: text, isText: true, isEmpty: text == ""}, err
	}
	v, err := r.Value()
	return answerText{isEmpty: isEmpty(v)}, err
}

// isEmpty is what Python takes for false.
func isEmpty(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case bool:
		return !x
	case pyjson.Literal:
		return x.Float() == 0
	case []any:
		return len(x) == 0
	case map[string]any:
		return len(x) == 0
	}
	return false
}
