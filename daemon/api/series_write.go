package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// createSeries handles POST /series.
func (s *Server) createSeries(ctx context.Context, c *request, b usecase.SeriesChange) (response, error) {
	return decide(ctx, s, c, func(d *usecase.Decision) (usecase.ChangedSeries, error) { return d.CreateSeries(ctx, b) },
		func(r storage.Reader, c *request, of usecase.ChangedSeries) (response, error) {
			return s.seriesResponse(r, c, http.StatusCreated, of)
		})
}

// editSeries handles PATCH /series/{id}, of all occurrences or from one on.
func (s *Server) editSeries(ctx context.Context, c *request, b usecase.SeriesChange) (response, error) {
	q := parseQuery(c.query, []string{"from"}, nil)
	from := schedctl.LocalTime(q.checked("from", func(field, value string) error {
		_, err := schedctl.ParseLocalTime(field, value)
		return err
	}))
	if q.err != nil {
		return response{}, q.err
	}
	return decide(ctx, s, c, func(d *usecase.Decision) (usecase.ChangedSeries, error) { return d.EditSeries(ctx, b, from) }, s.changedSeries)
}

// deleteSeries handles DELETE /series/{id}.
func (s *Server) deleteSeries(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) { return noContent, c.DeleteSeries(tx) })
}

// changedSeries returns responses with a changed series.
func (s *Server) changedSeries(r storage.Reader, c *request, of usecase.ChangedSeries) (response, error) {
	return s.seriesResponse(r, c, http.StatusOK, of)
}
