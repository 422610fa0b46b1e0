package orchestrator

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
)

// promptFiles are the prompts of all setups, one folder a setup. What a model is told by a setup stands there and nowhere
// else, save for tools, data sets and the question itself.
//
//go:embed prompts
var promptFiles embed.FS

// diagrams are drawings in text of how each setup works, one file a setup.
//
//go:embed diagrams
var diagrams embed.FS

// prompt is the text of prompts/NAME. The files are part of the program: one that lacks is a fault of the program.
func prompt(name string) string {
	text, err := promptFiles.ReadFile(path.Join("prompts", name))
	if err != nil {
		panic("orchestrator: " + err.Error())
	}
	return string(text)
}

// Description says what a setup is: what `almanac setups` shows and the documentation is made of.
type Description struct {
	Name string `json:"name"`
	// Summary is how it works, in a sentence or two.
	Summary string `json:"summary"`
	// Differs is what sets it apart from the others, in one line; all else is the same for all.
	Differs string `json:"differs,omitempty"`
	// Diagram is a drawing in text of how it works.
	Diagram string `json:"diagram,omitempty"`
	// Source is what it follows, a publication or a program; "" for one of our own.
	Source string `json:"source,omitempty"`
	// Faithful is what is as published, Hardened what differs and why. Both are "" for one of our own.
	Faithful string `json:"faithful,omitempty"`
	Hardened string `json:"hardened,omitempty"`
	// Model says whether it uses a model.
	Model bool `json:"uses_model"`
	// Prompts are its prompt files in the order in which a model meets them.
	Prompts []PromptFile `json:"prompts,omitempty"`
}

// PromptFile is a prompt as it stands in the program. File is its path under orchestrator/prompts.
type PromptFile struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// about is the part of a description that a setup's file declares beside its constructor.
type about struct {
	summary, differs, source, faithful, hardened string
	model                                        bool
	prompts                                      []string // files under prompts/
}

// Describe says what the setup of that name is.
func Describe(name string) (Description, error) {
	c, err := find(name)
	if err != nil {
		return Description{}, err
	}
	d := Description{
		Name: name, Summary: c.about.summary, Differs: c.about.differs, Source: c.about.source, Faithful: c.about.faithful, Hardened: c.about.hardened,
		Model: c.about.model,
	}
	if drawing, err := fs.ReadFile(diagrams, path.Join("diagrams", name+".txt")); err == nil { // an ablation has none
		d.Diagram = string(drawing)
	}
	for _, file := range c.about.prompts {
		text, err := fs.ReadFile(promptFiles, path.Join("prompts", file))
		if err != nil {
			return d, fmt.Errorf("orchestrator: prompt of %s: %w", name, err)
		}
		d.Prompts = append(d.Prompts, PromptFile{file, string(text)})
	}
	return d, nil
}
