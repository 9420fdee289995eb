package post

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/cmd/schedctl/account"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

func newWait(a *cli.App) *cobra.Command {
	return cli.DeclareJSON[apiv1.Post](&cobra.Command{
		Use:   "wait ID...",
		Short: "Wait until posts are published",
		Long: `Wait until posts are published, have failed or are canceled, with their first
comments. With --timeout the command stops waiting after that time (exit status 8); the
posts are not affected. When a target or a first comment failed, the exit status is 9
and the reason is on standard error. A canceled post is not an error.`,
		Example: `  schedctl post wait post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post wait post_01KAK3R9ZC4VBX1D2E3F4G5H6J --timeout 5m && echo ended`,
		Args:              cli.Args(1, cli.Unlimited, "the id of a post"),
		ValidArgsFunction: CompletePost(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, ids, err := connectAll(cmd.Context(), a, args)
			if err != nil {
				return err
			}
			return waitFor(cmd.Context(), a, c, ids)
		},
	})
}

// The pauses between two requests for the state of a post.
const (
	FirstLook = 100 * time.Millisecond
	LastLook  = time.Second
)

// maxUnreachable is how long a daemon may be unreachable, for example during a
// restart, before the command stops waiting.
const maxUnreachable = 30 * time.Second

var ErrTimedOut = errors.New("the wait timed out")

// watched is a post that the command waits for.
type watched struct {
	id   string
	post apiv1.Post // the last known state; without a status before the first response
	away time.Time  // when the daemon stopped responding; zero if it responds
	told string     // the last message about targets that take longer
	done bool
	err  error // why the command stopped waiting for this post
}

// waitFor waits until every post is finished, prints them, and returns an error if any
// was not published.
func waitFor(ctx context.Context, a *cli.App, c *client.Client, ids []string) error {
	return waitForAll(ctx, a, c, ids, len(ids) == 1)
}

// waitForAll is waitFor for several posts. A single post is printed in detail instead
// of as a list.
func waitForAll(ctx context.Context, a *cli.App, c *client.Client, ids []string, alone bool) error {
	waiting := ctx
	if a.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, time.Duration(a.Timeout), ErrTimedOut)
		defer cancel()
		waiting = limited
	}
	watches := make([]watched, len(ids))
	for i, id := range ids {
		watches[i].id = id
	}
	awaitEvents(waiting, a, c, watches)
	var posts []apiv1.Post
	for _, w := range watches {
		if w.done && w.err == nil {
			posts = append(posts, w.post)
		}
	}
	if err := printAll(ctx, a, c, posts, alone); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return interruptedWait(a, watches)
	}
	return waitResult(a, watches, sync.OnceValue(func() Accounts { return AccountsByID(ctx, c) }))
}

// interruptedWait returns the error for an interrupted command. It names the posts
// that continue, because the id of a new post was not shown yet.
func interruptedWait(a *cli.App, watches []watched) error {
	if a.ErrTerminal {
		a.Messagef("") // the terminal shows ^C
	}
	f := &cli.Failure{Status: cli.ExitInterrupted, Code: cli.CodeInterrupted, Message: "interrupted"}
	var ids []string
	for _, w := range watches {
		if !w.done {
			ids = append(ids, w.id)
		}
	}
	if ids != nil {
		f.Hint = "no post was canceled; wait on with: schedctl post wait " + strings.Join(ids, " ")
	}
	return f
}

// awaitEvents reads the posts until all are finished or ctx ends: after each event or,
// if the key may not read events, at intervals.
func awaitEvents(ctx context.Context, a *cli.App, c *client.Client, watches []watched) {
	if !pollPosts(ctx, a, c, watches) {
		return
	}
	turning := a.NewSpinner()
	defer turning.Stop()
	feed := FollowEvents(ctx, c, "")
	defer feed.Stop()
	events, pause := feed.News, FirstLook
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		some := watches
		select {
		case n, more := <-events:
			switch {
			case !more || n.Err != nil:
				events = nil
				continue
			case n.Opened:
				pause = watchLook
			default:
				if some = watchesOf(watches, n.Event.Data.PostID); some == nil {
					continue
				}
			}
		case <-timer.C:
			if pause != watchLook || events == nil {
				pause = min(2*pause, LastLook)
			}
		case <-turning.Tick():
			turning.Draw("waiting for " + cli.Plural(len(watches), "post"))
			continue
		case <-ctx.Done():
			return
		}
		turning.Clear()
		if pollPosts(ctx, a, c, some); !slices.ContainsFunc(watches, func(w watched) bool { return !w.done }) {
			return
		}
		timer.Reset(pause)
	}
}

// watchesOf returns the watches of one post, or all if a post was given twice.
func watchesOf(watches []watched, id string) []watched {
	is := func(w watched) bool { return w.id == id }
	i := slices.IndexFunc(watches, is)
	switch {
	case i < 0:
		return nil
	case slices.ContainsFunc(watches[i+1:], is):
		return watches
	}
	return watches[i : i+1]
}

// pollPosts reads every unfinished post once and reports whether any is still
// unfinished.
func pollPosts(ctx context.Context, a *cli.App, c *client.Client, watches []watched) (waiting bool) {
	for i := range watches {
		w := &watches[i]
		if !w.done {
			p, err := c.Post(ctx, w.id)
			recordPost(a, w, p, err)
			if err == nil && !w.done {
				tellHoldups(ctx, a, c, w)
			}
		}
		waiting = waiting || !w.done
	}
	return waiting
}

