// Package scenarios holds the tasks that setups are compared on: their schema, a strict loader, and the suites that
// come with the program.
//
// A task is a question with an answer contract (fields with type, unit and tolerance) and an executable gold: one or
// more schedules that reach the answer. Two people answer every question apart from each other: the gold schedule,
// run by the engine, and a second implementation in Python (scripts/audit) that reads the raw source files. What the
// second one finds is stored as `expected` in the task's file; `almanac tasks audit` compares all three.
//
// # Files
//
// A suite is a folder with suite.yaml (name, title, licence) and one YAML file per template. A file holds the keys of
// a task, and under `tasks` the tasks that share them; a key of a task replaces the same key of its file, slots are
// merged by name. In questions, paraphrases, contexts and descriptions `{name}` stands for the words of the slot
// `name`. A file without `tasks` is one task. Unknown keys, repeated keys, anchors and values of the wrong type are
// refused with file, line and column, all of them at once.
//
//	template: warmest-sea-month
//	track: fundamentals
//	domain: ocean
//	level: 0
//	split: dev
//	answer:
//	  - {key: hottest_month, type: instant, description: the month's English name}
//	gold: |
//	  sea = data.open(dataset="coads_climatology", variable="sst")
//	  months = data.region_series(raster=sea, zones=task.place)
//	  answer(hottest_month=months.argmax)
//	tasks:
//	  - id: warmest-sea-month-fiji
//	    slots: {place: Fiji}
//	    question: In which month is the sea around {place} warmest?
//	    expected: {hottest_month: February}
//
// With `vary` a file says what its slots are drawn from, and [Generate] makes its tasks; suite.yaml holds the `pools` that
// several files draw from. `include` in suite.yaml takes tasks of another suite over, and `distractors` shows who solves
// the tasks that many tools that never run.
//
// # Wordings
//
// A question has paraphrases, and each is a task of its own: `id~1` is the first. A paraphrase marked `far` shares no
// content word with the documentation of the tools that its gold uses; results on these are reported apart, because
// there a model has most to give.
//
// A setup sees the question, the context and the contract only ([Task.Asked]); slots, gold and expected values serve
// the audit, the scorer and the oracle.
package scenarios
