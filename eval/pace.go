package eval

import (
	"time"

	"almanac/eval/runlog"
)

// pace estimates how long the rest of a run takes, from what the episodes of each arm took so far: a setup that asks a
// model many times says nothing of one that asks none.
type pace struct {
	arms map[runlog.Arm]*armPace
}

type armPace struct {
	waiting, done int
	took          time.Duration
}

func (p *pace) of(arm runlog.Arm) *armPace {
	if p.arms == nil {
		p.arms = map[runlog.Arm]*armPace{}
	}
	a := p.arms[arm]
	if a == nil {
		a = &armPace{}
		p.arms[arm] = a
	}
	return a
}

// add counts an episode that is to be run.
func (p *pace) add(arm runlog.Arm) { p.of(arm).waiting++ }

// done counts one that is finished.
func (p *pace) done(arm runlog.Arm, took time.Duration) {
	a := p.of(arm)
	a.waiting--
	a.done++
	a.took += took
}

// left is the estimate, 0 for none: with so many episodes at the same time that ask a model, and so many that ask none.
// An arm of which no episode is finished is taken to be like the mean of the other arms that ask a model; as long as there
// is no such arm, the rest is unknown.
func (p *pace) left(parallel, free int) time.Duration {
	var known armPace
	for arm, a := range p.arms {
		if arm.Model != "" {
			known.done += a.done
			known.took += a.took
		}
	}
	var total time.Duration
	for arm, a := range p.arms {
		if a.waiting == 0 {
			continue
		}
		like, lanes := a, free
		if arm.Model != "" {
			lanes = parallel
			if a.done == 0 {
				like = &known
			}
		}
		if like.done == 0 {
			return 0
		}
		total += like.took / time.Duration(like.done) * time.Duration(a.waiting) / time.Duration(lanes)
	}
	return total
}
