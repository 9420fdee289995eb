package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// system is what a command may touch of the machine. Tests put buffers in its
// place.
type system struct {
	in       io.Reader
	out, err io.Writer

	inTerminal, outTerminal, errTerminal bool
	width, height                        int // of the terminal at out

	goos       string // the operating system, as runtime.GOOS names it
	getenv     func(string) string
	environ    func() []string
	now        func() time.Time
	local      *time.Location
	readSecret func(context.Context) (string, error) // a line from the terminal, not shown
	dataHome   string                                // where users keep data: XDG_DATA_HOME or the like
	configHome string                                // where they keep settings: XDG_CONFIG_HOME or the like
	stateHome  string                                // where programs keep state: XDG_STATE_HOME or the like
	keyring    keyStore

	// askTerminal queries the background color of the terminal and returns the reply;
	// nil for no query.
	askTerminal func() string

	transport  http.RoundTripper                     // in place of the network; nil for the network
	filterTime time.Duration                         // how long --jq and --template may take
	askTime    time.Duration                         // how long a completion may ask the daemon
	page       func(pager string, text []byte) error // shows a text with a pager

	hasTool func(name string) bool // whether a program is installed
	runTool func(ctx context.Context, env []string, name string, args ...string) ([]byte, error)

	// edit runs an editor on a file until its end. The context it returns takes
	// the place of the one it is given.
	edit func(ctx context.Context, editor, path string) (context.Context, error)
}

// app is one run of the program: the machine and the global flags.
type app struct {
	system
	url, keyFile     string
	context          string // --context
	json             fieldList
	jq, template     string
	filter           filter // what --jq or --template make of a result, or nil
	quiet            bool
	noInput, noColor bool
	debug            bool
	timeout          duration
	fullScreen       bool                             // whether the command uses the full screen
	peer             string                           // the context or the daemon of the client, for its last ids
	keyless          bool                             // whether requests go without a key
	words            []string                         // of the command line, that newRoot has still to look at
	texts            map[*cobra.Command]func() string // long texts that are not written yet
	helpOut          bytes.Buffer                     // what cobra prints, which does not look at errors
}

// runCommand executes a command line with the commands of branches, and returns the exit status.
func runCommand(ctx context.Context, sys system, branches []branch, args []string) int {
	a := &app{system: sys}
	root := newRoot(a, branches, args...)
	root.SetArgs(append([]string{}, args...)) // nil would be the arguments of this process
	err := root.ExecuteContext(ctx)
	if err == nil && a.helpOut.Len() > 0 {
		err = a.write(a.helpOut.Bytes())
	}
	if a.keyless && schedctl.CodeOf(err) == schedctl.AuthenticationRequired {
		err = needsKey
	}
	if err != nil {
		a.report(err, args)
	}
	return exitStatus(err)
}

// logger returns the log of --debug.
func (a *app) logger() *slog.Logger {
	if !a.debug {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// connect returns a client of the daemon.
func (a *app) connect() (*client.Client, error) {
	e, err := a.endpoint()
	if err != nil {
		return nil, err
	}
	return a.connectTo(e)
}

// connectTo returns a client of a daemon.
func (a *app) connectTo(e endpoint) (*client.Client, error) {
	var announced func() (apiv1.Announced, error)
	if e.announced != "" {
		announced = func() (apiv1.Announced, error) {
			found, err := readAnnouncement(e.announced)
			if err == nil && found.URL != "" && found.Secret == "" {
				err = errors.New("it was started by an earlier version of schedctl, and cannot prove itself; restart it")
			}
			return apiv1.Announced{URL: found.URL, Secret: found.Secret}, err
		}
	}
	limit := cmp.Or(time.Duration(a.timeout), client.DefaultTimeout)
	c, err := client.New(client.Config{
		Announced: announced, URL: e.url, Key: e.key, UserAgent: "schedctl/" + versionText(),
		Timeout: limit, MaxWait: limit, Waiting: (&waitLine{app: a}).show, Logger: a.logger(), Transport: a.transport,
	})
	if err != nil {
		return nil, usage("%v", err)
	}
	return c, nil
}

// duration is a flag value of the time grammar.
type duration time.Duration

// Set reads the value.
func (d *duration) Set(text string) error {
	v, err := when.ParseDuration(text)
	if err != nil {
		return err
	}
	*d = duration(v)
	return nil
}

// String returns the value, empty for zero.
func (d *duration) String() string {
	if *d == 0 {
		return ""
	}
	text := time.Duration(*d).String()
	if strings.HasSuffix(text, "m0s") { // 24h0m0s is 24h
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Type names the value in help texts.
func (*duration) Type() string { return "duration" }
