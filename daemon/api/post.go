package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
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
	return envelopePost(http.StatusOK, post, assets)
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
	if err := s.refuseExisting(ctx, c, &b); err != nil {
		return response{}, err
	}
	accounts, err := s.createAccounts(ctx, c, b.accountIDs)
	if err != nil {
		return response{}, err
	}
	checks := s.newContentChecks()
	if err := s.attachNew(ctx, c, &b, checks); err != nil {
		return response{}, err
	}
	if err := checkStyle(b.Style, b.content, b.media, checks.assets); err != nil {
		return response{}, err
	}
	post, events, err := schedctl.Create(b.newPost(c.key.WorkspaceID, accounts), c.now)
	if err != nil {
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
	guarded := !b.allowDuplicate && anyDuplicateGuard(accounts)
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		if err := c.takeExternalID(tx, &b); err != nil {
			return response{}, err
		}
		if guarded {
			if err := refuseDuplicates(tx, &post, accounts); err != nil {
				return response{}, err
			}
		}
		if err := s.assetsStay(tx, c, &b); err != nil {
			return response{}, err
		}
		return created, errors.Join(tx.PutPost(post), tx.AddEvents(renumber(events, c.now)...))
	})
}

// attachNew attaches the media of a new post, and reads their assets.
func (s *Server) attachNew(ctx context.Context, c *request, b *createPost, checks *contentChecks) error {
	if !b.usesMedia() {
		return nil
	}
	return s.view(ctx, func(r storage.Reader) (err error) {
		if *b, err = s.attacher(r, c.key.WorkspaceID).body(*b); err != nil {
			return err
		}
		shown := b.shown(c.key.WorkspaceID)
		return checks.readAssets(r, &shown)
	})
}

// assetsStay returns an error if an asset of a new post was deleted since it was
// attached.
func (s *Server) assetsStay(tx storage.Tx, c *request, b *createPost) error {
	if !b.usesMedia() {
		return nil
	}
	_, err := s.attacher(tx, c.key.WorkspaceID).body(*b)
	return err
}

