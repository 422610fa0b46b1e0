package metric

// Rules of comparison of an argument.
const (
	RuleNumber     = "number"
	RuleInteger    = "integer"
	RuleText       = "text"     // NFC and case fold
	RuleVerbatim   = "verbatim" // byte by byte
	RuleUnit       = "unit"     // canonical spelling, case counts
	RuleInstant    = "instant"
	RulePeriod     = "period" // "start/end", by end points
	RuleBox        = "box"    // west, south, east, north; each within 0.01 degree
	RulePlace      = "place"  // latitude, longitude
	RuleBoolean    = "boolean"
	RuleArtifact   = "artifact"
	RuleList       = "list" // in order
	RuleSet        = "set"  // as a multiset
	RuleExpression = "expression"
	RuleRecord     = "record"
	RuleNull       = "null"
)

// Origin names the output of a call. Member is the entry of a record or list that came from it.
type Origin struct {
	Call   string
	Output string
	Hash   string
	Member string
}

// Argument is one canonical argument of a call: defaults filled in, names resolved, numbers in the parameter's unit.
// Tolerance is absolute, in that unit; 0 means a relative 1e-9. Hash is the content of an artifact.
type Argument struct {
	Name      string
	Rule      string
	Value     any
	Unit      string
	Tolerance float64
	Default   bool
	Hash      string
	Origins   []Origin
}

// Call is one tool call, of an episode or of gold, in its place of the text's order. Schedule is the version of the
// schedule that it belongs to (0 in a loop), Statement the canonical text of its statement, Item the index in a
// mapped step. Valid says that it was let run, Success that it gave a result. Check and Resolver are flags of the tool.
type Call struct {
	ID        string
	Tool      string
	Group     string
	Schedule  int
	Statement string
	Item      int
	Key       string
	Raw       string // the arguments as written, for calls that could not be bound
	Arguments []Argument
	Valid     bool
	Success   bool // false for a call that is not valid
	Check     bool
	Resolver  bool
	// Refused says that the checker refused the schedule before the call could be made.
	Refused bool
	// Contents are the hashes of the data that it gave.
	Contents []string
}

// Argument returns the argument of that name, or nil.
func (c *Call) argument(name string) *Argument {
	for i := range c.Arguments {
		if c.Arguments[i].Name == name {
			return &c.Arguments[i]
		}
	}
	return nil
}

// convertTool is the resolver that comparisons look through.
const convertTool = "data.convert_units"

// Trace is the calls of one side, in order, with those that count picked out.
type Trace struct {
	calls   []Call
	byID    map[string]int
	counted []int
	trees   map[int]*node // of expression calls, nil where there is none or it is being read
}

// NewTrace picks the calls that count. answered lists the outputs that are bound to answer fields. Left out are
// checks, resolvers whose output is no answer, expressions that only feed expressions, and the second of two calls
// that are one: the same statement with the same inputs in a later version of the schedule. Of those, the call
// counts as valid and successful if either was. A statement of a refused version is no call of its own where a version
// that ran has it too, or a later refused one.
func NewTrace(calls []Call, answered []Origin) *Trace {
	t := &Trace{byID: map[string]int{}, trees: map[int]*node{}}
	type statement struct {
		text, key, raw string
		item           int
	}
	seen := map[statement]int{}
	for _, c := range withoutResubmitted(calls) {
		c.Success = c.Success && c.Valid
		if c.Schedule > 0 && c.Statement != "" {
			s := statement{c.Statement, c.Key, c.Raw, c.Item}
			if i, ok := seen[s]; ok && t.calls[i].Schedule != c.Schedule {
				t.byID[c.ID] = i
				if c.Success && !t.calls[i].Success {
					t.calls[i].Contents = c.Contents
				}
				t.calls[i].Valid = t.calls[i].Valid || c.Valid
				t.calls[i].Success = t.calls[i].Success || c.Success
				t.calls[i].Schedule = c.Schedule
				continue
			}
			seen[s] = len(t.calls)
		}
		t.byID[c.ID] = len(t.calls)
		t.calls = append(t.calls, c)
	}
	bound := map[int]bool{}
	for _, o := range answered {
		if i, ok := t.byID[o.Call]; ok {
			bound[i] = true
		}
	}
	fused := t.fused(bound)
	for i := range t.calls {
		c := &t.calls[i]
		if c.Check || c.Resolver && !bound[i] || fused[i] {
			continue
		}
		t.counted = append(t.counted, i)
	}
	return t
}

// withoutResubmitted leaves out the statements of refused versions that another version has unchanged.
func withoutResubmitted(calls []Call) []Call {
	ran, last := map[string]bool{}, map[string]int{}
	for _, c := range calls {
		if c.Refused {
			last[c.Statement] = max(last[c.Statement], c.Schedule)
		} else if c.Schedule > 0 {
			ran[c.Statement] = true
		}
	}
	var out []Call
	for _, c := range calls {
		if c.Refused && (ran[c.Statement] || c.Schedule < last[c.Statement]) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// fused finds the successful expression calls whose only readers are other expressions.
func (t *Trace) fused(bound map[int]bool) map[int]bool {
	read, elsewhere := map[int]bool{}, map[int]bool{}
	for i := range t.calls {
		for j := range t.calls[i].Arguments {
			for _, o := range t.calls[i].Arguments[j].Origins {
				k, ok := t.byID[t.through(o).Call]
				if !ok || t.calls[i].Tool == convertTool || t.calls[i].Check {
					continue
				}
				read[k] = true
				if !t.calls[i].isExpression() {
					elsewhere[k] = true
				}
			}
		}
	}
	out := map[int]bool{}
	for i := range t.calls {
		out[i] = t.calls[i].isExpression() && t.calls[i].Success && read[i] && !elsewhere[i] && !bound[i]
	}
	return out
}

func (c *Call) isExpression() bool {
	for i := range c.Arguments {
		if c.Arguments[i].Rule == RuleExpression {
			return true
		}
	}
	return false
}

// through follows an origin back through unit conversions to the value that was converted.
func (t *Trace) through(o Origin) Origin {
	for range len(t.calls) + 1 {
		i, ok := t.byID[o.Call]
		if !ok || t.calls[i].Tool != convertTool {
			return o
		}
		v := t.calls[i].argument("value")
		if v == nil || len(v.Origins) != 1 {
			return o
		}
		o = v.Origins[0]
	}
	return o
}

// Counted returns the calls that count, in order.
func (t *Trace) Counted() []Call {
	out := make([]Call, len(t.counted))
	for k, i := range t.counted {
		out[k] = t.calls[i]
	}
	return out
}
