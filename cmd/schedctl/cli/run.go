package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/cli/filter"
)

// System is the part of the machine that commands may use. Tests replace it.
type System struct {
	In       io.Reader
	Out, Err io.Writer

	InTerminal, OutTerminal, ErrTerminal bool
	Width, Height                        int // of the terminal at out

	Goos       string // the operating system, as runtime.GOOS names it
	Getenv     func(string) string
	Environ    func() []string
	Now        func() time.Time
	Local      *time.Location
	ReadSecret func(context.Context) (string, error) // a line from the terminal, not shown
	dataHome   string                                // the directory for data of users: XDG_DATA_HOME or its equivalent
	ConfigHome string                                // the directory for settings: XDG_CONFIG_HOME or its equivalent
	StateHome  string                                // the directory for state: XDG_STATE_HOME or its equivalent
	Keyring    keyStore

	// askTerminal queries the background color and the type of the terminal and returns
	// the reply; nil for no query.
	askTerminal func() string
	// ReadKey waits for a key on the terminal and returns its bytes.
	ReadKey func(context.Context) (string, error)

	Transport http.RoundTripper                     // nil for the real network
	AskTime   time.Duration                         // how long a completion may ask the daemon
	Page      func(pager string, text []byte) error // shows a text with a pager

	HasTool func(name string) bool // whether a program is installed
	RunTool func(ctx context.Context, env []string, name string, args ...string) ([]byte, error)

	// Edit runs an editor on a file and waits for it. The returned context replaces ctx.
	Edit func(ctx context.Context, editor, path string) (context.Context, error)
}

// App is one run of the program: the machine and the global flags.
type App struct {
	System
	URL, KeyFile     string
	Context          string // --context
	JSON             fieldList
	jq, template     string
	Filter           filter.Filter // --jq or --template, or nil
	Quiet            bool
	NoInput, noColor bool
	Debug            bool
	SharedFiles      *pflag.Flag // --allow-shared-files of a command that has it, or nil
	Timeout          DurationFlag
	FullScreen       bool                             // whether the command uses the full screen
	peer             string                           // the context or the daemon whose shown posts are stored
	user             string                           // peer and the key, whose last ids are stored
	agent            *agentMode                       // nil before it is looked for
	reply            *string                          // of the terminal to queries, or nil before them
	Keyless          bool                             // whether requests go without a key
	overview         bool                             // whether only the help of the program is asked for
	words            []string                         // arguments that NewRoot has not matched to commands yet
	texts            map[*cobra.Command]func() string // long texts that are not built yet
	helpOut          bytes.Buffer                     // output of cobra, which ignores write errors
}

// Run executes a command line with the commands of branches, and returns the exit status.
func Run(ctx context.Context, sys System, branches []Branch, args []string) int {
	a := &App{System: sys}
	root := NewRoot(a, branches, args...)
	root.SetArgs(append([]string{}, args...)) // nil would be the arguments of this process
	err := root.ExecuteContext(ctx)
	if err == nil && a.helpOut.Len() > 0 {
		err = a.Write(a.helpOut.Bytes())
	}
	if err = a.KeylessError(err); err != nil {
		a.enterAgentMode(root, nil) // the flags may be wrong
		a.report(err, args)
	}
	return ExitStatus(err)
}

// Logger returns the log of --debug.
func (a *App) Logger() *slog.Logger {
	if !a.Debug {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(a.Err(), &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Connect returns a client of the daemon.
func (a *App) Connect() (*client.Client, error) {
	e, err := a.Endpoint()
	if err != nil {
		return nil, err
	}
	return a.ConnectTo(e)
}

// WithClient returns the function of a command that needs the daemon first.
func (a *App) WithClient(run func(ctx context.Context, c *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := a.Connect()
		if err != nil {
			return err
		}
		return run(cmd.Context(), c, args)
	}
}

// ConnectTo returns a client of a daemon.
func (a *App) ConnectTo(e Endpoint) (*client.Client, error) {
	cfg := a.ClientConfig(e)
	cfg.Changed = func(p apiv1.Post) { a.RememberShown(p) }
	c, err := client.New(cfg)
	if err != nil {
		return nil, UsageError("%v", err)
	}
	return c, nil
}

// ClientConfig returns the configuration of a client of a daemon.
func (a *App) ClientConfig(e Endpoint) client.Config {
	var announced func() (apiv1.Announced, error)
	if e.Announced != "" {
		announced = func() (apiv1.Announced, error) {
			found, err := ReadAnnouncement(e.Announced)
			if err == nil && found.URL != "" && found.Secret == "" {
				err = errors.New("it was started by an earlier version of schedctl, and cannot prove itself; restart it")
			}
			return apiv1.Announced{URL: found.URL, Secret: found.Secret}, err
		}
	}
	limit := cmp.Or(time.Duration(a.Timeout), client.DefaultTimeout)
	return client.Config{
		Announced: announced, URL: e.URL, Key: e.Key, UserAgent: "schedctl/" + VersionText(),
		Timeout: time.Duration(a.Timeout), MaxWait: limit, Waiting: (&waitLine{App: a}).show, Logger: a.Logger(), Transport: a.Transport,
	}
}

// DurationFlag is a flag value of the time grammar.
type DurationFlag time.Duration

// Set reads the value.
func (d *DurationFlag) Set(text string) error {
	v, err := when.ParseDuration(text)
	if err != nil {
		return err
	}
	*d = DurationFlag(v)
	return nil
}

// String returns the value, empty for zero.
func (d *DurationFlag) String() string {
	if *d == 0 {
		return ""
	}
	return when.DurationText(time.Duration(*d))
}

// Type names the value in help texts.
func (*DurationFlag) Type() string { return "duration" }
