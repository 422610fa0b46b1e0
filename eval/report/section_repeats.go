package report

var repeatsSection = section{id: "repeats", title: "Reliability over repeats", template: `<p class="soft">{{.}}</p>`, content: repeatsContent}

const oneRun = "Every task was run once: how reliably it is solved again would take --repeats."

func repeatsContent(v *view) any { return oneRun }

func (b *markdown) repeats(v *view) { b.table("Reliability over repeats", oneRun, nil) }
