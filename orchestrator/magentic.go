package orchestrator

import (
	"context"
	"fmt"
	"strings"

	"almanac/agents"
	"almanac/agents/llm"
	"almanac/orchestrator/episode"
	"almanac/orchestrator/event"
)

const (
	leader        = "orchestrator"
	maxStalls     = 3  // at which the team plans anew
	magenticTurns = 20 // of the inner loop, as in AutoGen's team
	maxResets     = 3  // new plans of one episode, whatever the budget
	surveyLimit   = 400
	messageShown  = 1500 // bytes of one turn that is broadcast
)

var aboutMagentic = about{
	summary: "An orchestrator surveys the facts and plans; each turn it answers five questions in a ledger and names the agent that acts next, " +
		"once, before the whole team. When the team stalls the facts and the plan are written anew.",
	differs:  "a leader that decides turn by turn who acts, with a ledger of facts, plan and progress",
	source:   "Magentic-One, arXiv 2411.04468",
	faithful: "Facts survey and plan; a progress ledger of five answers each turn; the stall counter goes up by one on a loop or no progress and down by one otherwise, not below 0; at 3 facts and plan are updated and the conversation begins again; the named agent acts once a turn with its whole toolkit; everything is broadcast; at most 20 turns, then the final answer.",
	hardened: "The ledger is flat, without a reason for each answer, and an agent's name is read with stray quotes or case. A ledger that cannot be read is asked for " +
		"once more and then counts as a stall, where the original fails. After a new plan the results that are there stay in sight, and there are at most three new plans. " +
		"An answer that cannot be read is handed back. magentic+faithful does none of this.",
	model: true,
	prompts: []string{
		"magentic/orchestrator.txt", "magentic/facts.txt", "magentic/plan.txt", "magentic/ledger.txt", "magentic/ledger_flat.txt",
		"magentic/agent.txt", "magentic/update_facts.txt", "magentic/update_plan.txt", "magentic/answer.txt",
	},
}

var aboutMagenticFaithful = about{
	summary: "magentic with the published behaviour where magentic is hardened: a nested ledger with a reason for each answer that must be right within ten tries, " +
		"a conversation that forgets its results when the team plans anew, and one try at the final answer.",
	differs:  "magentic without what was hardened",
	source:   "Magentic-One, arXiv 2411.04468, as its program in AutoGen behaves",
	faithful: "All that magentic says, and: reasons in the ledger, ten tries at it and then failure, no results carried over a new plan but in the facts, no limit of new plans but the 20 turns, one final answer.",
	hardened: "Reply repair, the schema check, errors of tools shown, handles, and answer and decline with its rules, which are the same for all setups.",
	model:    true,
	prompts: []string{
		"magentic/orchestrator.txt", "magentic/facts.txt", "magentic/plan.txt", "magentic/ledger.txt", "magentic/ledger_nested.txt",
		"magentic/agent.txt", "magentic/update_facts.txt", "magentic/update_plan.txt", "magentic/answer.txt",
	},
}

// magentic is a leader with a ledger over agents that act one at a time.
type magentic struct {
	team     *Team
	faithful bool
}

func newMagentic(team *Team, _ *Options) (Setup, error) { return &magentic{team, false}, nil }
func newMagenticFaithful(team *Team, _ *Options) (Setup, error) {
	return &magentic{team, true}, nil
}

func (s *magentic) Name() string {
	if s.faithful {
		return "magentic+faithful"
	}
	return "magentic"
}
func (*magentic) UsesModel() bool { return true }

// Solve plans, then lets one agent act a turn until the leader is satisfied or gives up.
func (s *magentic) Solve(ctx context.Context, ep *episode.Episode) error {
	c := &chat{magentic: s, board: newBoard(s.team, ep)}
	if err := c.work(ctx); err != nil {
		c.role = leader
		return finish(ctx, ep, c.loop, err)
	}
	return nil
}

// chat is one episode: the ledger of the task, the conversation, and how often it stalled.
type chat struct {
	*magentic
	*board
	names       []string // of the agents
	head        llm.Message
	facts, plan string
	thread      []turnText
	stalls      int
	resets      int
}

// turnText is what somebody said before all.
type turnText struct{ by, text string }

func (c *chat) work(ctx context.Context) error {
	var lines string
	lines, c.names = c.teamLines()
	c.head = system(prompt("magentic/orchestrator.txt") + "\nAgents:\n" + lines + "Data sets:\n" + c.board.team.dataLines(nil))
	if err := c.survey(ctx, "plan", "magentic/facts.txt", "magentic/plan.txt"); err != nil {
		return err
	}
	for range magenticTurns {
		l, err := c.progress(ctx)
		if err != nil {
			return err
		}
		if l == nil && c.faithful {
			return c.noLedger()
		}
		if l != nil && l.satisfied {
			break
		}
		if c.count(l); c.stalls >= maxStalls {
			if !c.faithful && c.resets == maxResets {
				break
			}
			if err := c.restart(ctx); err != nil {
				return err
			}
			continue
		}
		if l == nil {
			continue
		}
		if err := c.act(ctx, l); err != nil {
			return err
		}
	}
	turns := concludeTurns
	if c.faithful {
		turns = 1
	}
	return c.conclude(ctx, leader, turns, append(c.context(ctx), user(prompt("magentic/answer.txt")))...)
}

