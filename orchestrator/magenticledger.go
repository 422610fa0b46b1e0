package orchestrator

import (
	"context"
	"encoding/json"
	"strings"

	"almanac/agents"
)

const ledgerTries = 10 // at a ledger of magentic+faithful, as in AutoGen

// ledger is what the leader of magentic decides in a turn.
type ledger struct {
	satisfied, loop, progress bool
	speaker                   agents.Agent
	instruction               string
}

// progress asks for a ledger; nil for one that could not be read. The conversation is not told of the tries.
func (c *chat) progress(ctx context.Context) (*ledger, error) {
	if c.faithful {
		messages := append(c.context(ctx), user(prompt("magentic/ledger.txt")+prompt("magentic/ledger_nested.txt")))
		for range ledgerTries {
			object, _, err := c.decide(ctx, leader, "turn", c.ledgerSchema(), messages...)
			if err != nil {
				return nil, err
			}
			if l, problem := c.readLedger(object); problem == "" {
				return l, nil
			}
		}
		return nil, nil
	}
	var l *ledger
	messages := append(c.context(ctx), user(prompt("magentic/ledger.txt")+prompt("magentic/ledger_flat.txt")))
	problem, err := c.insist(ctx, leader, "turn", c.ledgerSchema(), func(object map[string]any, _ string) (problem string) {
		l, problem = c.readLedger(object)
		return problem
	}, messages...)
	if err != nil || problem != "" {
		return nil, err
	}
	return l, nil
}

var ledgerKeys = []string{"is_request_satisfied", "is_in_loop", "is_progress_being_made", "next_speaker", "instruction_or_question"}

func (c *chat) ledgerSchema() json.RawMessage {
	props := map[string]any{}
	for i, key := range ledgerKeys {
		value := map[string]any{"type": "boolean"}
		switch i {
		case 3:
			value = map[string]any{"type": "string", "enum": c.names}
		case 4:
			value = map[string]any{"type": "string"}
		}
		if c.faithful {
			value = map[string]any{
				"type": "object", "required": []string{"reason", "answer"},
				"properties": map[string]any{"reason": map[string]any{"type": "string"}, "answer": value},
			}
		}
		props[key] = value
	}
	return mustJSON(map[string]any{"type": "object", "required": ledgerKeys, "properties": props})
}

// readLedger reads the five answers. problem says what is wrong with them, for the leader to read. A ledger that is
// satisfied needs no speaker.
func (c *chat) readLedger(object map[string]any) (l *ledger, problem string) {
	const ask = "Reply with one JSON object that has is_request_satisfied, is_in_loop, is_progress_being_made, next_speaker and instruction_or_question."
	if object == nil {
		return nil, "That is no ledger. " + ask
	}
	answers := map[string]any{}
	for _, key := range ledgerKeys {
		x, ok := object[key]
		if nested, isNested := x.(map[string]any); isNested {
			x, ok = nested["answer"]
			if _, has := nested["reason"]; c.faithful && !has {
				ok = false
			}
		} else if c.faithful {
			ok = false
		}
		if ok {
			answers[key] = x
		}
	}
	l = &ledger{}
	for i, at := range []*bool{&l.satisfied, &l.loop, &l.progress} {
		v, ok := truth(answers[ledgerKeys[i]])
		if !ok && (i == 0 || !l.satisfied) {
			return nil, "The ledger lacks " + ledgerKeys[i] + ". " + ask
		}
		*at = v
	}
	if l.satisfied {
		return l, ""
	}
	l.instruction, _ = answers[ledgerKeys[4]].(string)
	if strings.TrimSpace(l.instruction) == "" {
		return nil, "The ledger lacks instruction_or_question. " + ask
	}
	name, _ := answers[ledgerKeys[3]].(string)
	if l.speaker, problem = c.speaker(name); problem != "" {
		return nil, problem
	}
	return l, ""
}

// truth reads true and false, also where they are written as text.
func truth(x any) (value, ok bool) {
	switch v := x.(type) {
	case bool:
		return v, true
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true", "yes":
			return true, true
		case "false", "no":
			return false, true
		}
	}
	return false, false
}

// speaker finds the agent that is to act. One that is not there is never replaced by another.
func (c *chat) speaker(name string) (agents.Agent, string) {
	a, err := c.board.team.agentNamed(name)
	if err != nil || !contains(c.names, a.Name) || c.faithful && a.Name != name {
		return agents.Agent{}, "next_speaker is not one of the agents: " + strings.Join(c.names, ", ") + "."
	}
	return a, ""
}
