package eval

import (
	"math"
	"math/rand/v2"
	"slices"

	"almanac/eval/metric"
	"almanac/eval/runlog"
	"almanac/eval/stats"
	"almanac/scenarios"
)

// Sensitivity says whether the order of the setups hangs on choices that others would make otherwise: the weights inside
// tool_use_score, and how wide the tolerances are.
type Sensitivity struct {
	Setups []runlog.Arm // that contend
	// Median and Least are of Spearman's correlation between the order by the published weights and the orders by
	// Draws sets of weights, each ± 0.10, cut at 0 and made to sum to 1.
	Median, Least *float64
	Draws         int
	WeightsReason string
	Tolerances    []AtTolerance
}

// AtTolerance are the scores with all tolerances times Factor, in the order of the setups. Moved is how many setups have
// another place by success than at factor 1.
type AtTolerance struct {
	Factor                 float64
	Success, Hit, NumScore []*float64
	Moved                  int
	places                 []float64
}

const (
	weightDraws = 1000
	weightSlack = 0.10
)

// toleranceFactors are what metrics.md asks for.
var toleranceFactors = []float64{0.25, 0.5, 1, 2, 4}

func (r *Results) sensitivity() *Sensitivity {
	s := &Sensitivity{Draws: weightDraws}
	var lists [][]*EpisodeResult
	for _, x := range r.Setups {
		if !outside(x.Arm.Setup) && !x.NoScore() {
			s.Setups = append(s.Setups, x.Arm)
			lists = append(lists, r.of(x.Arm))
		}
	}
	if len(s.Setups) < 2 {
		return nil
	}
	s.weights(lists)
	for _, f := range toleranceFactors {
		s.Tolerances = append(s.Tolerances, atTolerance(f, lists))
	}
	base := s.Tolerances[slices.Index(toleranceFactors, 1)].places
	for i := range s.Tolerances {
		for j, p := range s.Tolerances[i].places {
			if p != base[j] {
				s.Tolerances[i].Moved++
			}
		}
	}
	return s
}

// weights draws weights and compares the orders. A score is linear in its parts, so the setups' mean parts are enough.
func (s *Sensitivity) weights(lists [][]*EpisodeResult) {
	parts := metric.ToolUseParts()
	means := make([][]float64, len(lists))
	for i, list := range lists {
		for _, p := range parts {
			m, ok := stats.TaskMean(observations(list, metricOf(p.Name)))
			if !ok {
				s.WeightsReason = stats.NoData
				return
			}
			means[i] = append(means[i], m)
		}
	}
	score := func(w []float64) []float64 {
		out := make([]float64, len(means))
		for i, m := range means {
			for k := range w {
				out[i] += float64(w[k] * m[k])
			}
		}
		return out
	}
	published := make([]float64, len(parts))
	for k, p := range parts {
		published[k] = p.Weight
	}
	first := score(published)
	rng := rand.New(rand.NewPCG(stats.DefaultSeed, 1))
	var all []float64
	for range weightDraws {
		r, why := stats.Spearman(first, score(drawn(rng, published)))
		if r == nil {
			s.WeightsReason = why
			return
		}
		all = append(all, *r)
	}
	slices.Sort(all)
	median := (all[weightDraws/2-1] + all[weightDraws/2]) / 2
	s.Median, s.Least = &median, &all[0]
}

// drawn are weights near the given ones, which sum to 1.
func drawn(rng *rand.Rand, published []float64) []float64 {
	out := make([]float64, len(published))
	sum := 0.0
	for k, w := range published {
		out[k] = math.Max(0, w+weightSlack*(2*rng.Float64()-1))
		sum += out[k]
	}
	if sum == 0 {
		return slices.Clone(published)
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// atTolerance scores the answers again with all tolerances times a factor.
func atTolerance(factor float64, lists [][]*EpisodeResult) AtTolerance {
	out := AtTolerance{Factor: factor}
	var success []float64
	for _, list := range lists {
		again := map[*EpisodeResult]*metric.Case{}
		for _, e := range list {
			if !e.Harness {
				c := *e.Scores.Case
				c.Fields = fieldScores(widened(e.Task.Task, factor), e.Scores.Trace)
				again[e] = &c
			}
		}
		mean := func(name string) *float64 {
			m, _ := metric.Find(name)
			v, ok := stats.TaskMean(observations(list, func(e *EpisodeResult) (float64, bool) {
				x := m.Compute(again[e]).Value
				if x == nil {
					return 0, false
				}
				return *x, true
			}))
			if !ok {
				return nil
			}
			return &v
		}
		s := mean("success")
		out.Success, out.Hit, out.NumScore = append(out.Success, s), append(out.Hit, mean("hit_at_tol")), append(out.NumScore, mean("num_score"))
		if s == nil {
			s = new(float64)
		}
		success = append(success, *s)
	}
	for _, v := range success { // a place is one more than the number of better setups
		better := 0
		for _, w := range success {
			if w > v+1e-12 {
				better++
			}
		}
		out.places = append(out.places, float64(better+1))
	}
	return out
}

// widened is a task with its tolerances times a factor.
func widened(t scenarios.Task, factor float64) scenarios.Task {
	t.Answer = slices.Clone(t.Answer)
	for i := range t.Answer {
		f := &t.Answer[i]
		f.AbsTol, f.RelTol, f.Floor = f.AbsTol*factor, f.RelTol*factor, f.Floor*factor
	}
	return t
}

func (s *Sensitivity) object() any {
	if s == nil {
		return nil
	}
	names := []object{}
	for _, a := range s.Setups {
		names = append(names, object{{"setup", a.Setup}, {"model", orNull(a.Model)}})
	}
	weights := object{{"draws", s.Draws}, {"spearman_median", rounded(s.Median)}, {"spearman_min", rounded(s.Least)}}
	if s.WeightsReason != "" {
		weights.set("reason", s.WeightsReason)
	}
	at := []object{}
	for _, t := range s.Tolerances {
		at = append(at, object{{"factor", t.Factor}, {"success", roundedAll(t.Success)}, {"hit_at_tol", roundedAll(t.Hit)},
			{"num_score", roundedAll(t.NumScore)}, {"moved", t.Moved}})
	}
	return object{{"setups", names}, {"weights", weights}, {"tolerance", at}}
}

func roundedAll(list []*float64) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = rounded(v)
	}
	return out
}