// count moves the stall counter: up on a loop, no progress or a ledger that cannot be read, else down, not below 0.
func (c *chat) count(l *ledger) {
	if l == nil || l.loop || !l.progress {
		c.stalls++
		return
	}
	c.stalls = max(0, c.stalls-1)
}

// survey writes the facts and then the plan, with the conversation so far in sight.
func (c *chat) survey(ctx context.Context, purpose, facts, plan string) error {
	messages := append(c.context(ctx), user(prompt(facts)))
	text, err := c.write(ctx, purpose, messages)
	if err != nil {
		return err
	}
	messages = append(messages, reply(text), user(prompt(plan)))
	next, err := c.write(ctx, purpose, messages)
	if err != nil {
		return err
	}
	c.facts, c.plan = text, next
	return nil
}

// write asks the leader for a text.
func (c *chat) write(ctx context.Context, purpose string, messages []llm.Message) (string, error) {
	resp, err := c.ep.Ask(ctx, leader, purpose, &llm.Request{Messages: messages, MaxTokens: surveyLimit})
	if err == nil {
		return strings.TrimSpace(resp.Message.Content), nil
	}
	if le := llm.AsError(err); le != nil && le.Kind == llm.KindBadReply {
		if le.Reply != nil { // such as one that was cut off: what there is of it is of use
			return strings.TrimSpace(le.Reply.Message.Content), nil
		}
		return "", nil
	}
	return "", err
}

// context is what the leader sees: the task, the ledger, and what was said.
func (c *chat) context(ctx context.Context) []llm.Message {
	messages := []llm.Message{c.head, user(c.task())}
	for _, t := range c.thread {
		m := user(t.by + ": " + t.text)
		if t.by == leader {
			m = reply(t.text)
		}
		messages = append(messages, m)
	}
	return messages
}

// task is the question with the facts and the plan, once they are written.
func (c *chat) task() string {
	text := question(c.ep)
	if c.facts != "" {
		text += "Facts:\n" + c.facts + "\n"
	}
	if c.plan != "" {
		text += "Plan:\n" + c.plan + "\n"
	}
	return text
}

// restart writes facts and plan anew and begins the conversation again.
func (c *chat) restart(ctx context.Context) error {
	if err := c.ep.Replan(); err != nil {
		return err
	}
	if err := c.survey(ctx, "revise", "magentic/update_facts.txt", "magentic/update_plan.txt"); err != nil {
		return err
	}
	c.resets++
	if err := c.revised(leader, c.resets, fmt.Sprintf("stalled %d times", c.stalls), nonEmpty(c.plan)); err != nil {
		return err
	}
	c.stalls, c.thread = 0, nil
	if !c.faithful && len(c.ep.Records()) > 0 {
		c.thread = []turnText{{"team", c.resultLines(ctx)}}
	}
	return nil
}

func nonEmpty(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// act lets the named agent act once and broadcasts what it did.
func (c *chat) act(ctx context.Context, l *ledger) error {
	c.thread = append(c.thread, turnText{leader, l.speaker.Name + ": " + l.instruction})
	tools, err := c.ep.Tools.Select(c.own(l.speaker))
	if err != nil {
		return err
	}
	c.seat(l.speaker.Name, specs(tools, nil, false), c.agentView(l.speaker)...)
	n := len(c.messages)
	if _, err := c.turn(ctx); err != nil {
		return err
	}
	c.thread = append(c.thread, turnText{l.speaker.Name, capped(c.did(n), messageShown)})
	return nil
}

// agentView is the conversation as an agent sees it: its own words are its own.
func (c *chat) agentView(a agents.Agent) []llm.Message {
	messages := []llm.Message{system(persona(a, prompt("magentic/agent.txt"))), user(c.task())}
	for _, t := range c.thread {
		if t.by == a.Name {
			messages = append(messages, reply(t.text))
		} else {
			messages = append(messages, user(t.by+": "+t.text))
		}
	}
	return messages
}

// did tells what came after the first n messages of this conversation: the calls with their results, or the words.
func (l *loop) did(n int) string {
	calls := map[string]string{}
	var out []string
	for _, m := range l.messages[n:] {
		for _, c := range m.ToolCalls {
			calls[c.ID] = c.Name + string(c.Arguments)
		}
		switch {
		case m.Role == llm.RoleTool:
			out = append(out, "called "+calls[m.ToolCallID]+"\n"+strings.TrimSpace(m.Content))
		case m.Role == llm.RoleAssistant && len(m.ToolCalls) == 0:
			out = append(out, l.words(m.Content))
		}
	}
	return strings.Join(out, "\n")
}

// words are what an agent says without a call. What it claims to have done is marked where no call did it.
func (l *loop) words(text string) string {
	if text = strings.TrimSpace(text); claim.MatchString(text) && !l.wrote {
		return text + " (no call did that)"
	}
	return text
}

// noLedger ends an episode whose ledger could not be read.
func (c *chat) noLedger() error {
	reason := fmt.Sprintf("the progress ledger could not be read in %d tries", ledgerTries)
	if _, err := c.ep.Emit(leader, 0, event.TypeError, &event.Error{Code: "unreadable_ledger", Message: reason}); err != nil {
		return err
	}
	return unanswered(c.ep, leader, reason)
}
