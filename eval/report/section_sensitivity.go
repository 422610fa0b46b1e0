package report

var sensitivitySection = section{id: "sensitivity", title: "Sensitivity and validity", template: `<p class="soft">{{.}}</p>`, content: sensitivityContent}

const noSensitivity = "Fewer than two setups contend: there is no order that weights or tolerances could change."

func sensitivityContent(v *view) any { return noSensitivity }

func (b *markdown) sensitivity(v *view) { b.table("Sensitivity and validity", noSensitivity, nil) }
