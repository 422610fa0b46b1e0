package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Drawing says how tasks are drawn from a suite's templates. Equal drawings give equal bytes.
type Drawing struct {
	Seed uint64
	// Pools replace the suite's pools of the same name, such as private regions; nil keeps all.
	Pools map[string][]*yaml.Node
	// Hidden leaves out what the suite itself asks: the tasks drawn are none of its own.
	Hidden bool
	// Second computes the expected values of the tasks in the given files, by task id, apart from our own code. A task
	// that it leaves out has no sound answer (a place on land where the sea is asked for) and is not taken.
	Second func(files map[string][]byte) (map[string]map[string]any, error)
}

// spare is how many candidates are drawn for each task that is wanted.
const spare = 8

// Generate draws the tasks of a suite anew from its templates and returns the files of the new suite by name. Files
// without `vary` are kept as they are.
func Generate(fsys fs.FS, dir string, how Drawing) (map[string][]byte, error) {
	g, err := newGenerator(fsys, dir, how)
	if err != nil {
		return nil, err
	}
	drafts := map[string][]byte{suiteFile: g.suite}
	rows := map[string][]candidate{}
	for _, b := range g.blueprints {
		if b.vary == nil {
			continue
		}
		rows[b.name] = g.candidates(b)
		drafts[b.file] = b.with(texts(rows[b.name], nil))
	}
	values, err := how.Second(drafts)
	if err != nil {
		return nil, fmt.Errorf("scenarios: computing expected values: %w", err)
	}
	for _, b := range g.blueprints {
		if b.vary == nil {
			continue
		}
		if err := g.choose(b, rows[b.name], values); err != nil {
			return nil, err
		}
	}
	return g.out, nil
}

type generator struct {
	how        Drawing
	suite      []byte
	blueprints []blueprint
	public     []Task // what a hidden set leaves out
	taken      []Task
	out        map[string][]byte
}

