package api

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/storage"
)

// readReviewNote reads the body of a step in the review of a series.
func readReviewNote(d *decoder) (note string) {
	d.object([]string{"note"}, func(string) { note = d.optionalString() })
	return note
}

// submitSeries handles POST /series/{id}/submit.
func (s *Server) submitSeries(ctx context.Context, c *request, note string) (response, error) {
	return s.changeSeries(ctx, c, func(tx storage.Tx, one *schedctl.Series) ([]string, error) {
		if err := one.Submit(c.Key.Actor(), note, c.Now); err != nil {
			return nil, err
		}
		return nil, tx.PutSeries(*one)
	})
}

// approveSeries handles POST /series/{id}/approve.
func (s *Server) approveSeries(ctx context.Context, c *request, note string) (response, error) {
	return s.changeSeries(ctx, c, func(tx storage.Tx, one *schedctl.Series) ([]string, error) {
		c.decides(&one.Template)
		return nil, series.Approve(tx, one, schedctl.Decision{By: c.Key.Actor(), Note: note}, c.sweep())
	})
}

// requestSeriesChanges handles POST /series/{id}/request-changes.
func (s *Server) requestSeriesChanges(ctx context.Context, c *request, b requestChanges) (response, error) {
	return s.changeSeries(ctx, c, func(tx storage.Tx, one *schedctl.Series) ([]string, error) {
		c.decides(&one.Template)
		if err := one.Decide(schedctl.ApprovalChangesRequested, schedctl.Decision{By: c.Key.Actor(), Note: b.note}, c.Now); err != nil {
			return nil, err
		}
		return nil, tx.PutSeries(*one)
	})
}

// withdrawSeries handles POST /series/{id}/withdraw.
func (s *Server) withdrawSeries(ctx context.Context, c *request) (response, error) {
	return s.changeSeries(ctx, c, func(tx storage.Tx, one *schedctl.Series) ([]string, error) {
		if err := one.Withdraw(c.Now); err != nil {
			return nil, err
		}
		return nil, tx.PutSeries(*one)
	})
}
