package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// listQueues handles GET /queues.
func (s *Server) listQueues(ctx context.Context, c *request) (response, error) {
	if q := parseQuery(c.query, nil, nil); q.err != nil {
		return response{}, q.err
	}
	queues, err := storage.Read(ctx, s.view, func(r storage.Reader) ([]schedctl.Queue, error) { return r.Queues(c.key.WorkspaceID) })
	if err != nil {
		return response{}, err
	}
	queues = slices.DeleteFunc(queues, func(q schedctl.Queue) bool { return !c.maySeeAll(q.AccountIDs) })
	return newResponse(http.StatusOK, apiv1.QueueList{Results: convert(queues, apiv1.NewQueue), Count: len(queues)})
}

// getQueue handles GET /queues/{id}.
func (s *Server) getQueue(ctx context.Context, c *request) (response, error) {
	return storage.Read(ctx, func(ctx context.Context, fn func(storage.Reader) error) error { return s.scan(ctx, c, fn) },
		func(r storage.Reader) (response, error) {
			q, err := c.queue(r, c.id)
			if err != nil {
				return response{}, err
			}
			return c.queueResponse(r, http.StatusOK, &q, time.Now())
		})
}

// createQueue handles POST /queues.
func (s *Server) createQueue(ctx context.Context, c *request, b queueChange) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		existing, err := tx.Queues(c.key.WorkspaceID)
		if err != nil {
			return response{}, err
		}
		if len(existing) >= schedctl.MaxQueues {
			return response{}, schedctl.Errorf(schedctl.ValidationFailed, "",
				"this workspace has %d queues, which is the limit; delete one with DELETE %s/queues/{id}", len(existing), prefix)
		}
		now := schedctl.Millis(c.now)
		q := schedctl.Queue{
			ID: schedctl.NewID(schedctl.QueuePrefix, now), WorkspaceID: c.key.WorkspaceID, Default: len(existing) == 0,
			CreatedAt: now, UpdatedAt: now, Version: 1,
		}
		if err := c.applyQueue(tx, &q, &b, existing); err != nil {
			return response{}, err
		}
		if err := tx.PutQueue(q); err != nil {
			return response{}, err
		}
		return c.queueResponse(tx, http.StatusCreated, &q, c.now)
	})
}

// editQueue handles PATCH /queues/{id}.
func (s *Server) editQueue(ctx context.Context, c *request, b queueChange) (response, error) {
	return s.commit(ctx, c, func(tx storage.Tx) (response, error) {
		existing, err := tx.Queues(c.key.WorkspaceID)
		if err != nil {
			return response{}, err
		}
		q, err := c.writableQueue(tx)
		if err != nil {
			return response{}, err
		}
		before := q.Clone()
		if err := c.applyQueue(tx, &q, &b, existing); err != nil {
			return response{}, err
		}
		if !reflect.DeepEqual(before, q) {
			q.Version, q.UpdatedAt = q.Version+1, schedctl.Millis(c.now)
			if err := tx.PutQueue(q); err != nil {
				return response{}, err
			}
		}
		return c.queueResponse(tx, http.StatusOK, &q, c.now)
	})
}

// applyQueue changes a queue. existing are the queues of the workspace. If the queue
// becomes the default, the other default queue is stored without that flag.
func (c *request) applyQueue(tx storage.Tx, q *schedctl.Queue, b *queueChange, existing []schedctl.Queue) error {
	if b.accountIDs != nil {
		if _, err := c.accounts(tx, *b.accountIDs); err != nil {
			return err
		}
	}
	becomesDefault := b.isDefault != nil && *b.isDefault && !q.Default
	if c.id != "" && q.Default && b.isDefault != nil && !*b.isDefault {
		return schedctl.Errorf(schedctl.ValidationFailed, "default", "this is the default queue; make another queue the default instead")
	}
	b.apply(q)
	q.Normalize()
	if err := q.Check(); err != nil {
		return err
	}
	if err := c.mayWriteAll(q.AccountIDs); err != nil {
		return err
	}
	for i := range existing {
		if other := &existing[i]; other.ID != q.ID && other.Name == q.Name {
			return schedctl.Errorf(schedctl.ValidationFailed, "name", "another queue of this workspace has this name; choose a different one")
		}
	}
	if !becomesDefault {
		return nil
	}
	if c.limited() {
		return schedctl.Errorf(schedctl.AccountNotAllowed, "default", "this API key is limited to certain accounts, and the default queue is for all; use another key")
	}
	q.Default = true
	return c.unsetDefault(tx, q.ID, existing)
}

