package schedule

import (
	"fmt"
	"strings"
)

// Code names a kind of problem.
type Code string

// The codes of problems. UnusedStep is a warning, all others are errors.
const (
	SyntaxError   Code = "syntax"
	UnknownAgent  Code = "unknown_agent"
	UnknownTool   Code = "unknown_tool"
	UnknownParam  Code = "unknown_param"
	MissingParam  Code = "missing_param"
	WrongType     Code = "wrong_type"
	WrongKind     Code = "wrong_kind"
	WrongUnit     Code = "wrong_unit"
	UndefinedName Code = "undefined_name"
	RedefinedName Code = "redefined_name"
	UnknownField  Code = "unknown_field"
	UnknownSlot   Code = "unknown_slot"
	UnusedStep    Code = "unused_step"
	NoAnswer      Code = "no_answer"
	UnboundAnswer Code = "unbound_answer"
	ExtraAnswer   Code = "extra_answer"
	OverBudget    Code = "over_budget"
)

// Problem is one thing that is wrong with a schedule.
type Problem struct {
	Code Code `json:"code"`
	Pos
	// Step is the name that the statement binds; empty for checks and answers.
	Step string `json:"step,omitempty"`
	// Found is what stands in the text.
	Found string `json:"found,omitempty"`
	// Legal is what could stand there instead, the nearest first.
	Legal []string `json:"legal,omitempty"`
	// Resolve says what would resolve the problem: the tools that have an unknown
	// field, or the chain of tools from the kind at hand to the kind needed.
	Resolve []string `json:"resolve,omitempty"`
	Message string   `json:"message"`
	// Warning marks a problem that does not keep the schedule from running.
	Warning bool `json:"warning,omitempty"`
}

// String is the problem on one line: "3:12 unknown_field: …".
func (p Problem) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d %s: %s", p.Line, p.Col, p.Code, p.Message)
	if len(p.Legal) > 0 {
		fmt.Fprintf(&b, "; legal: %s", strings.Join(p.Legal, ", "))
	}
	if len(p.Resolve) > 0 {
		fmt.Fprintf(&b, "; try: %s", strings.Join(p.Resolve, ", "))
	}
	return b.String()
}

// Errors are the problems that keep a schedule from running: all but warnings.
func Errors(problems []Problem) []Problem {
	var errs []Problem
	for _, p := range problems {
		if !p.Warning {
			errs = append(errs, p)
		}
	}
	return errs
}

// Options set limits for checking and choose among the repairs. Nil is the same
// as the zero value.
type Options struct {
	// MaxMap is the largest number of items of a mapped step; 0 means 16.
	MaxMap int
	// MaxCalls is the budget of tool calls; 0 means no limit.
	MaxCalls int
	// Off are the repairs that are not to be made.
	Off map[RepairID]bool
}

// DefaultMaxMap is the largest number of items that a mapped step may have when
// Options say nothing else.
const DefaultMaxMap = 16

func (o *Options) maxMap() int {
	if o == nil || o.MaxMap <= 0 {
		return DefaultMaxMap
	}
	return o.MaxMap
}

func (o *Options) maxCalls() int {
	if o == nil {
		return 0
	}
	return o.MaxCalls
}

func (o *Options) on(id RepairID) bool { return o == nil || !o.Off[id] }

// RepairID names a kind of certain repair.
type RepairID string

// The certain repairs. Each leaves one reading only; what could change the
// meaning of a schedule is a problem instead.
const (
	StripFence     RepairID = "strip_fence"     // a code fence around the program is dropped
	StripProse     RepairID = "strip_prose"     // sentences around the statements are dropped
	StripNumbering RepairID = "strip_numbering" // "1." or "-" before a statement is dropped
	Dedent         RepairID = "dedent"          // a statement is moved to the margin
	DropTypeNote   RepairID = "drop_type_note"  // "-> {…}" or "x: raster" is dropped
	AddAgent       RepairID = "add_agent"       // the only agent with that tool is named
	AgentVariant   RepairID = "agent_variant"   // quotes, brackets and spaces around an agent's name
	AgentName      RepairID = "agent_name"      // a value may bear an agent's name
	LetterCase     RepairID = "letter_case"     // a name differs by letter case only
	ParamAlias     RepairID = "param_alias"     // a parameter is spelt by a declared alias
	PositionalKind RepairID = "positional_kind" // positional arguments whose kinds fit one parameter each
	ValueAlias     RepairID = "value_alias"     // a closed vocabulary's value is spelt by a declared alias
	NumberText     RepairID = "number_text"     // a number stands in quotes
	OneToList      RepairID = "one_to_list"     // one value where a list is needed
	UnquoteRef     RepairID = "unquote_ref"     // "{name}" in quotes is the reference that it names
	ListToOne      RepairID = "list_to_one"     // a list of one where one value is needed
	InlineAlias    RepairID = "inline_alias"    // x = y, a second name for a step or an artifact, is replaced by the first
	LiftCall       RepairID = "lift_call"       // a nested call becomes a step of its own
	LiftExpression RepairID = "lift_expression" // a nested expression becomes a step of its own
	InsertBoundary RepairID = "insert_boundary" // the boundary step is put in where a zone is needed
	NearName       RepairID = "near_name"       // an undefined name differs by spelling only
	NameToField    RepairID = "name_to_field"   // a step's name stands for its only fitting field
	FieldAlias     RepairID = "field_alias"     // a field is spelt by a declared alias
	SubscriptField RepairID = "subscript_field" // name["field"] is name.field
	QuoteValue     RepairID = "quote_value"     // a vocabulary's value stands without quotes
	AnswerLast     RepairID = "answer_last"     // answer or decline is moved behind the steps and checks
	AddAnswer      RepairID = "add_answer"      // a missing answer field has one output of that name
)

// RepairIDs are all kinds of certain repairs.
func RepairIDs() []RepairID {
	return []RepairID{
		StripFence, StripProse, StripNumbering, Dedent, DropTypeNote, AddAgent, AgentVariant, AgentName,
		LetterCase, ParamAlias, PositionalKind, ValueAlias, NumberText, UnquoteRef, OneToList, ListToOne, InlineAlias, LiftCall, LiftExpression,
		InsertBoundary, NearName, NameToField, FieldAlias, SubscriptField, QuoteValue, AnswerLast, AddAnswer,
	}
}

// RepairRecord tells of one repair that was made.
type RepairRecord struct {
	ID RepairID `json:"id"`
	Pos
	Before string `json:"before"`
	After  string `json:"after"`
}
