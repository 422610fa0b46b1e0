package reading

import (
	"almanac/orchestrator/schedule"
	"almanac/toolkits"
)

// plurals are the names under which all items of a kind are listed. Places, periods and numbers have their list always,
// the others where there is more than one.
var plurals = map[string]string{
	KindPlace: "places", KindPeriod: "periods", KindNumber: "numbers", KindBox: "boxes", KindMonth: "months", KindSeason: "seasons",
}

// Plural is the name of the slot that lists all items of a kind; "" for a kind that has none.
func Plural(kind string) string { return plurals[kind] }

// Slots are the values behind task.place, task.period and so on: of each kind the first item under its own name, and
// the list of all under [Plural]. A variable that several data sets call differently, or that none names, is left out.
func (q Request) Slots() map[string]toolkits.Value {
	slots := map[string]toolkits.Value{}
	first := func(name string, v toolkits.Value) {
		if _, ok := slots[name]; !ok {
			slots[name] = v
		}
	}
	lists := map[string]*toolkits.Value{}
	for kind := range plurals {
		lists[kind] = &toolkits.Value{Kind: toolkits.KindList}
	}
	for _, it := range q.Items {
		v := it.Value()
		if it.Kind == KindVariable && it.Name == "" {
			continue
		}
		if list := lists[it.Kind]; list != nil {
			list.List = append(list.List, v)
		}
		first(it.Kind, v)
	}
	for kind, list := range lists {
		always := kind == KindPlace || kind == KindPeriod || kind == KindNumber
		if n := len(list.List); n > 1 || n == 1 && always {
			slots[plurals[kind]] = *list
		}
	}
	return slots
}

// Value is the item as a value that a tool's parameter takes.
func (it Item) Value() toolkits.Value {
	switch it.Kind {
	case KindNumber:
		return toolkits.Value{Kind: toolkits.KindNumber, Number: it.Number, Unit: it.Unit}
	case KindBox:
		return it.Box.value()
	case KindPeriod, KindMonth, KindSeason:
		return toolkits.Value{Kind: toolkits.KindPeriod, Text: it.Period}
	case KindPlace:
		if it.Point != nil {
			num := func(x float64) toolkits.Value { return toolkits.Value{Kind: toolkits.KindNumber, Number: x} }
			return toolkits.Value{Kind: toolkits.KindRecord, Record: map[string]toolkits.Value{
				"latitude": num(it.Point.Latitude), "longitude": num(it.Point.Longitude)}}
		}
		return toolkits.Value{Kind: toolkits.KindPlace, Text: it.Name}
	default:
		return toolkits.Value{Kind: toolkits.KindString, Text: it.Name}
	}
}

// Types are the slots as the checker of schedules wants them.
func (q Request) Types() schedule.Slots {
	types := schedule.Slots{}
	kinds := map[string]string{KindPlace: schedule.KindPlace, KindBox: schedule.KindBox, KindPeriod: schedule.KindPeriod,
		KindMonth: schedule.KindPeriod, KindSeason: schedule.KindPeriod, KindNumber: schedule.KindNumber,
		KindComparison: schedule.KindString, KindDataset: schedule.KindString, KindVariable: schedule.KindString}
	listOf := map[string]string{}
	for kind, name := range plurals {
		listOf[name] = kind
	}
	for name, v := range q.Slots() {
		if kind, isList := listOf[name]; isList {
			types[name] = schedule.Slot{Type: schedule.Type{Kind: kinds[kind], List: true}, Value: plain(v)}
		} else {
			types[name] = schedule.Slot{Type: schedule.Type{Kind: kinds[name], Unit: v.Unit}, Value: plain(v)}
		}
	}
	return types
}

// plain is a value without our types: a float64, a string, a list or a map of these.
func plain(v toolkits.Value) any {
	switch v.Kind {
	case toolkits.KindNumber:
		return v.Number
	case toolkits.KindList:
		list := make([]any, len(v.List))
		for i, x := range v.List {
			list[i] = plain(x)
		}
		return list
	case toolkits.KindRecord:
		m := map[string]any{}
		for k, x := range v.Record {
			m[k] = plain(x)
		}
		return m
	}
	return v.Text
}
