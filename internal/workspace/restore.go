package workspace

import (
	"almanac/orchestrator/event"
	"almanac/toolkits"
	"almanac/toolkits/artifact"
)

// restored rebuilds a result from its event.
func restored(r *event.ToolResult) *toolkits.Result {
	res := &toolkits.Result{}
	for _, o := range r.Outputs {
		v := toolkits.Value{Kind: o.Kind, Unit: o.Unit, Difference: o.Difference, Hash: artifact.Hash(o.Artifact)}
		switch x := o.Value.(type) {
		case float64:
			v.Number = x
		case bool:
			v.Bool = x
		case string:
			v.Text = x
		}
		res.Fields = append(res.Fields, toolkits.Field{Name: o.Name, Value: v})
	}
	return res
}
