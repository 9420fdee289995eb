package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/storage"
)

// createSeries handles POST /series. Texts are checked on a snapshot, as in
// changeFitting.
func (s *Server) createSeries(ctx context.Context, c *request, b seriesChange) (response, error) {
	now := schedctl.Millis(c.Now)
	fresh := schedctl.Series{
		ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: c.Key.WorkspaceID, State: schedctl.SeriesActive,
		AheadDays: schedctl.DefaultAheadDays, CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	var names seriesNames
	prepare := func(r storage.Reader, known *contentChecks) (schedctl.Series, error) {
		next := fresh
		if err := c.refuseTakenSeries(r, &b, &next); err != nil {
			return next, err
		}
		accounts, err := s.applySeries(r, c, &b, &next)
		if err != nil {
			return next, err
		}
		if err := names.check(r, &next); err != nil {
			return next, err
		}
		next.Template.EditorID = c.Key.ID
		next.StartedBy(c.Key.Actor())
		return next, s.checkSeries(ctx, r, c, &next, accounts, known)
	}
	return s.commitSeries(ctx, c, prepare, func(tx storage.Tx, next schedctl.Series) (response, error) {
		loc, err := schedctl.LoadZone("timezone", next.Timezone)
		if err != nil {
			return response{}, err
		}
		next.Cursor = schedctl.LastPassed(c.Now, loc)
		if err := series.Make(tx, &next, c.sweep()); err != nil {
			return response{}, err
		}
		return s.seriesResponse(tx, c, http.StatusCreated, changedSeries{series: next})
	})
}

// sweep returns how requests make occurrences. The planner decides occurrences that have passed.
func (c *request) sweep() series.Sweep { return series.Sweep{Now: c.Now} }

// commitSeries prepares a series on a snapshot, where its texts are measured, and then
// again in the transaction that stores it. If the transaction finds a text that was not
// measured, both are repeated.
func (s *Server) commitSeries(ctx context.Context, c *request,
	prepare func(storage.Reader, *contentChecks) (schedctl.Series, error), store func(storage.Tx, schedctl.Series) (response, error),
) (response, error) {
	known := s.newContentChecks()
	for {
		known.frozen = false
		err := s.view(ctx, func(r storage.Reader) error {
			_, err := prepare(r, known)
			return err
		})
		if err != nil {
			return response{}, storeError(err, "the request ended before its texts were checked; nothing was stored")
		}
		known.frozen = true
		a, err := s.commit(ctx, c, func(tx storage.Tx) (response, error) {
			next, err := prepare(tx, known)
			if err != nil {
				return response{}, err
			}
			return store(tx, next)
		})
		if !errors.Is(err, errUnmeasured) {
			return a, err
		}
	}
}

// refuseTakenSeries returns EXTERNAL_ID_EXISTS when another series has the external id of
// the change. It names the series only to a key that may see it.
func (c *request) refuseTakenSeries(r storage.Reader, b *seriesChange, to *schedctl.Series) error {
	if b.ExternalID == nil || *b.ExternalID == "" || to.ExternalID != "" {
		return nil
	}
	existing, err := r.SeriesByExternalID(c.Key.WorkspaceID, *b.ExternalID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	refusal := schedctl.Errorf(schedctl.ExternalIDExists, "external_id", "another series has this external_id; read that series, or give another external_id")
	if !c.MaySee(&existing.Template) {
		refusal.Field = ""
		return refusal
	}
	refusal.Details = []schedctl.FieldError{{Field: "external_id", Code: schedctl.ExternalIDExists, Message: existing.ID}}
	return &locatedError{location: prefix + "/series/" + existing.ID, refusal: refusal}
}

// seriesNames are the names of a workspace's series that have not ended. They are read
// once for a request; later reads only add newer series.
type seriesNames struct {
	ids    map[string]string // by name
	newest string
}

// check returns VALIDATION_FAILED for the name of another series that has not ended, and
// for one series more than a workspace can have.
func (n *seriesNames) check(r storage.Reader, s *schedctl.Series) error {
	if err := n.read(r, s.WorkspaceID); err != nil {
		return err
	}
	if id, taken := n.ids[s.Name]; taken && id != s.ID {
		return schedctl.Errorf(schedctl.ValidationFailed, "name", "another series has the name %q; choose another one", s.Name)
	}
	if len(n.ids) >= schedctl.MaxSeries {
		return schedctl.Errorf(schedctl.ValidationFailed, "", "this workspace has %d series that have not ended, which is the limit; end one with POST %s/series/{id}/end", len(n.ids), prefix)
	}
	return nil
}

func (n *seriesNames) read(r storage.Reader, workspaceID string) error {
	if n.ids == nil {
		n.ids = map[string]string{}
	}
	known, after := n.newest, ""
	for {
		page, err := r.SeriesList(workspaceID, after, maxLimit)
		if err != nil {
			return err
		}
		for i := range page {
			one := &page[i]
			if one.ID == known {
				return nil
			}
			if after == "" && i == 0 {
				n.newest = one.ID
			}
			if one.State != schedctl.SeriesEnded {
				n.ids[one.Name] = one.ID
			}
		}
		if len(page) < maxLimit {
			return nil
		}
		after = page[len(page)-1].ID
	}
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
	var before schedctl.Series
	var names seriesNames
	prepare := func(r storage.Reader, known *contentChecks) (next schedctl.Series, err error) {
		if before, err = c.changeableSeries(r); err != nil {
			return next, err
		}
		if next, err = b.base(&before, from, c); err != nil {
			return next, err
		}
		if err := c.refuseTakenSeries(r, &b, &next); err != nil {
			return next, err
		}
		accounts, err := s.applySeries(r, c, &b, &next)
		if err != nil {
			return next, err
		}
		next.Edited(&before, c.Key.Actor(), c.Now)
		if next.Name != before.Name {
			if err := names.check(r, &next); err != nil {
				return next, err
			}
		}
		if !b.changesPosts() {
			return next, nil
		}
		return next, s.checkSeries(ctx, r, c, &next, accounts, known)
	}
	return s.commitSeries(ctx, c, prepare, func(tx storage.Tx, next schedctl.Series) (response, error) {
		changed, err := storeEdit(tx, c, &b, before, next, from)
		if err != nil {
			return response{}, err
		}
		return s.seriesResponse(tx, c, http.StatusOK, changed)
	})
}

// base returns the series that a change starts from: the one before it, or a new one that
// continues it.
func (b *seriesChange) base(before *schedctl.Series, from schedctl.LocalTime, c *request) (schedctl.Series, error) {
	if from != "" {
		return series.Continue(before, from, c.Now)
	}
	if before.State == schedctl.SeriesEnded && (b.changesPosts() || b.changesTimes() || b.name != nil || b.Labels != nil) {
		return schedctl.Series{}, errSeriesEnded
	}
	return before.Clone(), nil
}

var errSeriesEnded = schedctl.Errorf(schedctl.SeriesIsOver, "", "the series has ended and does not change any more; create a new one")

// storeEdit stores an edited series with its posts. A change that changes nothing stores
// nothing.
func storeEdit(tx storage.Tx, c *request, b *seriesChange, before, next schedctl.Series, from schedctl.LocalTime) (changed changedSeries, err error) {
	if from != "" {
		changed.kept, err = series.EditFrom(tx, &before, &next, from, c.sweep())
		changed.series, changed.previous = next, &before
		return changed, err
	}
	if reflect.DeepEqual(apiv1.NewSeries(before), apiv1.NewSeries(next)) {
		return changedSeries{series: before}, nil
	}
	if !b.changesPosts() && !b.changesTimes() && b.Labels == nil {
		next.UpdatedAt = schedctl.Millis(c.Now)
		next.Version++
		return changedSeries{series: next}, tx.PutSeries(next)
	}
	changed.kept, err = series.Edit(tx, &before, &next, c.sweep())
	changed.series = next
	return changed, err
}

// deleteSeries handles DELETE /series/{id}.
func (s *Server) deleteSeries(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		one, err := c.changeableSeries(tx)
		if err != nil {
			return response{}, err
		}
		return noContent, series.Delete(tx, &one, c.Now)
	})
}

