package main

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

func newVersion(a *app) *cobra.Command {
	return prints[build](&cobra.Command{
		Use:     "version",
		Short:   "Show the version",
		Long:    "Show the version of this program, its compiler and its platform.",
		Example: `  schedctl version --json`,
		Args:    takes(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			b := build{versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH}
			switch {
			case a.json.set:
				return a.printJSON(b)
			case a.quiet:
				return a.printIDs(b.Version)
			}
			return a.write(fmt.Appendf(nil, "schedctl %s (%s, %s/%s)\n", b.Version, b.Go, b.OS, b.Arch))
		},
	})
}

// buildVersion is the version that the build was given, or empty.
var buildVersion string

// versionText returns the version that the build was given, else the one of the
// module, else "dev".
func versionText() string {
	if buildVersion != "" {
		return buildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
