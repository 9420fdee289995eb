package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/schedctl/schedctl/storage/blob"
	"github.com/schedctl/schedctl/storage/inventory"
)

// Media describes the copied blobs.
type Media struct {
	Files  int   `json:"files"`  // blobs of the source that the copy has
	Bytes  int64 `json:"bytes"`  // the sum of their sizes
	Copied int   `json:"copied"` // copied in this run
	Lost   int   `json:"lost"`   // blobs that assets need and the source does not have
}

// LostError means that blobs of media assets are missing or damaged in the source.
type LostError struct {
	Lost, Required int
	First          blob.Key // one of them
}

// Error says how many blobs are lost.
func (e *LostError) Error() string {
	return fmt.Sprintf("%d of %d media files are missing or damaged, such as the one with the SHA-256 %s", e.Lost, e.Required, e.First)
}

// copyBlobs copies the blobs that the assets of the source refer to.
func (r *run) copyBlobs(ctx context.Context) error {
	if r.Blobs == nil {
		return nil
	}
	items, err := inventory.OfStore(ctx, r.from)
	if err != nil || len(items) == 0 {
		return err
	}
	from, to, err := r.Blobs(ctx)
	if err != nil {
		return err
	}
	count := r.counter(CopyingFiles, 0, len(items))
	lost := &LostError{}
	for _, item := range items {
		if item.Required {
			lost.Required++
		}
		copied, err := copyBlob(ctx, from, to, item)
		switch {
		case err == nil:
			r.media.Files, r.media.Bytes = r.media.Files+1, r.media.Bytes+item.Size
			if copied {
				r.media.Copied++
			}
		case !errors.Is(err, blob.ErrNotFound) && !errors.Is(err, blob.ErrCorrupt):
			return err
		case item.Required:
			lost.First = item.Key
			lost.Lost++
		}
		count(1)
	}
	if r.media.Lost = lost.Lost; lost.Lost > 0 && !r.SkipLost {
		return lost
	}
	return nil
}

// copyBlob copies a blob unless the copy has it, and reports whether it did.
func copyBlob(ctx context.Context, from, to blob.Store, item inventory.Item) (copied bool, err error) {
	info, err := to.Stat(ctx, item.Key)
	switch {
	case err == nil && info.Size == item.Size:
		return false, nil
	case err != nil && !errors.Is(err, blob.ErrNotFound):
		return false, err
	case from == to && err == nil:
		return false, blob.ErrCorrupt
	case from == to:
		return false, err
	case err == nil && item.Required:
		// A Put does not replace a damaged blob in every engine.
		if err := to.Delete(ctx, item.Key); err != nil {
			return false, err
		}
	}
	_, err = blob.Copy(ctx, to, from, item.Key)
	return err == nil, err
}