// unsetDefault stores the default queue among the existing ones, unless it has the given
// id, as a queue that is not the default.
func (c *request) unsetDefault(tx storage.Tx, id string, existing []schedctl.Queue) error {
	for _, other := range existing {
		if other.Default && other.ID != id {
			other.Default, other.Version, other.UpdatedAt = false, other.Version+1, schedctl.Millis(c.now)
			if err := tx.PutQueue(other); err != nil {
				return err
			}
		}
	}
	return nil
}

// leavingPosts is the number of posts that lose their deleted queue in one transaction.
const leavingPosts = 200

// deleteQueue handles DELETE /queues/{id}. The posts of a long queue lose their queue in
// several transactions, and the last one deletes the queue. After a crash between them,
// the queue still exists, and the request can be repeated.
func (s *Server) deleteQueue(ctx context.Context, c *request) (response, error) {
	for {
		a, err := s.commit(ctx, c, func(tx storage.Tx) (response, error) {
			q, err := c.writableQueue(tx)
			if err != nil {
				return response{}, err
			}
			if more, err := c.emptyQueue(tx, q.ID); err != nil || more {
				return response{}, errors.Join(err, errMorePosts)
			}
			return noContent, tx.DeleteQueue(c.key.WorkspaceID, q.ID)
		})
		if !errors.Is(err, errMorePosts) {
			return a, err
		}
		err = s.store.Update(ctx, func(tx storage.Tx) error {
			posts, err := c.postsOfQueue(tx, c.id)
			return errors.Join(err, c.leaveQueue(tx, posts.Posts))
		})
		if err != nil {
			return response{}, storeError(err, "the daemon could not store this; repeat the request")
		}
	}
}

// errMorePosts means that a queue has too many posts for one transaction.
var errMorePosts = errors.New("the queue has more posts")

// emptyQueue takes all posts out of a queue, unless it has too many: then it changes
// nothing and returns true.
func (c *request) emptyQueue(tx storage.Tx, id string) (more bool, err error) {
	page, err := c.postsOfQueue(tx, id)
	if err != nil || page.Next != nil {
		return true, err
	}
	return false, c.leaveQueue(tx, page.Posts)
}

func (c *request) postsOfQueue(r storage.Reader, id string) (storage.PostPage, error) {
	return r.Posts(storage.PostQuery{WorkspaceID: c.key.WorkspaceID, QueueID: id, Limit: leavingPosts})
}

func (c *request) leaveQueue(tx storage.Tx, posts []schedctl.Post) error {
	for i := range posts {
		posts[i].LeaveQueue(c.now)
		if err := tx.PutPost(posts[i]); err != nil {
			return err
		}
	}
	return nil
}

// queue loads a queue. It returns NOT_FOUND if the key may not see it.
func (c *request) queue(r storage.Reader, id string) (schedctl.Queue, error) {
	q, err := r.Queue(c.key.WorkspaceID, id)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && !c.maySeeAll(q.AccountIDs) {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no queue with this id; list them with GET %s/queues", prefix)
	}
	return q, err
}

// writableQueue loads the queue of the path for a change.
func (c *request) writableQueue(tx storage.Reader) (schedctl.Queue, error) {
	q, err := c.queue(tx, c.id)
	if err == nil {
		err = c.mayWriteAll(q.AccountIDs)
	}
	if err == nil {
		err = c.match.checkVersion("queue", q.Version)
	}
	return q, err
}

// queuedPosts returns the scheduled posts of a queue that the key may see.
func (c *request) queuedPosts(r storage.Reader, queueID string, now time.Time) ([]schedctl.Post, error) {
	posts, err := slots.Queued(r, c.key.WorkspaceID, queueID, now)
	return slices.DeleteFunc(posts, func(p schedctl.Post) bool { return !c.maySee(&p) }), err
}

// queueResponse returns a response with a queue, its ETag and its displaced posts.
func (c *request) queueResponse(r storage.Reader, status int, q *schedctl.Queue, now time.Time) (response, error) {
	envelope := apiv1.QueueEnvelope{Queue: apiv1.NewQueue(*q), Displaced: []string{}}
	if status != http.StatusCreated {
		posts, err := c.queuedPosts(r, q.ID, now)
		if err != nil {
			return response{}, err
		}
		for _, p := range slots.Displaced(q, posts) {
			envelope.Displaced = append(envelope.Displaced, p.ID)
		}
	}
	a, err := newResponse(status, envelope)
	a.etag, a.fresh = versionTag(q.Version), true // a displaced post may change alone
	if status == http.StatusCreated {
		a.created, a.location = q.ID, prefix+"/queues/"+q.ID
	}
	return a, err
}
