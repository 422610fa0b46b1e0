package server

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// OllamaVersion is the release that `make model` builds when no Ollama is installed: the version of go.mod, whose API
// types this module compiles against. A test holds the two together.
const OllamaVersion = "v0.17.4"

// CacheDir is the one folder outside the project that Almanac writes to: ALMANAC_CACHE, or "almanac" in the user's
// cache folder (~/.cache on Linux).
func CacheDir() (string, error) {
	if dir := os.Getenv("ALMANAC_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("server: no user cache folder; set ALMANAC_CACHE: %w", err)
	}
	return filepath.Join(dir, "almanac"), nil
}

// BuiltBinary is where the build of `make model` stands below the cache folder, whether or not it exists.
func BuiltBinary(cache string) string {
	name := "ollama"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(cache, "ollama-"+OllamaVersion, name)
}
