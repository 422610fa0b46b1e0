package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	"almanac/agents/llm"
	"almanac/orchestrator/executor"
	"almanac/orchestrator/schedule"
	"almanac/orchestrator/toolcatalog"
)

const (
	shownTools   = 10 // tools whose signatures the supervisor sees, before the producers of what they need
	maxToolsSeen = 12
	programLimit = 400 // tokens of a schedule
	maxInvalid   = 2   // refused programs before the typed search takes over
)

// programPlanner lets the model write the schedule. Certain repairs are made; of a program that the checker refuses the
// typed search completes what passes (see [programPlanner.complete]); where it cannot, the model is shown the problems;
// when that does not help, the typed search writes the schedule.
type programPlanner struct {
	*work
	fallback *slotPlanner
	ask      bool // objective mode
	messages []llm.Message
	invalid  int
	reasons  map[string]bool // problems that were shown already
}

func (p *programPlanner) plan(ctx context.Context) (*draft, error) {
	tools, err := p.shown(ctx)
	if err != nil {
		return nil, err
	}
	examples, err := p.memory.text(ctx, p.ep)
	if err != nil {
		return nil, err
	}
	p.reasons = map[string]bool{}
	system := prompt("squad/program.txt")
	if p.ask {
		system = prompt("squad/objective.txt")
	}
	p.messages = []llm.Message{
		{Role: llm.RoleSystem, Content: system},
		{Role: llm.RoleUser, Content: p.request(tools, examples)},
	}
	return p.write(ctx, "plan", nil)
}

// write asks for a program and reads it. old is the program that a revision changes, nil for a first one.
func (p *programPlanner) write(ctx context.Context, purpose string, old *schedule.Program) (*draft, error) {
	resp, err := p.ep.Ask(ctx, "supervisor", purpose, &llm.Request{Messages: p.messages, MaxTokens: programLimit})
	if errors.Is(err, llm.ErrBadReply) {
		return p.giveWay(ctx)
	}
	if err != nil {
		return nil, err
	}
	p.messages = append(p.messages, llm.Message{Role: llm.RoleAssistant, Content: resp.Message.Content})
	text, cat, contract := resp.Message.Content, p.catalog(), p.ep.Request.Contract
	if old == nil {
		program, repairs, problems := schedule.RepairText(text, cat, contract, p.slots, nil)
		return &draft{program: program, problems: problems, repairs: repairs, mode: p.mode}, nil
	}
	// A revision is a part: it is repaired and checked in the place where it belongs, since by itself it lacks what
	// stays, and a repair would add that anew.
	program, repairs, problems := schedule.ParseReply(text, nil)
	if len(program.Statements) == 0 {
		program = old // nothing was said that could change it
	} else {
		var more []schedule.RepairRecord
		program, more = schedule.Repair(schedule.Revise(old, program), cat, contract, p.slots, nil)
		repairs, problems = append(repairs, more...), append(problems, schedule.Check(program, cat, contract, p.slots, nil)...)
	}
	return &draft{program: program, problems: problems, repairs: repairs, mode: p.mode}, nil
}

// giveWay lets the typed search go on.
func (p *programPlanner) giveWay(ctx context.Context) (*draft, error) {
	p.mode = "mixed"
	return p.fallback.plan(ctx)
}

// revise shows the failing statements with their codes, and merges what the model sends.
func (p *programPlanner) revise(ctx context.Context, last *draft, res *executor.Result) (*draft, error) {
	if p.mode == "mixed" {
		return p.fallback.revise(ctx, last, res)
	}
	if res == nil {
		if d, err := p.complete(ctx, last); d != nil || err != nil {
			return d, err
		}
		p.invalid++
	}
	report := p.report(last, res)
	wrong, _, _ := strings.Cut(report, namesLine)
	if p.invalid >= maxInvalid || p.reasons[wrong] {
		return p.giveWay(ctx) // the same error twice
	}
	p.reasons[wrong] = true
	if p.opts.FullReplan {
		p.messages = append(p.messages[:2:2], llm.Message{Role: llm.RoleUser, Content: strings.Replace(report, revisionLine, replanLine, 1)})
		return p.write(ctx, "plan", nil)
	}
	p.messages = append(p.messages, llm.Message{Role: llm.RoleUser, Content: report})
	d, err := p.write(ctx, "revise", last.program)
	if err != nil || d == nil || d.mode == "mixed" {
		return d, err
	}
	if len(schedule.Errors(d.problems)) == 0 && p.tried[schedule.Hash(d.program)] {
		return p.giveWay(ctx) // the same revision twice
	}
	return d, nil
}

// What a report ends with: what is to be written.
const (
	revisionLine = "Write only the statements to replace or add, and answer(…) again."
	replanLine   = "Write another whole schedule."
)

