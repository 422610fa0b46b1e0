package schedule

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"go.starlark.net/syntax"
)

// fileOptions let the parser read loops and branches at the margin, so that each
// is refused by name and with advice instead of as an unexpected token.
var fileOptions = &syntax.FileOptions{While: true, TopLevelControl: true, GlobalReassign: true}

// Parse reads a schedule. It returns the statements that it could read and every
// syntax problem; it is strict about what is a statement (see [Repair] for the
// text of a model, with prose and fences around it). The program is never nil.
// Nested calls are read and kept: the checker reports them and a repair lifts
// them.
func Parse(text string) (*Program, []Problem) {
	return read(text, &reader{program: &Program{}})
}

func read(text string, r *reader) (*Program, []Problem) {
	if problem := unreadable(text); problem != nil {
		return &Program{}, []Problem{*problem}
	}
	text = plainNewlines(text)
	f, err := fileOptions.Parse("", text, 0)
	if err != nil {
		return r.parseChunks(text)
	}
	for _, stmt := range f.Stmts {
		r.add(stmt)
	}
	if len(f.Stmts) == 0 {
		r.fail(Pos{1, 1}, "", "the schedule has no statement")
	}
	if strings.Contains(text, "#") {
		_, comments := split(text, false)
		r.attach(comments)
	}
	return r.program, r.problems
}

// unreadable finds what keeps a text from being looked at all.
func unreadable(text string) *Problem {
	if len(text) > MaxSource {
		return &Problem{Code: SyntaxError, Pos: Pos{1, 1}, Found: fmt.Sprintf("%d bytes", len(text)),
			Message: fmt.Sprintf("the text is longer than %d bytes", MaxSource)}
	}
	if utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
		return nil
	}
	message := "the text is not UTF-8 from here on"
	line, col := 1, 1
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError && n == 1 {
			break
		}
		if r == 0 { // the scanner takes it for the end and would leave the rest unread
			message = "a byte 0 stands here"
			break
		}
		col++
		if r == '\n' {
			line, col = line+1, 1
		}
		text = text[n:]
	}
	return &Problem{Code: SyntaxError, Pos: Pos{line, col}, Message: message}
}

func plainNewlines(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	return text
}

// reader builds a program from syntax trees and collects what it cannot read.
type reader struct {
	program  *Program
	ends     []int // last line of each statement
	problems []Problem
	depth    int
	// repair is asked about what has one reading but is not of the language; nil
	// refuses it.
	repair func(id RepairID, pos Pos, before, after string) bool
}

// parseChunks reads a text that does not parse as a whole, one logical line at a
// time, so that each broken statement is reported and the others are kept.
func (r *reader) parseChunks(text string) (*Program, []Problem) {
	chunks, comments := split(text, true)
	inBlock := false
	for _, c := range chunks {
		if inBlock && c.col > 1 {
			continue // the body of a loop or branch, which is refused as a whole
		}
		inBlock = strings.HasSuffix(c.text, ":")
		if c.col > 1 && !inBlock {
			r.fail(Pos{c.line, c.col}, firstLine(c.text), "statements stand at the margin")
			r.broken(c.text)
			continue
		}
		r.addChunk(c)
	}
	r.attach(comments)
	return r.program, r.problems
}

func (r *reader) addChunk(c chunk) {
	if strings.HasSuffix(c.text, ":") {
		kw, _ := word(c.text)
		r.fail(Pos{c.line, c.col}, firstLine(c.text), blockAdvice(kw))
		return
	}
	part := syntax.FilePortion{Content: []byte(c.text), FirstLine: int32(c.line), FirstCol: int32(c.col)}
	f, err := fileOptions.Parse("", part, 0)
	if err != nil {
		r.syntaxError(err, c)
		r.broken(c.text)
		return
	}
	for _, stmt := range f.Stmts {
		r.add(stmt)
	}
}

func blockAdvice(keyword string) string {
	switch keyword {
	case "for", "while":
		return "there are no loops: write x = [agent.tool(p=y) for y in name.field]"
	case "if", "elif", "else":
		return "there are no branches: write x = agent.tool(…) if a.b > 1 else None"
	case "def", "class", "lambda":
		return "there are no functions: write the calls one after the other"
	}
	return "this is not a statement of the language"
}

func (r *reader) syntaxError(err error, c chunk) {
	pos, msg := Pos{c.line, c.col}, err.Error()
	var e syntax.Error
	if errors.As(err, &e) {
		pos, msg = at(e.Pos), e.Msg
	}
	r.fail(pos, firstLine(c.text), msg)
}

// broken remembers what is left of a statement that could not be read.
func (r *reader) broken(text string) {
	f := Fragment{}
	name, rest := word(text)
	rest = strings.TrimLeft(rest, " \t")
	isCall := strings.HasPrefix(rest, "(") && (name == "answer" || name == "decline")
	isStep := strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":")
	if isCall || isStep {
		f.Name = name
	}
	f.Words = strings.FieldsFunc(text, func(c rune) bool { return c < utf8.RuneSelf && !isWordByte(byte(c), false) })
	r.program.Broken = append(r.program.Broken, f)
}

// brokenTree does the same for a statement whose syntax was read.
func (r *reader) brokenTree(stmt syntax.Stmt) {
	f := Fragment{}
	switch n := stmt.(type) {
	case *syntax.AssignStmt:
		if id, ok := n.LHS.(*syntax.Ident); ok {
			f.Name = id.Name
		}
	case *syntax.ExprStmt:
		if call, ok := n.X.(*syntax.CallExpr); ok {
			if id, ok := call.Fn.(*syntax.Ident); ok && (id.Name == "answer" || id.Name == "decline") {
				f.Name = id.Name
			}
		}
	}
	syntax.Walk(stmt, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok {
			f.Words = append(f.Words, id.Name)
		}
		return true
	})
	r.program.Broken = append(r.program.Broken, f)
}

func (r *reader) fail(pos Pos, found, message string) {
	r.problems = append(r.problems, Problem{Code: SyntaxError, Pos: pos, Found: found, Message: message})
}

// attach gives each comment to the statement that it stands above, in or behind.
func (r *reader) attach(comments []comment) {
	stmts := r.program.Statements
	for _, c := range comments {
		i := sort.Search(len(stmts), func(i int) bool { return r.ends[i] >= c.line })
		for !c.own && i+1 < len(stmts) && stmts[i+1].Pos.Line == c.line {
			i++ // behind the last of several statements on one line
		}
		switch {
		case i == len(stmts):
			r.program.Comments = append(r.program.Comments, c.text)
		case !c.own && stmts[i].Pos.Line <= c.line && stmts[i].Note == "":
			stmts[i].Note = c.text
		default:
			stmts[i].Comments = append(stmts[i].Comments, c.text)
		}
	}
}

func at(p syntax.Position) Pos { return Pos{int(p.Line), int(p.Col)} }

// firstLine shortens what was found for a message.
func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if r := []rune(text); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return text
}
