package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"almanac/eval"
	"almanac/orchestrator"
	"almanac/scenarios"
)

// CatalogHash is the same for the same tools: their names, versions, words and declarations.
func (w *Workspace) CatalogHash() string {
	h := sha256.New()
	for _, t := range w.Tools.Tools() {
		outputs, err := json.Marshal(t.Outputs)
		if err != nil { // plain data
			panic("workspace: " + err.Error())
		}
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00%q\x00%s\x00%s\x00", t.Name, t.Version, t.Purpose, t.Examples, t.InputSchema(), outputs)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Asked are what setups are told of tasks, each with the tools that it allows.
func (w *Workspace) Asked(tasks []scenarios.Task) ([]orchestrator.Asked, error) {
	out := make([]orchestrator.Asked, len(tasks))
	for i, t := range tasks {
		tools, err := w.Allowed(t.Tools)
		if err != nil {
			return nil, err
		}
		out[i] = orchestrator.Asked{Request: Request(t), Tools: tools}
	}
	return out, nil
}

// Tolerance is λ of the answer fields of these tasks: by how much a value may differ from y and still be the same. It is 0
// for a field that no task has.
func Tolerance(tasks []eval.Task) func(task, field string, y float64) float64 {
	fields := map[[2]string]scenarios.Field{}
	for _, t := range tasks {
		for _, f := range t.Task.Answer {
			fields[[2]string{t.Task.ID, f.Key}] = f
		}
	}
	return func(task, field string, y float64) float64 { return fields[[2]string{task, field}].Tolerance(y) }
}
