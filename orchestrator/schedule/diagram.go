package schedule

import (
	"fmt"
	"strings"
)

// Mermaid draws a program as a Mermaid flow chart: a node for each statement, an
// arrow from what is needed to what needs it.
func Mermaid(p *Program) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	nodes, edges := graph(p)
	for _, n := range nodes {
		open, end := mermaidShape(n.form)
		fmt.Fprintf(&b, "  %s%s\"%s\"%s\n", n.node, open, mermaidText(n.label), end)
	}
	for _, e := range edges {
		fmt.Fprintf(&b, "  %s --> %s\n", e[0], e[1])
	}
	return b.String()
}

// DOT draws a program for Graphviz.
func DOT(p *Program) string {
	var b strings.Builder
	b.WriteString("digraph schedule {\n  rankdir=TB;\n  node [fontname=\"sans-serif\"];\n")
	nodes, edges := graph(p)
	for _, n := range nodes {
		fmt.Fprintf(&b, "  %s [label=\"%s\", shape=%s];\n", n.node, dotText(n.label), dotShape(n.form))
	}
	for _, e := range edges {
		fmt.Fprintf(&b, "  %s -> %s;\n", e[0], e[1])
	}
	b.WriteString("}\n")
	return b.String()
}

type graphNode struct {
	node, label string
	form        Form
}

// graph gives nodes with names that any notation takes, n1, n2, …, and the edges
// between them. It draws cycles too.
func graph(p *Program) ([]graphNode, [][2]string) {
	ids := IDs(p)
	node := map[string]string{}
	nodes := make([]graphNode, len(ids))
	for i, s := range p.Statements {
		name := fmt.Sprintf("n%d", i+1)
		if _, ok := node[ids[i]]; !ok {
			node[ids[i]] = name
		}
		nodes[i] = graphNode{node: name, label: label(ids[i], s), form: s.Form()}
	}
	var edges [][2]string
	for i, s := range p.Statements {
		for _, need := range Names(s) {
			if from, ok := node[need]; ok {
				edges = append(edges, [2]string{from, nodes[i].node})
			}
		}
		if s.Form() != FormAnswer {
			continue
		}
		for j := range nodes {
			if nodes[j].form == FormCheck {
				edges = append(edges, [2]string{nodes[j].node, nodes[i].node})
			}
		}
	}
	return nodes, edges
}

func label(id string, s *Statement) string {
	var lines []string
	switch s.Form() {
	case FormAnswer, FormDecline:
		return firstLine(s.String())
	case FormComputed, FormFirst:
		return firstLine(s.String())
	case FormCheck:
	default:
		lines = append(lines, id)
	}
	for _, c := range s.Calls() {
		name := c.FullName()
		if c.IsAsk() {
			name += ": " + c.Objective()
		}
		lines = append(lines, firstLine(name))
	}
	if g, ok := s.Body.(*Guarded); ok {
		lines = append(lines, firstLine("if "+Text(g.Cond)))
	}
	if m, ok := s.Body.(*Mapped); ok {
		lines = append(lines, firstLine("for each of "+Text(m.Over)))
	}
	return strings.Join(lines, "\n")
}

func mermaidShape(f Form) (open, end string) {
	switch f {
	case FormAnswer, FormDecline:
		return "([", "])"
	case FormCheck:
		return "{{", "}}"
	case FormGuarded:
		return "{", "}"
	case FormMapped:
		return "[[", "]]"
	}
	return "[", "]"
}

func mermaidText(s string) string {
	return strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "#", "&num;", "\n", "<br/>").Replace(s)
}

func dotShape(f Form) string {
	switch f {
	case FormAnswer, FormDecline:
		return "oval"
	case FormCheck:
		return "hexagon"
	case FormGuarded:
		return "diamond"
	case FormMapped:
		return "box3d"
	}
	return "box"
}

func dotText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s)
}
