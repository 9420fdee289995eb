package main

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
)

func newPostWait(a *app) *cobra.Command {
	return prints[apiv1.Post](&cobra.Command{
		Use:   "wait ID...",
		Short: "Wait until posts are published",
		Long: `Wait until posts are published, have failed or are canceled. With --timeout it
gives up after that long, with exit status 8 and without calling anything off.
When a target failed the exit status is 9, and the reason is on standard error. A
canceled post is no error.`,
		Example: `  schedctl post wait post_01KAK3R9ZC4VBX1D2E3F4G5H6J
  schedctl post wait post_01KAK3R9ZC4VBX1D2E3F4G5H6J --timeout 5m && echo ended`,
		Args:              takes(1, unlimited, "the id of a post"),
		ValidArgsFunction: a.completePost,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.connect()
			if err != nil {
				return err
			}
			ids, err := a.postIDs(cmd.Context(), c, args)
			if err != nil {
				return err
			}
			return a.waitFor(cmd.Context(), c, ids)
		},
	})
}

// The pauses between two looks at a post.
const (
	firstLook = 100 * time.Millisecond
	lastLook  = time.Second
)

// patience is how long a daemon may be unreachable, for example during a restart,
// before the wait ends.
const patience = 30 * time.Second

var errTimedOut = errors.New("the wait timed out")

// watched is a post that is waited for.
type watched struct {
	id   string
	post apiv1.Post // as last seen; without a status before the first look
	away time.Time  // since when the daemon has not responded; zero when it has
	told string     // the last message about targets that take longer
	done bool
	err  error // why the wait for this post ended badly
}

// waitFor waits for the end of every post, prints them and returns an error
// when the end is not good.
func (a *app) waitFor(ctx context.Context, c *client.Client, ids []string) error {
	return a.waitForAll(ctx, c, ids, len(ids) == 1)
}

// waitForAll is waitFor for several posts. A single post is printed in detail instead
// of as a list.
func (a *app) waitForAll(ctx context.Context, c *client.Client, ids []string, alone bool) error {
	waiting := ctx
	if a.timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, time.Duration(a.timeout), errTimedOut)
		defer cancel()
		waiting = limited
	}
	watches := make([]watched, len(ids))
	for i, id := range ids {
		watches[i].id = id
	}
	a.await(waiting, c, watches)
	var posts []apiv1.Post
	for _, w := range watches {
		if w.done && w.err == nil {
			posts = append(posts, w.post)
		}
	}
	if err := a.printAll(ctx, c, posts, alone); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return a.interrupted(watches)
	}
	return a.verdict(watches, sync.OnceValue(func() accounts { return accountNames(ctx, c) }))
}

// interrupted is the error of a wait that a person interrupts. It names the posts that
// continue, because the id of a new post was not shown yet.
func (a *app) interrupted(watches []watched) error {
	if a.errTerminal {
		a.tell("") // the terminal shows ^C
	}
	f := &failure{status: exitInterrupted, code: codeInterrupted, message: "interrupted"}
	var ids []string
	for _, w := range watches {
		if !w.done {
			ids = append(ids, w.id)
		}
	}
	if ids != nil {
		f.hint = "no post was canceled; wait on with: schedctl post wait " + strings.Join(ids, " ")
	}
	return f
}

// await reads the posts until all have ended or ctx ends: after each event and, if the
// key may not read events, at intervals.
func (a *app) await(ctx context.Context, c *client.Client, watches []watched) {
	if !a.look(ctx, c, watches) {
		return
	}
	turning := a.newSpinner()
	defer turning.stop()
	feed := follow(ctx, c, "")
	defer feed.stop()
	events, pause := feed.news, firstLook
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		some := watches
		select {
		case n, more := <-events:
			switch {
			case !more || n.err != nil:
				events = nil
				continue
			case n.opened:
				pause = watchLook
			default:
				if some = only(watches, n.event.Data.PostID); some == nil {
					continue
				}
			}
		case <-timer.C:
			if pause != watchLook || events == nil {
				pause = min(2*pause, lastLook)
			}
		case <-turning.tick():
			turning.draw("waiting for " + plural(len(watches), "post"))
			continue
		case <-ctx.Done():
			return
		}
		turning.clear()
		if a.look(ctx, c, some); !slices.ContainsFunc(watches, func(w watched) bool { return !w.done }) {
			return
		}
		timer.Reset(pause)
	}
}

