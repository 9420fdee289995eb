package api

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// refuseExisting returns EXTERNAL_ID_EXISTS when the external id of a new post is
// taken. createPost calls it before all other checks. A client that repeats a
// request a month later gets this code even if the time of the post has passed or
// its account is disconnected. takeExternalID checks again in the transaction.
func (s *Server) refuseExisting(ctx context.Context, c *request, b *createPost) error {
	if b.ExternalID == nil || *b.ExternalID == "" {
		return nil
	}
	return s.view(ctx, func(r storage.Reader) error {
		_, err := c.checkExternalID(r, *b.ExternalID, b.replaces)
		return err
	})
}

// takeExternalID frees the external id of a new post: the canceled post that it
// replaces loses the id.
func (c *request) takeExternalID(tx storage.Tx, b *createPost) error {
	if b.ExternalID == nil || *b.ExternalID == "" {
		return nil
	}
	replaced, err := c.checkExternalID(tx, *b.ExternalID, b.replaces)
	if err != nil || replaced == nil {
		return err
	}
	if err := replaced.Replace(*b.ExternalID, c.Now); err != nil {
		return err
	}
	return tx.PutPost(*replaced)
}

// checkExternalID returns the post that a new post with the external id replaces,
// or nil. Errors: EXTERNAL_ID_EXISTS when another post has the external id;
// NOT_FOUND and POST_NOT_REPLACEABLE for a post that cannot be replaced.
func (c *request) checkExternalID(r storage.Reader, externalID, replaces string) (*schedctl.Post, error) {
	existing, err := r.PostByExternalID(c.Key.WorkspaceID, externalID)
	found := err == nil
	if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
		return nil, err
	}
	if found && existing.ID != replaces {
		return nil, c.externalIDExists(&existing)
	}
	if replaces == "" {
		return nil, nil
	}
	replaced, err := c.postByID(r, replaces)
	if err != nil {
		return nil, err
	}
	trial := replaced.Clone()
	return &replaced, trial.Replace(externalID, c.Now)
}

// refuseTaken returns EXTERNAL_ID_EXISTS when another post already has the external
// id.
func (c *request) refuseTaken(r storage.Reader, p *schedctl.Post, externalID *string) error {
	if externalID == nil || *externalID == "" || p.ExternalID != "" {
		return nil
	}
	existing, err := r.PostByExternalID(c.Key.WorkspaceID, *externalID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	return c.externalIDExists(&existing)
}

// externalIDExists returns the error for an external id that a post already has. It
// names the post only to a key that may see it.
func (c *request) externalIDExists(existing *schedctl.Post) error {
	refusal := storage.ExternalIDExists(existing.ID)
	if !c.MaySee(existing) {
		refusal.Field, refusal.Details = "", nil
		return refusal
	}
	return &locatedError{location: prefix + "/posts/" + existing.ID, refusal: refusal}
}
