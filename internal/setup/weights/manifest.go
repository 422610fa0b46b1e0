package weights

import (
	"bytes"
	_ "embed" // the manifest and the template
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
)

//go:embed models.json
var modelsJSON []byte

//go:embed chatml.tmpl
var chatTemplateFile string

// chatTemplate is the file without its last line end, which would be one too many in every prompt.
var chatTemplate = strings.TrimSuffix(chatTemplateFile, "\n")

// Kinds of a model.
const (
	// KindGGUF is one file made of all parts in order: a chat model.
	KindGGUF = "gguf"
	// KindFolder is a folder with a file for each part: an embedding model.
	KindFolder = "folder"
)

// Model says where the weights of one model come from.
type Model struct {
	// Name is the model's name in Ollama's library.
	Name string `json:"name"`
	// Kind is [KindGGUF] or [KindFolder].
	Kind string `json:"kind"`
	// Licence is an SPDX identifier.
	Licence string `json:"licence"`
	// File is the name of the file or folder that the parts make.
	File string `json:"file"`
	// Bytes and SHA256 are those of the whole file; empty for a folder, whose files have their own.
	Bytes  int64  `json:"bytes,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	// Parts are in order.
	Parts []Part `json:"parts"`
}

// Part is a piece of a model, in a package of its own or shared with others.
type Part struct {
	// Package and Version name the Python package; Member is the path in its archive.
	Package string `json:"package"`
	Version string `json:"version"`
	Member  string `json:"member"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	// Path is the file's path in a folder; empty for a piece of one file.
	Path string `json:"path,omitempty"`
}

// Total is the model's size in bytes.
func (m Model) Total() int64 {
	var sum int64
	for _, p := range m.Parts {
		sum += p.Bytes
	}
	return sum
}

// Packages counts the packages that the model comes in.
func (m Model) Packages() int {
	seen := make(map[string]bool)
	for _, p := range m.Parts {
		seen[p.Package] = true
	}
	return len(seen)
}

// Known returns the models of the manifest, the default one first.
func Known() ([]Model, error) { return ReadManifest(modelsJSON) }

// ReadManifest reads and checks a manifest. Unknown keys, wrong hashes and lengths that do not add up are errors.
func ReadManifest(text []byte) ([]Model, error) {
	var doc struct {
		Models []Model `json:"models"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("weights: reading the manifest: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("weights: reading the manifest: text after its end")
	}
	for _, m := range doc.Models {
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("weights: reading the manifest: model %q: %w", m.Name, err)
		}
	}
	return doc.Models, nil
}

func (m Model) check() error {
	if m.Name == "" || path.Base(m.File) != m.File || m.File == "." {
		return fmt.Errorf("needs a name, and a file name without folders (has %q)", m.File)
	}
	if len(m.Parts) == 0 {
		return fmt.Errorf("has no parts")
	}
	for i, p := range m.Parts {
		if p.Package == "" || p.Version == "" || p.Member == "" || p.Bytes <= 0 || !isHash(p.SHA256) {
			return fmt.Errorf("part %d needs package, version, member, bytes and a SHA-256", i+1)
		}
		if (p.Path != "") != (m.Kind == KindFolder) || p.Path != "" && !localPath(p.Path) {
			return fmt.Errorf("part %d: path %q does not suit kind %q", i+1, p.Path, m.Kind)
		}
	}
	switch m.Kind {
	case KindFolder:
		return nil
	case KindGGUF:
		if !isHash(m.SHA256) || m.Total() != m.Bytes {
			return fmt.Errorf("parts have %d bytes, the whole is said to have %d with SHA-256 %q", m.Total(), m.Bytes, m.SHA256)
		}
		return nil
	}
	return fmt.Errorf("kind %q, want %s or %s", m.Kind, KindGGUF, KindFolder)
}

func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32
}

func localPath(p string) bool { return path.Clean(p) == p && p[0] != '/' && p[0] != '.' }
