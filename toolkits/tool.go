package toolkits

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// Effect says what a call may change outside its result.
type Effect string

// The effects of a tool.
const (
	Pure    Effect = "pure"    // a function of its arguments: equal calls may share a result
	Writes  Effect = "writes"  // leaves something behind: never repeated on resume
	Network Effect = "network" // asks another machine: off unless allowed
)

// Doc is what a tool's author writes beside the function.
type Doc struct {
	Group    string   // label for group metrics, see Groups
	Purpose  string   // one line: what it does, in the field's words
	Details  string   // what a caller may assume; formulas with source
	Examples []string // at least five questions in the words of a user
	Effect   Effect   // "" means Pure
	Resolver bool     // only resolves arguments: looked through in scoring
	Version  string   // "" means "1"; raise it when results change

	// Choices closes the vocabulary of a string parameter where it is known only at run time, such as the names of
	// the data sets.
	Choices map[string][]Choice
}

// Choice is one legal value of a parameter. When limits it to other arguments' values (variable sst when dataset is
// coads_climatology). Kind and Unit are what outputs declared "@param" take from it.
type Choice struct {
	Value   string
	Aliases []string
	Doc     string
	When    map[string]string
	Kind    string
	Unit    string
}

// Tool is a typed function with its description. Make one with [New]; it must not be changed afterwards.
type Tool struct {
	Name     string // agent.verb_noun
	Agent    string
	Group    string
	Purpose  string
	Details  string
	Version  string
	Examples []string
	Effect   Effect
	Check    bool // has outputs passed and reason
	Resolver bool
	Params   []Param
	Outputs  []Output

	in, out reflect.Type
	run     func(ctx context.Context, in any) (any, error)

	inputSchema func() json.RawMessage
}

// New makes a tool from fn. It panics when the name, the types or the tags are wrong: that is a mistake of the tool's
// author, found by the first test that makes the tool.
func New[In, Out any](name string, fn func(context.Context, In) (Out, error), doc Doc) *Tool {
	t, err := newTool(name, reflect.TypeFor[In](), reflect.TypeFor[Out](), doc)
	if err != nil {
		panic(fmt.Sprintf("toolkits: making %s: %v", name, err))
	}
	t.run = func(ctx context.Context, in any) (any, error) { return fn(ctx, in.(In)) }
	return t
}

func newTool(name string, in, out reflect.Type, doc Doc) (*Tool, error) {
	agent, verb, ok := strings.Cut(name, ".")
	if !ok || agent == "" || verb == "" || strings.ToLower(name) != name {
		return nil, fmt.Errorf("a tool's name is agent.verb_noun in lower case")
	}
	if doc.Group == "" || doc.Purpose == "" {
		return nil, fmt.Errorf("group and purpose are needed")
	}
	t := &Tool{
		Name: name, Agent: agent, Group: doc.Group, Purpose: doc.Purpose, Details: doc.Details, Version: doc.Version,
		Examples: doc.Examples, Effect: doc.Effect, Resolver: doc.Resolver, in: in, out: out,
	}
	if t.Version == "" {
		t.Version = "1"
	}
	if t.Effect == "" {
		t.Effect = Pure
	}
	var err error
	if t.Params, err = paramsOf(in, doc.Choices); err != nil {
		return nil, err
	}
	if t.Outputs, err = outputsOf(out); err != nil {
		return nil, err
	}
	_, passed := t.Output("passed")
	_, reason := t.Output("reason")
	t.Check = passed && reason
	t.inputSchema = sync.OnceValue(t.makeInputSchema)
	return t, nil
}

// Param returns the parameter of that name.
func (t *Tool) Param(name string) (*Param, bool) {
	for i := range t.Params {
		if t.Params[i].Name == name {
			return &t.Params[i], true
		}
	}
	return nil, false
}

// Output returns the output field of that name.
func (t *Tool) Output(name string) (*Output, bool) {
	for i := range t.Outputs {
		if t.Outputs[i].Name == name {
			return &t.Outputs[i], true
		}
	}
	return nil, false
}
