// Package eval runs setups on tasks, scores what they did and compares them.
//
// [Run] solves every task with every setup and writes a run folder (package runlog). [Score] turns one episode's
// events into scores: a pure function of the task and the log, so that every figure can be computed again without a
// model, and [Verify] does. [Summarise] averages scores over tasks and compares setups (package stats).
//
// What can be added is one file each: a metric (package metric), a failure label ([FailureLabels]), a section of the
// report (package report).
package eval
