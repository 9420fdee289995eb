package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// createSeries handles POST /series.
func (s *Server) createSeries(ctx context.Context, c *request, b seriesChange) (response, error) {
	return s.decideSeries(ctx, c, http.StatusCreated, func(d *usecase.Decision) (usecase.ChangedSeries, error) { return d.CreateSeries(ctx, b.request()) })
}

// editSeries handles PATCH /series/{id}, of all occurrences or from one on.
func (s *Server) editSeries(ctx context.Context, c *request, b seriesChange) (response, error) {
	q := parseQuery(c.query, []string{"from"}, nil)
	from := schedctl.LocalTime(q.checked("from", func(field, value string) error {
		_, err := schedctl.ParseLocalTime(field, value)
		return err
	}))
	if q.err != nil {
		return response{}, q.err
	}
	return s.decideSeries(ctx, c, http.StatusOK, func(d *usecase.Decision) (usecase.ChangedSeries, error) { return d.EditSeries(ctx, b.request(), from) })
}

// decideSeries is decide for a series.
func (s *Server) decideSeries(ctx context.Context, c *request, status int, change func(*usecase.Decision) (usecase.ChangedSeries, error)) (response, error) {
	return decide(ctx, s, c, change, func(r storage.Reader, of usecase.ChangedSeries) (response, error) {
		return s.seriesResponse(r, c, status, of)
	})
}

// request returns the change of the body.
func (b *seriesChange) request() usecase.SeriesChange {
	return usecase.SeriesChange{
		Name: b.name, ContentChange: b.ContentChange, SetContent: b.over, MediaField: b.mediaField, Variants: b.variants, AccountIDs: b.accountIDs,
		Overrides: b.overrides, Annotation: b.Annotation, Timezone: b.timezone, Start: b.start, Rule: b.rule, Exdates: b.exdates,
		AheadDays: b.aheadDays, QueueID: b.queueID,
	}
}

// deleteSeries handles DELETE /series/{id}.
func (s *Server) deleteSeries(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) { return noContent, c.DeleteSeries(tx) })
}

// commitSeries returns the handler of an operation on the series of the path.
func (s *Server) commitSeries(change func(*usecase.Request, storage.Tx) (usecase.ChangedSeries, error)) handler {
	return func(ctx context.Context, c *request) (response, error) {
		return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
			changed, err := change(&c.Request, tx)
			if err != nil {
				return response{}, err
			}
			return s.seriesResponse(tx, c, http.StatusOK, changed)
		})
	}
}

// commitSeriesWith is commitSeries for an operation with a body.
func commitSeriesWith[B any](s *Server, change func(*usecase.Request, storage.Tx, B) (usecase.ChangedSeries, error)) func(context.Context, *request, B) (response, error) {
	return func(ctx context.Context, c *request, b B) (response, error) {
		return s.commitSeries(func(r *usecase.Request, tx storage.Tx) (usecase.ChangedSeries, error) { return change(r, tx, b) })(ctx, c)
	}
}
