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

// listQueues handles GET /queues.
func (s *Server) listQueues(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	queues, err := storage.Read(ctx, s.view, func(r storage.Reader) ([]schedctl.Queue, error) { return r.Queues(c.Key.WorkspaceID) })
	if err != nil {
		return response{}, err
	}
	queues = slices.DeleteFunc(queues, func(q schedctl.Queue) bool { return !c.MaySeeAll(q.AccountIDs) })
	return newResponse(http.StatusOK, apiv1.QueueList{Results: convert(queues, apiv1.NewQueue), Count: len(queues)})
}

// getQueue handles GET /queues/{id}.
func (s *Server) getQueue(ctx context.Context, c *request) (response, error) {
	return storage.Read(ctx, s.scanner(c), func(r storage.Reader) (response, error) {
		q, err := c.Queue(r, c.ID)
		if err != nil {
			return response{}, err
		}
		return c.queueResponse(r, http.StatusOK, &q)
	})
}

// createQueue handles POST /queues.
func (s *Server) createQueue(ctx context.Context, c *request, b queueChange) (response, error) {
	return s.commitQueue(ctx, c, http.StatusCreated, c.CreateQueue, b)
}

// editQueue handles PATCH /queues/{id}.
func (s *Server) editQueue(ctx context.Context, c *request, b queueChange) (response, error) {
	return s.commitQueue(ctx, c, http.StatusOK, c.EditQueue, b)
}

func (s *Server) commitQueue(ctx context.Context, c *request, status int, write func(storage.Tx, usecase.QueueChange) (schedctl.Queue, error), b queueChange) (response, error) {
	change := func(tx storage.Tx) (response, error) {
		q, err := write(tx, usecase.QueueChange{Set: b.apply, AccountIDs: b.SocialAccountIDs, Default: b.Default})
		if err != nil {
			return response{}, err
		}
		return c.queueResponse(tx, status, &q)
	}
	if b.DryRun {
		return s.rehearse(ctx, change)
	}
	return s.commit(ctx, c, change)
}

// errRehearsed ends a transaction whose changes are not kept.
var errRehearsed = errors.New("a rehearsal")

// rehearse is commit for a request that stores nothing: it makes the change and undoes it.
func (s *Server) rehearse(ctx context.Context, change func(storage.Tx) (response, error)) (out response, err error) {
	err = s.store.Update(ctx, func(tx storage.Tx) error {
		if out, err = change(tx); err != nil {
			return err
		}
		return errRehearsed
	})
	if errors.Is(err, errRehearsed) {
		out.created, out.location, err = "", "", nil
	}
	return out, storeError(err, "the daemon could not check this; see its log")
}

// deleteQueue handles DELETE /queues/{id}. The posts of a long queue lose their queue in
// several transactions, and the last one deletes the queue.
func (s *Server) deleteQueue(ctx context.Context, c *request) (response, error) {
	for {
		a, err := s.commit(ctx, c, func(tx storage.Tx) (response, error) { return noContent, c.DeleteQueue(tx) })
		if !errors.Is(err, usecase.ErrMorePosts) {
			return a, err
		}
		if err := s.store.Update(ctx, func(tx storage.Tx) error { _, err := c.EmptyQueue(tx); return err }); err != nil {
			return response{}, storeError(err, "the daemon could not store this; repeat the request")
		}
	}
}

// queueResponse returns a response with a queue, its ETag and its displaced posts.
func (c *request) queueResponse(r storage.Reader, status int, q *schedctl.Queue) (response, error) {
	envelope := apiv1.QueueEnvelope{Queue: apiv1.NewQueue(*q), Displaced: []string{}}
	if status != http.StatusCreated {
		var err error
		if envelope.Displaced, err = c.Displaced(r, q); err != nil {
			return response{}, err
		}
	}
	a, err := newResponse(status, envelope)
	a.etag, a.fresh = versionTag(q.Version), true // a displaced post may change alone
	if status == http.StatusCreated {
		a.created, a.location = q.ID, prefix+"/queues/"+q.ID
	}
	return a, err
}

// orderQueue handles POST /queues/{id}/order.
func (s *Server) orderQueue(ctx context.Context, c *request, postIDs []string) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) { return movesResponse(c.OrderQueue(tx, postIDs)) })
}

// reflowQueue handles POST /queues/{id}/reflow.
func (s *Server) reflowQueue(ctx context.Context, c *request, b reflowQueue) (response, error) {
	if b.DryRun {
		return storage.Read(ctx, s.scanner(c), func(r storage.Reader) (response, error) { return movesResponse(c.PreviewReflow(r, "")) })
	}
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) { return movesResponse(c.ReflowQueue(tx, b.Digest)) })
}

func movesResponse(m usecase.QueueMoves, err error) (response, error) {
	if err != nil {
		return response{}, err
	}
	return newResponse(http.StatusOK, apiv1.QueueMoves{Digest: m.Digest, Moves: convert(m.Moves, func(m slots.Move) apiv1.QueueMove {
		return apiv1.QueueMove{PostID: m.Post.ID, From: apiv1.Time{Time: m.Post.PublishAt}, To: apiv1.Time{Time: m.To.At}, Behind: append([]string{}, m.Behind...)}
	})})
}
