// Package stats holds the statistics of a comparison between setups: means with intervals, paired differences,
// tests and the verdict.
//
// # The unit of inference
//
// Tasks of one template are variations of one question, so they are not independent: resampling twelve templates of
// three tasks each as if they were 36 independent tasks gives a "95 %" interval that covers far less than 95 %. Here
// everything is inferred from template means: repeats are averaged within a task, tasks within a template, and only
// then is anything resampled, tested or given an interval. Where every task has its own template, the template is
// the task.
//
// # What is not defined is nil
//
// NaN and infinities never leave this package. A value that is not defined (an interval of one number, a relative
// difference against zero) is a nil pointer, with a reason beside it.
//
// # The same numbers everywhere
//
// Random numbers come from a PCG with a fixed seed, sums run in sorted order, and products are rounded before they
// are added (Go may fuse them on some machines), so that the same observations give the same interval anywhere.
package stats
