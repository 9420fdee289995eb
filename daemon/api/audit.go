package api

import (
	"cmp"
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// auditEntry tells of the write that is answered with a. It is made in the
// transaction of the write, so that ids are in the order of commits.
func (c *call) auditEntry(a *answer) schedctl.AuditEntry {
	return schedctl.AuditEntry{
		ID: schedctl.NewID(schedctl.AuditPrefix, c.now), WorkspaceID: c.key.WorkspaceID, At: schedctl.Millis(c.now),
		KeyID: c.key.ID, KeyName: c.key.Name, RemoteAddr: remoteAddress(c.remote),
		Action: c.action, ResourceID: cmp.Or(c.id, a.created), RequestID: c.requestID,
	}
}

// pageParams describes the query of a list in order of ids.
func pageParams(entries string) []*huma.Param {
	return []*huma.Param{
		queryParam("limit", entries+" on a page", &huma.Schema{
			Type: huma.TypeInteger, Minimum: ptr(1.0), Maximum: ptr(float64(maxLimit)), Default: defaultLimit,
		}),
		queryParam("cursor", "next_cursor of the page before", &huma.Schema{Type: huma.TypeString}),
	}
}

// listAudit answers GET /audit.
func (s *Server) listAudit(ctx context.Context, c *call) (answer, error) {
	list := idList{prefix: schedctl.AuditPrefix, of: "audit " + c.key.WorkspaceID}
	q := parseQuery(c.query, []string{"limit", "cursor"}, nil)
	limit, after := q.number("limit", 1, maxLimit, defaultLimit), ""
	if q.err == nil && q.has("cursor") {
		after, q.err = list.position(q.values.Get("cursor"))
	}
	if q.err != nil {
		return answer{}, q.err
	}
	var entries []schedctl.AuditEntry
	err := s.view(ctx, func(r storage.Reader) (err error) {
		entries, err = r.Audit(c.key.WorkspaceID, after, limit+1)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	page := apiv1.AuditList{Results: []apiv1.AuditEntry{}}
	if len(entries) > limit {
		entries = entries[:limit]
		page.NextCursor = ptr(list.cursor(entries[limit-1].ID))
	}
	for _, e := range entries {
		page.Results = append(page.Results, apiv1.NewAuditEntry(e))
	}
	page.Count = len(page.Results)
	return newAnswer(http.StatusOK, page)
}
