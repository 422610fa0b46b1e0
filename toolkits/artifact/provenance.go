package artifact

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// provenanceIndex is what was read of provenance.jsonl so far.
type provenanceIndex struct {
	offset int64
	byHash map[Hash][]Provenance
	seen   map[string]bool // artifact, field and call: one record for each
}

func (p *provenanceIndex) add(r Provenance) {
	if p.byHash == nil {
		p.byHash, p.seen = map[Hash][]Provenance{}, map[string]bool{}
	}
	key := string(r.Artifact) + " " + r.Field + " " + r.Call
	if !p.seen[key] {
		p.seen[key] = true
		p.byHash[r.Artifact] = append(p.byHash[r.Artifact], r)
	}
}

// Record appends that a call made an artifact. A line is written in one piece; a second record of the same artifact,
// field and call is dropped on reading.
func (s *Store) Record(ctx context.Context, r Provenance) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("artifact: recording provenance: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log == nil {
		s.log, err = os.OpenFile(filepath.Join(s.dir, "provenance.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return &WriteError{"recording provenance", err}
		}
	}
	// A line feed first ends the half line that a killed process may have left.
	if _, err := s.log.Write(append(append([]byte{'\n'}, line...), '\n')); err != nil {
		return &WriteError{"recording provenance", err}
	}
	return nil
}

// Provenance returns the records of the artifact with hash h, in the order in which they were written; none for an
// artifact that no call is known to have made. A torn line is passed over.
func (s *Store) Provenance(ctx context.Context, h Hash) ([]Provenance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	return append([]Provenance(nil), s.prov.byHash[h]...), nil
}

// catchUp reads the lines that were appended since the last time, also by other processes. s.mu is held.
func (s *Store) catchUp(ctx context.Context) error {
	f, err := os.Open(filepath.Join(s.dir, "provenance.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("artifact: reading provenance: %w", err)
	}
	defer f.Close()
	if _, err := f.Seek(s.prov.offset, io.SeekStart); err != nil {
		return fmt.Errorf("artifact: reading provenance: %w", err)
	}
	r := bufio.NewReader(f)
	for ctx.Err() == nil {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return nil // an unfinished line is read again later
		}
		if err != nil {
			return fmt.Errorf("artifact: reading provenance: %w", err)
		}
		s.prov.offset += int64(len(line))
		var rec Provenance
		if len(bytes.TrimSpace(line)) > 0 && json.Unmarshal(line, &rec) == nil && rec.Artifact.valid() {
			s.prov.add(rec)
		}
	}
	return ctx.Err()
}

// Ancestors returns every record on the way from the artifact with hash h back to the calls without inputs, each
// once, nearest first. Where an artifact was made twice, all of its records count.
func (s *Store) Ancestors(ctx context.Context, h Hash) ([]Provenance, error) {
	var out []Provenance
	seen := map[Hash]bool{h: true}
	for queue := []Hash{h}; len(queue) > 0; queue = queue[1:] {
		recs, err := s.Provenance(ctx, queue[0])
		if err != nil {
			return nil, err
		}
		for _, r := range recs {
			out = append(out, r)
			for _, p := range r.Parents {
				if !seen[p] {
					seen[p] = true
					queue = append(queue, p)
				}
			}
		}
	}
	return out, nil
}
