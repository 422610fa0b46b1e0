package orchestrator

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"almanac/orchestrator/event"
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

// The names of the tools with which a model ends an episode.
const (
	answerTool  = "answer"
	declineTool = "decline"
)

// noReason is said once to whoever declines right after a call has failed.
const noReason = "a failed call is no reason to decline: correct its arguments, or make the call that it needs first. " +
	"Decline only if the data or the place that is asked for does not exist here"

// proposal is an end that a loop came to and that the episode was not given: an answer, or a decline.
type proposal struct {
	fields   []event.AnswerField
	declined bool
	reason   string
	missing  []string
}

// answer ends the episode, or keeps the answer where the loop is one sample of several.
func (l *loop) answer(fields []event.AnswerField) error {
	if l.holds {
		l.proposed = &proposal{fields: fields}
		return nil
	}
	return l.ep.Answer(l.role, fields)
}

func (l *loop) decline(reason string, missing []string) error {
	if l.holds {
		l.proposed = &proposal{declined: true, reason: reason, missing: missing}
		return nil
	}
	return l.ep.Decline(l.role, reason, missing)
}

// end carries out answer and decline.
func (l *loop) end(name string, args map[string]any) (bool, string, error) {
	if inner, ok := args["arguments"].(map[string]any); ok && len(args) <= 2 {
		args = inner
	}
	if name == declineTool && l.stuck && !l.warned {
		// A small model gives up at its first error. It is told once that a call can be corrected; what it says then
		// stands.
		l.warned = true
		return false, "error: " + noReason, nil
	}
	if name == declineTool {
		reason, _ := args["reason"].(string)
		if reason == "" {
			reason = "no reason was given"
		}
		return true, "", l.decline(reason, texts(args["missing"]))
	}
	fields, problem := l.fields(args)
	if problem != "" {
		return false, "error: " + problem, nil
	}
	return true, "", l.answer(fields)
}

func texts(v any) []string {
	var out []string
	if s, ok := v.(string); ok && s != "" {
		return []string{s}
	}
	list, _ := v.([]any)
	for _, x := range list {
		out = append(out, fmt.Sprint(x))
	}
	return out
}

// fields reads the fields of an answer call. An answer that leaves fields out is handed back once.
func (l *loop) fields(args map[string]any) ([]event.AnswerField, string) {
	contract := l.ep.Request.Contract
	if len(args) == 0 {
		return nil, "answer needs the fields that were asked for: " + keys(contract)
	}
	names := make([]string, 0, len(args))
	if len(contract) == 0 { // then the model names them
		names = sortedKeys(args)
	}
	var missing []string
	for _, f := range contract {
		if x, ok := args[f.Key]; ok && x != nil {
			names = append(names, f.Key)
		} else {
			missing = append(missing, f.Key)
		}
	}
	if len(names) == 0 {
		return nil, "none of the fields that were asked for is there: " + keys(contract)
	}
	var out []event.AnswerField
	for _, key := range names {
		v, err := toolkits.Literal(args[key])
		if err == nil {
			v, err = l.resolve(v, answerKinds)
		}
		if err != nil {
			return nil, fmt.Sprintf("%s: %v", key, err)
		}
		out = append(out, answerField(key, v))
	}
	if len(missing) > 0 && !l.reminded {
		l.reminded = true
		return nil, "the answer lacks " + strings.Join(missing, ", ") + "; call answer again with every field"
	}
	return out, ""
}

func sortedKeys(m map[string]any) []string {
	values := make(map[string]toolkits.Value, len(m))
	for k := range m {
		values[k] = toolkits.Value{}
	}
	return sortedNames(values)
}

// claim is a text that says that something was kept somewhere.
var claim = regexp.MustCompile(`(?i)\b(saved|stored|written|wrote|exported|uploaded|created|sent)\b`)

