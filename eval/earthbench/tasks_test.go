package earthbench_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"almanac/eval/earthbench"
	"almanac/scenarios"
)

// The figures are counted in the published files: 248 questions, of which 43 has no gold, 163 and 173 no choices, and 164
// no right answer.
func TestQuestionsBecomeASuite(t *testing.T) {
	gold := goldOf(t)
	questions, left, err := earthbench.Questions(earthbench.Embedded(), "earthbench", gold)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range left {
		out = append(out, l.Question)
	}
	if len(questions) != 244 || strings.Join(out, " ") != "43 163 164 173" {
		t.Fatalf("%d questions, left out: %v", len(questions), left)
	}
	dir := filepath.Join(t.TempDir(), "earthbench")
	if err := earthbench.WriteSuite(dir, questions, left); err != nil {
		t.Fatal(err)
	}
	suite, err := scenarios.Load(os.DirFS(filepath.Dir(dir)), "earthbench")
	if err != nil {
		t.Fatal(err)
	}
	if len(suite.Tasks) != 244 || suite.Licence != "MIT" {
		t.Errorf("%d tasks, licence %s", len(suite.Tasks), suite.Licence)
	}
	// Question 201 has numbers for choices and its two wordings in the other order; its braces stand for nothing.
	task, err := suite.Task("question201")
	if err != nil {
		t.Fatal(err)
	}
	if task.Context != "Choose one: A) 3; B) 12; C) 4; D) 10. The files are in benchmark/data/question201." || task.Expected["choice"] != "A" {
		t.Errorf("%s; %v", task.Context, task.Expected)
	}
	if strings.Contains(task.Question, "the first step is") || len(task.Paraphrases) != 1 || !strings.Contains(task.Paraphrases[0].Text, "the first step is") {
		t.Errorf("the wordings of question 201 are mixed up: %s", task.Question)
	}
	if err := earthbench.WriteSuite(dir, questions, left); !errors.Is(err, earthbench.ErrExists) {
		t.Errorf("written over: %v", err)
	}
	note, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil || !strings.Contains(string(note), "Question 43 is left out: it is not in the gold.") {
		t.Errorf("%s, %v", note, err)
	}
}

func TestQuestionsNameThePlace(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                       "expected an object",
		`{"1": {"evaluation": 3}}`: "1.evaluation: expected a list, found 3",
		`{"1": {"evaluation": [{"type": "x", "question": "q"}]}}`:                                    "1.evaluation[0].type: expected autonomous planning or instruction following, found x",
		`{"1": {"evaluation": [{"type": "Instruction Following", "question": "q"}]}}`:                "expected a wording for autonomous planning",
		`{"1": {"evaluation": [{"type": "Autonomous Planning", "question": "q"}], "choices": [[]]}}`: "1.choices[0]: expected a choice as text or a number",
	} {
		_, _, err := earthbench.Questions(fstest.MapFS{"question.json": {Data: []byte(text)}}, "x", goldOf(t))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "x/question.json") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
