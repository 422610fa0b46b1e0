package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"almanac/eval/runlog"
	"almanac/orchestrator/binding"
	"almanac/orchestrator/event"
	"almanac/scenarios"
	"almanac/toolkits/artifact"
)

// Finding is something in a run folder that does not hold.
type Finding struct {
	Where string
	What  string
}

func (f Finding) String() string { return f.Where + ": " + f.What }

// VerifyOptions of [Verify]. The zero value is useful.
type VerifyOptions struct {
	// Stated reads the numbers and periods out of a request, so that the engine's finding that a field is bound is
	// derived again as a whole; nil checks the chain only.
	Stated func(scenarios.Task) binding.Request
}

// Verified says how much was looked at.
type Verified struct {
	Episodes, Figures, Artifacts, Messages, Chains int
	Findings                                       []Finding
	// Unverifiable says what this run does not hold, so that nobody can look at it.
	Unverifiable []string
}

// Verify recomputes a run from its log: every figure of results.json and the tables, the hash of every artifact and
// message that the log names, the chain of every bound field, and every total from its parts. The error says that the
// run cannot be read at all.
func Verify(ctx context.Context, dir string, opt VerifyOptions) (*Verified, error) {
	f, events, err := runlog.Open(dir)
	if err != nil {
		return nil, err
	}
	tasks, err := LoadTasks(f)
	if err != nil {
		return nil, err
	}
	res, err := Summarise(f.Manifest, tasks, events.List)
	if err != nil {
		return nil, err
	}
	res.Dropped = events.Torn
	store, err := artifact.Open(f.ArtifactDir(), nil)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	v := &verifier{Verified: &Verified{Episodes: len(res.Episodes)}, folder: f, res: res, store: store, opt: opt, seen: map[string]bool{}}
	v.imported()
	v.suite()
	v.files()
	v.totals()
	for _, e := range events.List {
		v.event(ctx, e)
	}
	for _, e := range res.Episodes {
		v.chains(ctx, e)
	}
	return v.Verified, ctx.Err()
}

type verifier struct {
	*Verified
	folder *runlog.Folder
	res    *Results
	store  *artifact.Store
	opt    VerifyOptions
	seen   map[string]bool // hashes of artifacts and messages
}

func (v *verifier) find(where, format string, args ...any) {
	v.Findings = append(v.Findings, Finding{where, fmt.Sprintf(format, args...)})
}

// imported says what the log of another harness leaves open.
func (v *verifier) imported() {
	if v.folder.Manifest.Imported == nil {
		return
	}
	bound := 0
	for _, e := range v.res.Episodes {
		if e.Scores.Trace.Answer == nil {
			continue
		}
		for _, f := range e.Scores.Trace.Answer.Fields {
			if f.Bound {
				bound++
			}
		}
	}
	v.Unverifiable = []string{
		fmt.Sprintf("the run was imported from a log in %s format: what the log says was done is taken as said", v.folder.Manifest.Imported.Format),
		"no tool was run here: the results of calls, their artifacts and their content are not there",
		fmt.Sprintf("%d answer fields have a chain back to data", bound),
	}
}

// suite checks that the tasks are those that the run says it was on.
func (v *verifier) suite() {
	want := v.res.Manifest.Suite.Hash
	if gold := v.res.Manifest.Suite.Gold; gold != "" && hashGold(v.res.Tasks) != gold {
		v.find("tasks", "what the gold schedules did is not what it was in the run")
	}
	if want == "" {
		return
	}
	if got := hashTasks(v.res.Tasks); got != want {
		v.find("tasks", "the tasks hash to %.12s, the run was on %.12s", got, want)
	}
}

// files compares what was written with what the log gives.
func (v *verifier) files() {
	want, err := v.res.JSON()
	if err != nil {
		v.find("results.json", "%v", err)
		return
	}
	have, err := os.ReadFile(filepath.Join(v.folder.Dir, "results.json"))
	switch {
	case errors.Is(err, os.ErrNotExist):
		v.find("results.json", "is not there: almanac eval score writes it")
	case err != nil:
		v.find("results.json", "%v", err)
	default:
		v.results(have, want)
	}
	tables := map[string][]byte{"episodes.csv": v.res.EpisodesCSV(), "metrics.csv": v.res.MetricsCSV()}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		have, err := os.ReadFile(filepath.Join(v.folder.Dir, name))
		if err != nil {
			v.find(name, "%v", err)
		} else if !bytes.Equal(have, tables[name]) {
			v.find(name, "differs from what the log gives")
		}
	}
}

func (v *verifier) results(have, want []byte) {
	var h, w any
	if err := json.Unmarshal(have, &h); err != nil {
		v.find("results.json", "cannot be read: %v", err)
		return
	}
	if err := json.Unmarshal(want, &w); err != nil {
		v.find("results.json", "%v", err)
		return
	}
	v.differences("results.json", h, w)
	if len(v.Findings) == 0 && !bytes.Equal(have, want) {
		v.find("results.json", "has the right figures but not the bytes that this program writes")
	}
}

