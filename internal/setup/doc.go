// Package setup installs what Almanac needs on a machine and nothing else: Debian packages, and files below the user
// cache folder. Each step says what it is about to do, does nothing when it was done before, and leaves either its
// whole result or none.
package setup
