// Package schedule holds the language in which a supervisor writes down what is
// to be done: a small subset of Starlark's syntax, with a meaning of its own.
//
//	sst   = data.open(dataset="coads_climatology", variable="sst")
//	zone  = gis.boundary(place=task.place)
//	stats = gis.zonal_stats(raster=sst, zones=zone)
//	verification.in_range(value=stats.mean, low=-2, high=40)
//	answer(mean_sst=stats.mean)
//
// A statement binds a name to the result of a tool call, of an objective that a
// specialist is to reach, or of a small expression. What is bound are typed
// handles; numbers never pass through a model. [Parse] reads the text, [Print]
// writes it back in one canonical form, and Parse(Print(p)) is p for every
// program.
//
// [Check] knows the tools only by their declared signatures, a [Catalog], and
// reports every problem at once: with a code, a place, what was found, what
// would be legal there, and what would resolve it. [Repair] mends what has one
// reading only and records each repair; whatever could change the meaning of a
// schedule stays a problem. [Infer] gives the type of every field of every step,
// with its unit; the search for schedules and the checker share it.
//
// # What a checked program guarantees
//
// When Check reports no error, then for every call that may be made: the tool
// exists; every argument is a declared parameter, given once, and every required
// one is there; every reference names an earlier statement, an item of the
// enclosing mapped step, or a slot of the request; the field it names is
// declared; and its kind, its being a list, and its unit are ones that the
// parameter takes. [Bind] then gives, for each argument, the field that a bare
// name stands for, and does not fail. What it does not guarantee depends on
// values that are known only at run time: whether a place or a period is one that
// is known, the items of a list beyond their kind, whether a scalar is whole, whether a string is a legal value of a closed
// vocabulary, and units that no declaration states.
//
// The package imports nothing else of Almanac, and no model or tool code.
package schedule
