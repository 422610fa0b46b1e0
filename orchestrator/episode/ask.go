package episode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"almanac/agents/llm"
	"almanac/orchestrator/event"
)

// Ask sends one request to the model. Role says who is asking (supervisor, a specialist), purpose what for (plan,
// revise, choose, arguments, turn, explain). Sampling comes from the run unless the request sets its own. The error
// wraps [ErrBudget], or is the model's.
func (e *Episode) Ask(ctx context.Context, role, purpose string, req *llm.Request) (*llm.Response, error) {
	if e.opts.Model == nil {
		return nil, fmt.Errorf("episode: setup %s was given no model", e.opts.Setup)
	}
	if err := e.spend(&e.used.ModelCalls, "model_calls", e.opts.Budget.ModelCalls); err != nil {
		return nil, err
	}
	r := *req
	r.Role, r.Meta = role, llm.Meta{Episode: e.opts.ID, Setup: e.opts.Setup, Task: e.Request.Task}
	if r.Temperature == nil {
		r.Temperature = e.opts.Temperature
	}
	if r.Seed == nil {
		r.Seed = e.opts.Seed
	}
	asked, err := e.request(role, purpose, &r)
	if err != nil {
		return nil, err
	}
	resp, err := e.opts.Model.Generate(ctx, &r)
	e.account(resp, err)
	if logErr := e.reply(role, purpose, asked, resp, err); logErr != nil {
		return nil, logErr
	}
	return resp, err
}

// Model returns the episode's model as an [llm.Model] whose every call goes through [Episode.Ask].
func (e *Episode) Model(role, purpose string) llm.Model { return asker{e, role, purpose} }

type asker struct {
	e             *Episode
	role, purpose string
}

func (a asker) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return a.e.Ask(ctx, a.role, a.purpose, req)
}

func (e *Episode) account(resp *llm.Response, err error) {
	usage := llm.UsageOf(resp, err)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.used.Tokens += usage.Tokens()
	e.used.Unknown = e.used.Unknown || !usage.Known()
	queue, load := waited(resp, err)
	e.queued += queue + load
}

// waited is the time that a call spent in the server's queue, with the pauses before attempts, and on loading the model:
// over all attempts, of a call that failed too.
func waited(resp *llm.Response, failed error) (queue, load time.Duration) {
	var last llm.Timings
	var attempts []llm.Attempt
	if resp != nil {
		last, attempts = resp.Timings, resp.Attempts
	} else if e := llm.AsError(failed); e != nil {
		last, attempts = e.Timings, e.Attempts
	}
	queue, load = last.Queue, last.Load
	for i, a := range attempts {
		queue += a.Wait
		if i < len(attempts)-1 {
			queue, load = queue+a.Timings.Queue, load+a.Timings.Load
		}
	}
	return queue, load
}

func (e *Episode) put(m llm.Message) (string, int64, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return "", 0, fmt.Errorf("episode: message: %w", err)
	}
	if e.opts.Messages == nil {
		return "", int64(len(text)), nil
	}
	h, err := e.opts.Messages.Put(m)
	return h, int64(len(text)), err
}

func (e *Episode) request(role, purpose string, r *llm.Request) (int64, error) {
	body := &event.ModelRequest{
		Role: role, Purpose: purpose, Model: e.opts.ModelName, Temperature: r.Temperature, Seed: r.Seed, MaxTokens: r.MaxTokens,
		Schema: string(r.Schema), Bytes: int64(len(r.Schema)),
	}
	for _, m := range r.Messages {
		h, n, err := e.put(m)
		if err != nil {
			return 0, err
		}
		body.Messages = append(body.Messages, h)
		body.Bytes += n
	}
	for _, t := range r.Tools {
		body.Tools = append(body.Tools, t.Name)
		body.Bytes += int64(len(t.Schema) + len(t.Description))
	}
	return e.Emit(role, 0, event.TypeModelRequest, body)
}

func (e *Episode) reply(role, purpose string, asked int64, resp *llm.Response, failed error) error {
	usage := llm.UsageOf(resp, failed)
	queue, load := waited(resp, failed)
	body := &event.ModelReply{
		Role: role, Purpose: purpose, Prompt: usage.Prompt, Completion: usage.Completion, Thinking: usage.Thinking,
		Total: usage.Total, Attempts: 1,
	}
	var timings llm.Timings
	if failed != nil {
		body.Error, body.Detail = "error", failed.Error()
		if le := llm.AsError(failed); le != nil {
			body.Error, timings, body.Attempts = string(le.Kind), le.Timings, max(1, len(le.Attempts))
			if le.Reason != "" {
				body.Error = le.Reason
			}
			resp = le.Reply
		}
	}
	if resp != nil {
		timings = resp.Timings
		if err := e.describe(body, resp); err != nil {
			return err
		}
	}
	body.Queue, body.Load = seconds(queue), seconds(load)
	body.PromptTime, body.Generate = seconds(timings.Prompt), seconds(timings.Generate)
	_, err := e.Emit(role, asked, event.TypeModelReply, body)
	return err
}

func (e *Episode) describe(body *event.ModelReply, resp *llm.Response) error {
	h, _, err := e.put(resp.Message)
	if err != nil {
		return err
	}
	body.Message, body.Finish, body.Notes = h, resp.Finish, resp.Notes
	body.Attempts = max(body.Attempts, len(resp.Attempts))
	for _, c := range resp.Message.ToolCalls {
		args := c.Arguments
		if !json.Valid(args) {
			args = nil
		}
		body.Calls = append(body.Calls, event.ReplyCall{Name: c.Name, Arguments: args, Obtained: c.Obtained, Repairs: c.Repairs})
	}
	for _, p := range resp.Logprobs {
		if body.Logprobs == nil {
			body.Logprobs = map[string]float64{}
		}
		body.Logprobs[p.Token] = p.Logprob
	}
	return nil
}

func seconds(d time.Duration) float64 { return d.Seconds() }

// Harness reports whether err is the harness's fault and not the setup's or the model's: the server is down or
// overloaded, or the model is not there.
func Harness(err error) bool {
	return errors.Is(err, llm.ErrTransport) || errors.Is(err, llm.ErrOverloaded) || errors.Is(err, llm.ErrModelMissing) ||
		errors.Is(err, llm.ErrServer) || errors.Is(err, llm.ErrScript) || errors.Is(err, llm.ErrRequest)
}

// Transient reports whether the model's error may go away when the same is asked a little later.
func Transient(err error) bool {
	le := llm.AsError(err)
	return le != nil && le.Transient()
}