// text handles a reply without a call: asked once more for a call, then taken as the answer if it can be read as one.
// A text that claims to have saved something is never one while no call did that.
func (l *loop) text(content string) (bool, error) {
	l.stalled++
	l.last = "a reply without a call: " + capped(strings.TrimSpace(content), 200)
	switch {
	case l.returns && (l.wrote || !claim.MatchString(content)) && (l.reasked || len(l.handles) > l.found):
		return true, nil
	case !l.ends:
		l.reasked = true
		l.say("user", "Reply with a call of one of the tools.")
		return false, nil
	case claim.MatchString(content) && !l.wrote:
		l.say("user", "No call did that: nothing was saved or made. Reply with a tool call.")
		return false, nil
	case l.reasked:
		if fields := l.written(content); len(fields) > 0 {
			return true, l.answer(fields)
		}
	}
	l.reasked = true
	l.say("user", "Reply with a tool call. When you have the values, call answer with their handles, such as c2.mean.")
	return false, nil
}

// written reads the answer out of a text: an object of handles or values, the one handle that it names, or a literal.
func (l *loop) written(text string) []event.AnswerField {
	contract := l.ep.Request.Contract
	if object := objectIn(text); object != nil {
		if fields, problem := l.fields(object); problem == "" {
			return fields
		}
	}
	if found := handleText.FindAllString(text, -1); len(found) > 0 && len(contract) == 1 {
		v, err := l.handle(toolkits.Value{Kind: toolkits.KindString, Text: found[len(found)-1]}, answerKinds)
		if err == nil {
			return []event.AnswerField{answerField(contract[0].Key, v)}
		}
		return nil
	}
	return literalAnswer(text, contract)
}

var numberWithUnit = regexp.MustCompile(`^\s*([-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*(\S.*)?$`)

// numeral is a number that stands by itself, not inside a name or a date.
var numeral = regexp.MustCompile(`(?:^|[\s(:=~≈$"'])([-−+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?)\s?(°C|°F|%|[A-Za-z]+[0-9²³]?)?`)

// leadIn is what stands before the answer in a sentence.
var leadIn = regexp.MustCompile(`(?i)^\s*(?:final\s+)?(?:the\s+)?answer(?:\s+is)?\s*:?\s*`)

func objectIn(text string) map[string]any {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(text[start:]))
	dec.UseNumber()
	var object map[string]any
	if dec.Decode(&object) != nil {
		return nil
	}
	if inner, ok := object["arguments"].(map[string]any); ok {
		return inner
	}
	return object
}

// literalAnswer reads a text as the answer: a JSON object of the contract's keys, or for a contract of one field the
// last number of the text, or for a field of text a text of a few words.
func literalAnswer(text string, contract schedule.Contract) []event.AnswerField {
	if object := objectIn(text); object != nil {
		if fields := literalFields(object, contract); len(fields) > 0 {
			return fields
		}
	}
	if len(contract) != 1 || strings.TrimSpace(text) == "" {
		return nil
	}
	f := contract[0]
	switch f.Type {
	case "number", "integer", "angle":
		all := numeral.FindAllStringSubmatch(text, -1)
		if len(all) == 0 {
			return nil
		}
		digits := strings.ReplaceAll(strings.ReplaceAll(all[len(all)-1][1], ",", ""), "−", "-")
		x, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return nil
		}
		return []event.AnswerField{{Key: f.Key, Value: x}}
	}
	text = strings.Trim(leadIn.ReplaceAllString(text, ""), " \t\n.\"'")
	if text == "" || len(strings.Fields(text)) > 6 {
		return nil
	}
	return []event.AnswerField{{Key: f.Key, Value: text}}
}

func literalFields(object map[string]any, contract schedule.Contract) []event.AnswerField {
	var fields []event.AnswerField
	if len(contract) == 0 { // then the model names the fields
		for _, key := range sortedKeys(object) {
			if v, err := toolkits.Literal(object[key]); err == nil && v.Kind != toolkits.KindNull {
				fields = append(fields, answerField(key, v))
			}
		}
	}
	for _, f := range contract {
		if x, ok := object[f.Key]; ok && x != nil {
			if v, err := toolkits.Literal(x); err == nil {
				fields = append(fields, answerField(f.Key, v))
			}
		}
	}
	return fields
}
