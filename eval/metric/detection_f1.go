package metric

// NoObjects is the reason of a task that does not ask to detect objects.
const NoObjects = "no_objects"

// detectionIoU is the overlap from which on a found object is the one that is there.
const detectionIoU = 0.5

var detectionF1 = Metric{
	Name: "detection_f1", Title: "Detection, F1",
	Definition: "for tasks that detect objects: F1 of found and true boxes, paired one to one where the intersection over " +
		"the union is at least 0.5",
	Source: "PASCAL VOC (doi 10.1007/s11263-009-0275-4), overlap criterion; F1 as in GeoLLM-Engine (arXiv 2404.15500)", High: 1,
	Compute: func(c *Case) Value {
		switch {
		case c.Decline:
			return none(DeclineTask)
		case c.Objects == nil:
			return none(NoObjects)
		}
		return some(c.Objects.f1())
	},
}

// BoxItem is the type of the items of a field that lists detected objects.
const BoxItem = "box"

// Box is west, south, east and north, in degrees or pixels.
type Box [4]float64

// Objects are the boxes that an episode found and those that are there.
type Objects struct{ Found, True []Box }

func (o *Objects) f1() float64 {
	if len(o.Found)+len(o.True) == 0 {
		return 1 // nothing was there, and nothing was found
	}
	_, hits := pairing(len(o.Found), len(o.True), func(i, j int) bool { return o.Found[i].overlap(o.True[j]) >= detectionIoU })
	return 2 * float64(hits) / float64(len(o.Found)+len(o.True))
}

// overlap is the intersection over the union of two boxes on the plane; 0 for a box without area.
func (b Box) overlap(c Box) float64 {
	width := min(b[2], c[2]) - max(b[0], c[0])
	height := min(b[3], c[3]) - max(b[1], c[1])
	if !(width > 0 && height > 0) {
		return 0
	}
	both := width * height
	union := b.area() + c.area() - both
	if !(union > 0) {
		return 0
	}
	return both / union
}

func (b Box) area() float64 { return (b[2] - b[0]) * (b[3] - b[1]) }

// ReadBoxes reads a list of boxes, each a list of four numbers or a record of west, south, east and north. ok is false
// where one of them is none.
func ReadBoxes(v any) (boxes []Box, ok bool) {
	l, ok := list(v)
	if !ok {
		return nil, false
	}
	for _, x := range l {
		n, ok := numbers(x, "west", "south", "east", "north")
		if !ok || n[2] < n[0] || n[3] < n[1] {
			return nil, false
		}
		boxes = append(boxes, Box(n))
	}
	return boxes, true
}
