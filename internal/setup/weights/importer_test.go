package weights

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"
)

// ollama is a server that keeps blobs and models as Ollama does, and fails the test where Ollama would break.
type ollama struct {
	t       *testing.T
	blobs   map[string][]byte
	created map[string]api.CreateRequest
	log     []string
	// deaf makes created models lose their capabilities, as an import without a template does.
	deaf bool
	pull func(w io.Writer)
}

func (o *ollama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	digest := strings.TrimPrefix(r.URL.Path, "/api/blobs/")
	switch {
	case digest != r.URL.Path:
		o.blob(w, r, digest)
	case r.URL.Path == "/api/create":
		var req api.CreateRequest
		o.read(r, &req)
		for name, digest := range req.Files {
			if _, ok := o.blobs[digest]; !ok {
				o.t.Errorf("created with %s, whose blob was not sent", name)
			}
		}
		o.created[req.Model] = req
		o.log = append(o.log, "create "+req.Model)
		_, _ = io.WriteString(w, `{"status":"success"}`)
	case r.URL.Path == "/api/show":
		o.show(w, r)
	case r.URL.Path == "/api/pull":
		o.pull(w)
	default:
		o.t.Errorf("unexpected %s %s", r.Method, r.URL)
	}
}

func (o *ollama) read(r *http.Request, v any) {
	if err := json.NewDecoder(r.Body).Decode(v); err != nil {
		o.t.Error(err)
	}
}

func (o *ollama) blob(w http.ResponseWriter, r *http.Request, digest string) {
	_, has := o.blobs[digest]
	o.log = append(o.log, r.Method)
	switch {
	case r.Method == http.MethodHead && !has:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodPost && has:
		o.t.Errorf("blob %s posted though the server has it: it would reset the connection", digest)
	case r.Method == http.MethodPost:
		body, err := io.ReadAll(r.Body)
		if err != nil || "sha256:"+sum(body) != digest {
			o.t.Errorf("blob of %d bytes does not have digest %s: %v", len(body), digest, err)
		}
		o.blobs[digest] = body
		w.WriteHeader(http.StatusCreated)
	}
}

