package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// MediaAsset implements [storage.Reader].
func (r *reader) MediaAsset(workspaceID, id string) (schedctl.MediaAsset, error) {
	ws, asset, err := parse2(schedctl.WorkspacePrefix, workspaceID, schedctl.MediaPrefix, id)
	if err != nil {
		return schedctl.MediaAsset{}, err
	}
	key := concat(r.scratch[:0], ws[:], asset[:])
	record := r.in(media).Get(key)
	if record == nil {
		return schedctl.MediaAsset{}, notFound(schedctl.MediaPrefix, id)
	}
	return readMediaAsset(key, record)
}

// MediaAssets implements [storage.Reader].
func (r *reader) MediaAssets(workspaceID, afterID string, limit int) ([]schedctl.MediaAsset, error) {
	_, end, err := endOfPage(schedctl.WorkspacePrefix, workspaceID, schedctl.MediaPrefix, afterID)
	if err != nil {
		return nil, err
	}
	return pageBefore(r, media, end, limit, readMediaAsset)
}

func readMediaAsset(key, record []byte) (a schedctl.MediaAsset, err error) {
	if len(key) != 32 {
		return a, wrongKey(media, key)
	}
	a.WorkspaceID, a.ID = id(key[:16], schedctl.WorkspacePrefix), id(key[16:], schedctl.MediaPrefix)
	if err := decode(record, &a, (*coder).mediaAsset); err != nil {
		return a, fmt.Errorf("media asset %s: %w", a.ID, err)
	}
	return a, nil
}

// MediaByHash implements [storage.Reader].
func (r *reader) MediaByHash(workspaceID string, sha256 [32]byte) (a schedctl.MediaAsset, found bool, err error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return a, false, err
	}
	prefix := concat(nil, sha256[:], ws[:], []byte{mediaCode(schedctl.MediaReady)})
	k, _ := r.in(mediaHashes).Cursor().Seek(prefix)
	if !bytes.HasPrefix(k, prefix) {
		return a, false, nil
	}
	if len(k) != mediaHashSize {
		return a, false, wrongKey(mediaHashes, k)
	}
	a, err = r.indexedMedia(mediaHashes, concat(nil, ws[:], k[len(prefix):]))
	return a, err == nil, err
}

// HasMedia implements [storage.Reader].
func (r *reader) HasMedia(sha256 [32]byte) (bool, error) {
	k, _ := r.in(mediaHashes).Cursor().Seek(sha256[:])
	return bytes.HasPrefix(k, sha256[:]), nil
}

// MediaSize implements [storage.Reader].
func (r *reader) MediaSize(workspaceID string) (int64, error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return 0, err
	}
	return r.mediaSize(ws)
}

func (r *reader) mediaSize(ws ulid) (int64, error) {
	v := r.in(mediaSizes).Get(append(r.scratch[:0], ws[:]...))
	if v == nil {
		return 0, nil
	}
	if len(v) != 8 {
		return 0, fmt.Errorf("%q: %w: an entry has %d bytes", mediaSizes, storage.ErrCorrupt, len(v))
	}
	return int64(binary.BigEndian.Uint64(v)), nil
}

// ExpiredMedia implements [storage.Reader].
func (r *reader) ExpiredMedia(before time.Time, limit int) (list []schedctl.MediaAsset, err error) {
	end := timeKey(before.UnixMilli())
	c := r.in(mediaExpiry).Cursor()
	for k, _ := c.First(); k != nil && len(list) < limit; k, _ = c.Next() {
		if len(k) != 40 {
			return nil, wrongKey(mediaExpiry, k)
		}
		if readTime(k) >= end {
			break
		}
		a, err := r.indexedMedia(mediaExpiry, concat(nil, k[24:], k[8:24]))
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// indexedMedia reads an asset that an index has.
func (r *reader) indexedMedia(index bucket, key []byte) (a schedctl.MediaAsset, err error) {
	record := r.in(media).Get(key)
	if record == nil {
		return a, fmt.Errorf("%q: %w: the asset of an entry is missing", index, storage.ErrCorrupt)
	}
	return readMediaAsset(key, record)
}

// PutMediaAsset implements [storage.Tx].
func (tx *tx) PutMediaAsset(a schedctl.MediaAsset) error {
	ws, asset, err := parse2(schedctl.WorkspacePrefix, a.WorkspaceID, schedctl.MediaPrefix, a.ID)
	if err != nil {
		return err
	}
	old, err := tx.MediaAsset(a.WorkspaceID, a.ID)
	if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
		return err
	}
	if err == nil {
		if err := tx.unindexMedia(&old, ws, asset); err != nil {
			return err
		}
	}
	if err := putRecord(tx, media, concat(tx.scratch[:0], ws[:], asset[:]), &a, (*coder).mediaAsset); err != nil {
		return err
	}
	for _, e := range mediaEntries(&a, ws, asset) {
		if err := tx.put(e.bucket, e.key, nil); err != nil {
			return err
		}
	}
	return tx.addMediaSize(ws, quotaSize(&a))
}

// DeleteMediaAsset implements [storage.Tx].
func (tx *tx) DeleteMediaAsset(workspaceID, id string) error {
	ws, asset, err := parse2(schedctl.WorkspacePrefix, workspaceID, schedctl.MediaPrefix, id)
	if err != nil {
		return err
	}
	a, err := tx.MediaAsset(workspaceID, id)
	if err != nil {
		return err
	}
	if err := tx.unindexMedia(&a, ws, asset); err != nil {
		return err
	}
	return tx.delete(media, concat(tx.scratch[:0], ws[:], asset[:]))
}

// unindexMedia removes an asset from the indexes and from the size of its workspace.
func (tx *tx) unindexMedia(a *schedctl.MediaAsset, ws, asset ulid) error {
	for _, e := range mediaEntries(a, ws, asset) {
		if err := tx.delete(e.bucket, e.key); err != nil {
			return err
		}
	}
	return tx.addMediaSize(ws, -quotaSize(a))
}

// quotaSize returns what an asset adds to the size of its workspace.
func quotaSize(a *schedctl.MediaAsset) int64 {
	if a.Status == schedctl.MediaPending || a.Status == schedctl.MediaReady {
		return a.Size
	}
	return 0
}

// addMediaSize changes the size of a workspace. The entry of an empty workspace is
// deleted.
func (tx *tx) addMediaSize(ws ulid, n int64) error {
	if n == 0 {
		return nil
	}
	size, err := tx.mediaSize(ws)
	if err != nil {
		return err
	}
	if size += n; size == 0 {
		return tx.delete(mediaSizes, ws[:])
	}
	return tx.put(mediaSizes, ws[:], tx.arena.value(binary.BigEndian.AppendUint64(nil, uint64(size))))
}

// mediaHashSize is the length of the keys of media hashes.
const mediaHashSize = 32 + 16 + 1 + 16

// mediaEntry is an entry of an asset in an index. It has no value.
type mediaEntry struct {
	bucket bucket
	key    []byte
}

// mediaEntries returns all entries of an asset in the indexes of hashes and of expiry.
func mediaEntries(a *schedctl.MediaAsset, ws, asset ulid) (list []mediaEntry) {
	if a.SHA256 != ([32]byte{}) {
		list = append(list, mediaEntry{mediaHashes, concat(nil, a.SHA256[:], ws[:], []byte{mediaCode(a.Status)}, asset[:])})
	}
	if !a.ExpiresAt.IsZero() {
		at := appendTime(nil, timeKey(a.ExpiresAt.UnixMilli()))
		list = append(list, mediaEntry{mediaExpiry, concat(at, asset[:], ws[:])})
	}
	return list
}
