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
	return mediaTable.get(r, workspaceID, id)
}

// MediaAssets implements [storage.Reader].
func (r *reader) MediaAssets(workspaceID, afterID string, limit int) ([]schedctl.MediaAsset, error) {
	return mediaTable.page(r, workspaceID, afterID, limit)
}

// MediaByHash implements [storage.Reader].
func (r *reader) MediaByHash(workspaceID string, sha256 [32]byte, limit int) (list []schedctl.MediaAsset, err error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return nil, err
	}
	prefix := concat(nil, sha256[:], ws[:], []byte{codeOf(mediaCodes, schedctl.MediaReady)})
	c := r.in(mediaHashes).Cursor()
	for k, _ := c.Seek(prefix); len(list) < limit && bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		if len(k) != mediaHashSize {
			return nil, wrongKey(mediaHashes, k)
		}
		a, err := mediaTable.indexed(r, mediaHashes, concat(nil, ws[:], k[len(prefix):]))
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
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
		a, err := mediaTable.indexed(r, mediaExpiry, concat(nil, k[24:], k[8:24]))
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
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
	if err := tx.putEntries(mediaEntries(&a, ws, asset)); err != nil {
		return err
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
	if err := tx.deleteEntries(mediaEntries(a, ws, asset)); err != nil {
		return err
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

// mediaEntries returns all entries of an asset in the indexes of hashes and of expiry.
func mediaEntries(a *schedctl.MediaAsset, ws, asset ulid) (list []indexEntry) {
	if a.SHA256 != ([32]byte{}) {
		list = append(list, indexEntry{bucket: mediaHashes, key: concat(nil, a.SHA256[:], ws[:], []byte{codeOf(mediaCodes, a.Status)}, asset[:])})
	}
	if !a.ExpiresAt.IsZero() {
		at := appendTime(nil, timeKey(a.ExpiresAt.UnixMilli()))
		list = append(list, indexEntry{bucket: mediaExpiry, key: concat(at, asset[:], ws[:])})
	}
	return list
}