// createAccounts resolves the accounts of a new post; a draft may have none. They
// must not be written to.
func (s *Server) createAccounts(ctx context.Context, c *request, ids []string) ([]schedctl.Account, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return c.findAccounts(func(id string) (schedctl.Account, error) { return s.recentAccount(ctx, c, id) }, ids)
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

// editPost handles PATCH /posts/{id}.
func (s *Server) editPost(ctx context.Context, c *request, b editPost) (response, error) {
	if c.draftsOnly() && b.publishAt.schedules() {
		return response{}, errDraftsOnly
	}
	edit := schedctl.Edit{Content: b.content, Media: b.media, Overrides: b.overrides, PublishAt: b.publishAt.at, Annotation: b.Annotation}
	b.extras.edit(&edit)
	op := edit.Operation()
	if b.accountIDs != nil || b.publishAt.given {
		op = schedctl.OpEdit
	}
	return s.changeFitting(ctx, c, http.StatusOK, op, func(r storage.Reader, p *schedctl.Post, known *contentChecks) ([]schedctl.Event, error) {
		if c.draftsOnly() && p.Status() != schedctl.Draft {
			return nil, errDraftsOnly
		}
		if b.publishAt.null && p.Status() == schedctl.Scheduled {
			return nil, schedctl.Errorf(schedctl.InvalidPublishAt, "publish_at", "a scheduled post needs a time; give a new time, or cancel the post")
		}
		accounts, err := c.editAccounts(r, p, b)
		if err != nil {
			return nil, err
		}
		if err := c.refuseTaken(r, p, b.ExternalID); err != nil {
			return nil, err
		}
		change := edit
		change.Accounts = accounts
		if err := s.attachEdit(r, c, &b, &change); err != nil {
			return nil, err
		}
		events, err := p.Edit(change, c.now)
		if err == nil && b.Style != nil {
			err = s.checkStyleOf(r, p)
		}
		if err != nil || len(events) == 0 {
			return events, err
		}
		return events, s.checkChanged(ctx, r, p, changeOptions{change.Overrides, b.allowDuplicate}, known)
	})
}

// checkStyleOf is checkStyle for the style of a changed post.
func (s *Server) checkStyleOf(r storage.Reader, p *schedctl.Post) error {
	assets, err := s.assetsOf(r, p)
	if err != nil {
		return err
	}
	return checkStyle(&p.Style, p.Content, p.Media, assets)
}

// attachEdit sets the fields of an edit that have media, with the hashes of their assets.
func (s *Server) attachEdit(r storage.Reader, c *request, b *editPost, change *schedctl.Edit) error {
	attach := s.attacher(r, c.key.WorkspaceID)
	if b.media != nil {
		list, err := attach(b.mediaField, *b.media)
		if err != nil {
			return err
		}
		change.Media = &list
	}
	if b.overrides != nil {
		list, err := attach.overrides(*b.overrides)
		if err != nil {
			return err
		}
		change.Overrides = &list
	}
	attached, err := attach.extras(b.extras)
	attached.edit(change)
	return err
}

// editAccounts resolves the accounts of an edited post, nil when they stay.
func (c *request) editAccounts(r storage.Reader, p *schedctl.Post, b editPost) (*[]schedctl.Account, error) {
	if b.publishAt.schedules() {
		return c.launchAccounts(r, p, b.accountIDs)
	}
	return c.accountList(r, b.accountIDs)
}

// schedulePost handles POST /posts/{id}/schedule.
func (s *Server) schedulePost(ctx context.Context, c *request, b schedulePost) (response, error) {
	return s.changeFitting(ctx, c, http.StatusOK, schedctl.OpSchedule, func(r storage.Reader, p *schedctl.Post, known *contentChecks) ([]schedctl.Event, error) {
		accounts, err := c.launchAccounts(r, p, b.accountIDs)
		if err != nil {
			return nil, err
		}
		events, err := p.Schedule(b.publishAt.at, accounts, c.now)
		if err != nil {
			return nil, err
		}
		return events, s.checkChanged(ctx, r, p, changeOptions{allowDuplicate: b.allowDuplicate}, known)
	})
}

// publishPost handles POST /posts/{id}/publish-now.
func (s *Server) publishPost(ctx context.Context, c *request, b publishPost) (response, error) {
	return s.changeFitting(ctx, c, http.StatusAccepted, schedctl.OpPublishNow, func(r storage.Reader, p *schedctl.Post, known *contentChecks) ([]schedctl.Event, error) {
		accounts, err := c.launchAccounts(r, p, b.accountIDs)
		if err != nil {
			return nil, err
		}
		events, err := p.PublishNow(accounts, c.now)
		if err != nil {
			return nil, err
		}
		return events, s.checkChanged(ctx, r, p, changeOptions{allowDuplicate: b.allowDuplicate}, known)
	})
}

// cancelPost handles POST /posts/{id}/cancel.
func (s *Server) cancelPost(ctx context.Context, c *request, b cancelPost) (response, error) {
	return s.changePost(ctx, c, http.StatusOK, schedctl.OpCancel, func(_ storage.Reader, p *schedctl.Post) ([]schedctl.Event, error) {
		return p.CancelManaged(b.managed, c.now)
	})
}

// unschedulePost handles POST /posts/{id}/unschedule.
func (s *Server) unschedulePost(ctx context.Context, c *request) (response, error) {
	return s.changePost(ctx, c, http.StatusOK, schedctl.OpUnschedule, func(_ storage.Reader, p *schedctl.Post) ([]schedctl.Event, error) {
		return p.Unschedule(c.now)
	})
}

// retryPost handles POST /posts/{id}/retry.
func (s *Server) retryPost(ctx context.Context, c *request, b schedctl.Retry) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		post, err := c.changeable(tx, schedctl.OpRetry)
		if err != nil {
			return response{}, err
		}
		asked := askedNow(&post, b)
		events, err := post.Retry(b, c.now)
		if err != nil {
			return response{}, err
		}
		if err := errors.Join(askNow(tx, post.WorkspaceID, asked), tx.PutPost(post), tx.AddEvents(events...)); err != nil {
			return response{}, err
		}
		return s.postResponse(tx, http.StatusAccepted, post)
	})
}

// askedNow returns the accounts whose networks a retry asks immediately.
func askedNow(p *schedctl.Post, b schedctl.Retry) (ids []string) {
	for i := range p.Targets {
		t := &p.Targets[i]
		if t.WaitsForNetwork() && (len(b.TargetIDs) == 0 || slices.Contains(b.TargetIDs, t.ID)) {
			ids = append(ids, t.AccountID)
		}
	}
	return ids
}

// askNow ends the wait for the next probe of accounts. Storing an account, changed
// or not, makes its deliverer ask the network about unknown outcomes.
func askNow(tx storage.Tx, workspace string, accounts []string) error {
	for _, id := range accounts {
		a, err := tx.Account(workspace, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		a.EndDisruption()
		if err := tx.PutAccount(a); err != nil {
			return err
		}
	}
	return nil
}

// deletePost handles DELETE /posts/{id}.
func (s *Server) deletePost(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		post, err := c.post(tx)
		if err != nil {
			return response{}, err
		}
		if err := c.match.check(&post); err != nil {
			return response{}, err
		}
		if err := post.CheckDelete(); err != nil {
			return response{}, err
		}
		return noContent, tx.DeletePost(c.key.WorkspaceID, c.id)
	})
}
