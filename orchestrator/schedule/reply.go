package schedule

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// ParseReply reads a program out of a model's reply. Prose, numbering, a code
// fence, type notes and margins around the statements are dropped, each with a
// record; a line that looks like a statement is never dropped, and is a problem
// when it cannot be read. A reply without a statement is one problem.
func ParseReply(text string, opt *Options) (*Program, []RepairRecord, []Problem) {
	p, problems := Parse(text)
	if len(problems) == 0 || len(text) > MaxSource || !utf8.ValidString(text) {
		return p, nil, problems
	}
	r := &reply{opt: opt}
	clean := r.clean(plainNewlines(text))
	made := r.records
	lenient := &reader{program: &Program{}, repair: func(id RepairID, pos Pos, before, after string) bool {
		if opt.on(id) {
			made = append(made, RepairRecord{ID: id, Pos: pos, Before: before, After: after})
		}
		return opt.on(id)
	}}
	again, left := read(clean, lenient)
	if len(made) == 0 {
		return p, nil, problems
	}
	return again, made, left
}

// reply cleans a text line by line. Lines keep their numbers, so that positions
// hold for the reply as it was written.
type reply struct {
	opt     *Options
	records []RepairRecord
	lines   []string
}

func (r *reply) record(id RepairID, line int, before, after string) {
	r.records = append(r.records, RepairRecord{ID: id, Pos: Pos{line + 1, 1}, Before: firstLine(before), After: firstLine(after)})
}

func (r *reply) clean(text string) string {
	r.lines = strings.Split(text, "\n")
	r.fences()
	margin := ""
	for i := 0; i < len(r.lines); i++ {
		end := r.statementEnd(i)
		r.line(i, &margin)
		for j := i + 1; j <= end; j++ {
			r.continuation(j, j == end)
		}
		i = end
	}
	return strings.Join(r.lines, "\n")
}

var fenceLine = regexp.MustCompile("^\\s*(```|~~~)\\s*[A-Za-z0-9_+-]*\\s*$")

// fences blanks the lines of code fences, and everything outside of them when a
// statement stands inside.
func (r *reply) fences() {
	if !r.opt.on(StripFence) {
		return
	}
	inside := make([]bool, len(r.lines))
	fence := make([]bool, len(r.lines))
	open, any, holds := false, false, false
	for i, line := range r.lines {
		if fenceLine.MatchString(line) {
			open, any, fence[i] = !open, true, true
			continue
		}
		inside[i] = open
		holds = holds || open && looksLikeStatement(bare(line))
	}
	if !any {
		r.inlineFence()
		return
	}
	first := true
	for i := range r.lines {
		switch {
		case fence[i]:
			if first {
				r.record(StripFence, i, r.lines[i], "")
				first = false
			}
			r.lines[i] = ""
		case holds && !inside[i] && strings.TrimSpace(r.lines[i]) != "" && !looksLikeStatement(bare(r.lines[i])):
			r.drop(i)
		}
	}
}

// inlineFence strips a fence that shares its line with a statement.
func (r *reply) inlineFence() {
	for i, line := range r.lines {
		s := strings.TrimSpace(line)
		if !strings.HasPrefix(s, "```") && !strings.HasSuffix(s, "```") {
			continue
		}
		s = strings.TrimSpace(strings.Trim(s, "`"))
		for _, tag := range []string{"python ", "starlark ", "py "} {
			s = strings.TrimPrefix(s, tag)
		}
		r.record(StripFence, i, line, s)
		r.lines[i] = s
	}
}

func (r *reply) drop(i int) {
	if r.opt.on(StripProse) {
		r.record(StripProse, i, r.lines[i], "")
		r.lines[i] = ""
	}
}

// typeNote is one word of type, with at most one pair of brackets behind it.
const typeNote = `[A-Za-z_][\w.]*(?:[\[<][\w.\[\]<>, ]*[\]>])?`

var (
	numbering = regexp.MustCompile(`^(\s*)(?:\(?\d{1,3}[.):]|[-*•+]|>>>|(?i:step)\s+\d{1,3}\s*[.:)-])\s+`)
	annotated = regexp.MustCompile(`^([A-Za-z_]\w*)\s*:\s*` + typeNote + `\s*=\s*([^=].*)$`)
	statement = regexp.MustCompile(`^(?:[A-Za-z_]\w*\s*(?::\s*` + typeNote + `\s*)?=[^=]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?\(|` +
		`(?:for|while|if|elif|def|class|with|lambda)\b.*[:(=]|import\s+\w+\s*$|from\s+\S+\s+import\b|return\b.*[(.=])`)
)

