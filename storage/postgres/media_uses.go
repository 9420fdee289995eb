package postgres

import (
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl"
)

// mediaUses is the index of posts by their assets. Its name also stands for the locks
// of the lists of posts and series that use an asset.
const mediaUses = "posts_by_asset"

// MediaUsers implements [storage.Reader].
func (r *reader) MediaUsers(assetID string, limit int) (ids []string, err error) {
	asset, err := parse(schedctl.MediaPrefix, assetID)
	if err != nil {
		return nil, err
	}
	r.lockList(mediaUses, asset)
	err = r.send(statement{
		sql: `SELECT is_series, id FROM (
				SELECT false AS is_series, id, coalesce(publish_at, 'infinity') AS at, status IN ('published', 'canceled', 'archived published', 'archived canceled') AND (
					SELECT count(*) FROM targets WHERE post_id = posts.id AND comment_status IN ('publishing', 'failed')
				) = 0 AS done FROM posts WHERE asset_ids @> $1::jsonb
				UNION ALL
				SELECT true, id, 'infinity', false FROM series WHERE asset_ids @> $1::jsonb
			) AS users ORDER BY done, at DESC, id DESC LIMIT $2`,
		args: []any{`["` + schedctl.ULID(asset.Bytes).ID(schedctl.MediaPrefix) + `"]`, limit},
		scan: scanAll(&ids, func(row pgx.CollectableRow) (id string, err error) {
			var isSeries bool
			if err := row.Scan(&isSeries, &idField{prefix: schedctl.PostPrefix, id: &id}); err != nil || !isSeries {
				return id, err
			}
			user, _ := schedctl.ParseID(schedctl.PostPrefix, id)
			return user.ID(schedctl.SeriesPrefix), nil
		}),
	})
	return ids, err
}

// lockMediaUses takes the locks of the lists of posts and series that use the assets of a
// post, or that it had.
func (tx *tx) lockMediaUses(ids []string, known *cachedPost) {
	if known.exists() {
		ids = append(ids, known.post.AssetIDs()...)
	}
	tx.lockAssets(ids)
}

// lockAssets takes the locks of the lists of posts and series that use the assets.
func (tx *tx) lockAssets(ids []string) {
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if asset, err := parse(schedctl.MediaPrefix, id); err == nil {
			tx.lock(lockOf(mediaUses, asset.Bytes))
		}
	}
}

// mediaDoc is a [schedctl.PostMedia] as a document.
type mediaDoc struct {
	ID      string  `json:"id"`
	SHA256  string  `json:"sha256,omitempty"` // hexadecimal; empty while it is not known
	AltText *string `json:"alt_text,omitempty"`
}

// mediaField is a list of media. An empty list is null, except in an override, where only
// nil is null.
func mediaField(media *[]schedctl.PostMedia, override bool) field {
	return docField[[]schedctl.PostMedia, []mediaDoc]{media, func(media []schedctl.PostMedia) (*[]mediaDoc, error) {
		if media == nil || !override && len(media) == 0 {
			return nil, nil
		}
		docs, err := newMediaDocs(media)
		return &docs, err
	}, parseMediaDocs}
}

func newMediaDocs(media []schedctl.PostMedia) ([]mediaDoc, error) {
	docs := make([]mediaDoc, len(media))
	for i, m := range media {
		asset, err := parse(schedctl.MediaPrefix, m.AssetID)
		if err != nil {
			return nil, err
		}
		docs[i].ID = schedctl.ULID(asset.Bytes).ID(schedctl.MediaPrefix)
		if m.SHA256 != ([32]byte{}) {
			docs[i].SHA256 = hex.EncodeToString(m.SHA256[:])
		}
		if m.HasAltText {
			docs[i].AltText = &m.AltText
		}
	}
	return docs, nil
}

func parseMediaDocs(docs []mediaDoc) ([]schedctl.PostMedia, error) {
	list := make([]schedctl.PostMedia, len(docs))
	for i, doc := range docs {
		list[i].AssetID = doc.ID
		sum, err := hex.DecodeString(doc.SHA256)
		if err != nil || len(sum) != 0 && len(sum) != len(list[i].SHA256) {
			return nil, fmt.Errorf("media %s has the hash %q", doc.ID, doc.SHA256)
		}
		copy(list[i].SHA256[:], sum)
		if doc.AltText != nil {
			list[i].AltText, list[i].HasAltText = *doc.AltText, true
		}
	}
	return list, nil
}
