package deliver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// restoredError is the error of a target that comes from a backup and was due after
// the backup was made.
func restoredError() *schedctl.TargetError {
	return &schedctl.TargetError{
		Kind: schedctl.KindUnknown, Code: "restored", Outcome: schedctl.OutcomeUnknown,
		Message: "this was restored from a backup, and may have been published after the backup was made; check whether the account has the post, and if not retry with force",
	}
}

// salvagedError is the error of a target that comes from a damaged database.
func salvagedError() *schedctl.TargetError {
	return &schedctl.TargetError{
		Kind: schedctl.KindUnknown, Code: "salvaged", Outcome: schedctl.OutcomeUnknown,
		Message: "this was saved from a damaged database, and may have been published; check whether the account has the post, and if not retry with force",
	}
}

// Withhold ends every target of a restored backup that may have been published since
// the backup was made: targets that are due at now, and targets that were being
// published, with their attempts. Each fails with the outcome unknown, so that a
// person checks before it is sent. Series and sources make nothing of what passed until now.
// Withhold returns the number of targets.
//
// No deliverer may run on the store at the same time. After an error, Withhold can be
// called again and continues.
func Withhold(ctx context.Context, store storage.Store, now time.Time) (targets int, err error) {
	return (&withholding{store: store, now: now, until: now, why: restoredError}).run(ctx)
}

// WithholdSalvaged is [Withhold] for posts that were saved from a damaged
// database. It ends every waiting target, whenever its time is, because there may
// have been a later version of its post.
func WithholdSalvaged(ctx context.Context, store storage.Store, now time.Time) (targets int, err error) {
	return (&withholding{store: store, now: now, until: farFuture, why: salvagedError}).run(ctx)
}

// farFuture is later than the time of every target.
var farFuture = time.UnixMilli(math.MaxInt64)

// withholding is one call of [Withhold] or [WithholdSalvaged].
type withholding struct {
	store storage.Store
	now   time.Time
	until time.Time // targets with a later time stay scheduled
	why   func() *schedctl.TargetError
}

// postKey identifies a post.
type postKey struct{ workspace, post string }

func (w *withholding) run(ctx context.Context) (targets int, err error) {
	attempts, posts, err := w.findAffected(ctx)
	if err != nil {
		return 0, err
	}
	for batch := range slices.Chunk(attempts, maxGroup) {
		n, err := w.update(ctx, func(e *edits) (int, error) { return w.endAttempts(e, batch) })
		if targets += n; err != nil {
			return targets, err
		}
	}
	n, err := w.endPosts(ctx, posts)
	if targets += n; err != nil {
		return targets, err
	}
	if err := w.skipPassed(ctx); err != nil {
		return targets, err
	}
	return targets, w.startSourcesOver(ctx)
}

// skipPassed moves the cursors of all series to the time of the restore: the original may
// have published every occurrence until then, so none is made.
func (w *withholding) skipPassed(ctx context.Context) error {
	workspaces, err := storage.Read(ctx, w.store.View, func(r storage.Reader) ([]schedctl.Workspace, error) { return r.Workspaces() })
	if err != nil {
		return err
	}
	for _, workspace := range workspaces {
		for after := ""; ; {
			var list []schedctl.Series
			err := w.store.Update(ctx, func(tx storage.Tx) (err error) {
				if list, err = tx.SeriesList(workspace.ID, after, maxGroup); err != nil {
					return err
				}
				for i := range list {
					if err := w.skipPassedOf(tx, list[i]); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return fmt.Errorf("move the cursors of series: %w", err)
			}
			if len(list) < maxGroup {
				break
			}
			after = list[len(list)-1].ID
		}
	}
	return nil
}

func (w *withholding) skipPassedOf(tx storage.Tx, s schedctl.Series) error {
	loc, err := schedctl.LoadZone("timezone", s.Timezone)
	if err != nil {
		loc = latestZone // the sweep reports the unknown zone
	}
	passed := schedctl.LastPassed(w.now, loc)
	if passed <= s.Cursor {
		return nil
	}
	s.Cursor = passed
	return tx.PutSeries(s)
}

// latestZone has the latest local time of all zones.
var latestZone = time.FixedZone("", 14*60*60)

// endPosts ends the targets of posts that wait for a time that is not after until.
func (w *withholding) endPosts(ctx context.Context, posts []postKey) (targets int, err error) {
	for batch := range slices.Chunk(posts, maxGroup) {
		n, err := w.update(ctx, func(e *edits) (int, error) { return w.endTargets(e, batch) })
		if targets += n; err != nil {
			return targets, err
		}
	}
	return targets, nil
}

// findAffected returns the unfinished attempts, and the posts with a target that is due
// or being published.
func (w *withholding) findAffected(ctx context.Context) (attempts []schedctl.Attempt, posts []postKey, err error) {
	err = w.store.View(ctx, func(r storage.Reader) (err error) {
		if attempts, err = r.RunningAttempts(); err != nil {
			return err
		}
		posts, err = overduePosts(r, w.until)
		return err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find targets that may have been published: %w", err)
	}
	return attempts, posts, nil
}

// overduePosts returns the posts with a target or first comment that is due, or that is
// between two attempts: the next attempt may have been made. Posts with such a comment
// may count as published, so they are found by the time of the next attempt.
func overduePosts(r storage.Reader, now time.Time) (posts []postKey, err error) {
	until := now.UnixMilli()
	if now.Before(farFuture) {
		until = now.Add(maxPause + time.Hour).UnixMilli()
	}

	seen := map[postKey]bool{}
	add := func(p postKey) {
		if !seen[p] {
			seen[p] = true
			posts = append(posts, p)
		}
	}
	var failed error
	err = r.Due(schedctl.Due{}, func(d schedctl.Due) bool {
		if d.At > until {
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
func (w *withholding) update(ctx context.Context, end func(*edits) (int, error)) (ended int, err error) {
	err = w.store.Update(ctx, func(tx storage.Tx) error {
		e := newEdits(tx)
		n, err := end(e)
		if err != nil {
			return err
		}
		ended = n
		return e.write()
	})
	if err != nil {
		return 0, fmt.Errorf("withhold targets that may have been published: %w", err)
	}
	return ended, nil
}

// endAttempts ends unfinished attempts with the outcome unknown.
func (w *withholding) endAttempts(e *edits, attempts []schedctl.Attempt) (targets int, err error) {
	now := w.now.UTC().Round(0)
	for _, a := range attempts {
		post, err := e.post(a.WorkspaceID, a.PostID)
		switch {
		case err == nil:
			// An error means that the target does not accept the result. The attempt is
			// ended all the same.
			_ = e.endAttempt(post, a, schedctl.OutcomeUnknown, schedctl.Result{Error: w.why()}, now)
		case !notFound(err):
			return 0, err
		}
		targets++
	}
	return targets, nil
}

// endTargets ends the targets of posts that may have been published: targets and first
// comments that are being published, and targets that wait for a time that is not after until.
func (w *withholding) endTargets(e *edits, posts []postKey) (targets int, err error) {
	for _, p := range posts {
		post, err := e.post(p.workspace, p.post)
		if err != nil {
			return 0, err
		}
		for i := range post.Targets {
			t := &post.Targets[i]
			at, waiting := t.Due()
			if progress(t) != schedctl.Publishing && (!waiting || at.After(w.until)) {
				continue
			}
			if err := e.finish(post, t.ID, schedctl.Result{Error: w.why()}, w.now.UTC().Round(0)); err != nil {
				return 0, err
			}
			targets++
		}
	}
	return targets, nil
}
