package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// auditEntry returns the audit log entry of a write. Call it in the transaction of
// the write, so that ids are in commit order.
func (c *request) auditEntry(a *response) schedctl.AuditEntry {
	detail := c.Detail
	if c.Person.Share != "" {
		detail = strings.TrimPrefix(detail+", with the share "+c.Person.Share, ", ")
	}
	return schedctl.AuditEntry{
		ID: schedctl.NewID(schedctl.AuditPrefix, c.Now), WorkspaceID: c.Key.WorkspaceID, At: schedctl.Millis(c.Now),
		KeyID: c.Key.ID, KeyName: c.Key.Name, RemoteAddr: remoteAddress(c.remote),
		Action: c.action, ResourceID: cmp.Or(c.ID, a.created), RequestID: c.requestID, Detail: detail,
	}
}

// audit writes the request to the audit log, and the steps that it has done with other
// objects.
func (c *request) audit(tx storage.Tx, a *response) error {
	err := tx.AddAudit(c.auditEntry(a))
	for _, step := range c.Also {
		e := c.auditEntry(a)
		e.WorkspaceID, e.Action, e.ResourceID = step.WorkspaceID, step.Action, step.ID
		err = errors.Join(err, tx.AddAudit(e))
	}
	return err
}

// pageParams describes the query of a list that is sorted by id.
func pageParams(entries string) []*huma.Param {
	return []*huma.Param{
		queryParam("limit", entries+" on a page", &huma.Schema{
			Type: huma.TypeInteger, Minimum: new(1.0), Maximum: new(float64(maxLimit)), Default: defaultLimit,
		}),
		queryParam("cursor", "next_cursor of the page before", &huma.Schema{Type: huma.TypeString}),
	}
}

// listAudit handles GET /audit. A key that is limited to accounts sees only the
// entries of its own requests, because other entries name posts and accounts that
// it must not see.
func (s *Server) listAudit(ctx context.Context, c *request) (response, error) {
	q := parseQuery(c.query, append([]string{"limit", "cursor"}, auditFilters...), nil)
	limit, after := q.number("limit", 1, maxLimit, defaultLimit), ""
	filter := auditFilter{keyID: q.objectID("api_key_id", schedctl.KeyPrefix), postID: q.objectID("post_id", schedctl.PostPrefix), action: q.shortText("action", maxAction)}
	list := idList{prefix: schedctl.AuditPrefix, of: "audit " + c.Key.WorkspaceID}
	if c.Limited() {
		list.of += " " + c.Key.ID
	}
	if filter != (auditFilter{}) {
		list.of += fmt.Sprintf(" %q", filter)
	}
	if q.err == nil && q.has("cursor") {
		after, q.err = list.position(q.values.Get("cursor"))
	}
	if q.err != nil {
		return response{}, q.err
	}
	var entries []schedctl.AuditEntry
	var next string
	err := s.scan(ctx, c, func(r storage.Reader) (err error) {
		entries, next, err = c.auditPage(r, filter, after, limit)
		return err
	})
	if err != nil {
		return response{}, err
	}
	page := apiv1.AuditList{Results: make([]apiv1.AuditEntry, len(entries)), Count: len(entries)}
	for i, e := range entries {
		page.Results[i] = apiv1.NewAuditEntry(e)
	}
	if next != "" {
		page.NextCursor = new(list.cursor(next))
	}
	return newResponse(http.StatusOK, page)
}

// auditFilters are the parameters of an auditFilter.
var auditFilters = []string{"api_key_id", "action", "post_id"}

// maxAction is the longest operationId to filter by, in code points.
const maxAction = 100

// auditFilter selects entries. Empty fields select all.
type auditFilter struct{ keyID, postID, action string }

func (f *auditFilter) selects(e *schedctl.AuditEntry) bool {
	return (f.keyID == "" || e.KeyID == f.keyID) && (f.postID == "" || e.ResourceID == f.postID) && (f.action == "" || e.Action == f.action)
}

// auditParams describes the query of GET /audit.
func auditParams() []*huma.Param {
	text := &huma.Schema{Type: huma.TypeString}
	return append([]*huma.Param{
		queryParam("api_key_id", "only entries of requests with this API key", text),
		queryParam("action", "only entries of this operation, such as createPost", &huma.Schema{Type: huma.TypeString, MaxLength: new(maxAction)}),
		queryParam("post_id", "only entries about this post, which may be deleted", text),
	}, pageParams("entries")...)
}

// auditPage returns the selected entries after the given id that the key may see, and the id
// of the next page's start, empty at the end. It reads at most about
// [storage.ScanLimit] entries.
func (c *request) auditPage(r storage.Reader, filter auditFilter, after string, limit int) (page []schedctl.AuditEntry, next string, err error) {
	for scanned := 0; ; {
		batch, err := r.Audit(c.Key.WorkspaceID, after, maxLimit+1)
		if err != nil {
			return nil, "", err
		}
		for _, e := range batch {
			switch {
			case c.Limited() && e.KeyID != c.Key.ID, !filter.selects(&e):
			case len(page) == limit:
				return page, page[limit-1].ID, nil
			default:
				page = append(page, e)
			}
			after = e.ID
		}
		scanned += len(batch)
		switch {
		case len(batch) <= maxLimit:
			return page, "", nil
		case scanned >= storage.ScanLimit:
			return page, after, nil
		}
	}
}
