package eval

import (
	"slices"
	"strings"

	"almanac/eval/runlog"
	"almanac/eval/stats"
)

// memorySuffix marks a setup that is another one with a workflow memory.
const memorySuffix = "+wm"

// Memory is what a setup's workflow memory did, over the episodes that count.
type Memory struct {
	Asked int // episodes that asked the memory
	Empty int // of these, with nothing to remember
	Hit   int // of these, with a workflow that was used
	// States counts hits by the state of the memory: seeded, online.
	States map[string]int
	// Leaked names the remembered workflows that come from a task or a template of this very run, though the memory was
	// filled before it. A memory that grows during the run remembers its tasks by right.
	Leaked []string
	// Base is the same setup without a memory, and Gain the paired difference in success on the tasks that had a hit; nil
	// without such a setup, or without a hit.
	Base *runlog.Arm
	Gain *stats.Paired
}

// memories fills in what workflow memories did.
func (r *Results) memories() {
	own := map[string]bool{}
	for _, t := range r.Tasks {
		own[t.Task.ID], own[t.Task.Template] = true, true
	}
	for _, s := range r.Setups {
		list := r.of(s.Arm)
		m := Memory{States: map[string]int{}}
		hit := map[string]bool{}
		for _, e := range list {
			if e.Harness || len(e.Scores.Trace.Hits) == 0 {
				continue
			}
			m.Asked++
			used := false
			for _, h := range e.Scores.Trace.Hits {
				if h.Entry == "" {
					continue
				}
				used = true
				m.States[h.State]++
				if h.State != "online" && leaks(h.Entry, own) && !slices.Contains(m.Leaked, h.Entry) {
					m.Leaked = append(m.Leaked, h.Entry)
				}
			}
			if !used {
				m.Empty++
				continue
			}
			m.Hit++
			hit[e.Task.Task.ID] = true
		}
		slices.Sort(m.Leaked)
		r.gain(s.Arm, &m, hit)
		s.Memory = m
	}
}

// leaks says whether an entry is named after a task or a template of the run: the whole of it, or a part between
// slashes or colons.
func leaks(entry string, own map[string]bool) bool {
	if own[entry] {
		return true
	}
	return slices.ContainsFunc(strings.FieldsFunc(entry, func(r rune) bool { return r == '/' || r == ':' || r == '#' }),
		func(part string) bool { return own[part] })
}

func (r *Results) gain(arm runlog.Arm, m *Memory, hit map[string]bool) {
	name, with := strings.CutSuffix(arm.Setup, memorySuffix)
	if !with || m.Hit == 0 {
		return
	}
	for _, a := range r.Manifest.Arms {
		if a.Setup != name || a.Model != arm.Model {
			continue
		}
		success := func(e *EpisodeResult) (float64, bool) {
			if !hit[e.Task.Task.ID] {
				return 0, false
			}
			return metricOf("success")(e)
		}
		p := stats.Compare(observations(r.of(arm), success), observations(r.of(a), success), true, stats.Options{Share: true})
		p.Lo, p.Hi = stats.Clip(p.Lo, p.Hi, -1, 1)
		m.Base, m.Gain = &a, &p
	}
}

func (m Memory) object() object {
	o := object{{"asked", m.Asked}, {"empty", m.Empty}, {"hits", m.Hit}, {"states", counts(m.States)}, {"leaked", orEmpty(m.Leaked)}}
	if m.Gain == nil {
		o.set("gain", nil)
		return o
	}
	o.set("gain", object{{"base", m.Base.Setup}, {"diff", rounded(m.Gain.Diff)}, {"lo", rounded(m.Gain.Lo)}, {"hi", rounded(m.Gain.Hi)},
		{"tasks", m.Gain.Tasks}})
	return o
}
