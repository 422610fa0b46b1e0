package server

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The right-hand sides follow Ollama's FAQ on OLLAMA_HOST: host, port and scheme may be left out, the port is 11434
// without a scheme and the scheme's own with one.
func TestParseHost(t *testing.T) {
	for _, c := range []struct{ value, want string }{
		{"", "http://127.0.0.1:11434"},
		{"localhost", "http://localhost:11434"},
		{"127.0.0.1:5000", "http://127.0.0.1:5000"},
		{":5000", "http://127.0.0.1:5000"},
		{"0.0.0.0", "http://127.0.0.1:11434"},
		{"[::]:7", "http://127.0.0.1:7"},
		{"[::1]", "http://[::1]:11434"},
		{" \"10.1.2.3\" ", "http://10.1.2.3:11434"},
		{"http://example.org", "http://example.org:80"},
		{"https://example.org/ollama/", "https://example.org:443/ollama"},
	} {
		u, err := ParseHost(c.value)
		if err != nil {
			t.Errorf("ParseHost(%q): %v", c.value, err)
			continue
		}
		if got := u.String(); got != c.want {
			t.Errorf("ParseHost(%q) = %s, want %s", c.value, got, c.want)
		}
	}
	for _, bad := range []string{"ftp://example.org", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:port"} {
		if u, err := ParseHost(bad); err == nil {
			t.Errorf("ParseHost(%q) = %s, want an error", bad, u)
		}
	}
}

func TestVersionIsThatOfGoMod(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`github\.com/ollama/ollama (v[0-9.]+)`).FindSubmatch(text)
	if m == nil || string(m[1]) != OllamaVersion {
		t.Errorf("OllamaVersion is %s, go.mod has %q", OllamaVersion, m)
	}
}

func TestEnsureTakesTheRunningServer(t *testing.T) {
	fake := fakeServer(t)
	s, err := Ensure(t.Context(), &Options{Host: fake.URL, Binary: "/nonexistent/ollama", Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if s.Started || s.Version != "0.17.4" || !strings.HasPrefix(s.Origin, "running server at ") {
		t.Errorf("got started %v, version %q, origin %q", s.Started, s.Version, s.Origin)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(t.Context(), &Options{Host: fake.URL}); err != nil {
		t.Errorf("Close stopped a server that was found running: %v", err)
	}
}

func TestEnsureStartsAndStops(t *testing.T) {
	o := fakeOptions(t, "serve")
	s, err := Ensure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	models := filepath.Join(o.Cache, "models")
	want := "OLLAMA_MODELS=" + models + " OLLAMA_NUM_PARALLEL=1 OLLAMA_KEEP_ALIVE=30m OLLAMA_NO_CLOUD=1 OLLAMA_NOPRUNE=1 HOME=" + o.Cache
	if diff := cmp.Diff(want, s.Version); diff != "" {
		t.Errorf("environment of the server (-want +got):\n%s", diff)
	}
	if !s.Started || s.Binary != o.Binary || !strings.HasPrefix(s.Origin, "started "+o.Binary) {
		t.Errorf("got started %v, binary %q, origin %q", s.Started, s.Binary, s.Origin)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Find(t.Context(), &Options{Host: s.Host()}); !errors.Is(err, ErrNoServer) {
		t.Errorf("after Close the server still answers: %v", err)
	}
}

func TestWhatTheUserSetStays(t *testing.T) {
	o := fakeOptions(t, "serve")
	t.Setenv("OLLAMA_NUM_PARALLEL", "4")
	t.Setenv("OLLAMA_KEEP_ALIVE", "2h")
	models := filepath.Join(t.TempDir(), "mine")
	t.Setenv("OLLAMA_MODELS", models)
	o.Prune = true
	s, err := Ensure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := "OLLAMA_MODELS=" + models + " OLLAMA_NUM_PARALLEL=4 OLLAMA_KEEP_ALIVE=2h OLLAMA_NO_CLOUD=1 OLLAMA_NOPRUNE= "
	if !strings.HasPrefix(s.Version, want) {
		t.Errorf("environment of the server is %q, want it to begin with %q", s.Version, want)
	}
}

func TestServerThatDoesNotComeUp(t *testing.T) {
	for _, c := range []struct {
		role, want string
		timeout    time.Duration
	}{
		{"fails", "could not load the kernels", 20 * time.Second},
		{"silent", "no answer at", 300 * time.Millisecond},
	} {
		t.Run(c.role, func(t *testing.T) {
			o := fakeOptions(t, c.role)
			o.StartTimeout = c.timeout
			s, err := Ensure(t.Context(), o)
			if s != nil || !errors.Is(err, ErrStart) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, %v; want ErrStart with %q", s, err, c.want)
			}
		})
	}
}

func TestNothingToStart(t *testing.T) {
	t.Setenv("OLLAMA_HOST", nobody(t))
	t.Setenv("PATH", t.TempDir())
	_, err := Ensure(t.Context(), &Options{Cache: t.TempDir()})
	var missing *MissingError
	if !errors.As(err, &missing) || !errors.Is(err, ErrNoServer) {
		t.Fatalf("got %v, want a MissingError of kind ErrNoServer", err)
	}
	if missing.Fix() != "make model" || len(missing.Tried) != 2 {
		t.Errorf("fix %q after trying %q, want `make model` after PATH and the cache", missing.Fix(), missing.Tried)
	}
	if s, err := Ensure(t.Context(), &Options{Cache: t.TempDir(), NoStart: true}); s != nil || !errors.Is(err, ErrNoServer) {
		t.Errorf("NoStart: got %v, %v", s, err)
	}
}

// A server that was named and is elsewhere must not be replaced by one here in silence.
func TestRemoteServerIsNotReplaced(t *testing.T) {
	o := fakeOptions(t, "serve")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	o.Host = "host.invalid:11434"
	s, err := Ensure(ctx, o)
	if s != nil || !errors.Is(err, ErrNoServer) || !strings.Contains(err.Error(), "not on this machine") {
		t.Errorf("got %v, %v; want ErrNoServer that says why none was started", s, err)
	}
}

func TestSomethingElseAnswers(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("{}"))
	}))
	defer other.Close()
	_, err := Find(t.Context(), &Options{Host: other.URL})
	if !errors.Is(err, ErrNoServer) || !strings.Contains(err.Error(), "not an Ollama server") {
		t.Errorf("got %v, want ErrNoServer that says what answers", err)
	}
}
