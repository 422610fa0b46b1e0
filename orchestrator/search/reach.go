package search

import (
	"strings"

	"almanac/orchestrator/schedule"
)

// reach are the units that artifacts of each kind can have in a catalog, whatever is called: an input with a unit that
// none has need not be searched for. No rasters are in km2.
type reach map[string]*reachable

type reachable struct {
	units   []string
	unknown bool // some have a unit that is known only when the call has run
}

// reachOf follows the units from the choices and declared outputs through the tools that hand them on, at most depth
// calls deep.
func reachOf(sigs []schedule.Signature, units schedule.Units, depth int) reach {
	r := reach{}
	for range depth {
		grown := false
		for i := range sigs {
			for j := range sigs[i].Outputs {
				grown = r.follow(&sigs[i], &sigs[i].Outputs[j], units) || grown
			}
		}
		if !grown {
			break
		}
	}
	return r
}

// follow adds what one output can be, and tells whether that is new.
func (r reach) follow(sig *schedule.Signature, out *schedule.Output, units schedule.Units) bool {
	kind, kindOf := strings.CutPrefix(out.Kind, "@")
	rest, unitOf := strings.CutPrefix(out.Unit, "@")
	name, factor, _ := strings.Cut(rest, " ")
	if !kindOf && !unitOf {
		return r.add(kind, out.Unit)
	}
	grown := false
	for i := range sig.Params {
		p := &sig.Params[i]
		if kindOf && p.Name != kind || !kindOf && p.Name != name {
			continue
		}
		for _, c := range p.Enum {
			grown = r.add(kindOr(kindOf, c.Kind, kind), times(units, c.Unit, factor)) || grown
		}
		for _, k := range artifactKinds(p.Kinds) {
			from := r[k]
			if from == nil {
				continue
			}
			if from.unknown {
				grown = r.add(kindOr(kindOf, k, kind), "") || grown
			}
			for _, u := range from.units {
				grown = r.add(kindOr(kindOf, k, kind), times(units, u, factor)) || grown
			}
		}
	}
	return grown
}

func kindOr(taken bool, a, b string) string {
	if taken {
		return a
	}
	return b
}

func times(units schedule.Units, unit, factor string) string {
	if unit == "" || factor == "" {
		return unit
	}
	product, err := units.Mul(unit, factor)
	if err != nil {
		return ""
	}
	return product
}

func (r reach) add(kind, unit string) bool {
	k := r[kind]
	if k == nil {
		k = &reachable{}
		r[kind] = k
	}
	switch {
	case unit == "" && !k.unknown:
		k.unknown = true
	case unit != "" && !has(k.units, unit):
		k.units = append(k.units, unit)
	default:
		return false
	}
	return true
}

// can tells whether an artifact can meet the goal.
func (r reach) can(s *searcher, g goal) bool {
	if g.unit == "" {
		return true
	}
	for _, kind := range artifactKinds(g.kinds) {
		k := r[kind]
		if k == nil {
			continue
		}
		if k.unknown {
			return true
		}
		for _, u := range k.units {
			if s.answers(u, g.unit) {
				return true
			}
		}
	}
	return false
}
