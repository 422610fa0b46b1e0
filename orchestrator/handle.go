package orchestrator

import (
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"almanac/orchestrator/executor"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/units"
)

// Models write handles in many ways: c1.data, {{c1.data}}, ${c1.data}, c1["data"], c1. They all mean the same.
var (
	handleForm = regexp.MustCompile(`^(c\d+)(?:\.(\w+)|\[["']?(\w+)["']?\])?$`)
	fieldForm  = regexp.MustCompile(`^\w+$`)
	handleText = regexp.MustCompile(`\bc\d+\.[A-Za-z]\w*`)
	brackets   = strings.NewReplacer("{{", "", "}}", "", "${", "", "{", "", "}", "", "`", "", "<", "", ">", "")
)

// bareHandle takes off what models put around a handle.
func bareHandle(text string) string {
	text = strings.TrimSpace(brackets.Replace(strings.TrimSpace(text)))
	text = strings.TrimPrefix(strings.TrimPrefix(text, "$"), "@")
	text = strings.TrimSpace(strings.TrimPrefix(text, "handle:"))
	return strings.Trim(text, `"'`)
}

func (l *loop) isHandle(text string) bool {
	bare := bareHandle(text)
	id, _, _ := strings.Cut(bare, ".")
	_, known := l.results[id]
	return known || handleForm.MatchString(bare)
}

// resolve replaces the handles in a value.
func (l *loop) resolve(v toolkits.Value, kinds []string) (toolkits.Value, error) {
	switch v.Kind {
	case toolkits.KindString:
		return l.handle(v, kinds)
	case toolkits.KindList:
		for i := range v.List {
			x, err := l.resolve(v.List[i], kinds)
			if err != nil {
				return v, err
			}
			v.List[i] = x
		}
	case toolkits.KindRecord:
		if x, ok := wrapped(v); ok && l.isHandle(x.Text) {
			return l.handle(x, kinds)
		}
		for k, x := range v.Record {
			y, err := l.resolve(x, nil)
			if err != nil {
				return v, err
			}
			v.Record[k] = y
		}
	}
	return v, nil
}

// wrapped reads {"handle": "c1.data"}: an object with one text.
func wrapped(v toolkits.Value) (toolkits.Value, bool) {
	for k, x := range v.Record {
		if len(v.Record) == 1 && x.Kind == toolkits.KindString && contains([]string{"handle", "$ref", "ref", "id", "$handle"}, k) {
			return x, true
		}
	}
	return v, false
}

// handle reads "c2.mean", "c2", or the name of the tool that made it; any other text stays text. A handle of a call
// that has no result is an error, so that it is never taken as a name.
func (l *loop) handle(v toolkits.Value, kinds []string) (toolkits.Value, error) {
	id, field, ok := l.parse(v.Text)
	if made := l.openedAs[bareHandle(v.Text)]; !ok && len(made) == 1 && artifactsOnly(kinds) {
		id, ok = made[0], true
	}
	if !ok {
		if q, isQuantity := quantity(v.Text); isQuantity && len(kinds) == 1 && kinds[0] == toolkits.KindNumber {
			return q, nil
		}
		return v, l.needsHandle(v.Text, kinds)
	}
	res := l.results[id]
	if res == nil {
		e := toolkits.Errorf(toolkits.NotFound, "%s has no result", id)
		e.Legal = l.fitting(kinds)
		return v, e
	}
	if field != "" {
		f, ok := res.Get(field)
		if !ok {
			e := toolkits.Errorf(toolkits.NotFound, "%s has no field %q", id, field)
			for _, x := range res.Fields {
				e.Legal = append(e.Legal, id+"."+x.Name)
			}
			return v, e
		}
		return f, nil
	}
	var fits []toolkits.Value
	var names []string
	for _, f := range res.Fields {
		if fitsKind(f.Value, kinds) {
			fits, names = append(fits, f.Value), append(names, id+"."+f.Name)
		}
	}
	if len(fits) != 1 {
		e := toolkits.Errorf(toolkits.BadArgument, "%s has %d fields that fit here: name one", id, len(fits))
		if e.Legal = names; len(fits) == 0 {
			e.Legal = l.fitting(kinds)
		}
		return v, e
	}
	return fits[0], nil
}

var quantityForm = regexp.MustCompile(`^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\d\s].*?)\s*$`)