func (o *ollama) show(w http.ResponseWriter, r *http.Request) {
	var req api.ShowRequest
	o.read(r, &req)
	c, ok := o.created[req.Model]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"model not found"}`)
		return
	}
	caps := []string{"completion"}
	switch {
	case o.deaf:
	case c.Files["1_Pooling/config.json"] != "":
		caps = []string{"embedding"}
	case strings.Contains(c.Template, ".Tools"):
		caps = append(caps, "tools")
	}
	if err := json.NewEncoder(w).Encode(map[string]any{"template": c.Template, "capabilities": caps}); err != nil {
		o.t.Error(err)
	}
}

func newOllama(t *testing.T) (*ollama, *Importer) {
	t.Helper()
	o := &ollama{t: t, blobs: make(map[string][]byte), created: make(map[string]api.CreateRequest)}
	s := httptest.NewServer(o)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return o, NewImporter(u)
}

func TestImport(t *testing.T) {
	m, s, whole := fixture(t)
	files, err := NewAssembler(t.TempDir(), s, nil).Files(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	o, imp := newOllama(t)
	if ok, err := imp.Current(t.Context(), m); ok || err != nil {
		t.Errorf("Current before: %v, %v", ok, err)
	}
	if err := imp.Import(t.Context(), m, files); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"HEAD", "POST", "create almanac/m:1"}, o.log); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(whole, o.blobs["sha256:"+m.SHA256]); diff != "" {
		t.Error(diff)
	}
	got := o.created["almanac/m:1"]
	for _, tag := range []string{"<tools>", "<tool_call>", "<tool_response>", "<|im_end|>"} {
		if !strings.Contains(got.Template, tag) {
			t.Errorf("the template lacks %s", tag)
		}
	}
	if stops, _ := got.Parameters["stop"].([]any); !slices.Contains(stops, any("<|im_end|>")) {
		t.Errorf("stop tokens are %v", got.Parameters["stop"])
	}
	if ok, err := imp.Current(t.Context(), m); !ok || err != nil {
		t.Errorf("Current after: %v, %v", ok, err)
	}
}

// A model whose template is an older one is made again, and its weights are not sent again.
func TestImportAgainSendsNothing(t *testing.T) {
	m, _, whole := fixture(t)
	o, imp := newOllama(t)
	o.blobs["sha256:"+m.SHA256] = whole
	o.created["almanac/m:1"] = api.CreateRequest{Template: "{{ .Prompt }}"}
	if ok, err := imp.Current(t.Context(), m); ok || err != nil {
		t.Errorf("a model without our template is current: %v, %v", ok, err)
	}
	if ok, err := imp.Holds(t.Context(), m); !ok || err != nil {
		t.Errorf("Holds: %v, %v", ok, err)
	}
	if err := imp.Import(t.Context(), m, nil); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(o.log, "POST") {
		t.Errorf("requests %v", o.log)
	}
}

func TestImportSentenceTransformers(t *testing.T) {
	dir := t.TempDir()
	files := make(map[string]string)
	m := Model{Name: "e", Kind: KindFolder, File: "e"}
	for i, name := range []string{"config.json", "1_Pooling/config.json"} {
		content := []byte{byte(i), 1, 2}
		files[name] = filepath.Join(dir, sum(content))
		if err := os.WriteFile(files[name], content, 0o644); err != nil {
			t.Fatal(err)
		}
		m.Parts = append(m.Parts, Part{Path: name, Bytes: 3, SHA256: sum(content)})
	}
	o, imp := newOllama(t)
	if err := imp.Import(t.Context(), m, files); err != nil {
		t.Fatal(err)
	}
	got := o.created["almanac/e"]
	if got.Files["1_Pooling/config.json"] == "" || got.Template != "" {
		t.Errorf("created with files %v and template %q", got.Files, got.Template)
	}
}

func TestImportSaysWhatTheServerLacks(t *testing.T) {
	m, _, whole := fixture(t)
	o, imp := newOllama(t)
	o.blobs["sha256:"+m.SHA256], o.deaf = whole, true
	if err := imp.Import(t.Context(), m, nil); err == nil || !strings.Contains(err.Error(), `"tools" is missing`) {
		t.Errorf("got %v, want an error that says tools are missing", err)
	}
}

func TestPull(t *testing.T) {
	for _, c := range []struct {
		about, reply string
		want         error
		fails        bool
	}{
		{"the library is reached", `{"status":"pulling","total":100,"completed":100}` + "\n" + `{"status":"success"}`, nil, false},
		{"no such host", `{"status":"pulling manifest"}` + "\n" + `{"error":"lookup registry: no such host"}`, ErrUnreachable, true},
		{"lost in the middle", `{"status":"pulling","total":100,"completed":40}` + "\n" + `{"error":"connection reset"}`, nil, true},
	} {
		t.Run(c.about, func(t *testing.T) {
			o, imp := newOllama(t)
			o.pull = func(w io.Writer) { _, _ = io.WriteString(w, c.reply) }
			err := imp.Pull(t.Context(), "m:1", time.Minute, func(string) {})
			if (err != nil) != c.fails || errors.Is(err, ErrUnreachable) != (c.want != nil) {
				t.Errorf("got %v, want failure %v and %v", err, c.fails, c.want)
			}
		})
	}
}

// A library that never answers must not hold up the set-up.
func TestPullGivesUpWithoutAByte(t *testing.T) {
	o, imp := newOllama(t)
	release := make(chan struct{})
	defer close(release)
	o.pull = func(w io.Writer) {
		_, _ = io.WriteString(w, `{"status":"pulling manifest"}`+"\n")
		w.(http.Flusher).Flush()
		<-release
	}
	err := imp.Pull(t.Context(), "m:1", 50*time.Millisecond, func(string) {})
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "no byte within 50ms") {
		t.Errorf("got %v, want ErrUnreachable that says why", err)
	}
}
