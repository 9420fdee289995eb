package media

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// Collector deletes assets that no post needs and blobs that no asset has. It finds them
// by reading the database; there are no counters that could be wrong.
type Collector struct {
	Store storage.Store
	Blobs blob.Store

	// Used is how long an asset is kept after it was published last; [UsedLife] by
	// default.
	Used time.Duration

	// Retention, if not nil, prevents the deletion of blobs during backups.
	Retention *Retention
}

const (
	assetBatch = 100 // assets of one transaction
	blobBatch  = 200 // blobs of one snapshot

	// maxStepsWhenFull limits the transactions of a run while the disk is full: each uses
	// some of the disk reserve.
	maxStepsWhenFull = 5

	// recheck is how long an asset that a post needs is left alone.
	recheck = 24 * time.Hour
)

// Assets deletes the expired assets that no post needs, and moves the expiry of the
// others. It returns the number of deleted assets.
func (c *Collector) Assets(ctx context.Context, now time.Time) (deleted int, err error) {
	for step := 0; ; step++ {
		if step >= maxStepsWhenFull && c.Store.Full() != nil {
			return deleted, nil
		}
		found, gone, err := c.step(ctx, now)
		if err != nil {
			return deleted, fmt.Errorf("collect media: %w", err)
		}
		if deleted += gone; found < assetBatch {
			return deleted, nil
		}
	}
}

// step handles one batch of expired assets. It searches outside the transaction that
// writes, because a search in that one locks the assets of all workspaces.
func (c *Collector) step(ctx context.Context, now time.Time) (found, deleted int, err error) {
	expired, err := storage.Read(ctx, c.Store.View, func(r storage.Reader) ([]schedctl.MediaAsset, error) { return r.ExpiredMedia(now, assetBatch) })
	if err != nil || len(expired) == 0 {
		return 0, 0, err
	}
	err = c.Store.UpdateFromReserve(ctx, func(tx storage.Tx) error {
		deleted = 0
		for _, a := range expired {
			gone, err := c.expire(tx, a.WorkspaceID, a.ID, now)
			if err != nil {
				return err
			}
			if gone {
				deleted++
			}
		}
		return nil
	})
	return len(expired), deleted, err
}

// expire deletes an asset or moves its expiry. It does nothing if the asset was deleted
// or kept since the search.
func (c *Collector) expire(tx storage.Tx, workspaceID, id string, now time.Time) (deleted bool, err error) {
	a, err := tx.MediaAsset(workspaceID, id)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return false, nil
	}
	if err != nil || a.ExpiresAt.IsZero() || !a.ExpiresAt.Before(now) {
		return false, err
	}
	until, err := c.NeededUntil(tx, &a, now)
	if err != nil {
		return false, err
	}
	if until.After(now) {
		a.ExpiresAt = schedctl.Millis(until)
		return false, tx.PutMediaAsset(a)
	}
	return true, tx.DeleteMediaAsset(workspaceID, id)
}

// usersRead is how many posts of an asset are read to find out until when it is needed.
// The first one decides, except for assets with entries in feeds.
const usersRead = 1000

// NeededUntil returns when an expired asset may be deleted: in a day if a post, a series
// or an entry of a feed needs it, and some time after its last publication. A time that is not
// after now means that nothing needs it.
func (c *Collector) NeededUntil(r storage.Reader, a *schedctl.MediaAsset, now time.Time) (until time.Time, err error) {
	ids, err := r.MediaUsers(a.ID, usersRead)
	if err != nil {
		return time.Time{}, err
	}
	used := c.Used
	if used <= 0 {
		used = UsedLife
	}
	for _, id := range ids {
		if _, ofSeries := schedctl.ParseID(schedctl.SeriesPrefix, id); ofSeries {
			return now.Add(recheck), nil
		}
		p, err := r.Post(a.WorkspaceID, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			continue
		}
		if err != nil {
			return time.Time{}, err
		}
		if p.NeedsMedia() || InFeed(&p) {
			return now.Add(recheck), nil
		}
		if at := lastPublished(&p); !at.IsZero() && at.Add(used).After(until) {
			until = at.Add(used)
		}
	}
	if a.Status == schedctl.MediaDeleted {
		return time.Time{}, nil // its entries have gone
	}
	return until, nil
}

// InFeed reports whether a feed shows the post.
func InFeed(p *schedctl.Post) bool {
	return slices.ContainsFunc(p.Targets, func(t schedctl.Target) bool {
		return t.Platform == "feed" && t.Status == schedctl.Published
	})
}

// lastPublished returns when the last target of the post was published, or the zero
// time.
func lastPublished(p *schedctl.Post) (at time.Time) {
	for i := range p.Targets {
		if t := &p.Targets[i]; t.PublishedAt.After(at) {
			at = t.PublishedAt
		}
	}
	return at
}

// Usage is what the blob store holds.
type Usage struct {
	Blobs int
	Bytes int64
}

// Orphans deletes the blobs that are neither of an asset nor a variant that a URL shows, if
// they were stored more than a day ago,
// and the temporary files that killed processes have left behind. It returns what remains
// and the number of deleted blobs. A blob that is stored again at the same time stays.
func (c *Collector) Orphans(ctx context.Context, now time.Time) (left Usage, deleted int, err error) {
	before := now.Add(-blobLife)
	variants, err := c.variants(ctx, now)
	if err != nil {
		return left, 0, fmt.Errorf("collect variants: %w", err)
	}
	var batch []blob.Info
	flush := func() error {
		orphans, err := c.orphans(ctx, batch)
		batch = batch[:0]
		if err != nil {
			return err
		}
		for _, b := range orphans {
			gone, err := c.Retention.delete(func() (bool, error) { return c.Blobs.DeleteUnmodified(ctx, b.Key, before) })
			if err != nil {
				return err
			}
			if gone {
				deleted++
				left.Blobs, left.Bytes = left.Blobs-1, left.Bytes-b.Size
			}
		}
		return nil
	}
	err = c.Blobs.List(ctx, func(b blob.Info) error {
		left.Blobs, left.Bytes = left.Blobs+1, left.Bytes+b.Size
		if !b.ModifiedAt.Before(before) || variants[b.Key] {
			return nil
		}
		if batch = append(batch, b); len(batch) < blobBatch {
			return nil
		}
		return flush()
	})
	if err = errors.Join(err, ctx.Err()); err == nil {
		err = errors.Join(flush(), c.Blobs.CleanSpools())
	}
	if err != nil {
		return left, deleted, fmt.Errorf("collect blobs: %w", err)
	}
	return left, deleted, nil
}

// orphans returns the blobs that no asset has.
func (c *Collector) orphans(ctx context.Context, list []blob.Info) (orphans []blob.Info, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	err = c.Store.View(ctx, func(r storage.Reader) error {
		orphans = nil
		for _, b := range list {
			has, err := r.HasMedia(b.Key)
			if err != nil {
				return err
			}
			if !has {
				orphans = append(orphans, b)
			}
		}
		return nil
	})
	return orphans, err
}
