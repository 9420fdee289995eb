package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// readsInput are the commands that, called alone, read what is piped to them.
var readsInput = []string{"post create", "post validate"}

// skipShort skips a test in short mode, as under the race detector. It is for tests that
// only start many commands: TestHelpExamplesWork and TestScripts start the same ones.
func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts the commands of TestHelpExamplesWork and TestScripts")
	}
}

// TestNoCommandWaitsForInput guards that a command without arguments, or without its
// daemon, ends while its standard input stays open and is not a terminal.
func TestNoCommandWaitsForInput(t *testing.T) {
	skipShort(t)
	t.Parallel()
	lines := allExamples(t)
	for _, name := range allCommands(t) {
		if alone := "schedctl " + name; !slices.ContainsFunc(lines, func(e example) bool { return e.line == alone }) {
			lines = append(lines, example{command: name, line: alone, args: strings.Fields(name)})
		}
	}
	for _, e := range lines {
		if e.startsDaemon() || slices.Contains(readsInput, e.command) && !strings.Contains(e.line, " -") {
			continue
		}
		e = e.hurried()
		t.Run(e.line, func(t *testing.T) {
			t.Parallel()
			if end := newPlace(t, closedAddress, "sctl_test").run(t, e); end.waited {
				t.Errorf("it waits; then it ended with %d\n%s", end.status, end.output)
			}
		})
	}
}

// startsDaemon reports whether the example starts a daemon. Such a command calls none, and
// with the least patience it would leave one behind that is still starting.
func (e example) startsDaemon() bool {
	return slices.Contains([]string{"daemon run", "daemon start", "daemon restart"}, e.command)
}

// hurried returns the example with the least patience for its daemon.
func (e example) hurried() example {
	e.args = append(slices.Clone(e.args), "--timeout", "50ms") // the last one counts
	return e
}

// goOn are the commands that do something without a daemon, too.
var goOn = []string{"doctor", "lint"}

// closedAddress is the URL of an address without a listener.
const closedAddress = "http://127.0.0.1:1"

// TestEveryCallHasATimeout guards that no command waits longer than --timeout for a
// daemon that accepts a request and never responds.
func TestEveryCallHasATimeout(t *testing.T) {
	skipShort(t)
	t.Parallel()
	var called atomic.Int64
	t.Cleanup(func() {
		if n := called.Load(); n < 50 && !t.Failed() {
			t.Errorf("only %d examples called the daemon: the test saw nothing", n)
		}
	})
	for _, e := range allExamples(t) {
		if e.startsDaemon() || e.command == "listen" {
			continue // --timeout of listen is for the receiver; the client limits its stream
		}
		e = e.hurried()
		t.Run(e.line, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				io.Copy(io.Discard, r.Body) // only then the server sees that the client is gone
				<-r.Context().Done()
			}))
			t.Cleanup(silent.Close)
			end := newPlace(t, silent.URL, "sctl_test").run(t, e)
			if calls.Load() == 0 {
				return // a command that needs no daemon
			}
			called.Add(1)
			told := end.status == cli.ExitUnreachable || end.status == cli.ExitTimedOut || slices.Contains(goOn, e.command)
			if end.waited || !told {
				t.Errorf("it waited: %v; it ended with %d, want %d or %d\n%s", end.waited, end.status, cli.ExitUnreachable, cli.ExitTimedOut, end.output)
			}
		})
	}
}