// newGenerator reads the templates, and takes the tasks of those that are kept.
func newGenerator(fsys fs.FS, dir string, how Drawing) (*generator, error) {
	if how.Second == nil {
		return nil, errors.New("scenarios: generating: nothing computes expected values")
	}
	_, in, err := readSuite(fsys, dir)
	if err != nil {
		return nil, err
	}
	src, err := fs.ReadFile(fsys, path.Join(dir, suiteFile))
	if err != nil {
		return nil, fmt.Errorf("scenarios: generating: %w", err)
	}
	g := &generator{how: how, suite: src, out: map[string][]byte{suiteFile: src}}
	pools := in.pools
	for name, values := range how.Pools {
		if _, ok := pools[name]; !ok {
			return nil, fmt.Errorf("scenarios: the suite in %s draws from no pool %q%s", dir, name, nearest(name, poolNames(pools)))
		}
		pools[name] = values
	}
	files, err := fs.Glob(fsys, path.Join(dir, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("scenarios: listing %s: %w", dir, err)
	}
	var errs []error
	for _, name := range files {
		if path.Base(name) != suiteFile {
			errs = append(errs, g.read(fsys, name, pools))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(g.blueprints, func(b blueprint) bool { return b.vary != nil }) {
		return nil, fmt.Errorf("scenarios: no template in %s says what to draw from (vary)", dir)
	}
	slices.SortStableFunc(g.blueprints, func(a, b blueprint) int {
		return strings.Compare(a.split+"/"+a.name, b.split+"/"+b.name)
	})
	return g, nil
}

func (g *generator) read(fsys fs.FS, name string, pools map[string][]*yaml.Node) error {
	b, err := readBlueprint(fsys, name, pools)
	if err != nil {
		return err
	}
	g.blueprints = append(g.blueprints, b)
	if !b.hasTasks || b.vary != nil && !g.how.Hidden {
		return nil
	}
	tasks, err := readFile(fsys, name)
	if err != nil {
		return err
	}
	if b.vary != nil {
		g.public = append(g.public, tasks...)
		return nil
	}
	g.taken = append(g.taken, tasks...)
	g.out[b.file], err = fs.ReadFile(fsys, name)
	return err
}

func poolNames(pools map[string][]*yaml.Node) []string {
	var names []string
	for name := range pools {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// candidate is a row of slots, numbered from 1.
type candidate struct {
	id    string
	slots string
}

// texts are candidates as rows of a file, with their expected values where there are some.
func texts(list []candidate, expected []string) []string {
	out := make([]string, len(list))
	for i, c := range list {
		out[i] = fmt.Sprintf("id: %s, slots: {%s}", c.id, c.slots)
		if expected != nil {
			out[i] += ", expected: " + expected[i]
		}
	}
	return out
}

// candidates draws different rows of slots for a template; each template has a sequence of its own, so that a new
// template leaves the others' as they are.
func (g *generator) candidates(b blueprint) []candidate {
	h := fnv.New64a()
	h.Write([]byte(b.name)) // never fails
	rng := rand.New(rand.NewPCG(g.how.Seed, h.Sum64()))
	seen := map[string]bool{}
	var list []candidate
	for range 100 * b.draw {
		row, ok := b.drawn(rng)
		if !ok || seen[row] {
			continue
		}
		seen[row] = true
		list = append(list, candidate{fmt.Sprintf("%s-%d", b.name, len(list)+1), row})
		if len(list) == spare*b.draw {
			break
		}
	}
	return list
}

// drawn is one row of slots; false where two slots would have one value of a pool.
func (b blueprint) drawn(rng *rand.Rand) (string, bool) {
	var parts, used []string
	for _, v := range b.vary {
		row := v.rows[rng.IntN(len(v.rows))]
		key := v.pool + ": " + strings.Join(row, ", ")
		if v.pool != "" && slices.Contains(used, key) {
			return "", false
		}
		used = append(used, key)
		for i, name := range v.slots {
			parts = append(parts, name+": "+row[i])
		}
	}
	return strings.Join(parts, ", "), true
}

// choose takes the first candidates that make sound tasks and share nothing with other splits.
func (g *generator) choose(b blueprint, list []candidate, values map[string]map[string]any) error {
	var rows []candidate
	var expected []string
	var refused []string
	for _, c := range list {
		if len(rows) == b.draw {
			break
		}
		found, ok := values[c.id]
		if !ok {
			refused = append(refused, "no sound answer")
			continue
		}
		text, err := json.Marshal(found) // sorted keys; JSON is YAML in flow style
		if err != nil {
			return fmt.Errorf("scenarios: expected values of %s: %w", c.id, err)
		}
		line := strings.ReplaceAll(string(text), `":`, `": `)
		c.id = fmt.Sprintf("%s-%d", b.name, len(rows)+1)
		tasks, err := Parse(b.file, b.with(texts([]candidate{c}, []string{line})))
		if err != nil {
			return err
		}
		why, err := g.unfit(tasks[0])
		if err != nil {
			return err
		}
		if why != "" {
			refused = append(refused, why)
			continue
		}
		g.taken = append(g.taken, tasks[0])
		rows, expected = append(rows, c), append(expected, line)
	}
	if len(rows) < b.draw {
		return fmt.Errorf("scenarios: template %s: %d of %d tasks found among %d candidates; refused: %s; give it more to draw from",
			b.name, len(rows), b.draw, len(list), strings.Join(refused, "; "))
	}
	g.out[b.file] = b.with(texts(rows, expected))
	return nil
}

// unfit says why a drawn task is not taken, "" where it is. A fault that another draw would have too is an error.
func (g *generator) unfit(t Task) (string, error) {
	v := &validator{suite: &Suite{Tasks: append(slices.Clone(g.taken), t)}, engine: &Engine{}}
	v.task(t)
	for _, f := range v.found {
		if f.Rule != "leak" && f.Rule != "tolerance" {
			return "", errors.New(f.String())
		}
	}
	v.splits()
	for _, f := range v.found {
		return f.Msg, nil
	}
	v.suite.Tasks = append(slices.Clone(g.public), g.taken...)
	v.suite.Tasks = append(v.suite.Tasks, t)
	v.duplicates()
	for _, f := range v.found {
		return f.Msg, nil
	}
	return "", nil
}
