package runlog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// Folder is the folder of a run. Make one with [Create], [Resume] or [Open].
type Folder struct {
	Dir      string
	Manifest Manifest
	// Dropped is the number of bytes that a torn write had left at the end of the log and that were cut off (Resume) or
	// passed over (Open).
	Dropped int64

	lock *flock.Flock
	log  *Log

	mu       sync.Mutex
	messages map[string]bool // hashes on disk
}

// Create makes a new run in dir and locks it. The error wraps [ErrExists] if there is one already.
func Create(dir string, m Manifest) (*Folder, error) {
	for _, sub := range []string{"", "tasks", "messages", "artifacts"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, fmt.Errorf("runlog: creating the run: %w", err)
		}
	}
	f := &Folder{Dir: dir, messages: map[string]bool{}}
	if err := f.acquire(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, manifestName)); err == nil || hasLog(dir) {
		f.release()
		return nil, fmt.Errorf("runlog: %s: %w; resume it, or choose another folder", dir, ErrExists)
	}
	m.Schema, m.Status = Schema, Running
	f.Manifest = m
	if err := writeManifest(dir, m); err != nil {
		f.release()
		return nil, err
	}
	var err error
	if f.log, err = openLog(dir, 0); err != nil {
		f.release()
		return nil, err
	}
	return f, nil
}

// Resume takes a run up again: it locks the folder, cuts a torn last line off the log and returns the events so far.
// The error wraps [ErrNoRun], [ErrLocked], [ErrSchema] or [ErrDamaged]; nothing is changed then.
func Resume(dir string) (*Folder, *Events, error) {
	if _, err := readManifest(dir); err != nil {
		return nil, nil, err
	}
	f := &Folder{Dir: dir, messages: map[string]bool{}}
	if err := f.acquire(); err != nil {
		return nil, nil, err
	}
	events, err := f.takeUp()
	if err != nil {
		f.release()
		return nil, nil, err
	}
	return f, events, nil
}

func (f *Folder) takeUp() (*Events, error) {
	var err error
	if f.Manifest, err = readManifest(f.Dir); err != nil {
		return nil, err
	}
	path := filepath.Join(f.Dir, logName)
	events, err := ReadEvents(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if events == nil {
		if f.Manifest.Status != Running { // a run that came to an end has logged that
			return nil, fmt.Errorf("runlog: the log %s is %w: it is gone, but the run is %s; bring it back, or begin a new run",
				path, ErrDamaged, f.Manifest.Status)
		}
		events = &Events{}
	}
	if f.Dropped = events.Torn; f.Dropped > 0 {
		if err := os.Truncate(path, events.Size); err != nil {
			return nil, fmt.Errorf("runlog: cutting a torn line off %s: %w", path, err)
		}
	}
	f.log, err = openLog(f.Dir, events.LastSeq())
	return events, err
}

// Open opens a run for reading, without a lock: another process may be writing it.
func Open(dir string) (*Folder, *Events, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, nil, err
	}
	events, err := ReadEvents(filepath.Join(dir, logName))
	if err != nil {
		return nil, nil, err
	}
	return &Folder{Dir: dir, Manifest: m, Dropped: events.Torn}, events, nil
}

// Look opens a run for reading without reading its log: see [Folder.Each].
func Look(dir string) (*Folder, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{Dir: dir, Manifest: m}, nil
}

// Lock is Look for one who changes what follows from the log: no other process works on the run until it is closed.
func Lock(dir string) (*Folder, error) {
	f, err := Look(dir)
	if err != nil {
		return nil, err
	}
	return f, f.acquire()
}

// Log is where events of the run go; nil for a folder opened for reading.
func (f *Folder) Log() *Log { return f.log }

// ArtifactDir is the folder of the run's artifact store.
func (f *Folder) ArtifactDir() string { return filepath.Join(f.Dir, "artifacts") }

// SetStatus writes the manifest anew with a status and its reason.
func (f *Folder) SetStatus(status, reason string) error {
	f.Manifest.Status, f.Manifest.Reason = status, reason
	return writeManifest(f.Dir, f.Manifest)
}

// Save writes the manifest anew.
func (f *Folder) Save() error { return writeManifest(f.Dir, f.Manifest) }

// Close flushes the log and gives up the lock.
func (f *Folder) Close() error {
	if f.lock == nil {
		return nil
	}
	var err error
	if f.log != nil {
		err = f.log.Close()
	}
	f.release()
	return err
}

func (f *Folder) acquire() error {
	f.lock = flock.New(filepath.Join(f.Dir, "run.lock"))
	ok, err := f.lock.TryLock()
	if err != nil {
		return fmt.Errorf("runlog: locking %s: %w", f.Dir, err)
	}
	if !ok {
		return fmt.Errorf("runlog: %s: %w", f.Dir, ErrLocked)
	}
	return nil
}

func (f *Folder) release() {
	// The lock ends with the process in any case; a failure to unlock has no consequence that could be handled.
	_ = f.lock.Unlock()
}

// PutTask writes a task as run.
func (f *Folder) PutTask(id string, task any) error {
	data, err := json.MarshalIndent(task, "", " ")
	if err != nil {
		return fmt.Errorf("runlog: writing task %s: %w", id, err)
	}
	return WriteFile(f.taskPath(id), append(data, '\n'))
}

// Task reads a task as run.
func (f *Folder) Task(id string, task any) error {
	path := f.taskPath(id)
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("runlog: reading task %s: %w", id, err)
	}
	if err := json.Unmarshal(data, task); err != nil {
		return fmt.Errorf("runlog: %s is %w: %v", path, ErrDamaged, err)
	}
	return nil
}

func (f *Folder) taskPath(id string) string {
	return filepath.Join(f.Dir, "tasks", SafeName(id)+".json")
}

// SafeName makes an id fit to name a file on every system. An id that has to be changed gets a part of its hash, so
// that two ids never share a name.
func SafeName(id string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.~+", r) {
			return r
		}
		return '-'
	}, id)
	if safe == id && id != "" && !strings.HasPrefix(id, ".") && len(id) < 150 {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "x" + safe[:min(len(safe), 120)] + "-" + hex.EncodeToString(sum[:4])
}

// PutMessage stores the canonical bytes of a message once and returns their hash.
func (f *Folder) PutMessage(data []byte) (string, error) {
	sum := sha256.Sum256(data)
	h := hex.EncodeToString(sum[:])
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.messages[h] {
		return h, nil
	}
	path := f.messagePath(h)
	// A power cut can leave a file without its content: what is there is read once before it is trusted.
	if _, err := f.Message(h); err != nil {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", fmt.Errorf("runlog: storing a message: %w: %w", ErrWrite, err)
		}
		if err := replaceFile(path, data, false); err != nil {
			return "", err
		}
	}
	f.messages[h] = true
	return h, nil
}

// Message reads a message and checks its hash.
func (f *Folder) Message(h string) ([]byte, error) {
	if len(h) != 2*sha256.Size {
		return nil, fmt.Errorf("runlog: %q is no hash of a message", h)
	}
	data, err := os.ReadFile(f.messagePath(h))
	if err != nil {
		return nil, fmt.Errorf("runlog: reading a message: %w", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != h {
		return nil, fmt.Errorf("runlog: message %s does not match its hash: %w", h, ErrDamaged)
	}
	return data, nil
}

func (f *Folder) messagePath(h string) string {
	return filepath.Join(f.Dir, "messages", h[:2], h+".json")
}

// Events reads the log as it stands.
func (f *Folder) Events() (*Events, error) { return ReadEvents(filepath.Join(f.Dir, logName)) }
