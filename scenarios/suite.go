package scenarios

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed suites
var embedded embed.FS

// Errors that callers branch on.
var (
	ErrNoSuite = errors.New("no such suite")
	ErrNoTask  = errors.New("no such task")
)

// Suite is a named set of tasks, ordered by split and id.
type Suite struct {
	Name    string
	Title   string
	Licence string
	Tasks   []Task // in their own words; [Task.Wordings] gives the paraphrases
}

// Suites returns the names of the suites that come with the program, sorted.
func Suites() []string {
	entries, err := embedded.ReadDir("suites")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// Files are the files of the suites that come with the program, in folders below `suites`.
func Files() fs.FS { return embedded }

// Open loads a suite that comes with the program.
func Open(name string) (*Suite, error) {
	if !slices.Contains(Suites(), name) {
		return nil, fmt.Errorf("scenarios: opening suite %q: %w; there are %s", name, ErrNoSuite, strings.Join(Suites(), ", "))
	}
	return Load(embedded, path.Join("suites", name))
}

// Load reads the suite in folder dir of a file system. The error joins everything that is wrong in its files, each
// an [*Error] with its position.
func Load(fsys fs.FS, dir string) (*Suite, error) { return load(fsys, dir, true) }

func load(fsys fs.FS, dir string, mayInclude bool) (*Suite, error) {
	suite, included, err := readSuite(fsys, dir)
	if err != nil {
		return nil, err
	}
	if included.from != "" {
		if !mayInclude {
			return nil, &Error{File: included.file, Line: 1, Col: 1, Msg: "a suite that is included may not include another"}
		}
		whole, err := load(fsys, path.Join(path.Dir(dir), included.from), false)
		if err != nil {
			return nil, err
		}
		if err := include(suite, whole, included); err != nil {
			return nil, err
		}
	}
	files, err := fs.Glob(fsys, path.Join(dir, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("scenarios: listing %s: %w", dir, err)
	}
	var errs []error
	for _, name := range files {
		if path.Base(name) == suiteFile {
			continue
		}
		tasks, err := readFile(fsys, name)
		if err != nil {
			errs = append(errs, err)
		}
		suite.Tasks = append(suite.Tasks, tasks...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(suite.Tasks) == 0 {
		return nil, fmt.Errorf("scenarios: suite %s in %s has no task files", suite.Name, dir)
	}
	if included.distractors > 0 {
		suite.Tasks = Among(suite.Tasks, included.distractors)
	}
	slices.SortStableFunc(suite.Tasks, func(a, b Task) int { return strings.Compare(a.Path(), b.Path()) })
	return suite, sameIDs(suite)
}

// sameIDs refuses two tasks with one id: results are keyed by it.
func sameIDs(s *Suite) error {
	var errs []error
	seen := map[string]Task{}
	for _, t := range s.Tasks {
		if first, ok := seen[t.ID]; ok {
			errs = append(errs, &Error{File: t.File, Line: t.Line, Col: 1,
				Msg: fmt.Sprintf("id %q is already the id of the task at %s:%d", t.ID, first.File, first.Line)})
		}
		seen[t.ID] = t
	}
	return errors.Join(errs...)
}

// Among are tasks to be solved with n distractors among the tools. They are other tasks than those without: their hash
// differs.
func Among(tasks []Task, n int) []Task {
	out := slices.Clone(tasks)
	for i := range out {
		out[i].Distractors = n
	}
	return out
}

// include takes the named tasks of another suite over, or all.
func include(s, whole *Suite, in inclusion) error {
	if in.tasks == nil {
		s.Tasks = slices.Clone(whole.Tasks)
	}
	var errs []error
	for _, want := range in.tasks {
		t, err := whole.Task(want.value)
		if err != nil {
			errs = append(errs, &Error{File: in.file, Line: want.line, Col: want.col,
				Msg: fmt.Sprintf("suite %s has no task %q", whole.Name, want.value)})
			continue
		}
		s.Tasks = append(s.Tasks, t)
	}
	if s.Licence == "" {
		s.Licence = whole.Licence
	}
	return errors.Join(errs...)
}

// Wordings that can be asked for.
const (
	WordingQuestion = "question" // each task's own question
	WordingFar      = "far"      // the paraphrases marked far
	WordingAll      = "all"      // the question and every paraphrase
)

// Selection picks tasks of a suite. The zero value is every task in the words of its question.
type Selection struct {
	Limit   int    // at most this many, one of each template before a second; 0 means all
	Tasks   string // glob over split/id, or over id where it has no slash; "" means all
	Joined  int    // only tasks that join this many domains; 0 means any
	Wording string // question (also ""), far or all; a glob that names a wording (has "~") looks at all of them
}

// Select returns the tasks of a selection, in the suite's order; an empty selection is [ErrNoTask].
func (s *Suite) Select(sel Selection) ([]Task, error) {
	if _, err := path.Match(sel.Tasks, ""); err != nil {
		return nil, fmt.Errorf("scenarios: selecting %q: %w", sel.Tasks, err)
	}
	if sel.Limit < 0 {
		return nil, fmt.Errorf("scenarios: selecting: limit %d is negative", sel.Limit)
	}
	wording := sel.Wording
	if strings.Contains(sel.Tasks, "~") {
		wording = WordingAll
	}
	var picked []Task
	for _, task := range s.Tasks {
		words, err := inWording(task, wording)
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			if matches(sel.Tasks, w) && (sel.Joined == 0 || len(w.Domains) == sel.Joined) {
				picked = append(picked, w)
			}
		}
	}
	if len(picked) == 0 {
		return nil, fmt.Errorf("scenarios: selecting tasks %q, wording %q%s of suite %s: %w", sel.Tasks, sel.Wording, joined(sel.Joined), s.Name, ErrNoTask)
	}
	return limited(picked, sel.Limit), nil
}

func joined(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d domains joined,", n)
}

func inWording(t Task, wording string) ([]Task, error) {
	switch wording {
	case "", WordingQuestion:
		return []Task{t}, nil
	case WordingAll:
		return t.Wordings(), nil
	case WordingFar:
		return slices.DeleteFunc(t.Wordings(), func(w Task) bool { return !w.Far }), nil
	}
	return nil, fmt.Errorf("scenarios: wording %q: there are question, far, all", wording)
}

func matches(glob string, t Task) bool {
	if glob == "" {
		return true
	}
	name := t.ID
	if strings.Contains(glob, "/") {
		name = t.Path()
	}
	ok, err := path.Match(glob, name)
	return err == nil && ok
}

// limited takes the first task of every template, then the second of every template, until there are n; the order
// of the result is that of the list.
func limited(tasks []Task, n int) []Task {
	if n == 0 || n >= len(tasks) {
		return tasks
	}
	round := make([]int, len(tasks))
	seen := map[string]int{}
	for i, t := range tasks {
		round[i] = seen[t.Template]
		seen[t.Template]++
	}
	index := make([]int, len(tasks))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return round[a] - round[b] })
	index = index[:n]
	slices.Sort(index)
	out := make([]Task, n)
	for i, k := range index {
		out[i] = tasks[k]
	}
	return out
}

// Task returns the task of an id or split/id, with "~n" in its n-th paraphrase.
func (s *Suite) Task(id string) (Task, error) {
	base, _, _ := strings.Cut(id, "~")
	for _, t := range s.Tasks {
		if t.ID != base && t.Path() != base {
			continue
		}
		for _, w := range t.Wordings() {
			if w.ID == id || w.Path() == id {
				return w, nil
			}
		}
		return Task{}, fmt.Errorf("scenarios: task %q: %w: %s has %d paraphrases", id, ErrNoTask, t.ID, len(t.Paraphrases))
	}
	var ids []string
	for _, t := range s.Tasks {
		ids = append(ids, t.Path())
	}
	return Task{}, fmt.Errorf("scenarios: task %q in suite %s: %w%s", id, s.Name, ErrNoTask, nearest(id, ids))
}

// Hash is the SHA-256, in lower-case hex, of everything in the tasks that can change a result: two suites with one
// hash ask and score the same.
func (s *Suite) Hash() string { return HashTasks(s.Tasks) }

// HashTasks is [Suite.Hash] of a selection.
func HashTasks(tasks []Task) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, t := range tasks {
		// Tasks hold plain data with sorted map keys: encoding cannot fail, and equal tasks give equal bytes.
		if err := enc.Encode(t); err != nil {
			fmt.Fprintf(h, "%s: %v", t.ID, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
