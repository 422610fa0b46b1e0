// Package server finds or starts the Ollama server that Almanac's local models run on.
//
// A person who types a command should not have to know whether a server is up. The order is always the same, and
// [Server.Origin] says in one line what was chosen:
//
//  1. a running server: OLLAMA_HOST, or 127.0.0.1:11434, when /api/version answers;
//  2. `ollama` on PATH, started on a free port with the project's own model folder;
//  3. the build that `make model` left in the user cache, started in the same way.
//
// A server that was started here is stopped by [Server.Close], and on Linux also when this process is killed. A server
// that was found running is never stopped. Nothing is installed or downloaded by this package: what is missing is
// reported as a [MissingError], which names the command that brings it.
//
// When OLLAMA_HOST names another machine and that machine does not answer, nothing local is started in its place: the
// numbers of a comparison must come from the server that was asked for.
package server
