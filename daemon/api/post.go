package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// getPost handles GET /posts/{id}.
func (s *Server) getPost(ctx context.Context, c *request) (response, error) {
	var post schedctl.Post
	var wire []apiv1.Post
	err := s.view(ctx, func(r storage.Reader) (err error) {
		if post, err = c.Post(r); err != nil {
			return err
		}
		if wire, err = s.showPosts(r, c, post); err != nil || post.Status() != schedctl.Draft || post.Approval == nil || post.Approval.State != schedctl.ApprovalPending {
			return err
		}
		wire[0].ProposedAlso, err = c.AlsoProposed(r, &post, post.PlannedAt())
		return err
	})
	if err != nil {
		return response{}, err
	}
	if err := s.addAccountWarnings(ctx, c, []schedctl.Post{post}, wire); err != nil {
		return response{}, err
	}
	waits, err := s.addWaits(ctx, c, &post, refs(wire[0].Targets))
	if err != nil {
		return response{}, err
	}
	a, err := envelopeWire(http.StatusOK, wire[0])
	a.fresh = waits || len(wire[0].Warnings)+len(wire[0].ProposedAlso) > 0
	return a, err
}

// createPost handles POST /posts. The transaction contains only the writes.
func (s *Server) createPost(ctx context.Context, c *request, n usecase.NewPost) (response, error) {
	for again := false; ; again = true {
		decision := s.cases.Decide(&c.Request, s.snapshots(ctx))
		post, err := decision.CreatePost(ctx, n, func(id string) (schedctl.Account, error) {
			if again {
				return s.currentAccount(ctx, c, id)
			}
			return s.recentAccount(ctx, c, id)
		})
		if err != nil {
			return response{}, storeError(err, "the request ended before its text was checked; the post was not stored")
		}
		created, err := envelopePost(c, http.StatusCreated, post.Post, post.Assets)
		if err != nil {
			return response{}, err
		}
		a, err := s.commit(ctx, c, func(tx storage.Tx) (response, error) {
			if moved, err := post.Store(tx); err != nil || !moved {
				return created, err
			}
			return envelopePost(c, http.StatusCreated, post.Post, post.Assets)
		})
		if !usecase.Again(err) {
			return a, err
		}
	}
}

// validatePost handles POST /posts/validate. Checking texts for many accounts takes long,
// so the validations of a key are limited like scans.
func (s *Server) validatePost(ctx context.Context, c *request, b validatePost) (response, error) {
	decision := s.cases.Decide(&c.Request, nil)
	result, err := storage.Read(ctx, s.scanner(c), func(r storage.Reader) (apiv1.Validation, error) {
		decision.On(r)
		return decision.ValidatePost(ctx, b.NewPost, b.postID)
	})
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, result)
}
