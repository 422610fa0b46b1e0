package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"almanac/internal/server"
)

// OraclePython is the Python with the second implementations: ALMANAC_ORACLES, else the one in the cache that
// `make oracles` makes.
func OraclePython() (string, error) {
	python := os.Getenv("ALMANAC_ORACLES")
	if python == "" {
		cache, err := server.CacheDir()
		if err != nil {
			return "", err
		}
		python = filepath.Join(cache, "oracles", "bin", "python")
	}
	if _, err := exec.LookPath(python); err != nil {
		return "", fmt.Errorf("no Python with the second implementations at %s; bring it with: make oracles", python)
	}
	return python, nil
}
