package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"almanac/agents/llm"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
	"almanac/orchestrator/executor"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
	"almanac/toolkits/table"
)

// answerKinds are what may stand for an answer field.
var answerKinds = []string{
	toolkits.KindNumber, toolkits.KindInteger, toolkits.KindString, artifact.KindText, toolkits.KindBoolean, toolkits.KindInstant,
}

// answerField makes a field of a value; a literal text such as "27.1 degC" is a number with its unit.
func answerField(key string, v toolkits.Value) event.AnswerField {
	if v.Kind == toolkits.KindString {
		if m := numberWithUnit.FindStringSubmatch(v.Text); m != nil {
			if x, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64); err == nil {
				return event.AnswerField{Key: key, Value: x, Unit: strings.TrimSpace(m[2])}
			}
		}
	}
	return executor.AnswerField(key, v)
}

// question is what the model is told of the task.
func question(ep *episode.Episode) string {
	var b strings.Builder
	b.WriteString("Question: " + ep.Request.Question + "\n")
	if ep.Request.Context != "" {
		b.WriteString("Context: " + ep.Request.Context + "\n")
	}
	if len(ep.Request.Contract) == 0 {
		b.WriteString("Answer fields: none are given; name them yourself, one word each\n")
		return b.String()
	}
	b.WriteString("Answer fields:\n")
	for _, f := range ep.Request.Contract {
		b.WriteString("- " + fieldLine(f) + "\n")
	}
	return b.String()
}

func fieldLine(f schedule.Field) string {
	s := f.Key + " (" + f.Type
	if f.Unit != "" {
		s += ", " + f.Unit
	}
	s += ")"
	if f.Description != "" {
		s += ": " + f.Description
	}
	return s
}

func keys(c schedule.Contract) string {
	names := make([]string, len(c))
	for i, f := range c {
		names[i] = f.Key
	}
	return strings.Join(names, ", ")
}

// wireName is a tool's name as servers accept it: letters, digits and underscores.
func wireName(tool string) string { return strings.ReplaceAll(tool, ".", "_") }

// specs describes tools for function calling, with answer and decline when meta is set.
func specs(r *toolkits.Registry, contract schedule.Contract, meta bool) []llm.ToolSpec {
	var out []llm.ToolSpec
	for _, t := range r.Tools() {
		out = append(out, llm.ToolSpec{Name: wireName(t.Name), Description: t.Purpose, Schema: t.InputSchema()})
	}
	if !meta {
		return out
	}
	return append(out, endings(contract)...)
}

// endings describes answer and decline.
func endings(contract schedule.Contract) []llm.ToolSpec {
	props := map[string]any{}
	if len(contract) == 0 {
		props["value"] = map[string]any{"type": []string{"string", "number", "boolean"}, "description": "handle such as c2.mean: what was asked for"}
	}
	for _, f := range contract {
		props[f.Key] = map[string]any{"type": []string{"string", "number", "boolean"}, "description": "handle such as c2.mean: " + fieldLine(f)}
	}
	answer := map[string]any{"type": "object", "properties": props}
	decline := map[string]any{
		"type": "object", "required": []string{"reason"},
		"properties": map[string]any{
			"reason":  map[string]any{"type": "string"},
			"missing": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
		},
	}
	return []llm.ToolSpec{
		{Name: answerTool, Description: "Give the answer and end. Each field is the handle of a result.", Schema: mustJSON(answer)},
		{Name: declineTool, Description: "End without an answer: the data asked for does not exist here.", Schema: mustJSON(decline)},
	}
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil { // plain data
		panic("orchestrator: " + err.Error())
	}
	return b
}

// show writes a result for a model: a line for each field, with its handle.
func show(ctx context.Context, ep *episode.Episode, id string, res *toolkits.Result) string {
	var b strings.Builder
	for _, f := range res.Fields {
		fmt.Fprintf(&b, "%s.%s = %s\n", id, f.Name, showValue(ctx, ep, f.Value))
	}
	return b.String()
}

func showValue(ctx context.Context, ep *episode.Episode, v toolkits.Value) string {
	switch {
	case v.IsNumber():
		s := strconv.FormatFloat(v.Number, 'g', -1, 64)
		if v.Unit != "" && v.Unit != "1" {
			s += " " + v.Unit
		}
		return s
	case v.Kind == toolkits.KindBoolean:
		return fmt.Sprint(v.Bool)
	case v.Kind == toolkits.KindList:
		items := make([]string, len(v.List))
		for i, x := range v.List {
			items[i] = showValue(ctx, ep, x)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case v.IsArtifact():
		val, meta, err := ep.Artifact(ctx, v.Hash)
		if err != nil {
			return v.Kind
		}
		s := strings.TrimSpace(fmt.Sprintf("%s %s", meta.Kind, meta.Variable))
		if meta.Unit != "" {
			s += " [" + meta.Unit + "]"
		}
		s += ", " + meta.Size
		if meta.Period != "" {
			s += ", " + meta.Period
		}
		if t, ok := val.(*table.Table); ok {
			s += "\n" + firstRows(t, 5)
		}
		return s
	}
	return v.Text
}

// firstRows shows the head of a table.
func firstRows(t *table.Table, n int) string {
	var b strings.Builder
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
		if c.Unit != "" {
			names[i] += " [" + c.Unit + "]"
		}
	}
	b.WriteString("  " + strings.Join(names, " | ") + "\n")
	for row := range min(n, t.Rows()) {
		cells := make([]string, len(t.Columns))
		for i := range t.Columns {
			c := &t.Columns[i]
			if c.Numeric() {
				cells[i] = strconv.FormatFloat(c.Numbers[row], 'g', -1, 64)
			} else {
				cells[i] = c.Texts[row]
			}
		}
		b.WriteString("  " + strings.Join(cells, " | ") + "\n")
	}
	if t.Rows() > n {
		fmt.Fprintf(&b, "  … %d rows in all", t.Rows())
	}
	return strings.TrimRight(b.String(), "\n")
}

// capped cuts a long text and says so.
func capped(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && s[cut]&0xC0 == 0x80 { // not inside a character
		cut--
	}
	return fmt.Sprintf("%s\n… first %d of %d bytes shown", s[:cut], cut, len(s))
}
