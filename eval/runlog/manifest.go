package runlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"almanac/orchestrator/calibration"
)

// Schema is the version of the folder's layout that this program writes and reads.
const Schema = 1

// Errors that callers branch on.
var (
	ErrExists  = errors.New("there is a run in this folder already")
	ErrNoRun   = errors.New("no run in this folder")
	ErrLocked  = errors.New("another process is working on this run")
	ErrSchema  = errors.New("the run has a schema version that this program does not read")
	ErrDamaged = errors.New("damaged")
)

// Status of a run.
const (
	Running     = "running"
	Complete    = "complete"
	Interrupted = "interrupted"
	Stopped     = "stopped"
)

// Suite says which tasks were run. Hash is of the tasks that the figures are of, Gold of what their gold schedules did;
// Begun is the hash of those that the run was begun with, where somebody has accepted changed ones since.
type Suite struct {
	Name  string   `json:"name"`
	Hash  string   `json:"hash"`
	Gold  string   `json:"gold,omitempty"`
	Begun string   `json:"begun,omitempty"`
	Tasks []string `json:"tasks"`
}

// Model is a model that setups used.
type Model struct {
	Name         string `json:"name"`
	Digest       string `json:"digest,omitempty"`
	Quantisation string `json:"quantisation,omitempty"`
	Server       string `json:"server,omitempty"`
	Context      int    `json:"context,omitempty"`
	Thinking     bool   `json:"thinking,omitempty"`
	// Calibration is what was known of the model before the run; nil where nothing was, and defaults hold.
	Calibration *calibration.Figures `json:"calibration,omitempty"`
}

// Arm is a setup with its model; Model is empty for a setup that uses none. Note says in a line how it differs from
// the others, beyond being that setup.
type Arm struct {
	Setup string `json:"setup"`
	Model string `json:"model,omitempty"`
	Note  string `json:"note,omitempty"`
}

// Host is the machine of a run.
type Host struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
	CPU  string `json:"cpu,omitempty"`
}

// Import says that a run was not made here but read from logs of another harness: in which format, and from which files.
type Import struct {
	Format string            `json:"format"`
	Files  map[string]string `json:"files"` // name to SHA-256
}

// Manifest is run.json. Settings holds what else was configured (temperature, budgets, context size), by name.
type Manifest struct {
	Schema   int               `json:"schema"`
	ID       string            `json:"id"`
	Status   string            `json:"status"`
	Reason   string            `json:"reason,omitempty"`
	Created  time.Time         `json:"created"`
	Ended    *time.Time        `json:"ended,omitempty"`
	Version  string            `json:"version"`
	Commit   string            `json:"commit,omitempty"`
	Go       string            `json:"go"`
	Host     Host              `json:"host"`
	Suite    Suite             `json:"suite"`
	Arms     []Arm             `json:"setups"`
	Models   []Model           `json:"models"`
	Repeats  int               `json:"repeats"`
	Seed     int64             `json:"seed"`
	Parallel int               `json:"parallel"`
	Settings map[string]string `json:"settings,omitempty"`
	Datasets map[string]string `json:"datasets,omitempty"` // name to SHA-256
	Command  []string          `json:"command,omitempty"`
	Imported *Import           `json:"imported,omitempty"`
}

const (
	manifestName = "run.json"
	backupName   = "run.json.bak"
)

// readManifest reads run.json. One that cannot be read is never taken for one that is not there.
func readManifest(dir string) (Manifest, error) {
	path := filepath.Join(dir, manifestName)
	m, err := decodeManifest(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if hasLog(dir) {
			return m, fmt.Errorf("runlog: %s is gone but %s is there: %w; copy %s to %s if it is good", path,
				logName, ErrDamaged, backupName, manifestName)
		}
		return m, fmt.Errorf("runlog: %s: %w", dir, ErrNoRun)
	case errors.Is(err, ErrDamaged):
		if _, backup := decodeManifest(filepath.Join(dir, backupName)); backup == nil {
			return m, fmt.Errorf("%w; the backup %s is good: copy it over %s to go on", err,
				filepath.Join(dir, backupName), manifestName)
		}
	}
	return m, err
}

func decodeManifest(path string) (Manifest, error) {
	var m Manifest
	data, err := os.ReadFile(path)
	if err != nil {
		return m, fmt.Errorf("runlog: reading the manifest: %w", err)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("runlog: %s is %w (%d bytes): %v", path, ErrDamaged, len(data), err)
	}
	if m.Schema != Schema {
		return m, fmt.Errorf("runlog: %s has schema %d, this program reads schema %d: %w", path, m.Schema, Schema, ErrSchema)
	}
	return m, nil
}

func hasLog(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, logName))
	return err == nil && info.Size() > 0
}

// writeManifest keeps the manifest before it as a backup.
func writeManifest(dir string, m Manifest) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("runlog: writing the manifest: %w", err)
	}
	path := filepath.Join(dir, manifestName)
	if _, err := decodeManifest(path); err == nil {
		old, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("runlog: keeping the manifest: %w", err)
		}
		if err := WriteFile(filepath.Join(dir, backupName), old); err != nil {
			return err
		}
	} else if err := WriteFile(filepath.Join(dir, backupName), append(data, '\n')); err != nil {
		return err
	}
	return WriteFile(path, append(data, '\n'))
}

// WriteFile writes a file so that a reader, or a process killed at any byte, sees the old content or the new, never a
// part: a temporary file beside it is flushed to the disk and renamed.
func WriteFile(path string, data []byte) error { return replaceFile(path, data, true) }

// replaceFile is WriteFile, with or without flushing: what can be checked by its hash need not be.
func replaceFile(path string, data []byte, flush bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return fmt.Errorf("runlog: writing %s: %w: %w", path, ErrWrite, err)
	}
	_, err = f.Write(data)
	if err == nil && flush {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("runlog: writing %s: %w: %w", path, ErrWrite, err)
	}
	return nil
}
