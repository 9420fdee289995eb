package browse

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/tui"
)

// browser is the command tui.
type browser struct {
	*cli.App
	when       cli.WhenFlags // for --tz
	accessible bool
	mouse      bool
	ascii      bool
}

func New(a *cli.App) *cobra.Command {
	o := &browser{App: a}
	cmd := &cobra.Command{
		Use:   "tui",
		Short: "Browse and change posts on the full screen",
		Long: `Browse and change posts on the full screen: the queue by day, week and month, drafts,
published posts, failed posts with advice, accounts, webhook deliveries, queues, and the
posts that wait for approval. The screen updates itself and can stay open all day: when
the daemon is unreachable it shows that, and continues when the daemon is back.

Keys 1 to 9 and 0 choose a view, arrows or hjkl move, enter shows all details of a post,
n writes a new post, i edits a post, s sets its time, U makes it a draft again, and ?
lists all keys. m takes a post: arrows or a typed time move it, and enter drops it.
space and V mark several posts, which then change together. : takes a command, such as
:label launch or :goto friday. u undoes the last changes, one after the other (up to
50), and shows why if a change can no longer be undone. In the view of accounts, a
connects an account and i edits its name, options and credentials. Secrets are never
shown. v shows the pictures of a post in Kitty, Ghostty, iTerm2, WezTerm and terminals
with Sixel.

In the view of posts that wait for approval, a approves a post and schedules it, and c
sends it back with a note that says what to change. In all views, A asks for the approval
of a draft, w withdraws it from review, N writes a note, and Y makes an address at which a
person without a terminal sees the post.

While you write, a line --- starts the next part of a thread (ctrl+l inserts one), and
each part has a counter. alt+s splits a text that is too long, and alt+p shows what each
account gets. "every monday 9am" as the time makes a series. ctrl+o attaches a file to
the part with the cursor, and ctrl+r opens the first comment.

With --accessible, or with ACCESSIBLE in the environment, the screen shows sentences
instead of columns, without color, and updates at most once a minute, for screen
readers. With --ascii or LC_ALL=C, the signs of the screen are characters of ASCII.
Clicks select views, days and posts and press the keys of the last line, a post of the
week can be dragged to another day, and the wheel scrolls; the terminal then selects text
with shift only. --mouse=false leaves the mouse to the terminal.

When you leave a text that is not saved, you can save it as a draft. If a signal ends
the program, an unsaved text is kept in a file.`,
		Example: `  schedctl tui
  schedctl tui --tz Europe/Berlin
  schedctl tui --accessible`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.accessible, "accessible", false, "sentences instead of columns, for screen readers (environment: ACCESSIBLE)")
	f.BoolVar(&o.ascii, "ascii", false, "signs of ASCII instead of others, as with LC_ALL=C")
	f.BoolVar(&o.mouse, "mouse", true, "react to clicks and the wheel; --mouse=false leaves them to the terminal")
	o.when.AddZone(cmd)
	return cmd
}

func (o *browser) run(ctx context.Context) error {
	zone, err := o.when.Zone(o.App)
	if err == nil {
		err = o.mayBrowse()
	}
	if err != nil {
		return err
	}
	o.FullScreen = true
	c, err := o.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	me, err := c.Me(ctx)
	if err != nil {
		return err // an exit status is better than an empty screen
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // the window is closed
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	config := tui.Config{
		Client: daemonOf{c}, Key: me.APIKey, Zone: zone, Now: o.Now, Renderer: o.renderer(),
		Plain: o.accessible || o.Getenv("ACCESSIBLE") != "", Mouse: o.mouse && !o.accessible && o.Getenv("ACCESSIBLE") == "",
		ASCII: o.ascii || o.App.ASCII(),
		Edit:  o.editText(cancel), Complete: completePath, Browse: openAddress, Clipboard: o.System.Out, IsOnThisMachine: cli.IsOnThisMachine,
	}
	if name, err := o.ZoneName(zone); err == nil {
		config.ZoneName = name
	}
	if config.Renderer != nil {
		if ground, known := o.Background(); known {
			config.Background = ground
		}
	}
	if !config.Plain {
		config.Show = o.pictures(c)
	}
	unsaved, err := tui.Run(ctx, config, tea.WithInput(o.In), tea.WithOutput(o.System.Out))
	if unsaved.Text != "" {
		again := "schedctl post create -F %s"
		switch {
		case unsaved.PostID != "":
			again = "schedctl post note " + unsaved.PostID + ` "$(cat %s)"`
		case threadtext.Split(unsaved.Text)[0] != unsaved.Text:
			again = "schedctl post create --thread -F %s"
		}
		o.KeepEdited(cli.EditedText{Text: unsaved.Text, Source: cli.TextSource{File: "-"}}, again)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("browse: %w", err)
	}
	return err
}

// mayBrowse returns an error if a full-screen program cannot run here.
func (o *browser) mayBrowse() error {
	switch {
	case !o.InTerminal || !o.OutTerminal:
		return cli.UsageError("tui needs a terminal").WithHint("elsewhere there are: schedctl post list, schedctl calendar and schedctl post show")
	case o.Getenv("TERM") == "dumb":
		return cli.UsageError("tui needs a terminal that can move its cursor, and TERM is dumb").
			WithHint("line by line there are: schedctl post list, schedctl calendar and schedctl post show")
	case o.AgentMode() != "":
		return o.ForPeople("tui", "for programs there are: schedctl post list, schedctl calendar and schedctl post show")
	case o.JSON.Given:
		return cli.UsageError("tui and --json exclude each other: give one")
	case o.Quiet:
		return cli.UsageError("tui and --quiet exclude each other: give one")
	case o.NoInput:
		return cli.UsageError("tui and --no-input exclude each other: give one")
	case o.Debug && o.ErrTerminal:
		return cli.UsageError("--debug would write over the screen").WithHint("add 2>FILE")
	}
	return nil
}

// renderer returns the renderer of colors, or nil without color. Besides the 16 colors of
// the terminal it uses grays, if the terminal has 256 colors.
func (o *browser) renderer() *lipgloss.Renderer {
	if !o.Colored() {
		return nil
	}
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.ANSI)
	if deep := o.Getenv("COLORTERM"); deep == "truecolor" || deep == "24bit" || strings.Contains(o.Getenv("TERM"), "256color") {
		r.SetColorProfile(termenv.ANSI256)
	}
	r.SetHasDarkBackground(o.Dark())
	return r
}

// editText returns a function that opens a text in the editor. A later interrupt ends
// the browser.
func (o *browser) editText(end context.CancelCauseFunc) func(context.Context, string) (string, error) {
	return func(ctx context.Context, text string) (string, error) {
		path, err := o.NewDraft(text)
		if err != nil {
			return "", fmt.Errorf("make a file for the editor: %w", err)
		}
		after, err := o.Edit(ctx, o.EditorCommand(), path)
		context.AfterFunc(after, func() {
			if ctx.Err() == nil { // an interrupt, and not the end of the browser
				end(context.Cause(after))
			}
		})
		data, unread := cli.ReadFile(path)
		written := cli.TextOf(data)
		switch {
		case unread != nil:
			return "", fmt.Errorf("read the text from the editor: %w", unread)
		case err == nil || written == text:
			os.Remove(path)
		default:
			err = fmt.Errorf("%w; the text is saved in %s", err, path)
		}
		return written, err
	}
}
