package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/duplicate"
	"github.com/schedctl/schedctl/daemon/series"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// getPost handles GET /posts/{id}.
func (s *Server) getPost(ctx context.Context, c *request) (response, error) {
	var post schedctl.Post
	var assets []schedctl.MediaAsset
	err := s.view(ctx, func(r storage.Reader) (err error) {
		if post, err = c.post(r); err != nil {
			return err
		}
		assets, err = s.assetsOf(r, &post)
		return err
	})
	if err != nil {
		return response{}, err
	}
	wire := apiv1.NewPost(post, assets...)
	waits, err := s.addWaits(ctx, c, &post, refs(wire.Targets))
	if err != nil {
		return response{}, err
	}
	a, err := envelopeWire(http.StatusOK, wire)
	a.fresh = waits
	return a, err
}

// createPost handles POST /posts. The transaction contains only the writes. If an
// account is disconnected between the checks and the commit, the post ends up as if
// the account had been disconnected right after the commit.
func (s *Server) createPost(ctx context.Context, c *request, b createPost) (response, error) {
	if c.draftsOnly() && b.publishAt.schedules() {
		return response{}, errDraftsOnly
	}
	if c.draftsOnly() && b.replaces != "" {
		return response{}, errDraftsOnly
	}
	if err := b.mayReview(&c.Key); err != nil {
		return response{}, err
	}
	c.Detail = b.approvedBy
	if err := s.refuseExisting(ctx, c, &b); err != nil {
		return response{}, err
	}
	accounts, err := s.createAccounts(ctx, c, b.accountIDs)
	if err != nil {
		return response{}, err
	}
	for {
		var wanted slots.Request
		if b.publishAt.nextSlot {
			if wanted, err = s.previewSlot(ctx, c, &b); err != nil {
				return response{}, err
			}
		}
		a, err := s.storePost(ctx, c, b, accounts, wanted)
		if !errors.Is(err, slots.ErrQueueGone) {
			return a, err
		}
	}
}

// storePost checks and stores a new post. A post with publish_at "next-slot" takes the
// wanted slot in the transaction.
func (s *Server) storePost(ctx context.Context, c *request, b createPost, accounts []schedctl.Account, wanted slots.Request) (response, error) {
	checks := s.newContentChecks()
	if err := s.attachNew(ctx, c, &b, checks); err != nil {
		return response{}, err
	}
	fresh := b.newPost(c.Key.WorkspaceID, accounts)
	if err := checkStyle(b.Style, fresh.Text, fresh.Media, checks.assets); err != nil {
		return response{}, err
	}
	post, events, err := schedctl.Create(fresh, c.Now)
	if err != nil {
		return response{}, err
	}
	if post.Status() != schedctl.Draft {
		if err := post.StartedBy(b.by, accounts, c.Now); err != nil {
			return response{}, err
		}
	}
	if err := s.refuseNewInBlackout(ctx, c, &b, accounts); err != nil {
		return response{}, err
	}
	if err := checks.ready(&post); err != nil {
		return response{}, err
	}
	if err := s.checkContent(ctx, checks, &post, accounts, b.overrides); err != nil {
		return response{}, storeError(err, "the request ended before its text was checked; the post was not stored")
	}
	created, err := envelopePost(http.StatusCreated, post, checks.assets)
	if err != nil {
		return response{}, err
	}
	guarded := !b.allowDuplicate && duplicate.Any(accounts)
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		post, events, created, err := post, events, created, error(nil)
		if err := c.takeExternalID(tx, &b); err != nil {
			return response{}, err
		}
		if b.publishAt.nextSlot {
			if post, events, err = c.createInSlot(tx, b, wanted, accounts); err != nil {
				return response{}, err
			}
			if created, err = envelopePost(http.StatusCreated, post, checks.assets); err != nil {
				return response{}, err
			}
		}
		if guarded {
			if err := duplicate.Refuse(tx, &post, accounts); err != nil {
				return response{}, err
			}
		}
		if err := s.assetsStay(tx, c, &b); err != nil {
			return response{}, err
		}
		return created, errors.Join(tx.PutPost(post), tx.AddEvents(renumber(events, c.Now)...))
	})
}

// attachNew attaches the media of a new post, and reads their assets.
func (s *Server) attachNew(ctx context.Context, c *request, b *createPost, checks *contentChecks) error {
	if !b.usesMedia() {
		return nil
	}
	return s.view(ctx, func(r storage.Reader) (err error) {
		if *b, err = s.attacher(r, c.Key.WorkspaceID).body(*b); err != nil {
			return err
		}
		shown := b.shown(c.Key.WorkspaceID)
		return checks.readAssets(r, &shown)
	})
}

// assetsStay returns an error if an asset of a new post was deleted since it was
// attached.
func (s *Server) assetsStay(tx storage.Tx, c *request, b *createPost) error {
	if !b.usesMedia() {
		return nil
	}
	_, err := s.attacher(tx, c.Key.WorkspaceID).body(*b)
	return err
}

// createAccounts resolves the accounts of a new post; a draft may have none. They
// must not be written to.
func (s *Server) createAccounts(ctx context.Context, c *request, ids []string) ([]schedctl.Account, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return c.FindAccounts(ids, func(id string) (schedctl.Account, error) { return s.recentAccount(ctx, c, id) })
}

// renumber gives the events new ids. Events that were created before their
// transaction get their ids inside it, so that ids are in commit order and a reader
// that continues after the last id misses no event.
func renumber(events []schedctl.Event, now time.Time) []schedctl.Event {
	for i := range events {
		events[i].ID = schedctl.NewID(schedctl.EventPrefix, now)
	}
	return events
}

// deletePost handles DELETE /posts/{id}.
func (s *Server) deletePost(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		post, err := c.post(tx)
		if err != nil {
			return response{}, err
		}
		if err := c.Expected.Check("post", post.Version); err != nil {
			return response{}, err
		}
		if err := post.CheckDelete(); err != nil {
			return response{}, err
		}
		return noContent, errors.Join(series.LeaveOut(tx, &post, c.Now), tx.DeletePost(c.Key.WorkspaceID, c.ID))
	})
}
