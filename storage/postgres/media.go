package postgres

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// mediaByHash is the index of assets by hash. Its name also stands for the lock of the
// assets with a hash.
const mediaByHash = "media_assets_by_hash"

// MediaAsset implements [storage.Reader].
func (r *reader) MediaAsset(workspaceID, id string) (schedctl.MediaAsset, error) {
	ws, asset, err := parse2(schedctl.WorkspacePrefix, workspaceID, schedctl.MediaPrefix, id)
	if err != nil {
		return schedctl.MediaAsset{}, err
	}
	a, found, err := queryOne(r, mediaAssets, "WHERE workspace_id = $1 AND id = $2"+r.forUpdate(), ws, asset)
	if err == nil && !found {
		err = notFound(schedctl.MediaPrefix, id)
	}
	return a, err
}

// MediaAssets implements [storage.Reader].
func (r *reader) MediaAssets(workspaceID, afterID string, limit int) ([]schedctl.MediaAsset, error) {
	ws, behind, args, err := pageCondition(schedctl.WorkspacePrefix, workspaceID, schedctl.MediaPrefix, afterID, limit)
	if err != nil {
		return nil, err
	}
	r.lockList("media_assets", ws)
	return query(r, mediaAssets, "WHERE workspace_id = $1"+behind+" ORDER BY id DESC LIMIT $2", args...)
}

// MediaByHash implements [storage.Reader].
func (r *reader) MediaByHash(workspaceID string, sha256 [32]byte, limit int) ([]schedctl.MediaAsset, error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return nil, err
	}
	r.lockHash(sha256)
	return query(r, mediaAssets, "WHERE sha256 = $1 AND workspace_id = $2 AND status = 'ready' ORDER BY id LIMIT $3", sha256[:], ws, limit)
}

// HasMedia implements [storage.Reader].
func (r *reader) HasMedia(sha256 [32]byte) (has bool, err error) {
	r.lockHash(sha256)
	err = r.send(statement{
		sql: "SELECT 1 FROM media_assets WHERE sha256 = $1 LIMIT 1", args: []any{sha256[:]}, scan: scanOne(&has),
	})
	return has, err
}

// lockHash is lockList for the assets of all workspaces with a hash.
func (r *reader) lockHash(sha256 [32]byte) {
	r.lockList(mediaByHash, pgtype.UUID{Bytes: [16]byte(sha256[:]), Valid: true})
}

// MediaSize implements [storage.Reader].
func (r *reader) MediaSize(workspaceID string) (size int64, err error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return 0, err
	}
	r.lockList("media_assets", ws)
	err = r.send(statement{
		sql:  "SELECT coalesce(sum(size_bytes), 0)::bigint FROM media_assets WHERE workspace_id = $1 AND status IN ('pending', 'ready')",
		args: []any{ws},
		scan: scanOne(new(bool), &size),
	})
	return size, err
}

// ExpiredMedia implements [storage.Reader].
func (r *reader) ExpiredMedia(before time.Time, limit int) ([]schedctl.MediaAsset, error) {
	r.lockTable("media_assets")
	return query(r, mediaAssets, "WHERE expires_at < $1 ORDER BY expires_at, id, workspace_id LIMIT $2", stampMillis(before.UnixMilli()), limit)
}

// PutMediaAsset implements [storage.Tx].
func (tx *tx) PutMediaAsset(a schedctl.MediaAsset) error {
	values, err := mediaAssets.values(&a)
	if err != nil {
		return err
	}
	if err := tx.lockMedia(&a); err != nil {
		return err
	}
	tx.put(mediaAssets.sql().upsert, values...)
	return nil
}

// DeleteMediaAsset implements [storage.Tx].
func (tx *tx) DeleteMediaAsset(workspaceID, id string) error {
	a, err := tx.MediaAsset(workspaceID, id)
	if err != nil {
		return err
	}
	ws, asset, err := parse2(schedctl.WorkspacePrefix, workspaceID, schedctl.MediaPrefix, id)
	if err != nil {
		return err
	}
	if err := tx.lockMedia(&a); err != nil {
		return err
	}
	tx.put("DELETE FROM media_assets WHERE workspace_id = $1 AND id = $2", ws, asset)
	return nil
}

// lockMedia takes the locks of the lists that an asset is in.
func (tx *tx) lockMedia(a *schedctl.MediaAsset) error {
	ws, err := parse(schedctl.WorkspacePrefix, a.WorkspaceID)
	if err != nil {
		return err
	}
	tx.lock(lockOf("media_assets", ws.Bytes))
	if a.SHA256 != ([32]byte{}) {
		tx.lock(lockOf(mediaByHash, [16]byte(a.SHA256[:])))
	}
	return nil
}
