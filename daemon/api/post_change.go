package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// decide decides about a change on a snapshot, and again in the transaction that stores it.
// Both are repeated while something changes in between; see [usecase.Decision].
func decide[T any](ctx context.Context, s *Server, c *request, change func(*usecase.Decision) (T, error), respond func(storage.Reader, *request, T) (response, error)) (response, error) {
	decision := s.cases.Decide(&c.Request, nil)
	for {
		err := s.view(ctx, func(r storage.Reader) error {
			decision.On(r)
			_, err := change(decision)
			return err
		})
		if err == nil {
			err = decision.FetchCard(ctx)
		}
		if err != nil {
			return response{}, err
		}
		a, err := s.commit(ctx, c, func(tx storage.Tx) (response, error) {
			decision.In(tx)
			changed, err := change(decision)
			if err != nil {
				return response{}, err
			}
			return respond(tx, c, changed)
		})
		if !usecase.Again(err) {
			return a, err
		}
	}
}

// operation returns the handler of an operation that needs one transaction.
func operation[B, T any](s *Server, do func(*usecase.Request, storage.Tx, B) (T, error), respond func(storage.Reader, *request, T) (response, error)) func(context.Context, *request, B) (response, error) {
	return func(ctx context.Context, c *request, b B) (response, error) {
		return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
			changed, err := do(&c.Request, tx, b)
			if err != nil {
				return response{}, err
			}
			return respond(tx, c, changed)
		})
	}
}

// bare is an operation whose body is empty.
func bare[T any](do func(*usecase.Request, storage.Tx) (T, error)) func(*usecase.Request, storage.Tx, struct{}) (T, error) {
	return func(c *usecase.Request, tx storage.Tx, _ struct{}) (T, error) { return do(c, tx) }
}

// posts returns responses with a changed post.
func (s *Server) posts(status int) func(storage.Reader, *request, schedctl.Post) (response, error) {
	return func(r storage.Reader, c *request, p schedctl.Post) (response, error) {
		return s.postResponse(r, c, status, p)
	}
}

// sentPosts is posts for operations that publish a post. The response says which holds the
// post must wait for.
func (s *Server) sentPosts(status int) func(storage.Reader, *request, schedctl.Post) (response, error) {
	return func(r storage.Reader, c *request, p schedctl.Post) (response, error) {
		holds, err := c.HoldWarnings(r, &p)
		if err != nil {
			return response{}, err
		}
		return s.postResponse(r, c, status, p, holds...)
	}
}

// decidePost is decide for the post of the path.
func (s *Server) decidePost(ctx context.Context, c *request, status int, change func(*usecase.Decision) (schedctl.Post, error)) (response, error) {
	return decide(ctx, s, c, change, s.posts(status))
}

// editPost handles PATCH /posts/{id}.
func (s *Server) editPost(ctx context.Context, c *request, edit usecase.EditPost) (response, error) {
	return s.decidePost(ctx, c, http.StatusOK, func(d *usecase.Decision) (schedctl.Post, error) { return d.EditPost(ctx, edit) })
}

// schedulePost handles POST /posts/{id}/schedule.
func (s *Server) schedulePost(ctx context.Context, c *request, schedule usecase.Schedule) (response, error) {
	return s.decidePost(ctx, c, http.StatusOK, func(d *usecase.Decision) (schedctl.Post, error) { return d.SchedulePost(ctx, schedule) })
}

// publishPost handles POST /posts/{id}/publish-now.
func (s *Server) publishPost(ctx context.Context, c *request, schedule usecase.Schedule) (response, error) {
	return decide(ctx, s, c, func(d *usecase.Decision) (schedctl.Post, error) { return d.PublishPost(ctx, schedule) }, s.sentPosts(http.StatusAccepted))
}

// resendPost handles POST /posts/{id}/resend.
func (s *Server) resendPost(ctx context.Context, c *request, resend usecase.ResendPost) (response, error) {
	return decide(ctx, s, c, func(d *usecase.Decision) (schedctl.Post, error) { return d.ResendPost(ctx, resend) }, s.sentPosts(http.StatusCreated))
}

// deletePost handles DELETE /posts/{id}.
func (s *Server) deletePost(ctx context.Context, c *request) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) { return noContent, c.DeletePost(tx) })
}