// namesLine begins the line of a report that says what can be used, after what is wrong.
const namesLine = "Names that have values: "

// report says what is wrong: the checker's problems, or the steps and checks that failed.
func (p *programPlanner) report(last *draft, res *executor.Result) string {
	var b strings.Builder
	b.WriteString("This does not work yet:\n")
	if res == nil {
		for i, pr := range schedule.Errors(last.problems) {
			if i == 5 {
				break
			}
			fmt.Fprintf(&b, "- %s\n", pr)
		}
	} else {
		for _, f := range append(append([]executor.Failure(nil), res.Failures...), res.Checks...) {
			fmt.Fprintf(&b, "- %s\n  %s\n", f.Text, f.Message)
		}
		for _, f := range res.Answer {
			if f.Value == nil {
				fmt.Fprintf(&b, "- answer field %s: %s\n", f.Key, f.Reason)
			}
		}
		var done []string
		for _, s := range res.Steps {
			if s.State == executor.Done {
				done = append(done, s.Name)
			}
		}
		if len(done) > 0 {
			b.WriteString(namesLine + strings.Join(done, ", ") + "\n")
		}
	}
	b.WriteString(revisionLine)
	return b.String()
}

// shown are the tools that the model sees: the best for the request, and those that make what these need.
func (p *programPlanner) shown(ctx context.Context) ([]schedule.Signature, error) {
	k := p.opts.TopK
	if k == 0 {
		k = shownTools
	}
	query := selectionQuery(p.ep)
	ranked, err := p.rank(ctx, query, k, allowedIn(p.ep))
	if err != nil {
		return nil, err
	}
	limit := max(maxToolsSeen, p.opts.TopK)
	if p.opts.NoSelection {
		k, limit = len(ranked), len(ranked)
	}
	cat := p.catalog()
	seen := map[string]bool{}
	var out []schedule.Signature
	add := func(name string) {
		sig, ok := cat.Signature(name)
		if ok && !seen[name] && len(out) < limit {
			seen[name] = true
			out = append(out, sig)
		}
	}
	for _, r := range ranked[:min(k, len(ranked))] {
		add(r.Tool)
	}
	for _, name := range producers(cat, out) {
		add(name)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

// producers are the tools that make the kinds that the shown tools need, data first.
func producers(cat *toolcatalog.Catalog, shown []schedule.Signature) []string {
	need := map[string]bool{}
	for _, s := range shown {
		for _, p := range s.Params {
			for _, k := range p.Kinds {
				need[k] = need[k] || p.Required
			}
		}
	}
	names := []string{"data.open"}
	for _, s := range cat.Signatures() {
		for _, o := range s.Outputs {
			if need[o.Kind] && (o.Kind == schedule.KindSeries || o.Kind == schedule.KindVector) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// request is what changes from task to task: the tools shown, the slots, the question and the fields.
func (p *programPlanner) request(tools []schedule.Signature, examples string) string {
	var b strings.Builder
	if p.ask {
		b.WriteString("Agents:\n")
		for _, a := range p.team.Agents {
			fmt.Fprintf(&b, "%s: %s\n", a.Name, a.Purpose)
		}
	}
	b.WriteString("Tools:\n")
	for _, s := range tools {
		if t, err := p.ep.Tools.Tool(s.Name); err == nil {
			b.WriteString(t.Signature() + "  # " + t.Purpose + "\n")
		}
	}
	b.WriteString("Data sets:\n" + p.team.dataLines(p.request0()))
	if names := p.slotLines(); names != "" {
		b.WriteString("Slots read from the question:\n" + names)
	}
	b.WriteString(examples + question(p.ep))
	b.WriteString("Schedule:\n")
	return b.String()
}

func (p *programPlanner) request0() []string {
	var words []string
	for _, it := range p.work.request.Items {
		for _, o := range it.Options {
			words = append(words, o.Dataset)
		}
		words = append(words, it.Name)
	}
	return words
}

// slotLines lists the slots with what they hold.
func (p *programPlanner) slotLines() string {
	names := make([]string, 0, len(p.values))
	for name := range p.values {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		v := p.values[name]
		fmt.Fprintf(&b, "task.%s = %v %s\n", name, v.Plain(), v.Unit)
	}
	return b.String()
}

// dataLines lists the data sets with their variables, those that the request names first.
func (t *Team) dataLines(named []string) string {
	var first, rest []string
	for _, d := range t.Data.Datasets() {
		names := make([]string, len(d.Variables))
		for i, v := range d.Variables {
			names[i] = v.Name + " [" + v.Unit + "]"
		}
		line := fmt.Sprintf("%s (%s): %s\n", d.Name, d.Kind, strings.Join(names, ", "))
		if contains(named, d.Name) {
			first = append(first, line)
		} else {
			rest = append(rest, line)
		}
	}
	return strings.Join(append(first, rest...), "")
}