// looksLikeStatement tells whether a line, freed of numbering and quotes, is
// meant for a statement, right or wrong.
func looksLikeStatement(line string) bool { return statement.MatchString(line) }

// bare frees a line of its margin, numbering and code quotes.
func bare(line string) string {
	line = numbering.ReplaceAllString(line, "")
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "`"))
}

// statementEnd is the last line of the statement that starts in line i: its
// brackets close there. A line that is no statement ends where it starts, and so
// does one whose brackets never close.
func (r *reply) statementEnd(i int) int {
	if !looksLikeStatement(bare(r.lines[i])) {
		return i
	}
	depth := 0
	for j := i; j < len(r.lines); j++ {
		if j > i && startsStatement(bare(r.lines[j])) {
			return i
		}
		depth += openBrackets(r.lines[j])
		if depth <= 0 {
			return j
		}
	}
	return i
}

// openBrackets counts the brackets that a line opens less those that it closes,
// outside of strings and comments.
func openBrackets(line string) int {
	depth := 0
	var in rune
	escaped := false
	for _, c := range line {
		switch {
		case escaped:
			escaped = false
		case in != 0:
			escaped = c == '\\'
			if c == in {
				in = 0
			}
		case c == '"' || c == '\'':
			in = c
		case c == '#':
			return depth
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		}
	}
	return depth
}

// line cleans the first line of a statement, or drops a line of prose.
func (r *reply) line(i int, margin *string) {
	line := r.lines[i]
	trimmed := strings.TrimSpace(line)
	isComment := strings.HasPrefix(trimmed, "#") && !strings.HasPrefix(trimmed, "##")
	if trimmed == "" || isComment || fenceLine.MatchString(line) {
		return
	}
	if !looksLikeStatement(bare(line)) {
		r.drop(i)
		return
	}
	if m := numbering.FindString(line); m != "" && r.opt.on(StripNumbering) {
		r.record(StripNumbering, i, line, line[len(m):])
		line = line[len(m):]
	}
	if s := strings.TrimSpace(line); len(s) > 2 && s[0] == '`' && s[len(s)-1] == '`' && r.opt.on(StripFence) {
		r.record(StripFence, i, line, strings.Trim(s, "`"))
		line = strings.Trim(s, "`")
	}
	// A line behind a block's colon is the body of a loop or branch, which is
	// refused as a whole; moving it to the margin would run it unasked.
	if s := strings.TrimLeft(line, " \t"); s != line && r.opt.on(Dedent) && !r.inBlock(i) {
		r.record(Dedent, i, line, s)
		line = s
	}
	r.lines[i] = r.typeNotes(i, line)
}

// inBlock tells whether a line belongs to the block of a line above that ends in
// a colon.
func (r *reply) inBlock(i int) bool {
	for j := i - 1; j >= 0; j-- {
		s := strings.TrimSpace(r.lines[j])
		if s == "" || strings.HasPrefix(s, "#") {
			continue
		}
		if strings.HasSuffix(s, ":") {
			return looksLikeStatement(s) || strings.HasPrefix(s, "else") || strings.HasPrefix(s, "try")
		}
		if r.lines[j] == strings.TrimLeft(r.lines[j], " \t") {
			return false
		}
	}
	return false
}

// continuation cleans the further lines of a statement: only the note behind the
// last one.
func (r *reply) continuation(j int, last bool) {
	if last {
		r.lines[j] = r.typeNotes(j, r.lines[j])
	}
}

// typeNotes drops "-> {…}" behind a call and "x: raster =" in front of it.
func (r *reply) typeNotes(i int, line string) string {
	if !r.opt.on(DropTypeNote) {
		return line
	}
	if at := arrow(line); at >= 0 {
		note := strings.TrimRight(line[:at], " \t")
		r.record(DropTypeNote, i, line, note)
		line = note
	}
	if m := annotated.FindStringSubmatch(line); m != nil && !functions[m[1]] {
		plain := m[1] + " = " + m[2]
		r.record(DropTypeNote, i, line, plain)
		line = plain
	}
	return line
}

// arrow finds "->" or "→" behind the closing bracket of a line, outside of
// strings and comments; -1 when there is none.
func arrow(line string) int {
	var in rune
	escaped := false
	closed := false
	for at, c := range line {
		switch {
		case escaped:
			escaped = false
			continue
		case in != 0:
			escaped = c == '\\'
			if c == in {
				in = 0
			}
			continue
		case c == '"' || c == '\'':
			in = c
		case c == '#':
			return -1
		case closed && (c == '→' || c == '-' && strings.HasPrefix(line[at:], "->")):
			return at
		}
		if c != ' ' && c != '\t' {
			closed = c == ')' || c == ']'
		}
	}
	return -1
}
