package main

import (
	"cmp"
	"context"
	"iter"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// importLine is a line with what is to be sent for it, if anything.
type importLine struct {
	result imported
	ready  *readyLine
}

// lines puts the results of the check together with what is in the spool.
func (o *postImport) lines(results []imported, kept *spool) iter.Seq2[importLine, error] {
	return func(yield func(importLine, error) bool) {
		next, err := kept.rewind()
		if err != nil {
			yield(importLine{}, err)
			return
		}
		for _, r := range results {
			l := importLine{result: r}
			if r.Result == resultOK {
				ready, err := next()
				if err != nil {
					yield(importLine{}, err)
					return
				}
				l.ready = &ready
			}
			if !yield(l, nil) {
				return
			}
		}
	}
}

// sendLine creates the post of a line. An error is what ends the import: the
// other lines would meet it as well.
func (o *postImport) sendLine(ctx context.Context, c *client.Client, l importLine) (imported, error) {
	r := l.result
	if l.ready == nil {
		return r, nil
	}
	post, made, err := o.createOnce(ctx, c, l.ready.Post, l.ready.Key)
	switch {
	case err == nil && made:
		r.Result = resultCreated
	case err == nil:
		r.Result, r.Message = resultExists, ""
	case schedctl.CodeOf(err) == schedctl.IdempotencyKeyReused && (r.ID == "" || l.ready.Relative):
		r.Result, r.PublishAt, r.Message = resultExists, nil, "it was imported within the last 24 hours, "+
			"with another time or other accounts as they were understood then; nothing was changed"
		return r, nil
	case schedctl.CodeOf(err) == schedctl.IdempotencyKeyReused:
		return r.refusedWith("a line with this id was imported within the last 24 hours with another text, time or accounts; " +
			"change its post with schedctl post edit, or give the line another id"), nil
	case ofLine(err):
		return r.refusedWith(oneLine(words.Replace(err.Error()))), nil
	default:
		return r, err
	}
	r.PostID, r.PublishAt = post.ID, post.PublishAt
	return r, nil
}

// ofLine reports whether an error is about one line and not about all of them.
func ofLine(err error) bool {
	status := exitStatus(err)
	return status == exitInvalid || status == exitConflict || schedctl.CodeOf(err) == schedctl.AccountNotAllowed
}

// maxCanceled is how many times the post of one key may have been called off.
const maxCanceled = 50

// createOnce creates a post unless one was created with the same key within 24
// hours; made tells which. A post that was called off since, or deleted, is no
// reason not to create another: the next key follows from it, so that this one
// is created once as well.
func (a *app) createOnce(ctx context.Context, c *client.Client, create apiv1.CreatePost, key string) (post apiv1.Post, made bool, err error) {
	for range maxCanceled {
		var replayed bool
		post, err = patiently(ctx, a, func() (apiv1.Post, error) {
			return c.CreatePost(ctx, create, client.IdempotencyKey(key), client.Replayed(&replayed))
		})
		if err != nil || !replayed {
			return post, true, err
		}
		now, err := patiently(ctx, a, func() (apiv1.Post, error) { return c.Post(ctx, post.ID) })
		switch {
		case schedctl.CodeOf(err) == schedctl.NotFound:
		case err != nil || now.Status != schedctl.Canceled:
			return now, false, err
		}
		key = keyOf("after", key, post.ID)
	}
	return post, false, err
}

// The pauses after which a call is repeated that the daemon limits.
const (
	shortestPause = time.Second
	mostPauses    = 60
)

// patiently repeats a call that the daemon refuses because there are too many: a
// command that makes many must live with a limit. Interrupted, it says so.
func patiently[T any](ctx context.Context, a *app, call func() (T, error)) (T, error) {
	for range mostPauses {
		v, err := call()
		if schedctl.CodeOf(err) != schedctl.RateLimited {
			return v, err
		}
		if !rest(ctx, max(shortestPause, retryAfter(err))) {
			return v, cmp.Or(ctx.Err(), err)
		}
		a.logger().Debug("repeated after a rate limit", "pause", retryAfter(err))
	}
	return call()
}
