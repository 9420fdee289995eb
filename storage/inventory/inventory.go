// Package inventory finds out which blobs the media assets of a database need, and
// compares them with a blob store.
package inventory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// Item is a blob that assets refer to.
type Item struct {
	Key  blob.Key
	Size int64 // in bytes

	// Required means that an asset with these bytes is ready or in a feed. Otherwise its
	// upload is not confirmed, and the bytes may be missing.
	Required bool
}

// pageSize is the number of assets that are read at once.
const pageSize = 500

// Of returns the blobs that the assets of a database refer to, ordered by key. It uses
// about 50 bytes of memory for each asset.
func Of(r storage.Reader) ([]Item, error) {
	var items []Item
	err := eachAsset(r, func(a *schedctl.MediaAsset) {
		if a.SHA256 != (blob.Key{}) && a.Status != schedctl.MediaFailed {
			items = append(items, Item{Key: a.SHA256, Size: a.Size, Required: isRequired(a)})
		}
	})
	slices.SortFunc(items, func(a, b Item) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	return unite(items), err
}

// isRequired reports whether the bytes of an asset must exist.
func isRequired(a *schedctl.MediaAsset) bool {
	return a.Status == schedctl.MediaReady || a.Status == schedctl.MediaDeleted
}

// unite removes items with the same key from a sorted list. The rest is required if one
// of them is.
func unite(items []Item) []Item {
	kept := items[:0]
	for _, i := range items {
		if n := len(kept); n > 0 && kept[n-1].Key == i.Key {
			if i.Required && !kept[n-1].Required {
				kept[n-1] = i
			}
			continue
		}
		kept = append(kept, i)
	}
	return kept
}

// OfStore is [Of] for a whole database.
func OfStore(ctx context.Context, store storage.Store) (items []Item, err error) {
	err = store.View(ctx, func(r storage.Reader) error {
		items, err = Of(r)
		return err
	})
	return items, err
}

// eachAsset calls fn for all assets of all workspaces.
func eachAsset(r storage.Reader, fn func(*schedctl.MediaAsset)) error {
	workspaces, err := r.Workspaces()
	if err != nil {
		return err
	}
	for _, w := range workspaces {
		for after := ""; ; {
			page, err := r.MediaAssets(w.ID, after, pageSize)
			if err != nil {
				return fmt.Errorf("list media assets: %w", err)
			}
			for i := range page {
				fn(&page[i])
			}
			if len(page) < pageSize {
				break
			}
			after = page[len(page)-1].ID
		}
	}
	return nil
}

// Depth says how a blob is compared.
type Depth int

// The depths.
const (
	Sizes Depth = iota // the blob exists with the right size
	Bytes              // its bytes also have the right hash; reads the whole blob
)

// Report is the result of [Compare].
type Report struct {
	Required int   // blobs that assets require
	Bytes    int64 // the sum of their sizes
	Missing  []blob.Key
	Damaged  []blob.Key
	Orphans  int   // blobs that no asset refers to
	Unused   int64 // the sum of their sizes
}

// Compare compares the blobs that a database refers to with a store. progress, unless it
// is nil, is called after each required blob. A store that cannot be reached is an error.
func Compare(ctx context.Context, items []Item, blobs blob.Store, depth Depth, progress func(done, all int)) (Report, error) {
	var report Report
	for _, i := range items {
		if i.Required {
			report.Required, report.Bytes = report.Required+1, report.Bytes+i.Size
		}
	}
	done := 0
	for _, i := range items {
		if !i.Required {
			continue
		}
		err := compare(ctx, i, blobs, depth)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			report.Missing = append(report.Missing, i.Key)
		case errors.Is(err, blob.ErrCorrupt):
			report.Damaged = append(report.Damaged, i.Key)
		case err != nil:
			return report, fmt.Errorf("check the bytes of media: %w", err)
		}
		if done++; progress != nil {
			progress(done, report.Required)
		}
	}
	err := blobs.List(ctx, func(b blob.Info) error {
		_, found := slices.BinarySearchFunc(items, b.Key, func(i Item, key blob.Key) int { return bytes.Compare(i.Key[:], key[:]) })
		if !found {
			report.Orphans, report.Unused = report.Orphans+1, report.Unused+b.Size
		}
		return nil
	})
	if err != nil {
		return report, fmt.Errorf("list the bytes of media: %w", err)
	}
	return report, nil
}

// compare returns nil, or an error that wraps [blob.ErrNotFound] or [blob.ErrCorrupt].
func compare(ctx context.Context, i Item, blobs blob.Store, depth Depth) error {
	info, err := blobs.Stat(ctx, i.Key)
	switch {
	case err != nil:
		return err
	case info.Size != i.Size:
		return blob.ErrCorrupt
	case depth == Bytes:
		return blob.Verify(ctx, blobs, i.Key)
	}
	return nil
}

// Loss is an asset without its bytes.
type Loss struct {
	Asset   schedctl.MediaAsset
	Damaged bool     // the blob exists, and has other bytes
	Posts   []string // posts and series that use the asset, those that need it first; at most [MaxPosts]
}

// MaxPosts is how many posts and series of a [Loss] are named.
const MaxPosts = 10

// Losses returns the assets whose blobs are missing or damaged according to a report.
func Losses(r storage.Reader, report Report) ([]Loss, error) {
	state := make(map[blob.Key]bool, len(report.Missing)+len(report.Damaged))
	for _, key := range report.Missing {
		state[key] = false
	}
	for _, key := range report.Damaged {
		state[key] = true
	}
	if len(state) == 0 {
		return nil, nil
	}
	var losses []Loss
	err := eachAsset(r, func(a *schedctl.MediaAsset) {
		if damaged, lost := state[a.SHA256]; lost && isRequired(a) {
			losses = append(losses, Loss{Asset: *a, Damaged: damaged})
		}
	})
	for i := range losses {
		if err != nil {
			break
		}
		losses[i].Posts, err = r.MediaUsers(losses[i].Asset.ID, MaxPosts)
	}
	return losses, err
}
