package memory

import (
	"fmt"
	"slices"
	"strings"

	"almanac/toolkits"
	"almanac/toolkits/artifact"
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

// outputKinds are the kinds that an output adds to what there is. One that is named after a parameter is of the kind that
// went in, or, where that is a name, of the kind of what it names: any.
func outputKinds(t *toolkits.Tool, o toolkits.Output) []string {
	param, named := strings.CutPrefix(o.Kind, "@")
	if !named {
		return []string{o.Kind}
	}
	i := slices.IndexFunc(t.Params, func(p toolkits.Param) bool { return p.Name == param })
	if i >= 0 && slices.ContainsFunc(t.Params[i].Kinds, artifactKind) {
		return nil
	}
	return []string{artifact.KindRaster, artifact.KindSeries, artifact.KindTable, artifact.KindVector}
}

func artifactKind(kind string) bool { return toolkits.Value{Kind: kind}.IsArtifact() }
