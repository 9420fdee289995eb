package api

import (
	"context"
	"net/http"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// orderQueue handles POST /queues/{id}/order.
func (s *Server) orderQueue(ctx context.Context, c *request, postIDs []string) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		q, err := c.writableQueue(tx)
		if err != nil {
			return response{}, err
		}
		queued, err := c.queuedPosts(tx, q.ID, c.now)
		if err != nil {
			return response{}, err
		}
		posts, err := pickPosts(queued, postIDs)
		if err != nil {
			return response{}, err
		}
		moves, err := slots.Order(tx, &q, posts)
		if err != nil {
			return response{}, err
		}
		return c.applyMoves(tx, &q, queued, moves)
	})
}

// pickPosts returns the posts with the given ids, in their order.
func pickPosts(queued []schedctl.Post, ids []string) ([]schedctl.Post, error) {
	byID := map[string]schedctl.Post{}
	for _, p := range queued {
		byID[p.ID] = p
	}
	posts := make([]schedctl.Post, 0, len(ids))
	for _, id := range ids {
		p, found := byID[id]
		if !found {
			return nil, schedctl.Errorf(schedctl.ValidationFailed, "post_ids",
				"%s is named twice, or is not a scheduled post with a slot of this queue; list them with GET %s/posts?queue_id={id}&status=scheduled", clip(id, maxName), prefix)
		}
		delete(byID, id)
		posts = append(posts, p)
	}
	return posts, nil
}

// reflowQueue handles POST /queues/{id}/reflow.
func (s *Server) reflowQueue(ctx context.Context, c *request, b reflowQueue) (response, error) {
	if b.dryRun {
		return s.previewReflow(ctx, c)
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		q, err := c.writableQueue(tx)
		if err != nil {
			return response{}, err
		}
		queued, err := c.queuedPosts(tx, q.ID, c.now)
		if err != nil {
			return response{}, err
		}
		if b.digest != slots.Digest(&q, queued) {
			return response{}, schedctl.Errorf(schedctl.VersionMismatch, "digest",
				"the queue or its posts have changed since the preview; ask for a new one with dry_run: true")
		}
		moves, err := slots.Reflow(tx, &q, queued, c.now)
		if err != nil {
			return response{}, err
		}
		return c.applyMoves(tx, &q, queued, moves)
	})
}

// previewReflow returns the moves of a reflow and changes nothing.
func (s *Server) previewReflow(ctx context.Context, c *request) (out response, err error) {
	err = s.scan(ctx, c, func(r storage.Reader) error {
		q, err := c.writableQueue(r)
		if err != nil {
			return err
		}
		queued, err := c.queuedPosts(r, q.ID, c.now)
		if err != nil {
			return err
		}
		moves, err := slots.Reflow(r, &q, queued, c.now)
		if err != nil {
			return err
		}
		out, err = movesResponse(&q, queued, moves)
		return err
	})
	return out, err
}

// applyMoves stores the moves. queued are the posts of the queue before them.
func (c *request) applyMoves(tx storage.Tx, q *schedctl.Queue, queued []schedctl.Post, moves []slots.Move) (response, error) {
	if err := slots.Apply(tx, moves, c.now); err != nil {
		return response{}, err
	}
	return movesResponse(q, queued, moves)
}

func movesResponse(q *schedctl.Queue, queued []schedctl.Post, moves []slots.Move) (response, error) {
	return newResponse(http.StatusOK, apiv1.QueueMoves{
		Digest: slots.Digest(q, queued),
		Moves: convert(moves, func(m slots.Move) apiv1.QueueMove {
			return apiv1.QueueMove{PostID: m.Post.ID, From: apiv1.Time{Time: m.Post.PublishAt}, To: apiv1.Time{Time: m.To.At}}
		}),
	})
}
