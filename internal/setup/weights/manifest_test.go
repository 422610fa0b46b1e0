package weights

import (
	"strings"
	"testing"
)

// Lengths and hashes as the project's specification of models records them.
func TestKnownModels(t *testing.T) {
	models, err := Known()
	if err != nil {
		t.Fatal(err)
	}
	type facts struct {
		bytes    int64
		sha256   string
		packages int
	}
	want := map[string]facts{
		"qwen2.5-coder:1.5b": {1_117_320_768, "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046", 22},
		"qwen2.5-coder:0.5b": {491_400_064, "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32", 6},
		"smollm2:135m":       {98_362_432, "", 1},
		"all-minilm":         {0, "", 1},
	}
	for _, m := range models {
		w, ok := want[m.Name]
		if !ok {
			t.Errorf("model %s is not in the specification", m.Name)
			continue
		}
		delete(want, m.Name)
		if m.Bytes != w.bytes || w.sha256 != "" && m.SHA256 != w.sha256 || m.Packages() != w.packages {
			t.Errorf("%s: %d bytes, %s, %d packages; want %+v", m.Name, m.Bytes, m.SHA256, m.Packages(), w)
		}
		if m.Licence != "Apache-2.0" {
			t.Errorf("%s: licence %q", m.Name, m.Licence)
		}
	}
	for name := range want {
		t.Errorf("model %s is missing", name)
	}
}

func TestReadManifestRefuses(t *testing.T) {
	const hash = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
	model := func(inner string) string { return `{"models": [{"name": "m", ` + inner + `}]}` }
	part := func(inner string) string {
		return `"parts": [{"package": "p", "version": "1", "member": "x", "bytes": 5, "sha256": "` + hash + `"` + inner + `}]`
	}
	for about, c := range map[string]struct{ text, want string }{
		"not JSON":          {`{`, "unexpected EOF"},
		"unknown key":       {`{"modelz": []}`, "modelz"},
		"text after it":     {`{"models": []} x`, "after its end"},
		"no parts":          {model(`"file": "f", "kind": "folder"`), "no parts"},
		"file outside":      {model(`"file": "../f", "kind": "folder", ` + part(`, "path": "a"`)), "../f"},
		"part outside":      {model(`"file": "f", "kind": "folder", ` + part(`, "path": "../a"`)), "../a"},
		"part without path": {model(`"file": "f", "kind": "folder", ` + part(``)), "does not suit"},
		"short hash":        {model(`"file": "f", "kind": "gguf", "bytes": 5, "sha256": "ab", ` + part(``)), "SHA-256"},
		"lengths differ":    {model(`"file": "f", "kind": "gguf", "bytes": 6, "sha256": "` + hash + `", ` + part(``)), "5 bytes"},
		"unknown kind":      {model(`"file": "f", "kind": "onnx", ` + part(``)), "onnx"},
	} {
		t.Run(about, func(t *testing.T) {
			if _, err := ReadManifest([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}
