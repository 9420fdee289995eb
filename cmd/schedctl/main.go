// Command schedctl schedules social posts: "schedctl daemon run" serves the API
// and publishes what is due, and every other command is a client of it.
//
// The commands are in the packages below: one for each group of nouns, and package
// cli for what all of them share.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"syscall"
	_ "time/tzdata" // zones work on machines without a zone database

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/quietstart"
)

//go:generate sh -c "go run . completion bash > ../../completions/schedctl.bash"
//go:generate sh -c "go run . completion zsh > ../../completions/_schedctl"
//go:generate sh -c "go run . completion fish > ../../completions/schedctl.fish"
//go:generate sh -c "go run . completion powershell > ../../completions/schedctl.ps1"

func init() { quietstart.End() }

// version is set by the build.
var version = ""

// gcPercent lets commands end before the first collection of memory would start. The
// daemon sets its own.
const gcPercent = 400

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	cli.BuildVersion = version
	ctx := cli.CancelOnSignal(context.Background(), os.Interrupt, syscall.SIGTERM)
	os.Exit(run(ctx, cli.NewSystem(), os.Args[1:]))
}

// run executes the command line and returns the exit status.
func run(ctx context.Context, sys cli.System, args []string) int {
	return cli.Run(ctx, sys, branches, args)
}
