package usecase

import (
	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// replacedPost returns the post that a new post with the external id replaces, without its
// external id, or nil. Errors: EXTERNAL_ID_EXISTS when another post has the external id;
// NOT_FOUND and POST_NOT_REPLACEABLE for a post that cannot be replaced.
func (c *Request) replacedPost(r storage.Reader, externalID *string, replaces string) (*schedctl.Post, error) {
	if err := c.refuseTaken(r, externalID, replaces); err != nil || replaces == "" || externalID == nil {
		return nil, err
	}
	replaced, err := c.PostByID(r, replaces)
	if err != nil {
		return nil, err
	}
	return &replaced, replaced.Replace(*externalID, c.Now)
}

// refuseTaken returns EXTERNAL_ID_EXISTS when a post other than owner has the external id.
// It names that post only to a key that may see it.
func (c *Request) refuseTaken(r storage.Reader, externalID *string, owner string) error {
	if externalID == nil || *externalID == "" {
		return nil
	}
	existing, err := r.PostByExternalID(c.Key.WorkspaceID, *externalID)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && existing.ID == owner {
		return nil
	}
	if err != nil {
		return err
	}
	refusal := storage.ExternalIDExists(existing.ID)
	if !c.MaySee(&existing) {
		refusal.Field, refusal.Details = "", nil
	}
	return refusal
}
