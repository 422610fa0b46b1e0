package orchestrator

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/toolkits/units"
)

const (
	// DefaultSamples of single-sc where neither an option nor a calibration says how many.
	DefaultSamples = 3
	sampleTemp     = 0.7
	// seedStep keeps the seeds of samples apart from those of repeats, which count up by one.
	seedStep = 1_000_003
)

var aboutSampled = about{
	differs: "single, sampled several times, with a vote on the answer",
	summary: "single, drawn n times at temperature 0.7 with a seed each; the answer that most samples agree with is given, numbers within " +
		"the field's tolerance agreeing, a tie going to the first. n is what matches squad's tokens on the dev split.",
	source:   "Self-consistency, arXiv 2203.11171, over GeoLLM-Engine, arXiv 2404.15500",
	faithful: "Independent samples of the same prompt, a vote on the final answer alone.",
	hardened: "As single. A sample that ends without a value has no vote; a used-up budget ends the drawing, and those that are there vote; " +
		"with n = 1 it is single as it stands, and no match of tokens is possible.",
	model: true, prompts: []string{"single/" + strconv.Itoa(bestSinglePrompt) + ".txt"},
}

// sampled is single with several samples and a vote: what the tokens of a team buy without a team.
type sampled struct {
	single
	n         int
	why       string
	tolerance func(task, field string, y float64) float64
}

func newSampled(team *Team, opts *Options) (Setup, error) {
	prompt, err := singlePrompt(opts.SinglePrompt)
	if err != nil {
		return nil, err
	}
	if opts.Samples < 0 {
		return nil, fmt.Errorf("orchestrator: single-sc draws 1 sample or more, not %d", opts.Samples)
	}
	s := &sampled{single: single{name: "single-sc", team: team, prompt: prompt}, tolerance: opts.Tolerance}
	s.n, s.why = opts.samples()
	return s, nil
}

// samples is how many samples single-sc draws, and why.
func (o *Options) samples() (int, string) {
	if o.Samples > 0 {
		return o.Samples, "set by option"
	}
	n, ok := o.Calibration.Samples()
	if !ok {
		return DefaultSamples, "the default: squad's and single's tokens were not measured on dev, see almanac models calibrate"
	}
	c := o.Calibration
	why := fmt.Sprintf("on %d dev tasks squad takes %.0f tokens and single %.0f", c.Tasks, *c.SquadTokens, *c.SingleTokens)
	if n == 1 {
		why += ": no match of tokens is possible, single-sc is single"
	}
	return n, why
}

// SamplesNote says how many samples single-sc draws with these options, for the table of what was compared.
func SamplesNote(opts *Options) string {
	n, why := opts.samples()
	return fmt.Sprintf("n = %d, %s", n, why)
}

// Solve draws the samples one after another and gives the answer that most of them agree with.
func (s *sampled) Solve(ctx context.Context, ep *episode.Episode) error {
	var drawn []*proposal
	for i := range s.n {
		l := newLoop(ep, "agent", nil)
		l.holds = true
		if s.n > 1 {
			l.prefix, l.sampling = fmt.Sprintf("s%d.", i+1), sample(ep, i)
		}
		if err := s.converse(ctx, ep, l); err != nil {
			return err
		}
		drawn = append(drawn, l.proposed)
		if ep.Exhausted() != "" {
			break
		}
	}
	chosen, err := s.vote(ep, drawn)
	if err != nil {
		return err
	}
	if chosen.declined {
		return ep.Decline("agent", chosen.reason, chosen.missing)
	}
	return ep.Answer("agent", chosen.fields)
}

// sample is the sampling of the i-th sample, from 0.
func sample(ep *episode.Episode, i int) sampling {
	temp := sampleTemp
	var base int64
	if s := ep.Seed(); s != nil {
		base = *s
	}
	seed := base + int64(i)*seedStep
	return sampling{&temp, &seed}
}

// vote takes the sample with which most agree, the first of them in a tie, and logs the vote. Samples without a value
// have no say where another has one.
func (s *sampled) vote(ep *episode.Episode, drawn []*proposal) (*proposal, error) {
	body := &event.Vote{Wanted: s.n, Why: s.why}
	best := 0
	for i, a := range drawn {
		agree := 0
		for _, b := range drawn {
			if a.says() && s.same(ep, a, b) {
				agree++
			}
		}
		body.Agree, body.Outcomes = append(body.Agree, agree), append(body.Outcomes, a.String())
		if agree > body.Agree[best] {
			best = i
		}
	}
	if body.Agree[best] > 0 {
		body.Chosen = best + 1
	}
	_, err := ep.Emit("engine", 0, event.TypeVote, body)
	return drawn[best], err
}

// says reports whether a sample came to anything.
func (p *proposal) says() bool {
	if p.declined {
		return true
	}
	for _, f := range p.fields {
		if f.Value != nil {
			return true
		}
	}
	return false
}

// String is a proposal in a line.
func (p *proposal) String() string {
	if p.declined {
		return "declined: " + p.reason
	}
	var parts []string
	for _, f := range p.fields {
		text := fmt.Sprintf("%s = %v %s", f.Key, f.Value, f.Unit)
		if f.Value == nil {
			text = f.Key + " without a value: " + f.Reason
		}
		parts = append(parts, strings.TrimSpace(text))
	}
	sort.Strings(parts)
	return strings.Join(parts, "; ")
}

// same reports whether two samples agree: both decline, or every field has the same value.
func (s *sampled) same(ep *episode.Episode, a, b *proposal) bool {
	if a.declined || b.declined {
		return a.declined == b.declined
	}
	values := map[string]event.AnswerField{}
	for _, f := range b.fields {
		if f.Value != nil {
			values[f.Key] = f
		}
	}
	n := 0
	for _, f := range a.fields {
		if f.Value == nil {
			continue
		}
		other, ok := values[f.Key]
		if n++; !ok || !s.agree(ep, f, other) {
			return false
		}
	}
	return n == len(values)
}

// agree compares two values of a field: numbers in the field's unit within its tolerance, all else folded.
func (s *sampled) agree(ep *episode.Episode, a, b event.AnswerField) bool {
	unit := ""
	for _, f := range ep.Request.Contract {
		if f.Key == a.Key {
			unit = f.Unit
		}
	}
	x, okX := inUnit(a, unit)
	y, okY := inUnit(b, unit)
	if !okX || !okY {
		return okX == okY && strings.EqualFold(strings.TrimSpace(fmt.Sprint(a.Value)), strings.TrimSpace(fmt.Sprint(b.Value)))
	}
	within := 1e-6 * math.Abs(x)
	if s.tolerance != nil {
		within = max(s.tolerance(ep.Request.Task, a.Key, x), within*1e-3)
	}
	return math.Abs(x-y) <= within*(1+1e-12)
}

// inUnit is a field's number in a unit; as it stands where either unit is not known or does not fit.
func inUnit(f event.AnswerField, unit string) (float64, bool) {
	var x float64
	switch v := f.Value.(type) {
	case float64:
		x = v
	case int64:
		x = float64(v)
	case int:
		x = float64(v)
	default:
		return 0, false
	}
	if f.Unit != "" && unit != "" {
		if y, err := units.Convert(x, f.Unit, unit, f.Difference); err == nil {
			return y, true
		}
	}
	return x, true
}
