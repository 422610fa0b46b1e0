package earthbench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"almanac/eval/internal/pyjson"
	"almanac/scenarios"

	"go.yaml.in/yaml/v4"
)

// Question is one question of Earth-Bench as a task can express it.
type Question struct {
	Number  string   // "6"
	Asked   string   // for a planner that finds its own way
	Told    string   // the same with the steps named; "" where it is no other text
	Choices []string // A, B, …
	Right   string   // the letter that scores are computed against
	Data    string   // folder of its files, such as benchmark/data/question6
}

// LeftOut is a question that no task can express, and why.
type LeftOut struct{ Question, Why string }

// Questions reads question.json from a folder and takes the right letters from the gold. dir names the folder in errors.
func Questions(fsys fs.FS, dir string, gold *Gold) (list []Question, left []LeftOut, err error) {
	d, err := read(fsys, dir, questionsFile, "leave --gold out to use the questions that come with the program, or copy the file there from Earth-Agent")
	if err != nil {
		return nil, nil, err
	}
	v, err := pyjson.Parse(d.data)
	if err != nil {
		return nil, nil, d.wrap(err)
	}
	right := map[string]string{}
	for _, item := range gold.items {
		right[item.key] = item.answer
	}
	err = pyjson.Node{Value: v}.Members(func(number string, n pyjson.Node) error {
		q := Question{Number: number}
		if err := q.read(n); err != nil {
			return err
		}
		letter, known := right[Prefixed(number)]
		q.Right = letter
		switch {
		case !known:
			left = append(left, LeftOut{number, "it is not in the gold"})
		case len(q.Choices) == 0:
			left = append(left, LeftOut{number, "it has no choices, and no tolerance for its number"})
		case len(letter) != 1 || letter[0] < 'A' || int(letter[0]-'A') >= len(q.Choices):
			left = append(left, LeftOut{number, fmt.Sprintf("its right answer %q is none of its choices", letter)})
		default:
			list = append(list, q)
		}
		return nil
	})
	if err != nil {
		return nil, nil, d.wrap(err)
	}
	slices.SortFunc(list, func(a, b Question) int { return compareKeys(a.Number, b.Number) })
	slices.SortFunc(left, func(a, b LeftOut) int { return compareKeys(a.Question, b.Question) })
	return list, left, nil
}

func (q *Question) read(n pyjson.Node) error {
	wordings, err := n.Get("evaluation").Entries()
	if err != nil {
		return err
	}
	for _, w := range wordings { // which is which stands in the type: the order is not the same everywhere
		kind, _ := w.Get("type").Text()
		text, ok := w.Get("question").Text()
		if !ok || strings.TrimSpace(text) == "" {
			return w.Get("question").Wants("the question as text")
		}
		switch strings.ToLower(kind) {
		case "autonomous planning":
			q.Asked = text
		case "instruction following":
			q.Told = text
		default:
			return w.Get("type").Wants("autonomous planning or instruction following")
		}
		if data, ok := w.Get("data").Text(); ok {
			q.Data = data
		}
	}
	if q.Asked == "" {
		return n.Get("evaluation").Wants("a wording for autonomous planning")
	}
	if q.Told == q.Asked {
		q.Told = ""
	}
	if n.Get("choices").Missing() {
		return nil
	}
	choices, err := n.Get("choices").Entries()
	if err != nil {
		return err
	}
	for _, c := range choices {
		switch v := c.Value.(type) {
		case string:
			q.Choices = append(q.Choices, v)
		case pyjson.Literal:
			q.Choices = append(q.Choices, string(v))
		default:
			return c.Wants("a choice as text or a number")
		}
	}
	return nil
}

// domains are guessed from words of the question; the first that occurs counts. Earth-Bench names none.
var domains = []struct {
	name  string
	words []string
}{
	{"hazards", []string{"fire", "burn", "burned", "nbr", "flood", "landslide", "damage", "damaged", "disaster"}},
	{"air_quality", []string{"aerosol", "ozone", "air quality", "no2"}},
	{"water", []string{"water", "turbidity", "precipitation", "rainfall", "drought", "snow", "ndsi", "ice", "lake", "river", "reservoir", "glacier"}},
	{"forest", []string{"forest", "tree", "deforestation"}},
	{"agriculture", []string{"crop", "farmland", "agricultural", "vegetation", "ndvi", "evi", "irrigation", "tvdi"}},
	{"heat", []string{"temperature", "lst", "heat", "heatwave", "thermal"}},
	{"ocean", []string{"ocean", "sea", "coast", "ship"}},
	{"urban", []string{"building", "urban", "nighttime", "airport", "commercial", "residential", "stadium", "vehicle", "car", "parking", "road", "bridge", "court"}},
}

