// Package runlog keeps the folder of a run: what was asked for, every event, the tasks as run and the messages.
//
//	run.json        the manifest: configuration, versions, hashes, status (run.json.bak is the one before)
//	events.jsonl    every event, appended; an episode counts when its episode_end is there
//	tasks/          the tasks as run, with their executed gold
//	messages/       model messages by hash
//	artifacts/      written by the artifact store
//
// A run that was cut off at any byte can be taken up again. An event is in the hands of the operating system before
// [Log.Emit] returns; the end of an episode is on the disk. What a torn write left at the end of the log is cut off and
// reported. Damage anywhere else is an error that names the file and the line: it is never read as "nothing there".
//
// One process at a time works on a folder; a second one is refused with [ErrLocked].
package runlog
