package executor

import (
	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

// answer reads the fields of the answer once every step has ended. A field whose step has no value is unanswered and
// says why; the others stand.
func (r *run) answer(a *schedule.Answer) []event.AnswerField {
	out := make([]event.AnswerField, 0, len(a.Fields))
	sc := scope{run: r}
	for _, f := range a.Fields {
		field := event.AnswerField{Key: f.Name}
		if err := sc.available(f.Value); err != nil {
			field.Reason = err.Error()
			out = append(out, field)
			continue
		}
		v, err := sc.eval(f.Value, answerKinds, false)
		if err != nil {
			field.Reason = toolkits.AsError(err).Error()
			out = append(out, field)
			continue
		}
		out = append(out, AnswerField(f.Name, v))
	}
	return out
}

// answerKinds are what a bare name in an answer may stand for.
var answerKinds = []string{
	toolkits.KindNumber, toolkits.KindInteger, toolkits.KindString, toolkits.KindBoolean, toolkits.KindInstant,
}

// AnswerField makes the answer field for a value: a handle when a call made it, a literal otherwise.
func AnswerField(key string, v toolkits.Value) event.AnswerField {
	f := event.AnswerField{Key: key, Value: v.Plain(), Unit: v.Unit, Difference: v.Difference}
	if v.IsArtifact() {
		f.Value, f.Reason = nil, "a "+v.Kind+" is no answer: name one of its numbers"
		return f
	}
	if v.Kind == toolkits.KindNull {
		f.Reason = "no value"
		return f
	}
	if v.Origin != nil {
		f.Call, f.Output, f.Step, f.Artifact = v.Origin.Call, v.Origin.Output, v.Origin.Step, string(v.Hash)
	}
	return f
}
