package eval

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strconv"

	"almanac/eval/metric"
	"almanac/eval/runlog"
	"almanac/eval/stats"
)

// resultsSchema is the version of results.json.
const resultsSchema = 1

// JSON is results.json: the same bytes for the same run, wherever and however often it was interrupted. It holds no
// times; and the tokens of attempts that were cut off depend on when that happened: they stand in timings.json.
func (r *Results) JSON() ([]byte, error) {
	var o object
	o.set("schema", resultsSchema)
	o.set("suite", object{{"name", r.Manifest.Suite.Name}, {"hash", r.Manifest.Suite.Hash}, {"tasks", len(r.Tasks)}})
	models := []object{}
	for _, m := range r.Manifest.Models {
		models = append(models, object{{"name", m.Name}, {"digest", orNull(m.Digest)}, {"quantisation", orNull(m.Quantisation)}, {"context", m.Context}})
	}
	o.set("models", models)
	o.set("repeats", max(1, r.Manifest.Repeats))
	o.set("seed", r.Manifest.Seed)
	o.set("bootstrap_seed", stats.DefaultSeed)
	setups := []object{}
	for _, s := range r.Setups {
		setups = append(setups, s.object())
	}
	o.set("setups", setups)
	paired := []object{}
	for _, c := range r.Paired {
		paired = append(paired, c.object())
	}
	o.set("paired", paired)
	strata := []object{}
	for _, s := range r.Strata {
		strata = append(strata, s.object())
	}
	o.set("strata", strata)
	o.set("changed_by_model", r.ChangedByModel)
	o.set("sensitivity", r.Sensitivity.object())
	o.set("validity", r.Validity.object())
	o.set("unstarted", orEmpty(r.Unstarted))
	o.set("episodes", list{len(r.Episodes), func(i int) object { return r.Episodes[i].object() }})
	data, err := encode(o)
	if err != nil {
		return nil, fmt.Errorf("eval: writing results: %w", err)
	}
	return data, nil
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func estimate(e stats.Estimate) object {
	o := object{{"mean", rounded(e.Mean)}, {"lo", rounded(e.Lo)}, {"hi", rounded(e.Hi)}, {"templates", e.Templates}}
	if e.Method != "" {
		o.set("method", e.Method)
	}
	if e.Reason != "" {
		o.set("reason", e.Reason)
	}
	return o
}

func (s *Summary) object() object {
	o := object{
		{"name", s.Arm.Setup}, {"model", orNull(s.Arm.Model)}, {"episodes", s.Episodes}, {"harness_errors", s.HarnessErrors},
		{"errors", s.Errors}, {"successes", s.Successes},
	}
	for _, m := range shown() {
		o.set(m.Name, estimate(s.Metrics[m.Name]))
	}
	o.set("success_of_answered", rounded(s.SuccessOfAnswered))
	roles := object{}
	for _, role := range s.Roles() {
		roles.set(role, s.ByRole[role].Total)
	}
	tokens := object{{"mean", rounded(s.MeanTokens)}, {"total", s.Tokens.Total}, {"prompt", s.Tokens.Prompt},
		{"completion", s.Tokens.Completion}, {"thinking", s.Tokens.Thinking}, {"by_role", roles}}
	if s.Tokens.Total == nil {
		tokens.set("reason", stats.Unknown)
	}
	o.set("tokens", tokens)
	o.set("embedding_tokens", s.Embedding.Total)
	o.set("judge_tokens", s.Judge.Total)
	o.set("tokens_per_success", rounded(s.TokensPerSuccess))
	if s.TokensReason != "" {
		o.set("tokens_per_success_reason", s.TokensReason)
	}
	o.set("model_calls", s.ModelCalls)
	o.set("native_calls", s.NativeCalls)
	o.set("repaired_calls", s.RepairedCalls)
	o.set("failed_replies", s.FailedReplies)
	o.set("tool_calls", s.ToolCalls)
	o.set("memo_hits", s.MemoHits)
	o.set("revisions", s.Replans)
	o.set("context_bytes", s.Bytes)
	o.set("roles", workObject(s.Work))
	failures := object{}
	for _, l := range FailureLabels() {
		if v, ok := s.Failures[l.Name]; ok {
			failures.set(l.Name, rounded(&v))
		}
	}
	o.set("failures", failures)
	o.set("failed", s.Failed)
	o.set("selection", s.Selection.object())
	o.set("schedules", s.Schedules.object())
	o.set("memory", s.Memory.object())
	o.set("repeats", s.Reliability.object())
	return o
}

func (c *Comparison) object() object {
	o := object{
		{"a", c.A.Setup}, {"b", c.B.Setup}, {"model", orNull(c.Model)}, {"metric", c.Metric},
		{"mean_a", rounded(c.MeanA)}, {"mean_b", rounded(c.MeanB)},
		{"diff", rounded(c.Diff)}, {"lo", rounded(c.Lo)}, {"hi", rounded(c.Hi)}, {"method", c.Method}, {"relative", rounded(c.Relative)},
		{"p", rounded(c.P)}, {"p_holm", rounded(c.PHolm)}, {"test", c.Test}, {"n", c.Templates}, {"tasks", c.Paired.Tasks},
		{"left_out", c.LeftOut}, {"detectable", rounded(c.Detectable)}, {"verdict", c.Paired.Verdict},
		{"tokens_ratio", estimate(c.Tokens)}, {"earns_tokens", c.EarnsTokens},
	}
	reasons := object{}
	keys := make([]string, 0, len(c.Reasons))
	for k := range c.Reasons {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		reasons.set(k, c.Reasons[k])
	}
	if c.EarnsReason != "" {
		reasons.set("earns_tokens", c.EarnsReason)
	}
	if len(reasons) > 0 {
		o.set("reasons", reasons)
	}
	return o
}

func (e *EpisodeResult) object() object {
	t := e.Task.Task
	o := object{
		{"id", e.ID}, {"setup", e.Arm.Setup}, {"model", orNull(e.Arm.Model)}, {"task", t.ID}, {"template", t.Template},
		{"repeat", e.Repeat}, {"seed", e.Seed}, {"outcome", e.Outcome}, {"harness", e.Harness},
	}
	reasons := object{}
	for _, m := range metric.All() {
		v := e.Scores.Metrics[m.Name]
		if e.Harness {
			v = metric.Value{Reason: "harness"}
		}
		o.set(m.Name, rounded(v.Value))
		if v.Value == nil {
			reasons.set(m.Name, v.Reason)
		}
	}
	if len(reasons) > 0 {
		o.set("reasons", reasons)
	}
	o.set("wording", t.Wording)
	o.set("far", t.Far)
	o.set("answer", e.answer())
	o.set("declined", e.Scores.Declined)
	o.set("gold", e.Scores.Case.GoldIndex)
	u := e.Scores.Usage
	o.set("tokens", u.Tokens.Total)
	roles := object{}
	for _, role := range sortedRoles(u.ByRole) {
		roles.set(role, u.ByRole[role].Total)
	}
	o.set("tokens_by_role", roles)
	o.set("model_calls", u.ModelCalls)
	o.set("native_calls", u.NativeCalls)
	o.set("repaired_calls", u.RepairedCalls)
	o.set("tool_calls", u.ToolCalls)
	o.set("memo_hits", u.MemoHits)
	o.set("roles", workObject(u.Work))
	o.set("failures", orEmpty(e.Scores.Failures))
	return o
}

// workObject says what each role did; its tokens stand in by_role, its times in timings.json.
func workObject(work map[string]Work) object {
	out := object{}
	for _, role := range slices.Sorted(maps.Keys(work)) {
		w := work[role]
		out.set(role, object{{"model_calls", w.ModelCalls}, {"native_calls", w.NativeCalls}, {"repaired_calls", w.RepairedCalls},
			{"failed_replies", w.FailedReplies}, {"tool_calls", w.ToolCalls}, {"context_bytes", w.Bytes}})
	}
	return out
}

// workTimes are the seconds of each role.
func workTimes(work map[string]Work) object {
	out := object{}
	for _, role := range slices.Sorted(maps.Keys(work)) {
		out.set(role, object{{"queue_s", work[role].QueueSeconds}, {"working_s", work[role].WorkingSeconds}})
	}
	return out
}

func sortedRoles(m map[string]Tokens) []string {
	roles := make([]string, 0, len(m))
	for r := range m {
		roles = append(roles, r)
	}
	sort.Strings(roles)
	return roles
}

// answer lists the contract's fields with what was answered.
func (e *EpisodeResult) answer() object {
	out := object{}
	for _, f := range e.Scores.Fields {
		o := object{{"value", f.Value}, {"unit", orNull(f.Unit)}, {"gold", f.Gold}, {"hit", f.Hit}, {"bound", f.Bound}}
		artifact, call, reason := "", "", f.Reason
		if a := e.Scores.Trace.Answer; a != nil {
			for _, g := range a.Fields {
				if g.Key == f.Key {
					artifact, call = g.Artifact, g.Call
					if !f.Bound && f.Value != nil && reason == "" {
						reason = g.Reason
					}
				}
			}
		}
		o.set("artifact", orNull(artifact))
		o.set("call", orNull(call))
		o.set("reason", orNull(reason))
		out.set(f.Key, o)
	}
	return out
}

// TimingsJSON is timings.json: what was measured in seconds, and what interruptions cost.
func (r *Results) TimingsJSON() ([]byte, error) {
	setups := []object{}
	for _, s := range r.Setups {
		setups = append(setups, object{{"name", s.Arm.Setup}, {"model", orNull(s.Arm.Model)}, {"working_s", s.Working}, {"queue_s", s.Queue},
			{"abandoned_tokens", s.AbandonedTokens.Total}, {"speed_up", rounded(s.Schedules.SpeedUp())}, {"roles", workTimes(s.Work)}})
	}
	episodes := list{len(r.Episodes), func(i int) object {
		e := r.Episodes[i]
		u := e.Scores.Usage
		return object{{"id", e.ID}, {"started", e.Started}, {"seconds", e.Seconds}, {"queue_s", e.QueueSeconds},
			{"working_s", e.Working()}, {"model_s", u.ModelSeconds}, {"tool_s", u.ToolSeconds}, {"attempts", e.Attempts},
			{"abandoned_tokens", e.AbandonedTokens.Total}, {"roles", workTimes(u.Work)}}
	}}
	data, err := encode(object{{"schema", resultsSchema}, {"setups", setups}, {"episodes", episodes}})
	if err != nil {
		return nil, fmt.Errorf("eval: writing timings: %w", err)
	}
	return data, nil
}

func cell(v *float64) string {
	if v = rounded(v); v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

func count(v *int64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatInt(*v, 10)
}

// EpisodesCSV is a row an episode.
func (r *Results) EpisodesCSV() []byte {
	head := []string{"id", "setup", "model", "task", "template", "repeat", "outcome", "harness"}
	for _, m := range metric.All() {
		head = append(head, m.Name)
	}
	head = append(head, "tokens", "abandoned_tokens", "attempts", "model_calls", "tool_calls", "working_s", "queue_s", "failures")
	rows := [][]string{head}
	for _, e := range r.Episodes {
		t, u := e.Task.Task, e.Scores.Usage
		row := []string{e.ID, e.Arm.Setup, e.Arm.Model, t.ID, t.Template, strconv.Itoa(e.Repeat), e.Outcome, strconv.FormatBool(e.Harness)}
		for _, m := range metric.All() {
			v := e.Scores.Metrics[m.Name].Value
			if e.Harness {
				v = nil
			}
			row = append(row, cell(v))
		}
		labels := ""
		for i, l := range e.Scores.Failures {
			if i > 0 {
				labels += " "
			}
			labels += l
		}
		working, queue := e.Working(), e.QueueSeconds
		rows = append(rows, append(row, count(u.Tokens.Total), count(e.AbandonedTokens.Total), strconv.Itoa(e.Attempts),
			strconv.Itoa(u.ModelCalls), strconv.Itoa(u.ToolCalls), cell(&working), cell(&queue), labels))
	}
	return table(rows)
}

// MetricsCSV is a row a setup and metric, with its interval.
func (r *Results) MetricsCSV() []byte {
	rows := [][]string{{"setup", "model", "metric", "mean", "lo", "hi", "templates", "method", "reason"}}
	for _, s := range r.Setups {
		for _, m := range metric.All() {
			e := s.Metrics[m.Name]
			rows = append(rows, []string{s.Arm.Setup, s.Arm.Model, m.Name, cell(e.Mean), cell(e.Lo), cell(e.Hi),
				strconv.Itoa(e.Templates), e.Method, e.Reason})
		}
		rows = append(rows, []string{s.Arm.Setup, s.Arm.Model, "tokens", cell(s.MeanTokens), "", "", "", "", ""})
	}
	return table(rows)
}

func table(rows [][]string) []byte {
	var b bytes.Buffer
	// Writing to memory cannot fail, and the fields are plain text.
	_ = csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes()
}

// Write writes results.json, timings.json, episodes.csv and metrics.csv into the run's folder.
func (r *Results) Write(f *runlog.Folder) error {
	results, err := r.JSON()
	if err != nil {
		return err
	}
	timings, err := r.TimingsJSON()
	if err != nil {
		return err
	}
	files := []struct {
		name string
		data []byte
	}{{"results.json", results}, {"timings.json", timings}, {"episodes.csv", r.EpisodesCSV()}, {"metrics.csv", r.MetricsCSV()}}
	for _, file := range files {
		if err := runlog.WriteFile(filepath.Join(f.Dir, file.name), file.data); err != nil {
			return err
		}
	}
	return nil
}

// ScoreOptions of [ScoreRun]. The zero value is useful.
type ScoreOptions struct {
	// ChangedTasks accepts tasks that are not those that the run was on: the run goes under their hash from now on, and
	// keeps the one that it was begun with.
	ChangedTasks bool
}

// ScoreRun scores a run that is locked, see [runlog.Lock], from its log and tasks alone. The error wraps
// [ErrTasks] if the tasks have changed since the run.
func ScoreRun(f *runlog.Folder, opt ScoreOptions) (*Results, error) {
	r, err := results(f)
	if err != nil {
		return nil, err
	}
	err = checkTasks(f, r.Tasks)
	switch {
	case err == nil:
		return r, nil
	case !opt.ChangedTasks:
		return nil, err
	}
	s := &f.Manifest.Suite
	if s.Begun == "" {
		s.Begun = s.Hash
	}
	s.Hash, s.Gold = hashTasks(r.Tasks), hashGold(r.Tasks)
	r.Manifest = f.Manifest
	return r, f.Save()
}

// ReadRun scores the run in a folder from its log and tasks alone. The error wraps [ErrTasks] if the tasks have
// changed since the run.
func ReadRun(dir string) (*Results, error) {
	f, err := runlog.Look(dir)
	if err != nil {
		return nil, err
	}
	r, err := results(f)
	if err != nil {
		return nil, err
	}
	if err := checkTasks(f, r.Tasks); err != nil {
		return nil, err
	}
	return r, nil
}

// results scores the log of a folder while it is read.
func results(f *runlog.Folder) (*Results, error) {
	tasks, err := LoadTasks(f)
	if err != nil {
		return nil, err
	}
	g := newGathering(f.Manifest, tasks, f)
	torn, err := f.Each(g.light, g.take)
	if err != nil {
		return nil, err
	}
	r := g.results()
	r.Dropped = torn
	return r, nil
}
