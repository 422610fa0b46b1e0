package judge

// The stages at which a piece of code can fail, in the order in which it gets to them.
const (
	StageHarness   = "harness"          // it could not be tried, through no fault of its own
	StageSyntax    = "syntax"           // it does not parse
	StageFunction  = "unknown_function" // it calls something that does not exist
	StageArgument  = "argument"         // a call does not take these arguments
	StageTimeOut   = "time_out"         // it did not end in time
	StageRuntime   = "runtime"          // it ended in an error
	StageType      = "result_type"      // it ended with a value of another kind
	StageAnswer    = "wrong_answer"     // it ended with another value
	StageSucceeded = ""                 // none: it did what was asked
)

// Stages lists the stages at which code can fail, in order.
func Stages() []string {
	return []string{StageHarness, StageSyntax, StageFunction, StageArgument, StageTimeOut, StageRuntime, StageType, StageAnswer}
}

// Execution is what became of a piece of code, step by step, as whoever ran it saw it. A class is told by how far the
// code came, never by the words of a message. Each field is the detail of a failure at that step; empty: it passed.
type Execution struct {
	Harness  string   // why it could not be run at all
	Syntax   string   // what does not parse
	Unknown  []string // names that are called and do not exist
	Argument string   // what a call refused before it ran
	TimedOut bool
	Failed   string // the error that it ended with
	Result   any    // what it gave
}

// Stage says at which stage an execution failed, and why. want is the expected result, compared with [Exact] under
// opt; a nil opt is the zero value.
func Stage(e Execution, want any, opt *Options) (stage, reason string) {
	switch {
	case e.Harness != "":
		return StageHarness, e.Harness
	case e.Syntax != "":
		return StageSyntax, e.Syntax
	case len(e.Unknown) > 0:
		return StageFunction, "no such function: " + e.Unknown[0]
	case e.Argument != "":
		return StageArgument, e.Argument
	case e.TimedOut:
		return StageTimeOut, "it did not end in time"
	case e.Failed != "":
		return StageRuntime, e.Failed
	}
	if g, w := kindOf(e.Result), kindOf(want); g != w {
		return StageType, "the result is of kind " + g + ", not " + w
	}
	if v := Exact(e.Result, want, opt); !v.Equal {
		return StageAnswer, v.Reason
	}
	return StageSucceeded, ""
}
