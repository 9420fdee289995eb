package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// example is a command line of a help text.
type example struct {
	command string   // the command that it calls, without the program's name
	line    string   // as the help shows it
	args    []string // what the program is given
	piped   bool     // whether another program writes to its standard input
}

// shellTail is what a shell reads of an example and the program does not.
var shellTail = regexp.MustCompile(` (&&|>) .*| &$`)

// allExamples returns what the help texts of all commands show, each once.
func allExamples(t *testing.T) (all []example) {
	t.Helper()
	root := tree(t)
	walk(root, func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSpace(line)
			found := call.FindStringSubmatchIndex(line)
			if found == nil {
				continue // another test complains
			}
			text := shellTail.ReplaceAllString(line[found[2]:found[3]], "")
			e := example{line: line, args: splitWords(text)[1:], piped: strings.HasPrefix(line[found[0]:], "|")}
			if slices.ContainsFunc(all, func(other example) bool { return slices.Equal(e.args, other.args) }) {
				continue
			}
			called, _, err := root.Find(e.args)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			e.command = commandName(called)
			all = append(all, e)
		}
	})
	return all
}

// allCommands returns the commands that do something, by their names.
func allCommands(t *testing.T) (names []string) {
	t.Helper()
	walk(tree(t), func(cmd *cobra.Command) {
		if cmd.Runnable() && !cmd.HasSubCommands() && cmd.Name() != "help" {
			names = append(names, commandName(cmd))
		}
	})
	return names
}

func commandName(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), "schedctl ")
}

// endless are the commands and the examples that run until they are interrupted.
var endless = []string{
	"mcp",
	"daemon run", "listen", "post watch",
	"schedctl post schedule post_01KAK3R9ZC4VBX1D2E3F4G5H6J --in 2h --to demo --wait",
}

func (e example) endless() bool {
	return slices.Contains(endless, e.command) || slices.Contains(endless, e.line)
}

// needsTerminal are the examples that are nothing for a script: without a terminal
// they must say so.
var needsTerminal = []string{
	"schedctl account add",
	"schedctl account add mastodon --set instance_url=https://mastodon.example --login",
	"schedctl account reconnect mastodon:me",
	"schedctl account reconnect mastodon:me --login",
	"schedctl apply posts",
	`schedctl post create --editor --to mastodon:me --at "friday 9am"`,
	"schedctl post edit post_01KAK3R9ZC4VBX1D2E3F4G5H6J --editor",
	`schedctl post resend post_01KAK3R9ZC4VBX1D2E3F4G5H6J --editor --at "tomorrow 9am"`,
	"schedctl login --url https://posts.example.org",
	"schedctl login --context work --no-keyring",
	"schedctl tui",
	"schedctl tui --tz Europe/Berlin",
	"schedctl tui --accessible",
}

// needsServer are the examples that name a server which is not there.
var needsServer = []string{
	`schedctl daemon run --store "postgres://schedctl@db.example/schedctl?sslmode=verify-full"`,
	"schedctl store copy --from bolt:schedctl.db --to postgres://schedctl@db.example/schedctl",
	`schedctl store copy --from bolt:schedctl.db --to postgres://schedctl@db.example/schedctl --to-blobs "s3://media/schedctl"`,
	"schedctl store copy --from postgres://schedctl@db.example/schedctl --to bolt:back.db",
	"schedctl daemon check --store postgres://schedctl@db.example/schedctl --bytes",
}

// needsInternet are the examples that name a file of a server on the internet, which
// the daemon cannot fetch here.
var needsInternet = []string{
	`schedctl media from-url https://example.org/cat.png --alt "A cat on a sofa"`,
	"id=$(schedctl media from-url https://example.org/cat.png -q)",
}

// needsService are the examples that need a service manager, which is not found here.
var needsService = []string{
	"schedctl daemon install",
	"schedctl daemon install --listen 127.0.0.1:8080 --public-url https://posts.example.org",
}

// needsMore are the commands that need items of a feed, or a network that gives numbers, with
// the exit status without them.
var needsMore = map[string]int{
	"source release": cli.ExitInvalid, "source item skip": cli.ExitNotFound, "source item post": cli.ExitNotFound, "results refresh": cli.ExitConflict,
}

// TestHelpExamplesWork runs every example of the help against a real daemon, in a
// process without a terminal. Each has a workspace of its own on one daemon, with
// what the example names.
func TestHelpExamplesWork(t *testing.T) {
	t.Parallel()
	examples := allExamples(t)
	for _, name := range allCommands(t) {
		if !slices.ContainsFunc(examples, func(e example) bool { return e.command == name }) {
			t.Errorf("schedctl %s has no example", name)
		}
	}
	for _, line := range slices.Concat(needsTerminal, needsServer, needsInternet, needsService) {
		if !slices.ContainsFunc(examples, func(e example) bool { return e.line == line }) {
			t.Errorf("%s is no example any more", line)
		}
	}
	d := startExampleDaemon(t)
	for _, e := range examples {
		t.Run(e.line, func(t *testing.T) {
			t.Parallel()
			p := d.place(t, e)
			end := p.run(t, e)
			want := cli.ExitOK
			switch {
			case slices.Contains(needsTerminal, e.line):
				want = cli.ExitUsage
			case slices.Contains(needsServer, e.line):
				want = cli.ExitUnreachable
			case slices.Contains(needsInternet, e.line):
				want = cli.ExitInvalid
			case slices.Contains(needsService, e.line):
				want = cli.ExitOther
			case needsMore[e.command] != 0:
				want = needsMore[e.command]
			}
			switch {
			case end.waited && !e.endless():
				t.Errorf("it waits for input\n%s", end.output)
			case end.waited && (end.status == cli.ExitOK || end.status == cli.ExitInterrupted):
			case end.status != want:
				t.Errorf("exit status %d, want %d\n%s", end.status, want, end.output)
			}
		})
	}
}

// ending is how a command ended.
type ending struct {
	status int
	output string
	waited bool // it ended only when it was interrupted
}

// run runs an example as a process whose standard input stays open and silent,
// unless something is piped to it. An endless example is interrupted.
func (p *place) run(t *testing.T, e example) ending {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), e.longEnough())
	defer cancel()
	program, err := exec.LookPath("schedctl")
	if err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, program, p.args(e)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 20 * time.Second // then it is killed
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, p.env(), &output, &output
	if e.piped || slices.Contains(e.args, "-") {
		cmd.Stdin = strings.NewReader(p.piped(e.command))
	} else {
		silent, open, err := os.Pipe() // without any input
		if err != nil {
			t.Fatal(err)
		}
		defer open.Close()
		defer silent.Close()
		cmd.Stdin = silent
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		t.Fatal(err)
	}
	return ending{cmd.ProcessState.ExitCode(), output.String(), ctx.Err() != nil}
}

// longEnough is the time that a command may take. Commands have little to do, but the
// machine can be busy. An endless command is interrupted after it had time to start.
func (e example) longEnough() time.Duration {
	if e.endless() {
		return 3 * time.Second
	}
	return 30 * time.Second
}
