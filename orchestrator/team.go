package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"almanac/agents"
	"almanac/memory"
	"almanac/orchestrator/reading"
	"almanac/orchestrator/toolcatalog"
	"almanac/toolkits"
	"almanac/toolkits/catalog"
	"almanac/toolkits/cftime"
	"almanac/toolkits/units"
	"almanac/toolkits/vector"
)

// Team is what all setups of a run share: the tools, the specialists, the reader of requests and the tool index. It is
// safe for concurrent use.
type Team struct {
	Tools   *toolkits.Registry
	Catalog *toolcatalog.Catalog
	Agents  []agents.Agent
	Reader  *reading.Reader
	Index   Selector
	Data    *catalog.Catalog
}

// Selector ranks tools for a query.
type Selector interface {
	// Name says which index it is, for the log.
	Name() string
	// Query returns the k best tools for the text out of those that keep accepts, best first, with their scores.
	Query(ctx context.Context, text string, k int, keep func(tool string) bool) ([]memory.Hit, error)
}

// NewTeam puts a team together over the data sets at hand.
func NewTeam(data *catalog.Catalog, tools *toolkits.Registry, specialists []agents.Agent, index Selector) (*Team, error) {
	vocabulary, err := newVocabulary(data)
	if err != nil {
		return nil, err
	}
	return &Team{
		Tools: tools, Catalog: toolcatalog.New(tools), Agents: specialists, Reader: reading.New(vocabulary, nil), Index: index, Data: data,
	}, nil
}

// catalogOf is the checker's view of the tools that a task allows.
func (t *Team) catalogOf(allowed *toolkits.Registry) *toolcatalog.Catalog {
	if allowed == t.Tools {
		return t.Catalog
	}
	return toolcatalog.New(allowed)
}

// vocabulary is what the reader knows by name: the gazetteer's places and the catalog's data sets.
type vocabulary struct {
	places   []reading.Place
	datasets []reading.Dataset
}

func (v *vocabulary) Places() []reading.Place     { return v.places }
func (v *vocabulary) Datasets() []reading.Dataset { return v.datasets }

func newVocabulary(data *catalog.Catalog) (*vocabulary, error) {
	v := &vocabulary{}
	g := data.Gazetteer()
	for _, list := range []func() ([]catalog.Place, error){g.Countries, g.Regions, g.AllCities} {
		places, err := list()
		if err != nil {
			return nil, fmt.Errorf("orchestrator: reading the gazetteer: %w", err)
		}
		for _, p := range places {
			v.places = append(v.places, reading.Place{
				Name: p.Name, Aliases: p.OtherNames, Region: p.Kind == catalog.Region, Country: p.Country, Latitude: p.Latitude, Population: p.Population,
			})
		}
	}
	for _, d := range data.Datasets() {
		rd := reading.Dataset{Name: d.Name, Aliases: d.Aliases}
		for _, x := range d.Variables {
			rd.Variables = append(rd.Variables, reading.Variable{Name: x.Name, Aliases: x.Aliases})
		}
		v.datasets = append(v.datasets, rd)
	}
	return v, nil
}

// Places is the gazetteer as tools want it: errors with a code and the nearest names.
type Places struct{ Data *catalog.Catalog }

// Place finds a place by name.
func (p Places) Place(ctx context.Context, name string) (toolkits.Place, error) {
	if err := ctx.Err(); err != nil {
		return toolkits.Place{}, err
	}
	found, err := p.Data.Gazetteer().Place(name)
	if err != nil {
		return toolkits.Place{}, placeError(err)
	}
	return toolkits.Place{
		Name: found.Name, Latitude: found.Latitude, Longitude: found.Longitude, Country: found.Country, Population: found.Population,
	}, nil
}

// Boundary returns the outline of a country or a named box.
func (p Places) Boundary(ctx context.Context, name string) (*vector.Features, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := p.Data.Gazetteer().Boundary(name)
	if err != nil {
		return nil, placeError(err)
	}
	return f, nil
}

func placeError(err error) error {
	var missing *catalog.NotFound
	var pointOnly *catalog.NoBoundary
	switch {
	case errors.As(err, &missing):
		e := toolkits.Errorf(toolkits.NotFound, "%s", strings.TrimPrefix(missing.Error(), "catalog: "))
		e.Legal = missing.Nearest
		return e
	case errors.As(err, &pointOnly):
		return toolkits.Errorf(toolkits.BadArgument, "%s", strings.TrimPrefix(pointOnly.Error(), "catalog: "))
	}
	return toolkits.Errorf(toolkits.Internal, "%w", err)
}

// Stated answers what a request's words contain, for the rule of bound answers.
type Stated struct {
	numbers []reading.Number
	periods map[string]bool
}

// NewStated reads text.
func (t *Team) NewStated(text string) *Stated {
	s := &Stated{numbers: reading.Numbers(text), periods: map[string]bool{}}
	last := ""
	for _, it := range t.Reader.Read(text).Items {
		if it.Period == "" {
			continue
		}
		s.addPeriod(it.Period)
		if follows(last, it.Period) { // "in 1982 and 1983" states the two years together as well
			s.addPeriod(last + "/" + it.Period)
		}
		last = it.Period
	}
	return s
}

func (s *Stated) addPeriod(text string) {
	if p, err := cftime.ParsePeriod(text); err == nil {
		s.periods[toolkits.CanonicalPeriod(p)] = true
	}
}

// follows reports whether b is the year after the year a.
func follows(a, b string) bool {
	x, errA := strconv.Atoi(a)
	y, errB := strconv.Atoi(b)
	return errA == nil && errB == nil && y == x+1
}

// Number reports whether the text states the number: as written, or converted to unit from the unit it is written
// with; a percentage also as a share.
func (s *Stated) Number(value float64, unit string) bool {
	for _, n := range s.numbers {
		if close9(n.Value, value) {
			return true
		}
		if n.Unit == "" || unit == "" {
			continue
		}
		if x, err := units.Convert(n.Value, n.Unit, unit, false); err == nil && close9(x, value) {
			return true
		}
	}
	return false
}

// Period reports whether the text states the period, given in canonical form.
func (s *Stated) Period(canonical string) bool { return s.periods[canonical] }

func close9(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }
