// Package metric scores one episode: the calls that were made against the calls of a gold schedule, and the values
// that were answered against the values expected.
//
// A metric is a pure function of a [Case]. Each has a file of its own here, with its name, definition, source, range
// and direction, and a line in [All]. To add one, write its file and its line.
//
// # Which calls count
//
// Calls that check, and calls that only resolve a name or a unit, say nothing about the plan: a place name, the
// boundary step written out and an inserted one are the same plan. They are left out of both sides, unless their
// output is itself an answer. A statement that a revision leaves unchanged is one call, and so is a retried one; a
// call answered from the memo is a call. Nested expressions are one expression: see [NewTrace].
//
// # When two calls are the same
//
// Arguments are compared by what they are, never as text: numbers within a tolerance after unit conversion, periods
// by their end points, boxes by their corners, expressions as trees. An input from another call is the same if its
// content is the same or if the calls that made it are the same. A match therefore implies that everything before it
// was right, and no order or assignment has to be assumed.
package metric
