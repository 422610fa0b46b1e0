package report

import "strings"

var againSection = section{id: "again", title: "How to run it again", template: `
<pre>{{.Command}}</pre>
<p class="note">Everything above can be computed again from the run’s folder without a model: <code>almanac eval verify {{.Folder}}</code>.</p>`, content: againContent}

func againContent(v *view) any {
	return struct{ Command, Folder string }{v.command(), "RUN"}
}

// command is what began the run.
func (v *view) command() string {
	if command := strings.Join(quoted(v.Manifest.Command), " "); command != "" {
		return command
	}
	return "almanac compare --suite " + v.Manifest.Suite.Name
}

// quoted quotes what a shell would take apart.
func quoted(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a
		if a == "" || strings.ContainsAny(a, " \t\"'*?$&|;<>()`\\~#") {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return out
}
