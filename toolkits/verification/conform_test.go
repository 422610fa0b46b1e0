package verification_test

import (
	"testing"

	"almanac/toolkits/toolstest"
	"almanac/toolkits/verification"
)

func TestConform(t *testing.T) {
	for _, tool := range verification.Toolkit() {
		toolstest.Conform(t, tool)
	}
}
