package server

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"
)

const withTools = "{{ if .Tools }}<tools>{{ end }}{{ .Prompt }}"

func TestResolve(t *testing.T) {
	library := fakeModel{"qwen2.5-coder:1.5b", "aaa", withTools, []string{"completion", "tools"}}
	imported := fakeModel{"almanac/qwen2.5-coder:1.5b", "bbb", withTools, []string{"completion", "tools"}}
	bare := fakeModel{"almanac/smollm2:135m", "ccc", "{{ .Prompt }}", []string{"completion"}}
	embedder := fakeModel{"almanac/all-minilm:latest", "ddd", "", []string{"embedding"}}
	for _, c := range []struct {
		about, ask, want   string
		has                []fakeModel
		imported, template bool
	}{
		{"library's own first", "qwen2.5-coder:1.5b", "aaa", []fakeModel{imported, library}, false, true},
		{"else the imported one", "qwen2.5-coder:1.5b", "bbb", []fakeModel{imported, bare}, true, true},
		{"a full name means itself", "almanac/qwen2.5-coder:1.5b", "bbb", []fakeModel{imported, library}, true, true},
		{"a model without a template", "smollm2:135m", "ccc", []fakeModel{bare}, true, false},
		{"no tag means latest", "all-minilm", "ddd", []fakeModel{embedder}, true, false},
	} {
		t.Run(c.about, func(t *testing.T) {
			fake := fakeServer(t, c.has...)
			s, err := Find(t.Context(), &Options{Host: fake.URL})
			if err != nil {
				t.Fatal(err)
			}
			m, err := s.Resolve(t.Context(), c.ask)
			if err != nil {
				t.Fatal(err)
			}
			if m.Digest != c.want || m.Imported != c.imported || m.HasTemplate != c.template || m.Asked != c.ask {
				t.Errorf("got %+v, want digest %s, imported %v, template %v", m, c.want, c.imported, c.template)
			}
			if m.Context != 32768 || m.Embedding != 1536 || m.Quantization != "Q4_K_M" {
				t.Errorf("context %d, embedding %d, quantization %q", m.Context, m.Embedding, m.Quantization)
			}
		})
	}
}

func TestResolveMissing(t *testing.T) {
	fake := fakeServer(t, fakeModel{name: "zephyr:7b"}, fakeModel{name: "almanac/qwen2.5-coder:0.5b"})
	s, err := Find(t.Context(), &Options{Host: fake.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Resolve(t.Context(), "qwen2.5-coder:1.5b")
	var missing *MissingError
	if !errors.As(err, &missing) || !errors.Is(err, ErrNoModel) {
		t.Fatalf("got %v, want a MissingError of kind ErrNoModel", err)
	}
	if diff := cmp.Diff([]string{"almanac/qwen2.5-coder:0.5b", "zephyr:7b"}, missing.Have); diff != "" {
		t.Error(diff)
	}
	if missing.Fix() != "make model MODEL=qwen2.5-coder:1.5b" {
		t.Errorf("fix is %q", missing.Fix())
	}
}

func TestModelsAreSortedAndSaid(t *testing.T) {
	fake := fakeServer(t, fakeModel{name: "b:1", digest: "sha256:0123456789abcdef"}, fakeModel{name: "almanac/a:1", digest: "ff"})
	s, err := Find(t.Context(), &Options{Host: fake.URL})
	if err != nil {
		t.Fatal(err)
	}
	models, err := s.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range models {
		said = append(said, m.Says())
	}
	want := []string{
		"almanac/a:1 is almanac/a:1 (imported from a package, Q4_K_M, digest ff)",
		"b:1 is b:1 (the library's own, Q4_K_M, digest 0123456789ab)",
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	if models[0].Can("tools") {
		t.Error("a model without capabilities can use tools")
	}
}

func TestProbe(t *testing.T) {
	fake := fakeServer(t, fakeModel{name: "m:1"})
	s, err := Find(t.Context(), &Options{Host: fake.URL})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Probe(t.Context(), "m:1", &ProbeOptions{Context: 2048})
	if err != nil {
		t.Fatal(err)
	}
	want := Probe{Logprobs: 2, Context: 2048, Load: 5, PromptTokens: 30}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The same model imported in two folders has two digests on its servers, but is one model.
func TestIdentityIsThatOfWeightsTemplateAndParameters(t *testing.T) {
	const hash = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"
	show := func(folder, template, parameters string) *api.ShowResponse {
		return &api.ShowResponse{
			Modelfile: "# Modelfile\nFROM " + folder + "/blobs/sha256-" + hash + "\nTEMPLATE x\n",
			Template:  template, Parameters: parameters,
		}
	}
	of := func(digest string, r *api.ShowResponse) string { return identity(digest, weightsIn(r.Modelfile), r) }
	first := of("aaa", show("/home/a", withTools, "stop x\nstop y"))
	if got := weightsIn(show("/home/a", "", "").Modelfile); !slices.Equal(got, []string{hash}) {
		t.Errorf("weights are %v, want %s", got, hash)
	}
	if second := of("bbb", show("/home/b", withTools, "stop y\nstop x")); second != first {
		t.Errorf("another folder and another order of parameters: %s, want %s", second, first)
	}
	for about, r := range map[string]*api.ShowResponse{
		"template": show("/home/a", "{{ .Prompt }}", "stop x\nstop y"), "parameters": show("/home/a", withTools, "stop x"),
	} {
		if of("aaa", r) == first {
			t.Errorf("another %s: the same identity", about)
		}
	}
	if got := of("ccc", &api.ShowResponse{Modelfile: "FROM qwen\n"}); got != "ccc" {
		t.Errorf("without hashes: %s, want the digest", got)
	}
}
