// Package importlog turns logs of other harnesses into runs that the evaluator scores: chats with tool calls as OpenAI's
// interface writes them (JSON or JSON Lines), and the JSON logs of inspect_ai.
//
// [ReadOpenAI] and [ReadInspect] give [Record]s, one for each recorded conversation. [Assign] says which task of a suite
// each belongs to. A [Solver] plays a record back as the events that a setup of ours would have emitted: requests,
// replies, tool calls with their canonical arguments, an answer.
//
// What a log does not hold is not made up. No tool runs, so a call has no outputs and no answer is bound to one; a call
// counts as successful if the log has a reply to it that is no error. Where a log has no token counts they are unknown.
package importlog
