package schedule

// Fits tells whether a value of type t may be given to a parameter, by kind, by
// being a list or not, and by unit. The unit is the parameter's own where that
// names one ("mm"), or what its "@param" stands for; empty takes any unit. What
// is not known of t fits.
func Fits(p Param, t Type, unit string, units Units) bool {
	c := &checker{units: units}
	return c.fitType(t, &p, unit).code == ""
}

// FitsField tells whether a value of type t may be a field of an answer.
func FitsField(f Field, t Type, units Units) bool {
	return Fits(*answerParam(f), t, f.Unit, units)
}
