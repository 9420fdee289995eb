package client

import (
	"context"
	"iter"

	"github.com/schedctl/schedctl/client/apiv1"
)

// AuditQuery selects a page of the audit log. For zero fields the daemon uses its
// defaults.
type AuditQuery struct {
	KeyID  string // entries of this API key
	Action string // entries with this operationId, such as createPost
	PostID string // entries about this post
	Limit  int    // entries on a page, 1–100
	Cursor string // NextCursor of the previous page
}

// Audit returns one page of the audit log of the workspace, newest first.
func (c *Client) Audit(ctx context.Context, q AuditQuery) (apiv1.AuditList, error) {
	v := pageValues(q.Limit, q.Cursor)
	for name, value := range map[string]string{"api_key_id": q.KeyID, "action": q.Action, "post_id": q.PostID} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return get[apiv1.AuditList](ctx, c, "/audit", v)
}

// EachAudit iterates over all entries, starting with the page of q. It ends after the
// first error.
func (c *Client) EachAudit(ctx context.Context, q AuditQuery) iter.Seq2[apiv1.AuditEntry, error] {
	return eachItem(q.Cursor, func(cursor string) ([]apiv1.AuditEntry, *string, error) {
		q.Cursor = cursor
		page, err := c.Audit(ctx, q)
		return page.Results, page.NextCursor, err
	})
}
