package usecase

import (
	"errors"
	"reflect"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// Queue loads a queue. Errors: NOT_FOUND, also if the key may not see it.
func (c *Request) Queue(r storage.Reader, id string) (schedctl.Queue, error) {
	q, err := r.Queue(c.Key.WorkspaceID, id)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && !c.MaySeeAll(q.AccountIDs) {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no queue with this id; list them with GET %s/queues", prefix)
	}
	return q, err
}

// writableQueue loads the queue of the request for a change.
func (c *Request) writableQueue(r storage.Reader) (schedctl.Queue, error) {
	q, err := c.Queue(r, c.ID)
	if err == nil {
		err = c.mayWriteAll(q.AccountIDs)
	}
	if err == nil {
		err = c.Expected.Check("queue", q.Version)
	}
	return q, err
}

// QueueChange is what a request changes of a queue.
type QueueChange struct {
	Set        func(*schedctl.Queue) // sets the fields, except for the default flag
	AccountIDs *[]string             // that Set sets; nil if they stay
	Default    *bool                 // nil if it stays
}

// CreateQueue stores a new queue. The first queue of a workspace is its default queue.
func (c *Request) CreateQueue(tx storage.Tx, change QueueChange) (schedctl.Queue, error) {
	existing, err := tx.Queues(c.Key.WorkspaceID)
	if err == nil {
		err = c.mayPlan()
	}
	if err != nil {
		return schedctl.Queue{}, err
	}
	if len(existing) >= schedctl.MaxQueues {
		return schedctl.Queue{}, schedctl.Errorf(schedctl.ValidationFailed, "",
			"this workspace has %d queues, which is the limit; delete one with DELETE %s/queues/{id}", len(existing), prefix)
	}
	now := schedctl.Millis(c.Now)
	q := schedctl.Queue{
		ID: schedctl.NewID(schedctl.QueuePrefix, now), WorkspaceID: c.Key.WorkspaceID, Default: len(existing) == 0,
		CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	if err := c.applyQueue(tx, &q, change, existing); err != nil {
		return q, err
	}
	return q, tx.PutQueue(q)
}

// EditQueue changes the queue of the request. Without a difference, it keeps the version.
func (c *Request) EditQueue(tx storage.Tx, change QueueChange) (schedctl.Queue, error) {
	existing, err := tx.Queues(c.Key.WorkspaceID)
	if err != nil {
		return schedctl.Queue{}, err
	}
	q, err := c.writableQueue(tx)
	if err == nil {
		err = c.mayPlan()
	}
	if err != nil {
		return q, err
	}
	if q.Default && change.Default != nil && !*change.Default {
		return q, schedctl.Errorf(schedctl.ValidationFailed, "default", "this is the default queue; make another queue the default instead")
	}
	before := q.Clone()
	if err := c.applyQueue(tx, &q, change, existing); err != nil || reflect.DeepEqual(before, q) {
		return q, err
	}
	q.Version, q.UpdatedAt = q.Version+1, schedctl.Millis(c.Now)
	return q, tx.PutQueue(q)
}

// applyQueue changes a queue. existing are the queues of the workspace. If the queue
// becomes the default, the other default queue is stored without that flag.
func (c *Request) applyQueue(tx storage.Tx, q *schedctl.Queue, change QueueChange, existing []schedctl.Queue) error {
	if change.AccountIDs != nil {
		if _, err := c.Accounts(tx, *change.AccountIDs); err != nil {
			return err
		}
	}
	change.Set(q)
	q.Normalize()
	if err := q.Check(); err != nil {
		return err
	}
	if err := c.mayWriteAll(q.AccountIDs); err != nil {
		return err
	}
	for i := range existing {
		if other := &existing[i]; other.ID != q.ID && other.Name == q.Name {
			if !c.MaySeeAll(other.AccountIDs) {
				return schedctl.Errorf(schedctl.AccountNotAllowed, "name", "another queue of this workspace has this name, and this API key may not use its accounts; choose a different name, or use another key")
			}
			return schedctl.Errorf(schedctl.NameTaken, "name", "another queue of this workspace has this name; choose a different one")
		}
	}
	if q.Default || change.Default == nil || !*change.Default {
		return nil
	}
	if c.Limited() {
		return schedctl.Errorf(schedctl.AccountNotAllowed, "default", "this API key is limited to certain accounts, and the default queue is for all; use another key")
	}
	q.Default = true
	for _, other := range existing {
		if other.Default && other.ID != q.ID {
			other.Default, other.Version, other.UpdatedAt = false, other.Version+1, schedctl.Millis(c.Now)
			if err := tx.PutQueue(other); err != nil {
				return err
			}
		}
	}
	return nil
}

// leavingPosts is the number of posts that lose their deleted queue in one transaction.
const leavingPosts = 200

// ErrMorePosts means that a queue has too many posts for one transaction.
var ErrMorePosts = errors.New("the queue has more posts")

// DeleteQueue deletes the queue of the request, and its posts lose their queue. Errors:
// [ErrMorePosts]; then call [Request.EmptyQueue] first.
func (c *Request) DeleteQueue(tx storage.Tx) error {
	q, err := c.writableQueue(tx)
	if err == nil {
		err = c.mayPlan()
	}
	if err != nil {
		return err
	}
	if more, err := c.EmptyQueue(tx); err != nil || more {
		return errors.Join(err, ErrMorePosts)
	}
	return tx.DeleteQueue(q.WorkspaceID, q.ID)
}

// EmptyQueue takes as many posts out of the queue of the request as one transaction may,
// and reports whether the queue has more. After a crash, the queue still exists, and the
// request can be repeated.
func (c *Request) EmptyQueue(tx storage.Tx) (more bool, err error) {
	page, err := tx.Posts(storage.PostQuery{WorkspaceID: c.Key.WorkspaceID, QueueID: c.ID, Limit: leavingPosts})
	if err != nil {
		return false, err
	}
	for i := range page.Posts {
		page.Posts[i].LeaveQueue(c.Now)
		page.Posts[i].UpdatedBy = c.Key.ID
		if err := tx.PutPost(page.Posts[i]); err != nil {
			return false, err
		}
	}
	return page.Next != nil, nil
}

// queuedPosts returns the scheduled posts of a queue that the key may see.
func (c *Request) queuedPosts(r storage.Reader, queueID string) ([]schedctl.Post, error) {
	posts, err := slots.Queued(r, c.Key.WorkspaceID, queueID, c.Now)
	return slices.DeleteFunc(posts, func(p schedctl.Post) bool { return !c.MaySee(&p) }), err
}

// Displaced returns the ids of the posts of a queue whose slots it no longer has.
func (c *Request) Displaced(r storage.Reader, q *schedctl.Queue) ([]string, error) {
	posts, err := c.queuedPosts(r, q.ID)
	ids := []string{}
	for _, p := range slots.Displaced(q, posts) {
		ids = append(ids, p.ID)
	}
	return ids, err
}
