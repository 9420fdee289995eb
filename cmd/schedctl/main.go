// Command schedctl schedules social posts: "schedctl daemon run" serves the API
// and publishes what is due, and every other command is a client of it.
//
// # Streams
//
// Standard output has the result of the command and no other text. Parsed times,
// progress, prompts and errors go to standard error. On a terminal results are aligned
// and colored; elsewhere they are tab-separated, without headers, and commands never
// prompt.
//
// # Adding a command
//
// A command is one file named after its noun and verb, with a struct of its
// options, a constructor that describes it and a run method. It prints through
// the methods in output.go and returns an error; exit.go alone turns errors
// into exit statuses.
package main

import (
	"context"
	"os"
	"syscall"
	_ "time/tzdata" // zones work on machines without a zone database

	"github.com/schedctl/schedctl/cmd/schedctl/quietstart"
)

func init() { quietstart.End() }

// version is set by the build.
var version = ""

func main() {
	buildVersion = version
	ctx := untilSignal(context.Background(), os.Interrupt, syscall.SIGTERM)
	os.Exit(run(ctx, newSystem(), os.Args[1:]))
}

// run executes the command line and returns the exit status.
func run(ctx context.Context, sys system, args []string) int {
	return runCommand(ctx, sys, branches, args)
}
