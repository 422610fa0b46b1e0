package catalog

import (
	"fmt"
	"strings"
)

// NotFound says that a name is not known, and which known names are like it.
type NotFound struct {
	What    string   // "data set", "variable of coads_climatology", "place", …
	Asked   string   // the name as it was given
	Nearest []string // known names, the most alike first; may be empty
}

func (e *NotFound) Error() string {
	if len(e.Nearest) == 0 {
		return fmt.Sprintf("catalog: no %s is named %q", e.What, e.Asked)
	}
	return fmt.Sprintf("catalog: no %s is named %q; the nearest: %s", e.What, e.Asked, strings.Join(e.Nearest, "; "))
}
