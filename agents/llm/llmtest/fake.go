// Package llmtest checks that a model keeps the contract of package llm, and
// has servers that speak Ollama's and OpenAI's protocols from a list of turns.
package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"almanac/agents/llm"
)

// Turn is what a fake server does with one chat request.
type Turn struct {
	Content  string
	Thinking string
	Calls    []Call
	Finish   string // "" by what there is; "length"
	Logprobs []llm.TokenProb
	NoUsage  bool  // no token counts are sent
	Prompt   int64 // tokens; 0 means 11
	Output   int64 // tokens; 0 means 7

	Status int    // an HTTP failure with Body
	Body   string // of the failure
	Header map[string]string

	Lines   []string // raw lines of the stream in place of all this
	Endless string   // this piece again and again until the client goes away
	Hang    bool     // no byte until the client goes away
	Break   bool     // the connection breaks after the content
	Stall   bool     // after the last line, no more until the client goes away
	Release <-chan struct{}
}

// Call is a structured call of a turn; Arguments is any JSON.
type Call struct {
	ID        string
	Name      string
	Arguments string
}

// Server is a fake server. Its methods are safe for concurrent use.
type Server struct {
	URL string // base address; for OpenAI's protocol with /v1

	mu       sync.Mutex
	turns    []Turn
	bodies   []map[string]any
	left     chan struct{}
	arrived  chan struct{}
	models   []string
	template string
}

// NewOllama starts a server with Ollama's native endpoints: version, tags,
// show and chat. Chat requests are answered by the turns in their order; past
// the end with status 500.
func NewOllama(t testing.TB, models []string, turns ...Turn) *Server {
	s := &Server{turns: turns, left: make(chan struct{}, 100), arrived: make(chan struct{}, 1000), models: models, template: "{{ range .Messages }}{{ .Content }}{{ end }}"}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, map[string]any{"version": "0.0.0-fake"}) })
	mux.HandleFunc("GET /api/tags", s.tags)
	mux.HandleFunc("POST /api/show", s.show)
	mux.HandleFunc("POST /api/chat", s.chat(ollamaLines, "application/x-ndjson"))
	s.start(t, mux, "")
	return s
}

// NewOpenAI starts a server with OpenAI's models and chat completions.
func NewOpenAI(t testing.TB, models []string, turns ...Turn) *Server {
	s := &Server{turns: turns, left: make(chan struct{}, 100), arrived: make(chan struct{}, 1000), models: models}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		var data []any
		for _, name := range s.models {
			data = append(data, map[string]any{"id": name, "object": "model"})
		}
		writeJSON(w, map[string]any{"object": "list", "data": data})
	})
	mux.HandleFunc("POST /v1/chat/completions", s.chat(openAILines, "text/event-stream"))
	s.start(t, mux, "/v1")
	return s
}

func (s *Server) start(t testing.TB, mux *http.ServeMux, path string) {
	server := httptest.NewServer(mux)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	s.URL = server.URL + path
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// SetTemplate changes the chat template that show reports.
func (s *Server) SetTemplate(template string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.template = template
}

// Bodies are the chat requests so far, as decoded JSON.
func (s *Server) Bodies() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]map[string]any(nil), s.bodies...)
}

// Arrived receives once for each chat request that the server has read.
func (s *Server) Arrived() <-chan struct{} { return s.arrived }

// Left receives once for each chat request that the client gave up.
func (s *Server) Left() <-chan struct{} { return s.left }

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	list := []any{}
	for _, name := range s.models {
		list = append(list, map[string]any{"name": name, "model": name, "digest": digest(name),
			"details": map[string]any{"quantization_level": "Q4_K_M", "parameter_size": "1.5B"}})
	}
	writeJSON(w, map[string]any{"models": list})
}

func digest(name string) string { return fmt.Sprintf("%064x", len(name)) }

func (s *Server) show(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	template := s.template
	s.mu.Unlock()
	writeJSON(w, map[string]any{
		"template":     template,
		"details":      map[string]any{"quantization_level": "Q4_K_M", "parameter_size": "1.5B", "family": "qwen2"},
		"capabilities": []string{"completion", "tools"},
		"model_info":   map[string]any{"general.architecture": "qwen2", "qwen2.context_length": 32768},
	})
}

// next takes the next turn and keeps the request.
func (s *Server) next(r *http.Request) (Turn, bool, error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return Turn{}, false, err
	}
	var body map[string]any
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	if err := dec.Decode(&body); err != nil {
		return Turn{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.bodies)
	s.bodies = append(s.bodies, body)
	if n >= len(s.turns) {
		return Turn{Status: 500, Body: `{"error":{"message":"the fake server has no turn left"}}`}, false, nil
	}
	return s.turns[n], body["stream"] != false, nil
}

func (s *Server) chat(lines func(Turn, bool) []string, contentType string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		turn, streaming, err := s.next(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.arrived <- struct{}{}
		if turn.Release != nil {
			select {
			case <-turn.Release:
			case <-r.Context().Done():
				s.left <- struct{}{}
				return
			}
		}
		if turn.Hang {
			<-r.Context().Done()
			s.left <- struct{}{}
			return
		}
		for k, v := range turn.Header {
			w.Header().Set(k, v)
		}
		if turn.Status != 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(turn.Status)
			_, _ = io.WriteString(w, turn.Body)
			return
		}
		w.Header().Set("Content-Type", contentType)
		if !streaming {
			w.Header().Set("Content-Type", "application/json")
		}
		s.write(w, r, turn, lines(turn, streaming))
	}
}

func (s *Server) write(w http.ResponseWriter, r *http.Request, turn Turn, lines []string) {
	control := http.NewResponseController(w)
	send := func(line string) bool {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return false
		}
		return control.Flush() == nil && r.Context().Err() == nil
	}
	if turn.Endless != "" {
		for range 200_000 {
			if !send(lines[0]) {
				s.left <- struct{}{}
				return
			}
		}
		return
	}
	for _, line := range lines {
		if !send(line) {
			s.left <- struct{}{}
			return
		}
	}
	if turn.Stall {
		<-r.Context().Done()
		s.left <- struct{}{}
	}
	if turn.Break {
		panic(http.ErrAbortHandler)
	}
}
