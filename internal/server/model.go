package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// ImportedPrefix is the namespace of models that `make model` imported because the library could not be reached. They
// are the same weights in kind, but not the same file, so their names differ.
const ImportedPrefix = "almanac/"

// Model is what a server says of one of its models.
type Model struct {
	// Asked is the name that was asked for; Name is the server's own, with its tag.
	Asked, Name string
	// Imported tells that Name is the imported model rather than the library's.
	Imported bool
	// Digest is the SHA-256 of the manifest, in hex. Equal digests mean equal weights, template and parameters, but not
	// the other way round: the manifest of an imported model holds the path of the folder it was imported in.
	Digest string
	// Identity is a SHA-256 over the hashes of the weights, the template and the parameters, in hex: the same model has
	// the same identity on every machine. Where the server does not tell the weights' hashes it is the digest.
	Identity string
	// Weights are the SHA-256 of the files of weights, in hex.
	Weights []string
	// Size is in bytes on disk.
	Size int64
	// Family, ParameterSize ("1.8B") and Quantization ("Q4_K_M") are the server's words.
	Family, ParameterSize, Quantization string
	// Context is the longest context that the model was trained for, in tokens; 0 when the file does not say.
	Context int
	// Embedding is the length of its vectors; 0 when the file does not say.
	Embedding int
	// Capabilities are the server's words: completion, tools, embedding, insert, vision, thinking.
	Capabilities []string
	// HasTemplate is false for a model that was imported without a chat template: its replies are poor and tools are
	// refused. `make model` imports it again with one.
	HasTemplate bool
}

// Can reports whether the server lists the capability.
func (m Model) Can(capability string) bool { return slices.Contains(m.Capabilities, capability) }

// Says is one line for a person: which model an asked name stands for.
func (m Model) Says() string {
	kind := "the library's own"
	if m.Imported {
		kind = "imported from a package"
	}
	short := m.Digest
	if len(short) > 12 {
		short = short[:12]
	}
	return fmt.Sprintf("%s is %s (%s, %s, digest %s)", m.Asked, m.Name, kind, m.Quantization, short)
}

// Resolve finds the model that a name stands for: the library's own if the server has it, else the imported one. A name
// that the server has neither way is a [MissingError] of kind [ErrNoModel] that lists what it has.
func (s *Server) Resolve(ctx context.Context, name string) (Model, error) {
	list, err := s.client.List(ctx)
	if err != nil {
		return Model{}, fmt.Errorf("server: listing models of %s: %w", s.Host(), err)
	}
	var have []string
	byName := make(map[string]api.ListModelResponse)
	for _, m := range list.Models {
		have = append(have, m.Name)
		byName[m.Name] = m
	}
	for _, candidate := range candidates(name) {
		if entry, ok := byName[candidate]; ok {
			return s.show(ctx, name, entry)
		}
	}
	slices.Sort(have)
	return Model{}, &MissingError{
		What: fmt.Sprintf("%s at %s", name, s.Host()), Kind: ErrNoModel, Have: have,
		Command: "make model MODEL=" + strings.TrimPrefix(name, ImportedPrefix),
	}
}

// Models lists every model of the server, each with its details, sorted by name.
func (s *Server) Models(ctx context.Context) ([]Model, error) {
	list, err := s.client.List(ctx)
	if err != nil {
		return nil, fmt.Errorf("server: listing models of %s: %w", s.Host(), err)
	}
	models := make([]Model, 0, len(list.Models))
	for _, entry := range list.Models {
		m, err := s.show(ctx, entry.Name, entry)
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	slices.SortFunc(models, func(a, b Model) int { return strings.Compare(a.Name, b.Name) })
	return models, nil
}

// candidates are the server's names that an asked name may stand for, best first.
func candidates(name string) []string {
	tagged := name
	if !strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") {
		tagged = name + ":latest"
	}
	if strings.Contains(name, "/") {
		return []string{tagged}
	}
	return []string{tagged, ImportedPrefix + tagged}
}

