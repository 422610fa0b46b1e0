package cli

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// Version and Commit are set by the build (-ldflags -X); without them the module's build information speaks.
var (
	Version string
	Commit  string
)

type version struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func buildVersion() version {
	v := version{Version: Version, Commit: Commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		if v.Version == "" {
			v.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && v.Commit == "" {
				v.Commit = s.Value
			}
		}
	}
	return v
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Show version, commit, Go and platform", Args: cobra.NoArgs, Example: "  almanac version --json",
		RunE: func(*cobra.Command, []string) error {
			v := buildVersion()
			if p.json {
				return p.print(v)
			}
			_, err := fmt.Fprintf(p.Out, "almanac %s\ncommit  %s\ngo      %s\nplatform %s\n", v.Version, orUnknown(v.Commit), v.Go, v.Platform)
			return err
		},
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// cpuName is the processor's name where the system tells it.
func cpuName() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for _, line := range strings.Split(string(data), "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
