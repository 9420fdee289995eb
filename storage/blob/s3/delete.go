package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/blob"
)

// S3 has no request that deletes an object only if it is old. A collector therefore marks a
// blob with an empty object before it checks the age and deletes it, and removes the mark
// after that:
//
//	PREFIX deleting/KEY/RANDOM
//
// A Put writes the object first, and looks for marks then. Without one it looks for the
// object: a collector that marks the blob later sees the new object, and one that has
// removed its mark has deleted before. With a mark, the Put waits until it is gone, and
// writes again. This needs a service whose reads and lists show every earlier write, as
// those of AWS do.
const marksFolder = "deleting/"

const (
	// markLife is how long a mark counts. The collector that has left it behind was killed
	// or had no response: its last request may still arrive. Services refuse requests whose
	// signature is older than 15 minutes.
	markLife = 20 * time.Minute

	// A Put looks for marks at most maxMarkWaits times, every markPause, and writes the
	// object at most maxPutRuns times.
	maxMarkWaits = 300
	markPause    = 100 * time.Millisecond
	maxPutRuns   = 20
)

// marks returns the prefix of the marks of a blob.
func (s *Store) marks(key blob.Key) string { return s.spec.Prefix + marksFolder + key.String() + "/" }

// Delete implements [blob.Store].
func (s *Store) Delete(ctx context.Context, key blob.Key) error {
	if s.closed.Load() {
		return storage.ErrClosed
	}
	if err := s.remove(ctx, s.object(key)); err != nil {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	return nil
}

// remove deletes an object. It returns nil if the object is absent.
func (s *Store) remove(ctx context.Context, name string) error {
	err := s.classify(s.client.RemoveObject(ctx, s.spec.Bucket, name, minio.RemoveObjectOptions{}))
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	return err
}

// DeleteUnmodified implements [blob.Store]. It uses the clock of the service.
func (s *Store) DeleteUnmodified(ctx context.Context, key blob.Key, before time.Time) (bool, error) {
	if old, err := s.unmodified(ctx, key, before); err != nil || !old {
		return false, err
	}
	mark := s.marks(key) + rand.Text()
	_, err := s.client.PutObject(ctx, s.spec.Bucket, mark, bytes.NewReader(nil), 0, "", "", minio.PutObjectOptions{})
	if err != nil {
		return false, fmt.Errorf("mark blob %s: %w", key, s.classify(err))
	}
	old, err := s.unmodified(ctx, key, before)
	if err == nil && old {
		if err := s.Delete(ctx, key); err != nil {
			return false, err // the mark stays: the service may still delete the blob
		}
	}
	return old, errors.Join(err, s.remove(ctx, mark))
}

// unmodified reports whether a blob exists and was put last before a time.
func (s *Store) unmodified(ctx context.Context, key blob.Key, before time.Time) (bool, error) {
	info, err := s.Stat(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	return err == nil && info.ModifiedAt.Before(before), err
}

// awaitUnmarked waits until no collector may delete a blob that was put just now, and
// reports whether it had to wait.
func (s *Store) awaitUnmarked(ctx context.Context, key blob.Key) (waited bool, err error) {
	for try := range maxMarkWaits {
		marked, err := s.marked(ctx, key)
		if err != nil || !marked {
			return try > 0, err
		}
		if err := wait(ctx); err != nil {
			return false, err
		}
	}
	return false, fmt.Errorf("%w: a collector that was about to delete the same bytes has not ended; try again in %s", storage.ErrUnreachable, markLife)
}

// marked reports whether a blob has a mark that counts. It removes others.
func (s *Store) marked(ctx context.Context, key blob.Key) (bool, error) {
	found := false
	for mark := range s.client.ListObjectsIter(ctx, s.spec.Bucket, minio.ListObjectsOptions{Prefix: s.marks(key), MaxKeys: listPage}) {
		if mark.Err != nil {
			return false, s.classify(mark.Err)
		}
		put, err := s.stat(ctx, key) // its time is about now, by the clock of the service
		switch {
		case err != nil && !errors.Is(err, blob.ErrNotFound):
			return false, err
		case err != nil || put.ModifiedAt.Sub(mark.LastModified) < markLife:
			found = true
		default:
			if err := s.remove(ctx, mark.Key); err != nil {
				return false, err
			}
		}
	}
	return found, ctx.Err()
}

// wait waits for the next look for marks.
func wait(ctx context.Context) error {
	timer := time.NewTimer(markPause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
