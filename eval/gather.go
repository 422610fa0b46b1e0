package eval

import (
	"fmt"

	"almanac/eval/metric"
	"almanac/eval/runlog"
	"almanac/orchestrator/event"
)

// fullEpisodes is the number of episodes up to which a run's results keep every trace. Of a longer run they keep what is
// compared; a trace is read again when it is shown.
const fullEpisodes = 1000

// gathering scores episodes while their log goes by, so that no more of it is kept than the episodes that are under way.
type gathering struct {
	r      *Results
	folder *runlog.Folder // where traces are read again; nil keeps them all
	places []*place       // in the order of setups, tasks and repeats
	byID   map[string]*place
	light  bool
}

// place is one episode of the run, with what the log said of it so far.
type place struct {
	arm    runlog.Arm
	task   *Task
	repeat int
	best   *EpisodeResult // the newest attempt that counts, or else the newest with an end
	counts bool           // best does
	open   *runlog.Attempt
	lines  []runlog.Line // of open
	sums   EpisodeResult // of all attempts: their number, times, and tokens of those that are not the best
}

func newGathering(m runlog.Manifest, tasks []Task, folder *runlog.Folder) *gathering {
	g := &gathering{r: &Results{Manifest: m, Tasks: tasks}, folder: folder, byID: map[string]*place{}}
	for _, arm := range m.Arms {
		for i := range tasks {
			for repeat := range max(1, m.Repeats) {
				p := &place{arm: arm, task: &tasks[i], repeat: repeat}
				p.sums.ID = EpisodeID(arm, tasks[i].Task.ID, repeat)
				p.sums.AbandonedTokens = Tokens{Total: new(int64), Prompt: new(int64), Completion: new(int64)}
				g.places = append(g.places, p)
				g.byID[p.sums.ID] = p
			}
		}
	}
	g.light = folder != nil && len(g.places) > fullEpisodes
	return g
}

// take takes the next event of the log.
func (g *gathering) take(e event.Event, at runlog.Line) error {
	if e.Episode == "" {
		return nil
	}
	p := g.byID[e.Episode]
	if p == nil {
		return fmt.Errorf("eval: episode %s is in the log, but no setup and task of the run have it", e.Episode)
	}
	switch body := e.Body.(type) {
	case *event.EpisodeStart:
		p.cutOff()
		p.open = &runlog.Attempt{Start: body, First: e, Last: e}
	case *event.EpisodeEnd:
		if p.open != nil {
			p.open.End, p.open.Last = body, e
			g.ended(p)
		}
	default:
		if p.open != nil {
			p.open.Events, p.open.Last = append(p.open.Events, e), e
			if g.light {
				p.lines = append(p.lines, at)
			}
		}
	}
	return nil
}

// cutOff closes an attempt that has no end.
func (p *place) cutOff() {
	if a := p.open; a != nil {
		p.sums.Attempts++
		p.sums.Seconds += max(0, a.Last.Time.Sub(a.First.Time).Seconds())
		p.abandon(usage(NewTrace(a.Events)))
	}
	p.open, p.lines = nil, nil
}

func (p *place) abandon(u Usage) { p.sums.AbandonedTokens = p.sums.AbandonedTokens.add(u.Tokens) }

// ended scores an attempt that came to its end, if it is better than what there is.
func (g *gathering) ended(p *place) {
	a, lines := p.open, p.lines
	p.open, p.lines = nil, nil
	p.sums.Attempts++
	p.sums.Seconds += a.End.Seconds
	p.sums.QueueSeconds += a.End.QueueSeconds
	if p.best != nil && p.counts && !a.Counts() {
		p.abandon(usage(NewTrace(a.Events)))
		return
	}
	if p.best != nil {
		p.abandon(p.best.Scores.Usage)
	}
	p.counts = a.Counts()
	p.best = &EpisodeResult{
		ID: p.sums.ID, Arm: p.arm, Task: p.task, Repeat: p.repeat, Seed: a.Start.Seed, Outcome: a.End.Outcome, Reason: a.End.Reason,
		Harness: a.End.Outcome == event.Harness, Scores: Score(*p.task, a.Events), Started: a.First.Time,
	}
	if g.light {
		p.best.Scores.lighten(p.arm.Setup)
		p.best.again = func() (*Scores, error) {
			events, err := g.folder.At(lines)
			if err != nil {
				return nil, err
			}
			return Score(*p.task, events), nil
		}
	}
}

// results are those of what was taken.
func (g *gathering) results() *Results {
	r := g.r
	for _, p := range g.places {
		p.cutOff()
		if p.best == nil || p.best.Outcome == event.Cancelled {
			r.Unstarted = append(r.Unstarted, fmt.Sprintf("%s: %s, repeat %d", armName(p.arm), p.task.Task.ID, p.repeat))
			continue
		}
		e := p.best
		e.Attempts, e.Seconds, e.QueueSeconds, e.AbandonedTokens = p.sums.Attempts, p.sums.Seconds, p.sums.QueueSeconds, p.sums.AbandonedTokens
		r.Episodes = append(r.Episodes, e)
		if e.Harness {
			r.HarnessErrors = append(r.HarnessErrors, e)
		}
	}
	r.summarise()
	return r
}

// lighten drops what no figure of the results is made from: what is left is what setups are compared by.
func (s *Scores) lighten(setup string) {
	t := s.Trace
	s.Trace = &Trace{Schedules: t.Schedules, Selected: t.Selected, Errors: t.Errors, Answer: t.Answer, Hits: t.Hits}
	old := s.Case
	s.Case = &metric.Case{Decline: old.Decline, Declined: old.Declined, GoldIndex: old.GoldIndex, Fields: old.Fields, Missing: old.Missing,
		Objects: old.Objects}
	if len(t.Selected) > 0 {
		for _, c := range old.Gold {
			s.Case.Gold = append(s.Case.Gold, metric.Call{Tool: c.Tool})
		}
	}
	if setup == "squad" || setup == "search" {
		for _, c := range old.Predicted {
			s.Case.Predicted = append(s.Case.Predicted, metric.Call{Key: c.Key, Success: c.Success})
		}
	}
}