// only returns the part of the watches that is of one post, nil for none. A post
// that is named twice is twice there, side by side or not: then it is all of them.
func only(watches []watched, id string) []watched {
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

// look looks once at every post that has not ended, and reports whether there
// are still any.
func (a *app) look(ctx context.Context, c *client.Client, watches []watched) (waiting bool) {
	for i := range watches {
		w := &watches[i]
		if !w.done {
			p, err := c.Post(ctx, w.id)
			a.note(w, p, err)
			if err == nil && !w.done {
				a.tellHoldups(ctx, c, w)
			}
		}
		waiting = waiting || !w.done
	}
	return waiting
}

// note takes in what a look has shown.
func (a *app) note(w *watched, p apiv1.Post, err error) {
	before := w.post.Status
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, errTimedOut):
		return
	case err == nil:
		w.post, w.away = p, time.Time{}
		w.done = final(p.Status)
	case before == "" || !passing(err):
		w.done, w.err = true, refusedPost(w.id, err)
	case w.away.IsZero():
		w.away = a.now()
	case a.now().Sub(w.away) > patience:
		w.done, w.err = true, err
	}
	if err == nil && p.Status == schedctl.Draft {
		w.done, w.err = true, draftFailure(p)
	} else if before != "" && w.post.Status != before && a.errTerminal {
		a.tell("%s: %s", w.id, w.post.Status)
	}
}

// tellHoldups reports why targets take longer, each time the reason changes, because
// some accounts need a person before they can publish.
func (a *app) tellHoldups(ctx context.Context, c *client.Client, w *watched) {
	now := fmt.Sprint(w.post.PublishAt != nil && w.post.PublishAt.After(a.now()))
	for _, t := range w.post.Targets {
		now += fmt.Sprint(t.Status, errorText(t.Error), t.NextAttemptAt)
	}
	if now == w.told {
		return
	}
	w.told = now
	names := accountNames(ctx, c)
	for _, t := range w.post.Targets {
		if final(t.Status) {
			continue
		}
		if detail := oneLine(a.targetDetail(t, names)); detail != "" {
			a.tell("%s: %s (%s): %s", w.id, oneLine(nameOf(names, t.SocialAccountID)), t.Platform, detail)
		}
	}
	for _, step := range accountSteps(w.post, names) {
		a.tell("next: %s", step)
	}
}

func final(s schedctl.Status) bool {
	return s == schedctl.Published || s == schedctl.Failed || s == schedctl.Canceled
}

// passing reports whether an error may be gone at the next look.
func passing(err error) bool {
	var unreachable *client.UnreachableError
	var refused *client.Error
	return errors.As(err, &unreachable) || errors.As(err, &refused) && refused.Status >= http.StatusInternalServerError
}

func draftFailure(p apiv1.Post) error {
	return &failure{
		status: exitConflict, code: schedctl.ValidationFailed,
		message: p.ID + " is a draft, which nothing publishes",
		hint:    "schedule it first: schedctl post schedule " + p.ID + " --at TIME",
	}
}

// verdict returns what went wrong with the posts, in their order.
func (a *app) verdict(watches []watched, names func() accounts) error {
	var wrong several
	for _, w := range watches {
		switch {
		case !w.done:
			wrong = append(wrong, a.timedOut(w))
		case w.err != nil:
			wrong = append(wrong, w.err)
		default:
			for _, t := range w.post.Targets {
				if t.Status == schedctl.Failed {
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

func (a *app) timedOut(w watched) error {
	f := &failure{
		status: exitTimedOut, code: codeTimedOut,
		message: fmt.Sprintf("%s is still %s after %s", w.id, first(string(w.post.Status), "unknown"), &a.timeout),
		hint:    "wait on with: schedctl post wait " + w.id,
	}
	if w.post.Status == schedctl.Scheduled && w.post.PublishAt != nil {
		f.message += ", for " + when.Format(w.post.PublishAt.In(a.local))
	}
	return f
}

func targetFailure(p apiv1.Post, t apiv1.Target, names accounts) error {
	reason := "no reason is known"
	if t.Error != nil {
		reason = errorText(t.Error)
	}
	alone := apiv1.Post{ID: p.ID, Status: schedctl.Failed, Targets: []apiv1.Target{t}}
	return &failure{
		status: exitFailed, code: codeFailed,
		message: fmt.Sprintf("%s was not published on %s (%s): %s", p.ID, nameOf(names, t.SocialAccountID), t.Platform, reason),
		hint:    "next: " + strings.Join(nextSteps(alone, names), ", then "),
	}
}

// rest reports whether the pause passed before ctx ended.
func rest(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
