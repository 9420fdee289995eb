package client

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl/client/apiv1"
)

// SubmitPost asks for the approval of a draft.
func (c *Client) SubmitPost(ctx context.Context, id string, p apiv1.SubmitPost, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "submit"), p, options)
}

// ApprovePost approves and schedules a draft. It needs [IfVersion], so that no text is
// approved that was not seen.
func (c *Client) ApprovePost(ctx context.Context, id string, p apiv1.ApprovePost, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "approve"), p, options)
}

// RequestChanges asks the author of a draft to change it. It needs [IfVersion].
func (c *Client) RequestChanges(ctx context.Context, id string, p apiv1.RequestChanges, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "request-changes"), p, options)
}

// WithdrawPost ends the wait for an approval.
func (c *Client) WithdrawPost(ctx context.Context, id string, options ...Option) (apiv1.Post, error) {
	return c.changePost(ctx, http.MethodPost, itemPath(posts, id, "withdraw"), nil, options)
}

// PostNotes returns the notes of a post, oldest first.
func (c *Client) PostNotes(ctx context.Context, id string) ([]apiv1.PostNote, error) {
	out, err := get[apiv1.PostNoteList](ctx, c, itemPath(posts, id, "notes"), nil)
	return out.Results, err
}

// AddNote adds a note to a post. It is never published.
func (c *Client) AddNote(ctx context.Context, id, text string, options ...Option) (apiv1.PostNote, error) {
	out, err := write[apiv1.PostNoteEnvelope](ctx, c, http.MethodPost, itemPath(posts, id, "notes"), apiv1.AddNote{Text: text}, options)
	return out.Note, err
}