// differences names every figure that is not what the log gives.
func (v *verifier) differences(path string, have, want any) {
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok {
			v.find(path, "is %v, the log gives an object", have)
			return
		}
		for _, key := range slices.Sorted(maps.Keys(w)) {
			v.differences(path+"."+key, h[key], w[key])
		}
		for _, key := range slices.Sorted(maps.Keys(h)) {
			if _, ok := w[key]; !ok {
				v.find(path+"."+key, "is there, and the log does not give it")
			}
		}
	case []any:
		h, ok := have.([]any)
		if !ok || len(h) != len(w) {
			v.find(path, "has another number of entries than the log gives (%d)", len(w))
			return
		}
		for i := range w {
			v.differences(fmt.Sprintf("%s[%d]", path, i), h[i], w[i])
		}
	default:
		v.Figures++
		if !reflect.DeepEqual(have, want) {
			v.find(path, "is %v, the log gives %v", have, want)
		}
	}
}

// totals checks that parts add up: roles to an episode's tokens, episodes to a setup's.
func (v *verifier) totals() {
	for _, s := range v.res.Setups {
		sum := int64(0)
		known := true
		for _, e := range v.res.of(s.Arm) {
			if e.Harness {
				continue
			}
			u := e.Scores.Usage
			parts, ok := int64(0), true
			for role, t := range u.ByRole {
				if role == RoleEmbedder || role == RoleJudge {
					continue
				}
				if t.Total == nil {
					ok = false
					continue
				}
				parts += *t.Total
			}
			if (u.Tokens.Total != nil) != ok || ok && *u.Tokens.Total != parts {
				v.find(e.ID, "the roles' tokens do not add up to the episode's")
			}
			if u.Tokens.Total == nil {
				known = false
			} else {
				sum += *u.Tokens.Total
			}
		}
		if (s.Tokens.Total != nil) != known || known && *s.Tokens.Total != sum {
			v.find(armName(s.Arm), "the episodes' tokens do not add up to the setup's")
		}
		v.Figures++
	}
}

// event checks the hashes that an event names.
func (v *verifier) event(ctx context.Context, e event.Event) {
	where := fmt.Sprintf("event %d (%s)", e.Seq, e.Episode)
	switch b := e.Body.(type) {
	case *event.ModelRequest:
		for _, h := range b.Messages {
			v.message(where, h)
		}
	case *event.ModelReply:
		v.message(where, b.Message)
	case *event.ToolResult:
		for _, o := range b.Outputs {
			v.artifact(ctx, where, o)
		}
	}
}

func (v *verifier) message(where, h string) {
	if h == "" || v.seen["m"+h] {
		return
	}
	v.seen["m"+h] = true
	v.Messages++
	if _, err := v.folder.Message(h); err != nil {
		v.find(where, "%v", err)
	}
}

// artifact checks that an output's artifact is there, has its hash, and holds the value that the log gives.
func (v *verifier) artifact(ctx context.Context, where string, o event.Output) {
	if o.Artifact == "" || v.seen["a"+o.Artifact] {
		return
	}
	v.seen["a"+o.Artifact] = true
	v.Artifacts++
	h := artifact.Hash(o.Artifact)
	if err := v.store.Verify(ctx, h); err != nil {
		v.find(where, "output %s: %v", o.Name, err)
		return
	}
	value, _, err := v.store.Get(ctx, h)
	if err != nil {
		v.find(where, "output %s: %v", o.Name, err)
		return
	}
	if s, ok := value.(*artifact.Scalar); ok {
		if x, isNumber := o.Value.(float64); isNumber && x != s.Value {
			v.find(where, "output %s is %v in the log and %v in its artifact", o.Name, x, s.Value)
		}
	}
}

// chains derives again which fields of an episode's answer are bound.
func (v *verifier) chains(ctx context.Context, e *EpisodeResult) {
	t := e.Scores.Trace
	if t.Answer == nil || e.Harness {
		return
	}
	var stated binding.Request = statesAll{}
	if v.opt.Stated != nil {
		stated = v.opt.Stated(e.Task.Task)
	}
	for _, f := range t.Answer.Fields {
		if !f.Bound {
			continue
		}
		v.Chains++
		where := e.ID + " " + f.Key
		if ok, reason := binding.Check(f, t.call, stated); !ok {
			v.find(where, "is marked bound, but %s", reason)
			continue
		}
		v.provenance(ctx, where, f, t)
	}
}

// provenance checks that the store's own record leads from the artifact to the call.
func (v *verifier) provenance(ctx context.Context, where string, f event.AnswerField, t *Trace) {
	records, err := v.store.Provenance(ctx, artifact.Hash(f.Artifact))
	if err != nil {
		v.find(where, "%v", err)
		return
	}
	c, _ := t.call(f.Call)
	for _, r := range records {
		if r.Call == c.Call.Key && r.Tool == c.Call.Tool && r.Field == f.Output {
			return
		}
	}
	v.find(where, "no provenance record says that %s (call %s) made artifact %.12s", c.Call.Tool, f.Call, f.Artifact)
}
