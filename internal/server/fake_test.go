package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
)

// roleKey makes this test binary play the program `ollama`, so that starting and stopping is tested with a real
// process and no Ollama.
const roleKey = "ALMANAC_TEST_FAKE_OLLAMA"

func TestMain(m *testing.M) {
	switch os.Getenv(roleKey) {
	case "":
		os.Exit(m.Run())
	case "serve":
		playServe()
	case "fails":
		fmt.Fprintln(os.Stderr, "could not load the kernels")
		os.Exit(1)
	case "silent":
		// Blocked without a deadlock report: the runtime sees a live signal handler.
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
		select {}
	case "parent":
		playParent()
	}
}

// playParent starts a server, prints its address and waits to be killed.
func playParent() {
	os.Setenv(roleKey, "serve")
	binary, err := os.Executable()
	if err == nil {
		var s *Server
		if s, err = Ensure(context.Background(), &Options{Binary: binary}); err == nil {
			fmt.Println(s.Host())
			signal.Notify(make(chan os.Signal, 1), os.Interrupt)
			select {}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// playServe answers /api/version with the environment it was given, which the tests read back.
func playServe() {
	l, err := net.Listen("tcp", os.Getenv("OLLAMA_HOST"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	keys := []string{"OLLAMA_MODELS", "OLLAMA_NUM_PARALLEL", "OLLAMA_KEEP_ALIVE", "OLLAMA_NO_CLOUD", "OLLAMA_NOPRUNE", "HOME"}
	var said []string
	for _, k := range keys {
		said = append(said, k+"="+os.Getenv(k))
	}
	err = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"version": strings.Join(said, " ")})
	}))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// fakeOptions start this binary in the given role with everything in a temporary folder.
func fakeOptions(t *testing.T, role string) *Options {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(roleKey, role)
	t.Setenv("OLLAMA_HOST", nobody(t))
	for _, k := range []string{"OLLAMA_MODELS", "OLLAMA_NUM_PARALLEL", "OLLAMA_KEEP_ALIVE", "OLLAMA_NOPRUNE"} {
		t.Setenv(k, "")
		os.Unsetenv(k)
	}
	return &Options{Binary: binary, Cache: filepath.Join(t.TempDir(), "almanac")}
}

// nobody is an address that nothing listens on.
func nobody(t *testing.T) string {
	t.Helper()
	addr, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// fakeModel is one entry of a fake server.
type fakeModel struct {
	name, digest, template string
	capabilities           []string
}

// fakeServer speaks the part of the API that this package uses, and counts nothing: the tests read its answers.
func fakeServer(t *testing.T, models ...fakeModel) *httptest.Server {
	t.Helper()
	reply := func(w http.ResponseWriter, v any) {
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]string{"version": "0.17.4"})
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		var list []map[string]any
		for _, m := range models {
			list = append(list, map[string]any{"name": m.name, "model": m.name, "digest": m.digest, "size": 42})
		}
		reply(w, map[string]any{"models": list})
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Model string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		for _, m := range models {
			if m.name == asked.Model {
				reply(w, map[string]any{
					"template": m.template, "capabilities": m.capabilities,
					"details": map[string]string{
						"family": "qwen2", "parameter_size": "1.8B", "quantization_level": "Q4_K_M",
					},
					"model_info": map[string]any{
						"general.architecture": "qwen2", "qwen2.context_length": 32768,
						"qwen2.embedding_length": 1536, "qwen2.rope.context_length": 1,
					},
				})
				return
			}
		}
		http.Error(w, `{"error":"model not found"}`, http.StatusNotFound)
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Logprobs    bool
			TopLogprobs int `json:"top_logprobs"`
			Options     struct {
				NumPredict int `json:"num_predict"`
				NumCtx     int `json:"num_ctx"`
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		if !asked.Logprobs || asked.TopLogprobs != 20 || asked.Options.NumPredict != 1 || asked.Options.NumCtx != 2048 {
			t.Errorf("asked for %+v, want one token with 20 alternatives in a context of 2,048", asked)
		}
		top := []map[string]any{{"token": "A", "logprob": -0.1}, {"token": "B", "logprob": -2.4}}
		reply(w, map[string]any{
			"message": map[string]string{"role": "assistant", "content": "A"}, "done": true,
			"prompt_eval_count": 30, "load_duration": 5,
			"logprobs": []map[string]any{{"token": "A", "logprob": -0.1, "top_logprobs": top}},
		})
	})
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"models": []map[string]any{{"name": models[0].name, "context_length": 2048}}})
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}
