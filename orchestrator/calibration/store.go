package calibration

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// schema is the version of the files.
const schema = 1

// ErrNone says that nothing was measured for a key.
var ErrNone = errors.New("no calibration")

// Store keeps records in a folder, which need not be there yet.
type Store struct{ Dir string }

// file names a record by the model and the tools; the suite does not count, so that measuring anew on another replaces. The model's name counts only where it has no digest: the same weights
// under two names are one model.
func (s Store) file(k Key) string {
	model := k.Digest
	if model == "" {
		model = "name " + k.Model
	}
	sum := sha256.Sum256([]byte(model + "\x00" + k.Catalog))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:16])+".json")
}

// Load reads the record for a key. The error wraps [ErrNone] where there is none. A file that cannot be read is an error
// that names it, never taken for none.
func (s Store) Load(k Key) (*Record, error) {
	path := s.file(k)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("calibration: %s, these tools: %w", k.Model, ErrNone)
	}
	if err != nil {
		return nil, fmt.Errorf("calibration: reading: %w", err)
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("calibration: %s is damaged (%w); remove it and measure anew", path, err)
	}
	if r.Schema != schema {
		return nil, fmt.Errorf("calibration: %s has schema %d, this program reads %d; remove it and measure anew", path, r.Schema, schema)
	}
	return &r, nil
}

// Save writes a record so that a reader sees the old one or the new one, whole, and returns the file's path.
func (s Store) Save(r *Record) (string, error) {
	r.Schema = schema
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return "", fmt.Errorf("calibration: writing: %w", err)
	}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return "", fmt.Errorf("calibration: writing: %w", err)
	}
	path := s.file(r.Key)
	f, err := os.CreateTemp(s.Dir, ".tmp-*")
	if err != nil {
		return "", fmt.Errorf("calibration: writing: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("calibration: writing %s: %w", path, err)
	}
	return path, nil
}
