package memory

import (
	"fmt"
	"slices"
	"strings"

	"almanac/toolkits"
)

// Unmet are the tools that cannot be called, with the reason: a required input wants a kind of artifact that none of
// these tools makes from what a request says, or from what other tools make of it. Numbers, texts, places and periods
// can be said. have are kinds of artifact that are there already.
func Unmet(tools []*toolkits.Tool, have ...string) map[string]string {
	made := map[string]bool{}
	for _, kind := range have {
		made[kind] = true
	}
	left := slices.Clone(tools)
	for again := true; again; {
		again = false
		left = slices.DeleteFunc(left, func(t *toolkits.Tool) bool {
			if lacking(t, made) != "" {
				return false
			}
			for _, o := range t.Outputs {
				for _, kind := range outputKinds(t, o) {
					made[kind] = true
				}
			}
			again = true
			return true
		})
	}
	out := map[string]string{}
	for _, t := range left {
		out[t.Name] = lacking(t, made)
	}
	return out
}

// lacking says which required input of a tool nothing makes; "" where there is none.
func lacking(t *toolkits.Tool, made map[string]bool) string {
	for _, p := range t.Params {
		if p.Required && !slices.ContainsFunc(p.Kinds, func(kind string) bool { return !artifactKind(kind) || made[kind] }) {
			return fmt.Sprintf("%s wants a %s, and no tool makes one", p.Name, strings.Join(p.Kinds, " or "))
		}
	}
	return ""
}

// outputKinds are the kinds that an output can have: its own, or those of the parameter that it is named after.
func outputKinds(t *toolkits.Tool, o toolkits.Output) []string {
	param, same := strings.CutPrefix(o.Kind, "@")
	if !same {
		return []string{o.Kind}
	}
	for _, p := range t.Params {
		if p.Name == param && len(p.Kinds) == 1 {
			return p.Kinds
		}
	}
	return nil // the same as what went in: nothing new
}

func artifactKind(kind string) bool { return toolkits.Value{Kind: kind}.IsArtifact() }
