package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"

	"github.com/schedctl/schedctl/client/apiv1"
)

// AuditQuery selects a page of the audit log. Zero fields ask for the daemon's
// defaults.
type AuditQuery struct {
	Limit  int    // entries on a page, 1–100
	Cursor string // NextCursor of the page before
}

// Audit returns one page of what was written in the workspace, the youngest
// first.
func (c *Client) Audit(ctx context.Context, q AuditQuery) (apiv1.AuditList, error) {
	query := url.Values{}
	if q.Limit != 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Cursor != "" {
		query.Set("cursor", q.Cursor)
	}
	var out apiv1.AuditList
	err := c.get(ctx, "/audit", query, &out)
	return out, err
}

// EachAudit returns all entries from the query's page on, page by page. It ends
// after the first error.
func (c *Client) EachAudit(ctx context.Context, q AuditQuery) iter.Seq2[apiv1.AuditEntry, error] {
	return func(yield func(apiv1.AuditEntry, error) bool) {
		for {
			list, err := c.Audit(ctx, q)
			if err != nil {
				yield(apiv1.AuditEntry{}, err)
				return
			}
			for _, e := range list.Results {
				if !yield(e, nil) {
					return
				}
			}
			if list.NextCursor == nil || *list.NextCursor == q.Cursor {
				return // the end, or a cursor that leads nowhere
			}
			q.Cursor = *list.NextCursor
		}
	}
}
