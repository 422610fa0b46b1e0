package toolkits

import (
	"encoding/json"
	"fmt"
	"strings"

	"almanac/toolkits/artifact"
)

// InputSchema returns the JSON schema of t's arguments for function calling: one flat object. An artifact is written
// as a handle, the id of an earlier call and one of its outputs ("c2.data"); a number may be written as such a handle
// too, so that a model need not copy digits. It is made once and shared: callers must not change it.
func (t *Tool) InputSchema() json.RawMessage { return t.inputSchema() }

func (t *Tool) makeInputSchema() json.RawMessage {
	props := make(map[string]any, len(t.Params))
	required := []string{}
	for i := range t.Params {
		p := &t.Params[i]
		props[p.Name] = p.schema()
		if p.Required {
			required = append(required, p.Name)
		}
	}
	text, err := json.Marshal(map[string]any{
		"type": "object", "properties": props, "required": required, "additionalProperties": false,
	})
	if err != nil { // plain data
		panic("toolkits: schema of " + t.Name + ": " + err.Error())
	}
	return text
}

func (p *Param) schema() map[string]any {
	s := p.itemSchema()
	if p.List {
		s = map[string]any{"type": "array", "items": s}
	}
	if p.Record {
		s = map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []string{"number", "string"}}}
	}
	s["description"] = p.describe()
	if p.Default != nil {
		s["default"] = p.Default
	}
	return s
}

func (p *Param) itemSchema() map[string]any {
	if len(p.Choices) > 0 {
		var values []string
		seen := map[string]bool{}
		for _, c := range p.Choices {
			if !seen[c.Value] {
				seen[c.Value] = true
				values = append(values, c.Value)
			}
		}
		return map[string]any{"type": "string", "enum": values}
	}
	s := map[string]any{}
	switch p.Kinds[0] {
	case KindNumber:
		s["type"] = []string{"number", "string"}
	case KindInteger:
		s["type"] = "integer"
	case KindBoolean:
		s["type"] = "boolean"
	case KindPeriod, KindPlace:
		s["type"] = []string{"string", "object"}
	case KindString, KindUnit, KindExpression, KindInstant:
		s["type"] = "string"
	default:
		s["type"] = "string"
		if contains(p.Kinds, KindBox) {
			s["type"] = []string{"string", "object"}
		}
	}
	if p.Min != nil && p.Kinds[0] == KindInteger {
		s["minimum"] = *p.Min
	}
	if p.Max != nil && p.Kinds[0] == KindInteger {
		s["maximum"] = *p.Max
	}
	return s
}

// describe is the line that a model reads of a parameter.
func (p *Param) describe() string {
	d := p.Doc
	switch {
	case artifactKind(p.Kinds[0]) && contains(p.Kinds, KindPlace):
		d += fmt.Sprintf(" (handle of a %s, a place name, or {west, south, east, north})", p.Kinds[0])
	case artifactKind(p.Kinds[0]):
		d += fmt.Sprintf(" (handle of a %s)", strings.Join(p.Kinds, " or "))
	case p.Kinds[0] == KindPeriod:
		d += " (year, month, \"start/end\")"
	case p.Unit != "" && !strings.HasPrefix(p.Unit, "@") && p.Unit != "1":
		d += " [" + p.Unit + "]"
	case strings.HasPrefix(p.Unit, "@"):
		d += fmt.Sprintf(" [unit of %s]", strings.TrimPrefix(p.Unit, "@"))
	}
	return d
}

func artifactKind(kind string) bool {
	switch kind {
	case artifact.KindRaster, artifact.KindVector, artifact.KindTable, artifact.KindSeries, artifact.KindImage, artifact.KindScalar:
		return true
	}
	return false
}

// Signature is t in one line, as a schedule would call it:
//
//	gis.zonal_stats(raster, zones, period?) -> mean [unit of raster], valid_cells [1]
func (t *Tool) Signature() string {
	var params, outs []string
	for _, p := range t.Params {
		s := p.Name
		if !p.Required {
			s += "?"
		}
		params = append(params, s)
	}
	for _, o := range t.Outputs {
		s := o.Name
		switch {
		case o.Kind != artifact.KindScalar:
			s += ": " + strings.TrimPrefix(o.Kind, "@")
		case strings.HasPrefix(o.Unit, "@"):
			s += " [of " + strings.TrimPrefix(o.Unit, "@") + "]"
		case o.Unit != "" && o.Unit != "1":
			s += " [" + o.Unit + "]"
		}
		outs = append(outs, s)
	}
	return fmt.Sprintf("%s(%s) -> %s", t.Name, strings.Join(params, ", "), strings.Join(outs, ", "))
}
