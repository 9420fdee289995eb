package webhook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/post"
	"github.com/schedctl/schedctl/daemon/publish/signing"
)

type listenOptions struct {
	*cli.App
	forwardTo, secretFile, lastEvent string
	events                           eventFlags
	printSecret                      bool

	types     []schedctl.EventType // nil for all
	secret    string               // the secret to show at the start; empty if a flag gave it
	forward   *forwarder
	connected bool // the stream was connected before
	triggers  *triggers
	triggered <-chan triggeredEvent // nil before the stream is connected
}

func NewListen(a *cli.App) *cobra.Command {
	o := &listenOptions{App: a}
	cmd := cli.DeclareJSON[forwarded](&cobra.Command{
		Use:   "listen",
		Short: "Forward events to a URL while you develop",
		Long: `Forward events to a URL while you develop a receiver of webhooks, until you interrupt
it: each event as it happens, signed as Standard Webhooks describes, in the same
form in which the daemon sends it to webhooks. Addresses of this machine and of
private networks are allowed, because the daemon need not reach them. Without http://
or https:// a URL is http.

The command shows the signing secret at the start. The secret is generated once and
kept in listen.secret, next to the configuration file; --print-secret prints it.
--secret-file or SCHEDCTL_SECRET set another secret. It is used only by "listen".

On a terminal there is a line for each event, with the receiver's response.
Elsewhere, and with --json, each event is a line of JSON; with -q only its id. Each
event is sent once. If the receiver is down, responds with a status other than 2xx or
takes longer than ten seconds (--timeout), the failure is shown and the next event is
sent. A lost connection to the daemon is restored without missing events. To continue
after an event that you have, give its id with --last-event. "schedctl trigger" sends
test events.`,
		Example: `  schedctl listen --forward-to http://localhost:3000/hooks
  schedctl listen --forward-to localhost:3000/hooks --event post.published --event post.failed
  schedctl listen --forward-to localhost:3000/hooks --json=type,http_status > events.jsonl
  schedctl listen --print-secret`,
		Args: cli.Args(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	})
	f := cmd.Flags()
	f.StringVar(&o.forwardTo, "forward-to", "", "where to send the events, a `URL`")
	o.events.add(cmd, schedctl.EventTypes(), "what to forward: the type of an `event`, or all (repeatable; the default is all)")
	f.StringVar(&o.secretFile, "secret-file", "", "`file` that holds the secret to sign with, - for standard input")
	f.BoolVar(&o.printSecret, "print-secret", false, "print the signing secret and exit")
	f.StringVar(&o.lastEvent, "last-event", "", "start after the event with this `id`")
	return cmd
}

func (o *listenOptions) run(ctx context.Context) error {
	if err := o.check(); err != nil {
		return err
	}
	secret, given, err := o.listenSecret(ctx)
	switch {
	case err != nil:
		return err
	case o.printSecret:
		return o.Linef("%s", secret)
	}
	key, err := signing.ParseSecret(secret)
	if err != nil {
		return err
	}
	c, err := o.Connect()
	if err != nil {
		return err
	}
	o.forward = newForwarder(o.App, o.forwardTo, key)
	if !given {
		o.secret = secret
	}
	return o.follow(ctx, c)
}

// check reads the flags.
func (o *listenOptions) check() (err error) {
	switch _, ok := schedctl.ParseID(schedctl.EventPrefix, o.lastEvent); {
	case o.printSecret && (o.forwardTo != "" || o.WithoutJSON()):
		return cli.UsageError("--print-secret prints the secret and nothing else: leave out --forward-to and --json")
	case o.printSecret:
		return nil
	case o.forwardTo == "":
		return cli.UsageError("schedctl listen needs --forward-to, which says where to send events").
			WithHint("give it with --forward-to http://localhost:3000/hooks; see events alone with: schedctl post watch")
	case !ok && o.lastEvent != "":
		return cli.UsageError("--last-event takes the id of an event, %s_…, not %q", schedctl.EventPrefix, cli.Clip(o.lastEvent, 60))
	}
	if o.types, err = o.events.types(schedctl.EventTypes()); err != nil {
		return err
	}
	u, err := receiverURL(o.forwardTo)
	if err == nil {
		o.forwardTo = u.String()
	}
	return err
}

// follow forwards events of the daemon and triggered events, one after the other.
func (o *listenOptions) follow(ctx context.Context, c *client.Client) error {
	feed := post.FollowEvents(ctx, c, o.lastEvent)
	defer feed.Stop()
	defer func() {
		if o.triggers != nil {
			o.triggers.close()
		}
	}()
	for {
		var err error
		select {
		case n := <-feed.News:
			err = o.receive(ctx, c, n)
		case h := <-o.triggered:
			err = o.takeTriggered(ctx, h)
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// receive handles one message of the event stream.
func (o *listenOptions) receive(ctx context.Context, c *client.Client, n post.FeedEvent) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case n.Err != nil:
		return n.Err
	case n.Opened && o.connected:
		o.Messagef("connected to %s again", c.URL())
	case n.Opened:
		o.connected = true
		o.ready(ctx, c)
	case o.types == nil || slices.Contains(o.types, n.Event.Type):
		_, err := o.take(ctx, n.Event, false)
		return err
	}
	return nil
}

// ready reports that events are forwarded from now on, and accepts triggered events.
func (o *listenOptions) ready(ctx context.Context, c *client.Client) {
	what := "all events"
	if o.types != nil {
		what = cli.JoinStrings(o.types, ", ")
	}
	var err error
	if o.triggers, err = openTriggers(ctx, o.App); err == nil {
		o.triggered = o.triggers.events
	} else {
		o.Messagef("schedctl trigger cannot reach this: %v", err)
	}
	if o.secret != "" {
		o.Messagef("signing secret: %s", o.secret)
	}
	o.Messagef("forwarding %s of %s to %s; end with Ctrl-C", what, c.URL(), cli.OneLine(o.forwardTo))
}

// takeTriggered forwards a triggered event and sends the result to the waiting
// "trigger" command.
func (o *listenOptions) takeTriggered(ctx context.Context, h triggeredEvent) error {
	result, err := o.take(ctx, h.event, true)
	if err == nil {
		h.result <- result
	}
	return err
}

// take forwards an event and prints the result.
func (o *listenOptions) take(ctx context.Context, e apiv1.Event, triggered bool) (forwarded, error) {
	result, err := o.forward.forward(ctx, e)
	switch {
	case ctx.Err() != nil:
		return result, context.Cause(ctx)
	case err != nil:
		return result, err
	}
	result.Triggered = triggered
	return result, o.show(result)
}

// show prints the result for an event: unchanged for programs, as a line for people.
func (o *listenOptions) show(f forwarded) error {
	switch {
	case o.Quiet:
		return o.PrintIDs(f.ID)
	case o.JSON.Given || !o.OutTerminal:
		return o.StreamLine(f)
	}
	var at time.Time
	if f.CreatedAt != nil {
		at = f.CreatedAt.Time
	}
	about := cli.FirstNonEmpty(f.Data.PostID, f.Data.SocialAccountID, f.Data.WebhookID)
	if f.Triggered {
		about = "(triggered)"
	}
	line := fmt.Sprintf("%s  %-20s  %-31s  %s", o.Dim(at.In(o.Local).Format(time.TimeOnly)), cli.OneLine(string(f.Type)), cli.OneLine(about), outcomeText(o.App, f))
	return o.Linef("%s", line)
}

// outcomeText returns the receiver's response, colored by success.
func outcomeText(a *cli.App, f forwarded) string {
	return a.Paint(cli.StatusColors[string(f.Status)], cli.OneLine(f.responseText()))
}
