package post

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

type watchOptions struct {
	*cli.App
	lastEvent string
	watches   []watched
	names     func() Accounts
	spinner   *cli.Spinner
	ended     map[string]bool // the posts without further events
}

func newWatch(a *cli.App) *cobra.Command {
	o := &watchOptions{App: a, ended: map[string]bool{}}
	cmd := cli.DeclareJSON[apiv1.Event](&cobra.Command{
		Use:   "watch [ID...]",
		Short: "Show what happens to posts while it happens",
		Long: `Show the events of posts as they happen, until all of the posts are published, have
failed or are canceled. Without an id, show the events of every post, until
you interrupt the command.

On a terminal there is a line for each event. Elsewhere, and with --json, each event
is a line of JSON, as webhooks receive it. With -q there is only the id of each post
that is finished. Events of the last ten minutes may come first. A lost connection is
restored without missing events. To continue after an event that you have, give its id
with --last-event; the daemon keeps events for 30 days.

The exit status is 9 when a target failed, and 8 when --timeout has passed.`,
		Example: `  schedctl post watch post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post watch --json=type,data > events.jsonl
  schedctl post watch --jq 'select(.type == "post.failed") | .data.error.message'`,
		Args:              cli.Args(0, cli.Unlimited, ""),
		ValidArgsFunction: CompletePost(a),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	})
	cmd.Flags().StringVar(&o.lastEvent, "last-event", "", "start after the event with this `id`")
	return cmd
}

func (o *watchOptions) run(ctx context.Context, ids []string) error {
	if _, ok := schedctl.ParseID(schedctl.EventPrefix, o.lastEvent); !ok && o.lastEvent != "" {
		return cli.UsageError("--last-event takes the id of an event, %s_…, not %q", schedctl.EventPrefix, cli.Clip(o.lastEvent, 60))
	}
	c, ids, err := connectAll(ctx, o.App, ids)
	if err != nil {
		return err
	}
	waiting := ctx
	if o.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, time.Duration(o.Timeout), ErrTimedOut)
		defer cancel()
		waiting = limited
	}
	o.names = sync.OnceValue(func() Accounts { return AccountsByID(ctx, c) })
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		o.watches = append(o.watches, watched{id: id})
	}
	o.spinner = &cli.Spinner{App: o.App}
	if o.OutTerminal { // else it would be between the lines that a filter behind a pipe shows
		o.spinner = o.NewSpinner()
	}
	err = o.watch(waiting, c)
	o.spinner.Stop()
	switch {
	case ctx.Err() != nil && len(ids) > 0:
		return interruptedWait(o.App, o.watches)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && !errors.Is(err, ErrTimedOut):
		return err
	case len(ids) == 0:
		return &cli.Failure{Status: cli.ExitTimedOut, Code: cli.CodeTimedOut, Message: fmt.Sprintf("the events were followed for %s", &o.Timeout)}
	}
	return waitResult(o.App, o.watches, o.names)
}

// The times of a watch.
const (
	recentWindow = 10 * time.Minute // what happened since may come first
	afterword    = time.Second      // how long the events of a post that has ended may take to come
	watchLook    = 5 * time.Second  // how often posts are read in addition to their events
)

// watch follows the events until the posts have ended or ctx has.
func (o *watchOptions) watch(ctx context.Context, c *client.Client) error {
	if o.watches != nil {
		pollPosts(ctx, o.App, c, o.watches)
		if err := o.begin(); err != nil || o.over() {
			return err
		}
	}
	feed := FollowEvents(ctx, c, o.lastEvent)
	defer feed.Stop()
	timer := time.NewTimer(watchLook)
	defer timer.Stop()
	for {
		select {
		case n := <-feed.News:
			if err := o.take(ctx, c, n); err != nil {
				return err
			}
			timer.Reset(o.pause())
		case <-timer.C:
			o.lookAgain(ctx, c, o.watches)
			if err := o.end(o.watches); err != nil {
				return err
			}
			timer.Reset(o.pause())
		case <-o.spinner.Tick():
			o.spinner.Draw(o.standing())
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if o.watches != nil && o.over() {
			return nil
		}
	}
}

// begin finds the position of the first event to follow, and shows posts that have
// ended and will have no further events.
func (o *watchOptions) begin() error {
	var since time.Time
	for i, w := range o.watches {
		changed := w.post.UpdatedAt
		told := changed != nil && o.Now().Sub(changed.Time) < recentWindow
		if w.err == nil && told && (since.IsZero() || changed.Before(since)) {
			since = changed.Time
		}
		if o.OutTerminal && !o.JSON.Given && !o.Quiet && w.err == nil && w.post.Status != "" {
			o.Messagef("%s", postSentence(o.App, w.post))
		}
		if told || o.lastEvent != "" {
			continue
		}
		if err := o.end(o.watches[i : i+1]); err != nil {
			return err
		}
	}
	if o.lastEvent == "" && !since.IsZero() {
		o.lastEvent = schedctl.NewID(schedctl.EventPrefix, since.Add(-time.Millisecond))
	}
	return nil
}

// end records which posts will have no further events.
func (o *watchOptions) end(watches []watched) error {
	for _, w := range watches {
		if !w.done || w.err != nil || o.ended[w.id] {
			continue
		}
		o.ended[w.id] = true
		if !o.Quiet {
			continue
		}
		if err := o.PrintIDs(w.id); err != nil {
			return err
		}
	}
	return nil
}

// over reports whether all posts have ended.
func (o *watchOptions) over() bool {
	return !slices.ContainsFunc(o.watches, func(w watched) bool { return !w.done || w.err == nil && !o.ended[w.id] })
}

// pause returns after how long without events the posts are read again.
func (o *watchOptions) pause() time.Duration {
	if o.watches != nil && !slices.ContainsFunc(o.watches, func(w watched) bool { return !w.done }) {
		return afterword
	}
	return watchLook
}

// take shows an event, and looks at its post when it may have been the last.
func (o *watchOptions) take(ctx context.Context, c *client.Client, n FeedEvent) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case n.Err != nil:
		return n.Err
	case n.Opened:
		o.lookAgain(ctx, c, o.watches)
		return nil
	}
	id := n.Event.Data.PostID
	mine := watchesOf(o.watches, id)
	if id == "" || o.watches != nil && mine == nil {
		return nil
	}
	o.spinner.Clear()
	if err := o.show(n.Event); err != nil || mine == nil || !endsPost(n.Event) {
		return err
	}
	o.lookAgain(ctx, c, mine)
	return o.end(mine) // unless it was tried again since
}

// lookAgain looks at those of the posts that have not ended.
func (o *watchOptions) lookAgain(ctx context.Context, c *client.Client, watches []watched) {
	o.spinner.Clear()
	pollPosts(ctx, o.App, c, watches)
}

func endsPost(e apiv1.Event) bool {
	return e.Type == schedctl.EventPostCompleted || e.Type == schedctl.EventPostCanceled
}

func (o *watchOptions) standing() string {
	if o.watches == nil {
		return "following all posts; end with Ctrl-C"
	}
	done := 0
	for _, w := range o.watches {
		if w.done {
			done++
		}
	}
	return fmt.Sprintf("following %s, %d at the end", cli.Plural(len(o.watches), "post"), done)
}
