package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/recurrence"
	"github.com/schedctl/schedctl/storage"
)

// listSeries handles GET /series.
func (s *Server) listSeries(ctx context.Context, c *request) (response, error) {
	list := idList{prefix: schedctl.SeriesPrefix, of: "series " + c.Key.WorkspaceID}
	query, err := c.seriesQuery(list)
	if err != nil {
		return response{}, err
	}
	page := apiv1.SeriesList{Results: []apiv1.Series{}}
	err = s.scan(ctx, c, func(r storage.Reader) error {
		page.Results, page.NextCursor = page.Results[:0], nil
		found, last, err := query.page(r)
		if err != nil {
			return err
		}
		if last != "" {
			page.NextCursor = new(list.cursor(last))
		}
		for i := range found {
			if !c.MaySee(&found[i].Template) {
				continue
			}
			shown, err := s.showSeries(r, c, found[i])
			if err != nil {
				return err
			}
			page.Results = append(page.Results, shown)
		}
		return nil
	})
	if err != nil {
		return response{}, err
	}
	page.Count = len(page.Results)
	return newResponse(http.StatusOK, page)
}

// seriesQuery selects a page of series.
type seriesQuery struct {
	workspaceID string
	externalID  string                 // empty for all
	approval    schedctl.ApprovalState // of the last review; empty for all
	createdBy   string                 // an API key; empty for all
	after       string                 // the id of the last series that the page before has read
	limit       int
}

// maxSeriesRead is about how many series a page reads to find those with an approval or an author. Such
// a page can be short, and still have a cursor.
const maxSeriesRead = 1000

func (c *request) seriesQuery(list idList) (seriesQuery, error) {
	q := parseQuery(c.query, []string{"external_id", "approval", "created_by", "limit", "cursor"}, nil)
	query := seriesQuery{
		workspaceID: c.Key.WorkspaceID,
		externalID:  q.checked("external_id", func(_, id string) error { return schedctl.CheckExternalID(id) }),
		createdBy:   q.objectID("created_by", schedctl.KeyPrefix),
		limit:       q.number("limit", 1, maxLimit, defaultLimit),
	}
	if q.has("approval") {
		query.approval = oneOf(q, "approval", q.text("approval"), schedctl.ApprovalStates())
	}
	if q.err == nil && q.has("cursor") {
		query.after, q.err = list.position(q.values.Get("cursor"))
	}
	return query, q.err
}

// page returns the series of the page. last is the id of the last one that was read, or
// empty at the end of the list.
func (q *seriesQuery) page(r storage.Reader) (found []schedctl.Series, last string, err error) {
	if q.externalID != "" {
		one, err := r.SeriesByExternalID(q.workspaceID, q.externalID)
		if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && !q.selects(&one) {
			return nil, "", nil
		}
		return []schedctl.Series{one}, "", err
	}
	size := q.limit + 1
	if q.approval != "" || q.createdBy != "" {
		size = maxLimit + 1
	}
	last = q.after
	for read := 0; read < maxSeriesRead; read += size {
		list, err := r.SeriesList(q.workspaceID, last, size)
		if err != nil {
			return nil, "", err
		}
		for i := range list {
			if q.selects(&list[i]) {
				if len(found) == q.limit {
					return found, last, nil
				}
				found = append(found, list[i])
			}
			last = list[i].ID
		}
		if len(list) < size {
			return found, "", nil
		}
	}
	return found, last, nil
}

// selects reports whether a series has the approval and the author of the query.
func (q *seriesQuery) selects(one *schedctl.Series) bool {
	a := one.Template.Approval
	return (q.approval == "" || a != nil && a.State == q.approval) && (q.createdBy == "" || one.Template.CreatedBy == q.createdBy)
}

// getSeries handles GET /series/{id}.
func (s *Server) getSeries(ctx context.Context, c *request) (a response, err error) {
	err = s.view(ctx, func(r storage.Reader) error {
		one, err := c.Series(r)
		if err != nil {
			return err
		}
		a, err = s.seriesResponse(r, c, http.StatusOK, usecase.ChangedSeries{Series: one})
		return err
	})
	return a, err
}

// seriesResponse returns a response with a series and its ETag.
func (s *Server) seriesResponse(r storage.Reader, c *request, status int, of usecase.ChangedSeries) (response, error) {
	envelope := apiv1.SeriesEnvelope{Kept: append([]string{}, of.Kept...)}
	var err error
	if envelope.Series, err = s.showSeries(r, c, of.Series); err != nil {
		return response{}, err
	}
	if of.Previous != nil {
		previous, err := s.showSeries(r, c, *of.Previous)
		if err != nil {
			return response{}, err
		}
		envelope.Previous = &previous
	}
	a, err := newResponse(status, envelope)
	a.etag = versionTag(of.Version)
	if status == http.StatusCreated {
		a.created, a.location = of.ID, prefix+"/series/"+of.ID
	}
	return a, err
}

// showSeries returns the wire form of a series. Between two sweeps, the next time follows
// from the rule.
func (s *Server) showSeries(r storage.Reader, c *request, one schedctl.Series) (apiv1.Series, error) {
	asked := one.Template.Approval != nil // a reviewer sees what an approval would start
	if one.State == schedctl.SeriesActive && !one.NextAt.After(c.Now) && (asked || !one.Waits()) {
		one.NextAt = usecase.NextOccurrence(&one, c.Now)
	}
	wire := apiv1.NewSeries(one)
	var err error
	wire.Authors, err = s.authors(r, c, one.Template.Trail, nil)
	return wire, err
}

// previewed is how many occurrences a preview shows.
const previewed = 10

// previewSeries handles POST /series/preview.
func (s *Server) previewSeries(_ context.Context, c *request, b apiv1.PreviewSeries) (response, error) {
	loc, err := schedctl.LoadZone("timezone", b.Timezone)
	if err != nil {
		return response{}, usecase.ClipError(err)
	}
	rule, hints, err := recurrence.Parse(b.Rule, schedctl.LocalTime(b.Start), loc)
	if err != nil {
		return response{}, err
	}
	skipped := make(map[schedctl.LocalTime]bool, len(b.Exdates))
	for _, local := range b.Exdates {
		skipped[schedctl.LocalTime(local)] = true
	}
	preview := apiv1.SeriesPreview{Results: []apiv1.PreviewedOccurrence{}, Hints: append([]string{}, hints...)}
	for local := range rule.From(schedctl.LocalTimeOf(c.Now.In(loc))) {
		at, note := local.In(loc)
		if skipped[local] || !at.After(c.Now) {
			continue
		}
		preview.Results = append(preview.Results, apiv1.PreviewedOccurrence{Occurrence: string(local), At: *apiv1.NewTime(at), Note: note})
		if len(preview.Results) == previewed {
			break
		}
	}
	return newResponse(http.StatusOK, preview)
}