// recordPost stores the new state of a post.
func recordPost(a *cli.App, w *watched, p apiv1.Post, err error) {
	before := w.post.Status
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, ErrTimedOut):
		return
	case err == nil:
		w.post, w.away = p, time.Time{}
		w.done = isFinal(p.Status) && !slices.ContainsFunc(p.Targets, awaitsComment)
	case before == "" || !IsTemporary(err):
		w.done, w.err = true, refusedPost(w.id, err)
	case w.away.IsZero():
		w.away = a.Now()
	case a.Now().Sub(w.away) > maxUnreachable:
		w.done, w.err = true, err
	}
	if err == nil && p.Status == schedctl.Draft {
		w.done, w.err = true, draftFailure(p)
	} else if before != "" && w.post.Status != before && a.ErrTerminal {
		a.Messagef("%s: %s", w.id, w.post.Status)
	}
}

// tellHoldups reports why targets take longer, each time the reason changes, because
// some accounts need a person before they can publish.
func tellHoldups(ctx context.Context, a *cli.App, c *client.Client, w *watched) {
	now := fmt.Sprint(w.post.PublishAt != nil && w.post.PublishAt.After(a.Now()))
	for _, t := range w.post.Targets {
		now += fmt.Sprint(t.Status, account.TargetErrorText(t.Error), t.NextAttemptAt)
	}
	if now == w.told {
		return
	}
	w.told = now
	names := AccountsByID(ctx, c)
	for _, t := range w.post.Targets {
		if isFinal(t.Status) || !isDelayed(t, names, a.Now()) {
			continue
		}
		if detail := cli.OneLine(targetDetail(a, t, names)); detail != "" {
			a.Messagef("%s: %s (%s): %s", w.id, cli.OneLine(names.Name(t.SocialAccountID)), t.Platform, detail)
		}
	}
	for _, step := range accountSteps(w.post, names) {
		a.Messagef("next: %s", step)
	}
}

// isDelayed reports whether an unfinished target waits for something. One that a retry has
// just queued does not, although it still has the error of its last attempt.
func isDelayed(t apiv1.Target, names Accounts, now time.Time) bool {
	return IsHeld(t, names) || t.Waits != nil || t.NextAttemptAt != nil && t.NextAttemptAt.After(now)
}

func isFinal(s schedctl.Status) bool {
	return s == schedctl.Published || s == schedctl.Failed || s == schedctl.Canceled
}

// IsTemporary reports whether an error may be gone at the next look.
func IsTemporary(err error) bool {
	var unreachable *client.UnreachableError
	var refused *client.Error
	return errors.As(err, &unreachable) || errors.As(err, &refused) && refused.Status >= http.StatusInternalServerError
}

func draftFailure(p apiv1.Post) error {
	return cli.NewFailure(cli.ExitConflict, schedctl.ValidationFailed, "%s is a draft, and drafts are not published", p.ID).
		WithHint("schedule it first: schedctl post schedule " + p.ID + " --at TIME")
}

// waitResult returns what went wrong with the posts, in their order.
func waitResult(a *cli.App, watches []watched, names func() Accounts) error {
	var wrong cli.ErrorList
	for _, w := range watches {
		switch {
		case !w.done:
			wrong = append(wrong, timedOutWait(a, w))
		case w.err != nil:
			wrong = append(wrong, w.err)
		default:
			for _, t := range w.post.Targets {
				if t.Status == schedctl.Failed || failedComment(t) {
					wrong = append(wrong, targetFailure(w.post, t, names()))
				}
			}
		}
	}
	if wrong == nil {
		return nil
	}
	return wrong
}

func timedOutWait(a *cli.App, w watched) error {
	f := cli.NewFailure(cli.ExitTimedOut, cli.CodeTimedOut, "%s is still %s after %s", w.id, cli.FirstNonEmpty(string(w.post.Status), "unknown"), &a.Timeout).
		WithHint("wait on with: schedctl post wait " + w.id)
	if w.post.Status == schedctl.Scheduled && w.post.PublishAt != nil {
		f.Message += ", for " + when.Format(w.post.PublishAt.In(a.Local))
	}
	return f
}

func targetFailure(p apiv1.Post, t apiv1.Target, names Accounts) error {
	reason := "no reason is known"
	if t.Error != nil {
		reason = account.TargetErrorText(t.Error)
	}
	what := p.ID + " was"
	switch at := slices.IndexFunc(t.Parts, func(part apiv1.TargetPart) bool { return part.Status == schedctl.Failed }); {
	case failedComment(t):
		what = "the first comment of " + p.ID + " was"
	case at > 0:
		what = fmt.Sprintf("part %d of %s was", at+1, p.ID)
	}
	alone := apiv1.Post{ID: p.ID, Status: schedctl.Failed, Targets: []apiv1.Target{t}}
	return cli.NewFailure(cli.ExitFailed, cli.CodeFailed, "%s not published on %s (%s): %s", what, names.Name(t.SocialAccountID), t.Platform, reason).
		WithHint("next: " + strings.Join(nextSteps(alone, names), ", then "))
}

// Pause reports whether the pause passed before ctx ended.
func Pause(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