// show joins what the list and /api/show say.
func (s *Server) show(ctx context.Context, asked string, entry api.ListModelResponse) (Model, error) {
	resp, err := s.client.Show(ctx, &api.ShowRequest{Model: entry.Name})
	if err != nil {
		return Model{}, fmt.Errorf("server: showing %s at %s: %w", entry.Name, s.Host(), err)
	}
	m := Model{
		Asked: asked, Name: entry.Name, Imported: strings.HasPrefix(entry.Name, ImportedPrefix),
		Digest: strings.TrimPrefix(entry.Digest, "sha256:"), Size: entry.Size,
		Family: resp.Details.Family, ParameterSize: resp.Details.ParameterSize,
		Quantization: resp.Details.QuantizationLevel,
		Context:      number(resp.ModelInfo, ".context_length"),
		Embedding:    number(resp.ModelInfo, ".embedding_length"),
		HasTemplate:  resp.Renderer != "" || carriesTemplate(resp.Template),
	}
	for _, c := range resp.Capabilities {
		m.Capabilities = append(m.Capabilities, string(c))
	}
	m.Weights = weightsIn(resp.Modelfile)
	m.Identity = identity(m.Digest, m.Weights, resp)
	return m, nil
}

// weightsIn reads the hashes out of the lines FROM …/sha256-HASH of a Modelfile.
func weightsIn(modelfile string) []string {
	var hashes []string
	for line := range strings.Lines(modelfile) {
		path, ok := strings.CutPrefix(line, "FROM ")
		if i := strings.LastIndex(path, "sha256-"); ok && i >= 0 {
			hashes = append(hashes, strings.TrimSpace(path[i+len("sha256-"):]))
		}
	}
	return hashes
}

// identity hashes what makes replies differ. The parameters come as lines in any order.
func identity(digest string, weights []string, resp *api.ShowResponse) string {
	if len(weights) == 0 {
		return digest
	}
	parameters := strings.Split(strings.TrimSpace(resp.Parameters), "\n")
	slices.Sort(parameters)
	h := sha256.New()
	for _, part := range append(append(slices.Clone(weights), parameters...),
		resp.Template, resp.System, resp.Renderer, resp.Parser) {
		fmt.Fprintf(h, "%d:%s\n", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// carriesTemplate is false for the template that Ollama gives a file without one.
func carriesTemplate(t string) bool {
	t = strings.Join(strings.Fields(t), "")
	return t != "" && t != "{{.Prompt}}"
}

// number reads the one entry of a model's information whose key ends so; the key starts with the family's name.
func number(info map[string]any, suffix string) int {
	family, _ := info["general.architecture"].(string)
	if v, ok := info[family+suffix].(float64); ok {
		return int(v)
	}
	return 0
}

// Probe is what one short question to a model showed.
type Probe struct {
	// Logprobs is the number of alternatives that came with the token; 0 when the server gives no probabilities.
	Logprobs int
	// Context is the context that the server in fact gave it, in tokens; 0 when the server does not say.
	Context int
	// Load, Prompt and Generate are the server's own times.
	Load, Prompt, Generate time.Duration
	// PromptTokens is the length of the question.
	PromptTokens int
}

// ProbeOptions say how the model is asked; the zero value asks with a context of 4,096 tokens.
type ProbeOptions struct {
	// Context is the context length to ask for.
	Context int
}

// Probe loads a chat model and asks for one token with probabilities. name is the server's own name.
func (s *Server) Probe(ctx context.Context, name string, o *ProbeOptions) (Probe, error) {
	numCtx := 4096
	if o != nil && o.Context > 0 {
		numCtx = o.Context
	}
	stream := false
	request := &api.ChatRequest{
		Model: name, Stream: &stream, Logprobs: true, TopLogprobs: 20,
		Messages: []api.Message{{Role: "user", Content: "Answer with one letter, A or B: which comes first?"}},
		Options:  map[string]any{"num_predict": 1, "num_ctx": numCtx, "temperature": 0},
	}
	var p Probe
	err := s.client.Chat(ctx, request, func(r api.ChatResponse) error {
		if len(r.Logprobs) > 0 {
			p.Logprobs = max(1, len(r.Logprobs[0].TopLogprobs))
		}
		p.Load, p.Prompt, p.Generate = r.LoadDuration, r.PromptEvalDuration, r.EvalDuration
		p.PromptTokens = r.PromptEvalCount
		return nil
	})
	if err != nil {
		return Probe{}, fmt.Errorf("server: probing %s at %s: %w", name, s.Host(), err)
	}
	running, err := s.client.ListRunning(ctx)
	if err != nil {
		return Probe{}, fmt.Errorf("server: probing %s at %s: %w", name, s.Host(), err)
	}
	for _, m := range running.Models {
		if m.Name == name {
			p.Context = m.ContextLength
		}
	}
	return p, nil
}