// changeSeries applies a change to the series of the path, and stores the response.
func (s *Server) changeSeries(ctx context.Context, c *request, change func(storage.Tx, *schedctl.Series) (kept []string, err error)) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		one, err := c.changeableSeries(tx)
		if err != nil {
			return response{}, err
		}
		kept, err := change(tx, &one)
		if err != nil {
			return response{}, err
		}
		return s.seriesResponse(tx, c, http.StatusOK, changedSeries{series: one, kept: kept})
	})
}

// skipOccurrence handles POST /series/{id}/skip.
func (s *Server) skipOccurrence(ctx context.Context, c *request, occurrence schedctl.LocalTime) (response, error) {
	return s.changeSeries(ctx, c, func(tx storage.Tx, one *schedctl.Series) ([]string, error) {
		return nil, series.Skip(tx, one, occurrence, c.sweep())
	})
}

// pauseSeries handles POST /series/{id}/pause.
func (s *Server) pauseSeries(ctx context.Context, c *request) (response, error) {
	return s.changeSeries(ctx, c, func(tx storage.Tx, one *schedctl.Series) ([]string, error) {
		return series.Pause(tx, one, c.Now)
	})
}

// resumeSeries handles POST /series/{id}/resume.
func (s *Server) resumeSeries(ctx context.Context, c *request) (response, error) {
	return s.changeSeries(ctx, c, func(tx storage.Tx, one *schedctl.Series) ([]string, error) {
		one.StartedBy(c.Key.Actor())
		return nil, series.Resume(tx, one, c.sweep())
	})
}

// endSeries handles POST /series/{id}/end.
func (s *Server) endSeries(ctx context.Context, c *request) (response, error) {
	return s.changeSeries(ctx, c, func(tx storage.Tx, one *schedctl.Series) ([]string, error) {
		return series.End(tx, one, c.Now)
	})
}