func (q *Question) domain() string {
	text := " " + strings.Join(strings.FieldsFunc(strings.ToLower(q.Asked), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}), " ") + " "
	for _, d := range domains {
		for _, w := range d.words {
			if strings.Contains(text, " "+w+" ") || strings.Contains(text, " "+w+"s ") {
				return d.name
			}
		}
	}
	return "climate"
}

// context lists the choices and says where the files are.
func (q *Question) context() string {
	var b strings.Builder
	b.WriteString("Choose one:")
	for i, c := range q.Choices {
		fmt.Fprintf(&b, " %c) %s", 'A'+i, strings.TrimRight(strings.TrimSpace(c), "."))
		if i < len(q.Choices)-1 {
			b.WriteByte(';')
		}
	}
	if q.Data != "" {
		fmt.Fprintf(&b, ". The files are in %s", q.Data)
	}
	b.WriteByte('.')
	return unbraced(b.String())
}

// unbraced writes braces as parentheses: in a task they stand for slots.
func unbraced(s string) string { return strings.NewReplacer("{", "(", "}", ")").Replace(s) }

// answerKey is the one field of every task.
const answerKey = "choice"

type taskFile struct {
	ID          string            `yaml:"id"`
	Template    string            `yaml:"template"`
	Split       string            `yaml:"split"`
	Track       string            `yaml:"track"`
	Domain      string            `yaml:"domain"`
	Level       int               `yaml:"level"`
	Licence     string            `yaml:"licence"`
	Question    string            `yaml:"question"`
	Paraphrases []string          `yaml:"paraphrases,omitempty"`
	Context     string            `yaml:"context"`
	Answer      []map[string]any  `yaml:"answer"`
	Expected    map[string]string `yaml:"expected"`
	Evidence    map[string]string `yaml:"evidence"`
	Gold        string            `yaml:"gold"`
}

func (q *Question) file() taskFile {
	f := taskFile{
		ID: "question" + q.Number, Template: "question" + q.Number, Split: "test", Track: scenarios.Fundamentals, Domain: q.domain(), Licence: "MIT",
		Question: unbraced(q.Asked), Context: q.context(),
		Answer:   []map[string]any{{"key": answerKey, "type": scenarios.Text, "description": "the letter of the right choice"}},
		Expected: map[string]string{answerKey: q.Right},
		Evidence: map[string]string{answerKey: "Earth-Bench, " + goldFile + ", final_answer"},
		Gold:     fmt.Sprintf("answer(%s=%q)\n", answerKey, q.Right),
	}
	if q.Told != "" {
		f.Paraphrases = []string{unbraced(q.Told)}
	}
	return f
}

// ErrExists is wrapped where a suite would be written over something.
var ErrExists = errors.New("the folder is not empty")

// WriteSuite writes the questions as a suite of tasks into a folder that is new or empty, with the licence and a note of
// what the tasks cannot express.
func WriteSuite(dir string, questions []Question, left []LeftOut) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("earthbench: writing %s: %w; choose another", dir, ErrExists)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("earthbench: %w", err)
	}
	licence, err := fs.ReadFile(Embedded(), "LICENSE")
	if err != nil {
		return fmt.Errorf("earthbench: %w", err)
	}
	files := map[string][]byte{"LICENSE": licence, "README.md": []byte(note(left))}
	if files["suite.yaml"], err = yaml.Marshal(map[string]string{"name": "earthbench", "title": "Earth-Bench, imported", "licence": "MIT"}); err != nil {
		return fmt.Errorf("earthbench: %w", err)
	}
	for i := range questions {
		if files["question"+questions[i].Number+".yaml"], err = yaml.Marshal(questions[i].file()); err != nil {
			return fmt.Errorf("earthbench: question %s: %w", questions[i].Number, err)
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o644); err != nil {
			return fmt.Errorf("earthbench: %w", err)
		}
	}
	return nil
}

// note says what the tasks cannot express.
func note(left []LeftOut) string {
	var b strings.Builder
	b.WriteString(`# Earth-Bench as tasks

Imported from Earth-Agent's question.json and its gold (MIT, copyright (c) 2025 Peilin-FF, see LICENSE). A task's question is
the wording for autonomous planning, its paraphrase the one with the steps named; the context has the choices.

What these tasks cannot express:

- The gold trajectories call Earth-Agent's own tools, which do not exist here. Gold is the right letter alone, so metrics of
  calls have no value; score recorded calls with ` + "`almanac eval earthbench`" + `.
- The data are not part of it. A question can be worked on where its files are in the catalog (` + "`almanac data list`" + `).
- Braces are written as parentheses, and domains are guessed from the words: the questions name none.
`)
	for _, l := range left {
		fmt.Fprintf(&b, "- Question %s is left out: %s.\n", l.Question, l.Why)
	}
	return b.String()
}
