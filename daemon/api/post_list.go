package api

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// The page size of lists, and the largest offset.
const (
	defaultLimit = 20
	maxLimit     = 100
	maxOffset    = 100_000
)

var (
	listParams = []string{
		"status", "social_account_id", "publish_after", "publish_before", "q", "external_id", "collection", "queue_id", "series_id", "approval", "created_by", "proposed", "archived", "label", "sort", "limit", "cursor", "offset",
	}
	listSorts = []storage.Sort{storage.NewestFirst, storage.OldestFirst, storage.PublishAscending, storage.PublishDescending}
)

// archivedValues are the values of the parameter archived of GET /posts.
var archivedValues = map[string]storage.Archived{"false": storage.NotArchived, "true": storage.OnlyArchived, "all": ""}

// listPosts handles GET /posts.
func (s *Server) listPosts(ctx context.Context, c *request) (response, error) {
	query, err := c.postQuery()
	if err != nil {
		return response{}, err
	}
	var page storage.PostPage
	var list apiv1.PostList
	var seen []schedctl.Post
	err = s.viewer(c, &query)(ctx, func(r storage.Reader) (err error) {
		if page, err = r.Posts(query); err != nil {
			return err
		}
		seen = slices.DeleteFunc(page.Posts, func(p schedctl.Post) bool { return !c.MaySee(&p) })
		list.Results, err = s.showPosts(r, c, seen...)
		return err
	})
	if err == nil {
		err = s.addAccountWarnings(ctx, c, seen, list.Results)
	}
	waits := false
	for i := 0; i < len(seen) && err == nil; i++ {
		var found bool
		found, err = s.addWaits(ctx, c, &seen[i], refs(list.Results[i].Targets))
		waits = waits || found
	}
	if err != nil {
		return response{}, err
	}
	list.Count = len(list.Results)
	if page.Next != nil {
		list.NextCursor = new(encodeCursor(query, *page.Next))
	}
	answer, err := newResponse(http.StatusOK, list)
	answer.fresh = waits // which end without a commit
	return answer, err
}

// postQuery reads the parameters of GET /posts.
func (c *request) postQuery() (storage.PostQuery, error) {
	q := parseQuery(c.query, listParams, []string{"status", "label"})
	p := storage.PostQuery{
		WorkspaceID:   c.Key.WorkspaceID,
		AccountID:     q.accountID("social_account_id"),
		PublishAfter:  q.time("publish_after"),
		PublishBefore: q.time("publish_before"),
		Search:        q.shortText("q", schedctl.MaxSearch),
		ExternalID:    q.checked("external_id", func(_, id string) error { return schedctl.CheckExternalID(id) }),
		Collection:    q.checked("collection", schedctl.CheckCollection),
		QueueID:       q.objectID("queue_id", schedctl.QueuePrefix),
		SeriesID:      q.objectID("series_id", schedctl.SeriesPrefix),
		CreatedBy:     q.objectID("created_by", schedctl.KeyPrefix),
		Labels:        q.labels("label"),
		Sort:          storage.NewestFirst,
		Limit:         q.number("limit", 1, maxLimit, defaultLimit),
		Offset:        q.number("offset", 0, maxOffset, 0),
	}
	for _, text := range q.values["status"] {
		p.Statuses = append(p.Statuses, oneOf(q, "status", text, schedctl.Statuses()))
	}
	if q.has("approval") {
		p.Approval = oneOf(q, "approval", q.text("approval"), schedctl.ApprovalStates())
	}
	if p.ExternalID == "" {
		p.Archived = storage.NotArchived
	}
	if q.has("archived") {
		p.Archived = archivedValues[oneOf(q, "archived", q.text("archived"), slices.Sorted(maps.Keys(archivedValues)))]
	}
	if q.has("sort") {
		p.Sort = oneOf(q, "sort", q.text("sort"), listSorts)
	}
	if q.has("proposed") {
		p.Proposed = oneOf(q, "proposed", q.text("proposed"), []string{"false", "true"}) == "true"
	}
	if p.Proposed {
		q.refuseProposed(p)
	}
	if q.has("cursor") && q.has("offset") {
		q.refuse("offset", "offset and cursor cannot be combined; use the cursor alone")
	}
	if q.err == nil && q.has("cursor") {
		var err error
		if p.After, err = decodeCursor(p, q.values.Get("cursor")); err != nil {
			q.fail(err)
		}
	}
	return p, q.err
}

// refuseProposed refuses a list with the drafts that propose a time, if it has another order
// than that of the times or parameters that it cannot be combined with.
func (q *query) refuseProposed(p storage.PostQuery) {
	if p.Sort != storage.PublishAscending && p.Sort != storage.PublishDescending {
		q.refuse("proposed", "proposed=true needs sort=publish_at or sort=-publish_at")
	}
	for _, name := range []string{"q", "external_id", "collection", "queue_id", "series_id", "approval", "created_by", "label"} {
		if q.has(name) {
			q.refuse("proposed", "proposed=true and %s cannot be combined", name)
		}
	}
}
