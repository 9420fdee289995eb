package postgres

import (
	"crypto/sha256"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// managedDoc is a [schedctl.Managed] as a document.
type managedDoc struct {
	Collection string `json:"collection"`
	Path       string `json:"path"`
	Digest     string `json:"digest"`
	Pruned     bool   `json:"pruned,omitempty"`
}

// managed describes the file that a post is made from; null for none.
func (r *row) managed(name string, m **schedctl.Managed) {
	r.add(name, "jsonb", recordField(m,
		func(m *schedctl.Managed) *managedDoc { return (*managedDoc)(m) },
		func(doc *managedDoc) *schedctl.Managed { return (*schedctl.Managed)(doc) }))
}

// PostByExternalID implements [storage.Reader]. In a transaction it prevents others
// from assigning the external id to a post.
func (r *reader) PostByExternalID(workspaceID, externalID string) (schedctl.Post, error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return schedctl.Post{}, err
	}
	if err := r.lockExternalID(workspaceID, externalID); err != nil {
		return schedctl.Post{}, err
	}
	var heads []postRow
	err = r.send(selects(posts, &heads, "WHERE workspace_id = $1 AND external_id = $2 AND external_id <> ''"+r.forUpdate(), ws, clean(externalID)))
	if err != nil {
		return schedctl.Post{}, err
	}
	if len(heads) == 0 {
		return schedctl.Post{}, schedctl.Errorf(schedctl.NotFound, "", "there is no post with this external id")
	}
	return r.Post(workspaceID, heads[0].post.ID)
}

// lockExternalID prevents other transactions from assigning an external id to a post or
// removing it from one.
func (r *reader) lockExternalID(workspaceID, externalID string) error {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(append(ws.Bytes[:], externalID...))
	r.lockList("posts", pgtype.UUID{Bytes: [16]byte(sum[:16]), Valid: true})
	return nil
}

// checkExternalID returns EXTERNAL_ID_EXISTS when another post has the external id.
func (tx *tx) checkExternalID(p *schedctl.Post, known *cachedPost) error {
	if known.exists() && known.post.ExternalID == p.ExternalID {
		return nil
	}
	if known.exists() && known.post.ExternalID != "" {
		if err := tx.lockExternalID(p.WorkspaceID, known.post.ExternalID); err != nil {
			return err
		}
	}
	if p.ExternalID == "" {
		return nil
	}
	other, err := tx.PostByExternalID(p.WorkspaceID, p.ExternalID)
	switch {
	case schedctl.CodeOf(err) == schedctl.NotFound:
		return nil
	case err != nil:
		return err
	case other.ID != p.ID:
		return storage.ExternalIDExists(other.ID)
	}
	return nil
}
