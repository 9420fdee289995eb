package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

const (
	// altTextsNote is the name of the metadata that the migration to version 12 leaves in a
	// database with media, until copyAltTexts has ended. Until then, no node serves requests.
	altTextsNote = "alt texts to copy"

	altTextsBatch = 200 // posts or series of one transaction
)

// copyAltTexts gives posts and series whose files follow the alt texts of their assets
// those texts. See [schedctl.Post.CopyAltTexts]. It continues after an interruption, and
// several nodes may run it at once.
func (s *Store) copyAltTexts(ctx context.Context) error {
	note, err := storage.Read(ctx, s.View, func(r storage.Reader) ([]byte, error) { return r.Metadata(altTextsNote) })
	if err != nil || note == nil {
		return err
	}
	err = s.eachUser(ctx, "posts", schedctl.PostPrefix, func(tx *tx, workspaceID, id string, of schedctl.AltTextOf) error {
		p, err := tx.Post(workspaceID, id)
		if err != nil {
			return err
		}
		changed, err := p.CopyAltTexts(of)
		if err != nil || !changed {
			return err
		}
		return tx.PutPost(p)
	})
	if err == nil {
		err = s.eachUser(ctx, "series", schedctl.SeriesPrefix, func(tx *tx, workspaceID, id string, of schedctl.AltTextOf) error {
			one, err := tx.Series(workspaceID, id)
			if err != nil {
				return err
			}
			changed, err := one.CopyAltTexts(of)
			if err != nil || !changed {
				return err
			}
			return tx.PutSeries(one)
		})
	}
	if err != nil {
		return err
	}
	return s.transact(ctx, func(tx storage.Tx) error { return tx.PutMetadata(altTextsNote, nil) })
}

// eachUser calls fn for each record of a table that may use assets, in transactions. of
// returns the alt text of an asset. fn may be called again for a record.
func (s *Store) eachUser(ctx context.Context, table string, prefix schedctl.Prefix, fn func(tx *tx, workspaceID, id string, of schedctl.AltTextOf) error) error {
	condition := "(asset_ids IS NOT NULL OR review IS NOT NULL)"
	if table == "series" {
		condition = "true" // ended series do not list their assets
	}
	for after := (pgtype.UUID{Valid: true}); ; {
		last := ""
		err := s.transact(ctx, func(opened storage.Tx) error {
			tx := opened.(*tx)
			type user struct{ workspaceID, id string }
			var users []user
			err := tx.send(statement{
				sql:  "SELECT workspace_id, id FROM " + table + " WHERE " + condition + " AND id > $1 ORDER BY id LIMIT $2",
				args: []any{after, altTextsBatch},
				scan: scanAll(&users, func(row pgx.CollectableRow) (u user, err error) {
					return u, row.Scan(&idField{schedctl.WorkspacePrefix, &u.workspaceID, false}, &idField{prefix, &u.id, false})
				}),
			})
			if err != nil {
				return err
			}
			last = ""
			for _, u := range users {
				of := func(assetID string) (string, error) { return tx.altText(u.workspaceID, assetID) }
				if err := fn(tx, u.workspaceID, u.id, of); err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
					return err
				}
				last = u.id
			}
			return nil
		})
		if err != nil || last == "" {
			return err
		}
		if after, err = parse(prefix, last); err != nil {
			return err
		}
	}
}

// altText returns the alt text of an asset, empty for a missing one.
func (tx *tx) altText(workspaceID, assetID string) (string, error) {
	a, err := tx.MediaAsset(workspaceID, assetID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return "", nil
	}
	return a.AltText, err
}
