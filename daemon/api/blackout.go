package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// listBlackouts handles GET /blackouts.
func (s *Server) listBlackouts(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	list, err := storage.Read(ctx, s.view, func(r storage.Reader) ([]schedctl.Blackout, error) { return r.Blackouts(c.Key.WorkspaceID) })
	if err != nil {
		return response{}, err
	}
	list = slices.DeleteFunc(list, func(b schedctl.Blackout) bool { return !c.MaySeeAll(b.AccountIDs) })
	return newResponse(http.StatusOK, apiv1.BlackoutList{Results: convert(list, apiv1.NewBlackout), Count: len(list)})
}

// getBlackout handles GET /blackouts/{id}.
func (s *Server) getBlackout(ctx context.Context, c *request) (response, error) {
	var out response
	err := s.scan(ctx, c, func(r storage.Reader) error {
		b, err := c.Blackout(r, c.ID)
		if err != nil {
			return err
		}
		scheduled, err := c.ScheduledIn(r, &b)
		if err != nil {
			return err
		}
		out, err = blackoutResponse(http.StatusOK, b, scheduled)
		return err
	})
	return out, err
}

// createBlackout handles POST /blackouts.
func (s *Server) createBlackout(ctx context.Context, c *request, b blackoutChange) (response, error) {
	change, err := c.CreateBlackout(b.apply)
	if err != nil {
		return response{}, err
	}
	if b.DryRun {
		return s.checkBlackout(ctx, c, http.StatusCreated, change)
	}
	return s.storeBlackout(ctx, c, http.StatusCreated, change)
}

// editBlackout handles PATCH /blackouts/{id}.
func (s *Server) editBlackout(ctx context.Context, c *request, b blackoutChange) (response, error) {
	if b.DryRun {
		change, err := storage.Read(ctx, s.view, func(r storage.Reader) (*usecase.BlackoutChange, error) { return c.ChangeBlackout(r, b.apply) })
		if err != nil {
			return response{}, err
		}
		return s.checkBlackout(ctx, c, http.StatusOK, change)
	}
	return s.changeBlackout(ctx, c, http.StatusOK, b.apply)
}

// deleteBlackout handles DELETE /blackouts/{id}.
func (s *Server) deleteBlackout(ctx context.Context, c *request) (response, error) {
	return s.changeBlackout(ctx, c, http.StatusNoContent, nil)
}

// changeBlackout plans and stores a change until the blackout does not change in between.
func (s *Server) changeBlackout(ctx context.Context, c *request, status int, set func(*schedctl.Blackout)) (response, error) {
	for {
		change, err := storage.Read(ctx, s.view, func(r storage.Reader) (*usecase.BlackoutChange, error) { return c.ChangeBlackout(r, set) })
		if err != nil {
			return response{}, err
		}
		out, err := s.storeBlackout(ctx, c, status, change)
		if !errors.Is(err, usecase.ErrBlackoutChanged) {
			return out, err
		}
	}
}

// checkBlackout returns the response to a change that is not stored.
func (s *Server) checkBlackout(ctx context.Context, c *request, status int, change *usecase.BlackoutChange) (response, error) {
	return storage.Read(ctx, s.scanner(c), func(r storage.Reader) (response, error) {
		b, scheduled, err := change.Check(r)
		if err != nil {
			return response{}, err
		}
		out, err := blackoutResponse(status, b, scheduled)
		out.created, out.location = "", ""
		return out, err
	})
}

// storeBlackout stores a change. If it releases more posts than one transaction may move,
// earlier ones move the first.
func (s *Server) storeBlackout(ctx context.Context, c *request, status int, change *usecase.BlackoutChange) (response, error) {
	var scheduled []string
	if status != http.StatusNoContent {
		var err error
		if scheduled, err = storage.Read(ctx, s.scanner(c), change.Scheduled); err != nil {
			return response{}, err
		}
	}
	for {
		out, err := s.commit(ctx, c, func(tx storage.Tx) (response, error) {
			b, err := change.Store(tx)
			if err != nil || b == nil {
				return noContent, err
			}
			return blackoutResponse(status, *b, scheduled)
		})
		if !errors.Is(err, slots.ErrMoreHeld) {
			return out, err
		}
		if err := s.store.Update(ctx, change.Release); err != nil {
			return response{}, storeError(err, "the daemon could not move all posts that the blackout held; repeat the request")
		}
		change.Released()
	}
}

// blackoutResponse returns a response with a blackout, its ETag and the posts in its
// period.
func blackoutResponse(status int, b schedctl.Blackout, scheduled []string) (response, error) {
	a, err := newResponse(status, apiv1.BlackoutEnvelope{Blackout: apiv1.NewBlackout(b), Scheduled: scheduled})
	a.etag, a.fresh = versionTag(b.Version), true // a post in the period may change alone
	if status == http.StatusCreated {
		a.created, a.location = b.ID, prefix+"/blackouts/"+b.ID
	}
	return a, err
}
