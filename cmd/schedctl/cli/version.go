package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is the result of "schedctl version".
type build struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

func NewVersion(a *App) *cobra.Command {
	return DeclareJSON[build](&cobra.Command{
		Use:     "version",
		Short:   "Show the version",
		Long:    "Show the version of this program, its compiler and its platform.",
		Example: `  schedctl version --json`,
		Args:    Args(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			b := build{VersionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH}
			switch {
			case a.JSON.Given:
				return a.PrintJSON(b)
			case a.Quiet:
				return a.PrintIDs(b.Version)
			}
			return a.Write(fmt.Appendf(nil, "schedctl %s (%s, %s/%s)\n", b.Version, b.Go, b.OS, b.Arch))
		},
	})
}

// BuildVersion is the version that the build set, or empty.
var BuildVersion string

// VersionText returns the version that the build set, or else that of the module, or
// else "dev".
func VersionText() string {
	if BuildVersion != "" {
		return BuildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
