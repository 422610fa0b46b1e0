package schedule

// Revise puts a revision into a program: the statements that the revision names
// replace those of the same name, new ones are added, and what it does not
// mention stays. A bare check replaces the check by the same tool of the same
// value; answer and decline replace whichever of them stood at the end. Then the
// statements are put in an order without forward references, as near to the text
// as that allows; where there is none, or a name is bound twice within the
// revision, the text is left as it is for the checker to report. Neither program
// is changed.
func Revise(old, revision *Program) *Program {
	out := old.Clone()
	out.Broken = append(out.Broken, revision.Clone().Broken...)
	out.Comments = append(out.Comments, revision.Comments...)
	replaced := map[string]bool{}
	for _, s := range revision.Statements {
		s = s.Clone()
		key := statementKey(s)
		at := -1
		for i, have := range out.Statements {
			if statementKey(have) == key && !replaced[key] {
				at = i
				break
			}
		}
		replaced[key] = true
		if at >= 0 {
			out.Statements[at] = s
			continue
		}
		out.Statements = append(out.Statements, s)
	}
	if ordered, ok := inOrder(out.Statements); ok {
		out.Statements = ordered
	}
	return out
}

// statementKey is what makes a statement of a revision stand for one of the
// program.
func statementKey(s *Statement) string {
	switch b := s.Body.(type) {
	case *Answer, *Decline:
		return "answer()"
	case *Call:
		if s.Name == "" {
			key := b.FullName() + "("
			for _, a := range b.Args {
				if r, ok := a.Value.(*Ref); ok {
					return key + Text(r)
				}
			}
			return key
		}
	}
	return s.Name
}

// inOrder moves each statement behind those it names, the earliest in the text
// first, and the ending last.
func inOrder(list []*Statement) ([]*Statement, bool) {
	bound := map[string]int{}
	for i, s := range list {
		if s.Name == "" {
			continue
		}
		if _, twice := bound[s.Name]; twice {
			return nil, false
		}
		bound[s.Name] = i
	}
	placed := make([]bool, len(list))
	out := make([]*Statement, 0, len(list))
	var place func(i, depth int) bool
	place = func(i, depth int) bool {
		if placed[i] {
			return true
		}
		if depth > len(list) {
			return false // a cycle
		}
		for _, name := range Names(list[i]) {
			if j, ok := bound[name]; ok && !place(j, depth+1) {
				return false
			}
		}
		placed[i] = true
		out = append(out, list[i])
		return true
	}
	for _, endings := range []bool{false, true} {
		for i, s := range list {
			_, isAnswer := s.Body.(*Answer)
			_, isDecline := s.Body.(*Decline)
			if (isAnswer || isDecline) == endings && !place(i, 0) {
				return nil, false
			}
		}
	}
	return out, true
}
