package cli

import (
	"strings"

	"almanac/toolkits"
)

// nearest lists the names that are most like asked.
func nearest(asked string, names []string) string {
	return strings.Join(toolkits.Nearest(asked, names, 3), ", ")
}
