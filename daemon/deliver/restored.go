package deliver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// restoredError is what became of a target that is found in a backup and whose time
// has come since.
func restoredError() *schedctl.TargetError {
	return &schedctl.TargetError{
		Kind: schedctl.KindUnknown, Code: "restored", Outcome: schedctl.OutcomeUnknown,
		Message: "this comes from a backup, and the daemon that the backup is of may have published it since; look at the account whether the post is there, and if not retry with force",
	}
}

// salvagedError is restored for what is found in a damaged database.
func salvagedError() *schedctl.TargetError {
	return &schedctl.TargetError{
		Kind: schedctl.KindUnknown, Code: "salvaged", Outcome: schedctl.OutcomeUnknown,
		Message: "this was saved from a damaged database, and may have been published; look at the account whether the post is there, and if not retry with force",
	}
}

// Withhold ends every target of a restored backup that may have gone out since
// the backup was made: those whose time is not after now, and those that were
// being published, with their attempts. Each becomes failed with an unknown
// outcome, so that a person looks before it is sent. It returns how many there
// were.
//
// No deliverer may run on the store meanwhile. After an error it can be called
// again and goes on.
func Withhold(ctx context.Context, store storage.Store, now time.Time) (targets int, err error) {
	return (&withholding{store: store, now: now, why: restoredError}).run(ctx)
}

// WithholdSalvaged is [Withhold] for what was saved from a damaged database. Of
// the doubtful posts, of which there may have been a later version, it ends every
// target that waits, whenever its time is.
func WithholdSalvaged(ctx context.Context, store storage.Store, doubtful []storage.Route, now time.Time) (targets int, err error) {
	return (&withholding{store: store, now: now, why: salvagedError, uncertainPosts: doubtful}).run(ctx)
}

// withholding is how what may have gone out is held back.
type withholding struct {
	store          storage.Store
	now            time.Time
	why            func() *schedctl.TargetError
	uncertainPosts []storage.Route
}

func (w *withholding) run(ctx context.Context) (targets int, err error) {
	attempts, posts, err := findAffected(ctx, w.store, w.now)
	if err != nil {
		return 0, err
	}
	for len(attempts) > 0 {
		batch := attempts[:min(len(attempts), maxGroup)]
		attempts = attempts[len(batch):]
		n, err := w.update(ctx, func(r *recordTx) (int, error) { return r.endAttempts(batch, w.why()) })
		if targets += n; err != nil {
			return targets, err
		}
	}
	due := func(at time.Time) bool { return !at.After(w.now) }
	n, err := w.endPosts(ctx, posts, due)
	if targets += n; err != nil {
		return targets, err
	}
	places := make([]postKey, len(w.uncertainPosts))
	for i, r := range w.uncertainPosts {
		places[i] = postKey{r.WorkspaceID, r.PostID}
	}
	n, err = w.endPosts(ctx, places, func(time.Time) bool { return true })
	return targets + n, err
}

// endPosts ends the targets of posts that wait for a time of which due is true.
func (w *withholding) endPosts(ctx context.Context, posts []postKey, due func(time.Time) bool) (targets int, err error) {
	for len(posts) > 0 {
		batch := posts[:min(len(posts), maxGroup)]
		posts = posts[len(batch):]
		n, err := w.update(ctx, func(r *recordTx) (int, error) { return r.endTargets(batch, due, w.why()) })
		if targets += n; err != nil {
			return targets, err
		}
	}
	return targets, nil
}

// postKey is where a post is.
type postKey struct{ workspace, post string }

// findAffected returns the attempts without an end, and the posts that have a target
// whose time has come and that has none.
func findAffected(ctx context.Context, store storage.Store, now time.Time) (attempts []schedctl.Attempt, posts []postKey, err error) {
	err = store.View(ctx, func(r storage.Reader) (err error) {
		if attempts, err = r.RunningAttempts(); err != nil {
			return err
		}
		posts, err = overduePosts(r, now.UnixMilli())
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find what may have gone out: %w", err)
	}
	return attempts, posts, nil
}

// overduePosts returns the posts with a target that is due, or that is between
// two attempts: the next one may have been made.
func overduePosts(r storage.Reader, now int64) (posts []postKey, err error) {
	seen := map[postKey]bool{}
	add := func(p postKey) {
		if !seen[p] {
			seen[p] = true
			posts = append(posts, p)
		}
	}
	var failed error
	err = r.Due(schedctl.Due{}, func(d schedctl.Due) bool {
		if d.At > now {
			return false
		}
		route, err := r.Route(d.TargetID())
		if err != nil {
			failed = err
			return false
		}
		add(postKey{route.WorkspaceID, route.PostID})
		return true
	})
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	workspaces, err := r.Workspaces()
	if err != nil {
		return nil, err
	}
	for _, w := range workspaces {
		query := storage.PostQuery{WorkspaceID: w.ID, Statuses: []schedctl.Status{schedctl.Publishing}, Limit: maxGroup}
		for more := true; more; more = query.After != nil {
			page, err := r.Posts(query)
			if err != nil {
				return nil, err
			}
			for i := range page.Posts {
				add(postKey{w.ID, page.Posts[i].ID})
			}
			query.After = page.Next
		}
	}
	return posts, nil
}

// update runs one transaction and returns how many targets it has ended.
func (w *withholding) update(ctx context.Context, end func(*recordTx) (int, error)) (ended int, err error) {
	err = w.store.Update(ctx, func(tx storage.Tx) error {
		r := recordTx{edits: newEdits(tx), now: w.now.UTC().Round(0)}
		n, err := end(&r)
		if err != nil {
			return err
		}
		ended = n
		return r.write()
	})
	if err != nil {
		return 0, fmt.Errorf("hold back what may have gone out: %w", err)
	}
	return ended, nil
}

// endAttempts ends attempts of which nobody knows how they ended.
func (r *recordTx) endAttempts(attempts []schedctl.Attempt, why *schedctl.TargetError) (targets int, err error) {
	for _, a := range attempts {
		e := &attemptEnd{call: &publisherCall{attempt: a}, decision: policyDecision{
			outcome: schedctl.OutcomeUnknown, result: schedctl.Result{Error: why},
		}}
		if err := r.end(e); err != nil {
			return 0, err
		}
		targets++
	}
	return targets, nil
}

// endTargets ends the targets of posts that may have been published: those that
// are being published, and those that wait for a time of which due is true.
func (r *recordTx) endTargets(places []postKey, due func(time.Time) bool, why *schedctl.TargetError) (targets int, err error) {
	for _, p := range places {
		post, err := r.post(p.workspace, p.post)
		if err != nil {
			return 0, err
		}
		for i := range post.Targets {
			t := &post.Targets[i]
			at, waiting := t.Due()
			if t.Status != schedctl.Publishing && (!waiting || !due(at)) {
				continue
			}
			events, err := post.Finish(t.ID, schedctl.Result{Error: why}, r.now)
			if err != nil {
				return 0, err
			}
			r.changedPost(post)
			r.events = append(r.events, events...)
			targets++
		}
	}
	return targets, nil
}
