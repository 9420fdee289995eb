package postgres

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl"
)

// mediaUses is the index of posts by their assets. Its name also stands for the locks
// of the lists of posts that use an asset.
const mediaUses = "posts_by_asset"

// MediaUsers implements [storage.Reader].
func (r *reader) MediaUsers(assetID string, limit int) (ids []string, err error) {
	asset, err := parse(schedctl.MediaPrefix, assetID)
	if err != nil {
		return nil, err
	}
	r.lockList(mediaUses, asset)
	err = r.send(statement{
		sql: `SELECT id FROM posts WHERE asset_ids @> $1::jsonb
			ORDER BY status IN ('published', 'canceled') AND (
				SELECT count(*) FROM targets WHERE post_id = posts.id AND comment_status IN ('publishing', 'failed')
			) = 0, coalesce(publish_at, 'infinity') DESC, id DESC LIMIT $2`,
		args: []any{`["` + schedctl.ULID(asset.Bytes).ID(schedctl.MediaPrefix) + `"]`, limit},
		scan: func(rows pgx.Rows) error {
			for rows.Next() {
				var id string
				if err := rows.Scan(&idField{prefix: schedctl.PostPrefix, id: &id}); err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return rows.Err()
		},
	})
	return ids, err
}

// lockMediaUses takes the locks of the lists of posts that use the assets that a post
// has or had.
func (tx *tx) lockMediaUses(p *schedctl.Post, known *cachedPost) {
	ids := p.AssetIDs()
	if known.exists() {
		ids = append(ids, known.post.AssetIDs()...)
		slices.Sort(ids)
	}
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
type mediaField struct {
	media    *[]schedctl.PostMedia
	override bool
}

func (f mediaField) isNull() bool { return *f.media == nil || !f.override && len(*f.media) == 0 }

func (f mediaField) value() (any, error) {
	docs, err := newMediaDocs(*f.media)
	if err != nil {
		return nil, err
	}
	return jsonField[[]mediaDoc]{&docs, func([]mediaDoc) bool { return f.isNull() }}.value()
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

func (f mediaField) same(o field) bool {
	other := o.(mediaField)
	return f.isNull() == other.isNull() && slices.Equal(*f.media, *other.media)
}

func (f mediaField) ScanBytes(v []byte) error {
	*f.media = nil
	if v == nil {
		return nil
	}
	var docs []mediaDoc
	if err := json.Unmarshal(v, &docs); err != nil {
		return err
	}
	list, err := parseMediaDocs(docs)
	if err == nil {
		*f.media = list
	}
	return err
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
