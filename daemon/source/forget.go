package source

import (
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

const (
	// forgottenAtOnce is how many items one transaction deletes.
	forgottenAtOnce = 200

	// pruneEvery is how often the items of a source are looked through.
	pruneEvery = 24 * time.Hour

	// prunePage is how many items are read at once.
	prunePage = 500
)

// forget deletes a source that was removed long ago, with its items.
func (r *Runner) forget(ctx context.Context, s *schedctl.Source) error {
	for more := true; more && ctx.Err() == nil; {
		err := r.cfg.Store.Update(ctx, func(tx storage.Tx) error {
			current, err := tx.Source(s.WorkspaceID, s.ID)
			if more = false; schedctl.CodeOf(err) == schedctl.NotFound || err == nil && current.State != schedctl.SourceRemoved {
				return nil
			}
			if err != nil {
				return err
			}
			items, err := tx.SourceItems(storage.SourceItemQuery{WorkspaceID: s.WorkspaceID, SourceID: s.ID, Limit: forgottenAtOnce})
			if err != nil {
				return err
			}
			for _, i := range items {
				if err := tx.DeleteSourceItem(i.WorkspaceID, i.ID); err != nil {
					return err
				}
			}
			if more = len(items) == forgottenAtOnce; more {
				return nil
			}
			return tx.DeleteSource(s.WorkspaceID, s.ID)
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// prune deletes items that have been out of the feed for a long time, and the oldest ones of
// too many. Items that are in the feed stay. It does nothing if it ran within the last day.
func (j *job) prune(ctx context.Context) error {
	now, last := schedctl.Millis(j.cfg.Now()), j.source.PrunedAt
	if last.IsZero() {
		last = j.source.CreatedAt
	}
	if now.Sub(last) < pruneEvery {
		return nil
	}
	ids, err := j.outdated(ctx, now)
	if err != nil {
		return err
	}
	for done := false; !done; {
		some := ids[:min(forgottenAtOnce, len(ids))]
		ids = ids[len(some):]
		done = len(ids) == 0
		err := j.cfg.Store.Update(ctx, func(tx storage.Tx) error {
			s, err := j.mine(tx)
			if err != nil {
				return err
			}
			for _, id := range some {
				if err := tx.DeleteSourceItem(s.WorkspaceID, id); err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
					return err
				}
			}
			if !done {
				return nil
			}
			s.PrunedAt = now
			return tx.PutSource(s)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// outdated returns the ids of the items that prune deletes.
func (j *job) outdated(ctx context.Context, now time.Time) (ids []string, err error) {
	s, inFeed := &j.source, 0
	var left []string // the ids of those that left the feed and are not old, the newest first
	query := storage.SourceItemQuery{WorkspaceID: s.WorkspaceID, SourceID: s.ID, Limit: prunePage}
	for {
		items, err := storage.Read(ctx, j.cfg.Store.View, func(r storage.Reader) ([]schedctl.SourceItem, error) { return r.SourceItems(query) })
		if err != nil {
			return nil, err
		}
		for i := range items { // the newest first
			switch {
			case s.Kind == schedctl.SourceFeed && !items[i].SeenAt.Before(s.BodyAt):
				inFeed++
			case now.Sub(items[i].SeenAt) >= schedctl.ItemKept:
				ids = append(ids, items[i].ID)
			default:
				left = append(left, items[i].ID)
			}
		}
		if len(items) < prunePage {
			return append(ids, left[min(len(left), schedctl.MaxSourceItems-inFeed):]...), nil
		}
		query.AfterID = items[len(items)-1].ID
	}
}
