package api

import (
	"context"
	"errors"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

var errDraftsOnly = insufficientScope("this API key writes drafts only; a key with the scope posts:write can publish them")

// changePost loads the post of the path, applies one operation, and stores the
// post, its events and the response, all in one transaction. It checks the
// operation against the post's status before it calls change, so that a wrong
// status is reported before invalid accounts. change may run more than once.
func (s *Server) changePost(ctx context.Context, c *request, status int, op schedctl.Operation,
	change func(storage.Reader, *schedctl.Post) ([]schedctl.Event, error),
) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		post, err := c.changeable(tx, op)
		if err != nil {
			return response{}, err
		}
		before := post.Version
		events, err := change(tx, &post)
		if err != nil {
			return response{}, err
		}
		if post.Version != before {
			if err := errors.Join(tx.PutPost(post), tx.AddEvents(events...)); err != nil {
				return response{}, err
			}
		}
		return s.postResponse(tx, status, post)
	})
}

// changeFitting is changePost for a change whose result the networks must accept.
// The change first runs on a snapshot to check the texts: that can take long for
// many accounts, and a transaction blocks other writers. If the transaction finds
// an unchecked text, because the post or an account has changed, everything is
// repeated.
func (s *Server) changeFitting(ctx context.Context, c *request, status int, op schedctl.Operation,
	change func(storage.Reader, *schedctl.Post, *contentChecks) ([]schedctl.Event, error),
) (response, error) {
	known := s.newContentChecks()
	for {
		known.frozen = false
		err := s.view(ctx, func(r storage.Reader) error {
			post, err := c.changeable(r, op)
			if err != nil {
				return err
			}
			_, err = change(r, &post, known)
			return err
		})
		if err != nil {
			return response{}, err
		}
		known.frozen = true
		a, err := s.changePost(ctx, c, status, op, func(r storage.Reader, p *schedctl.Post) ([]schedctl.Event, error) {
			return change(r, p, known)
		})
		if !errors.Is(err, errUnmeasured) && !errors.Is(err, slots.ErrQueueGone) {
			return a, err
		}
	}
}

// changeable loads the post of the path and checks that its status allows the
// operation.
func (c *request) changeable(r storage.Reader, op schedctl.Operation) (schedctl.Post, error) {
	post, err := c.post(r)
	if err != nil {
		return schedctl.Post{}, err
	}
	if err := c.Expected.Check("post", post.Version); err != nil {
		return schedctl.Post{}, err
	}
	return post, post.CheckOperation(op)
}

// post loads the post of the path. It returns NOT_FOUND if the key may not see the
// post.
func (c *request) post(r storage.Reader) (schedctl.Post, error) { return c.postByID(r, c.ID) }

func (c *request) postByID(r storage.Reader, id string) (schedctl.Post, error) {
	post, err := r.Post(c.Key.WorkspaceID, id)
	if err == nil && c.MaySee(&post) {
		return post, nil
	}
	if err == nil || schedctl.CodeOf(err) == schedctl.NotFound {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no post with this id")
	}
	return schedctl.Post{}, err
}

// launchAccounts is accountList for a request that schedules or publishes the post.
// It also checks the existing accounts of a draft, because they must still be
// connected.
func (c *request) launchAccounts(r storage.Reader, p *schedctl.Post, ids *[]string) (*[]schedctl.Account, error) {
	if ids == nil && p.Status() == schedctl.Draft {
		ids = new(p.AccountIDs())
	}
	return c.accountList(r, ids)
}

// accountList is accounts for an optional list.
func (c *request) accountList(r storage.Reader, ids *[]string) (*[]schedctl.Account, error) {
	if ids == nil {
		return nil, nil
	}
	accounts, err := c.Accounts(r, *ids)
	return &accounts, err
}