// quantity reads "1000 m": a number with its unit in one text, where a number is wanted.
func quantity(text string) (toolkits.Value, bool) {
	m := quantityForm.FindStringSubmatch(text)
	if m == nil {
		return toolkits.Value{}, false
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if _, bad := units.Parse(m[2]); bad != nil || err != nil {
		return toolkits.Value{}, false
	}
	return toolkits.Value{Kind: toolkits.KindNumber, Number: x, Unit: m[2]}, true
}

// needsHandle says that a text cannot stand where only an artifact can, and which handles can.
func (l *loop) needsHandle(text string, kinds []string) error {
	if !artifactsOnly(kinds) {
		return nil
	}
	e := toolkits.Errorf(toolkits.BadArgument, "%q is no handle of a %s: open or compute it first", capped(text, 60), strings.Join(kinds, " or "))
	if opener := l.opener(text); opener != "" {
		e.Message = fmt.Sprintf("%q is a name, not a handle of a %s: call %s with it first, then give the handle of its result",
			capped(text, 60), strings.Join(kinds, " or "), opener)
	}
	e.Legal = l.fitting(kinds)
	return e
}

// opener is the offered tool with an artifact as its result for which the text is a legal value of a parameter, such as
// the tool that opens the data set of that name; empty for none.
func (l *loop) opener(text string) string {
	for _, spec := range l.tools {
		t, err := l.ep.Tools.Tool(l.toolName(spec.Name))
		if err != nil || len(t.Outputs) == 0 || !strings.HasPrefix(t.Outputs[0].Kind, "@") {
			continue
		}
		for _, p := range t.Params {
			for _, c := range p.Choices {
				if strings.EqualFold(c.Value, strings.TrimSpace(text)) {
					return spec.Name
				}
			}
		}
	}
	return ""
}

// parse splits a handle into the call and its field.
func (l *loop) parse(text string) (id, field string, ok bool) {
	bare := bareHandle(text)
	if m := handleForm.FindStringSubmatch(bare); m != nil {
		return m[1], m[2] + m[3], true
	}
	if _, known := l.results[bare]; known {
		return bare, "", true
	}
	if head, tail, dotted := strings.Cut(bare, "."); dotted && l.results[head] != nil && fieldForm.MatchString(tail) {
		return head, tail, true
	}
	for tool, made := range l.madeBy {
		if len(made) != 1 {
			continue // two results: it does not say which
		}
		for _, name := range []string{tool, wireName(tool)} {
			if bare == name {
				return made[0], "", true
			}
			if tail, ok := strings.CutPrefix(bare, name+"."); ok {
				return made[0], tail, true
			}
		}
	}
	return "", "", false
}

func fitsKind(v toolkits.Value, kinds []string) bool {
	return len(kinds) == 0 || contains(kinds, v.Kind) || v.IsNumber() && contains(kinds, toolkits.KindNumber)
}

// fitting lists the handles that would fit, newest first.
func (l *loop) fitting(kinds []string) []string {
	var out []string
	for i := len(l.handles) - 1; i >= 0 && len(out) < 8; i-- {
		for _, f := range l.results[l.handles[i]].Fields {
			if fitsKind(f.Value, kinds) {
				out = append(out, l.handles[i]+"."+f.Name)
			}
		}
	}
	return out
}

// formula gives the handles that stand in an expression's text a variable each, so that no digit need be copied.
func (l *loop) formula(tool string, args map[string]toolkits.Value) map[string]toolkits.Value {
	text, ok := args["expression"]
	if tool != executor.EvaluateTool || !ok || text.Kind != toolkits.KindString {
		return args
	}
	vars := map[string]toolkits.Value{}
	for k, v := range args["variables"].Record {
		vars[k] = v
	}
	text.Text = handleText.ReplaceAllStringFunc(text.Text, func(h string) string {
		id, field, _ := strings.Cut(h, ".")
		if res := l.results[id]; res != nil {
			if v, ok := res.Get(field); ok && v.IsNumber() {
				name := id + "_" + field
				vars[name] = v
				return name
			}
		}
		return h
	})
	args["expression"] = text
	if len(vars) > 0 {
		args["variables"] = toolkits.Value{Kind: toolkits.KindRecord, Record: vars}
	}
	return args
}

// artifactsOnly tells of an argument that nothing but a handle can fill.
func artifactsOnly(kinds []string) bool {
	for _, k := range kinds {
		if !isArtifactKind(k) {
			return false
		}
	}
	return len(kinds) > 0
}

// isArtifactKind reports whether a value of that kind can be given by a handle only.
func isArtifactKind(kind string) bool {
	switch kind {
	case artifact.KindRaster, artifact.KindSeries, artifact.KindTable, artifact.KindVector, artifact.KindImage:
		return true
	}
	return false
}

func sortedNames(m map[string]toolkits.Value) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
