package usecase

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// SlotChoice says whether a post takes the next free slot of a queue, and which.
type SlotChoice struct {
	NextSlot  bool
	QueueID   string    // empty for the queue that [slots.Choose] returns
	NotBefore time.Time // zero for no limit
}

// takeSlot returns the first free slot for a post. The post may be new and have no id. The
// queue is chosen on the snapshot: that reads all queues.
func (d *Decision) takeSlot(r storage.Reader, choice SlotChoice, postID string, accountIDs []string) (slots.Taken, error) {
	if d.tx == nil {
		var err error
		if d.queueID, err = d.request.chooseQueue(r, choice.QueueID, accountIDs); err != nil {
			return slots.Taken{}, err
		}
	}
	return slots.Take(r, slots.Request{
		WorkspaceID: d.request.Key.WorkspaceID, QueueID: d.queueID, AccountIDs: accountIDs, PostID: postID, NotBefore: choice.NotBefore,
	}, time.Now())
}

// chooseQueue returns the id of the queue whose slot a post for the accounts takes. given
// is the id in the request, or empty.
func (c *Request) chooseQueue(r storage.Reader, given string, accountIDs []string) (string, error) {
	if given != "" {
		q, err := c.Queue(r, given)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			err = schedctl.Errorf(schedctl.ValidationFailed, "queue_id", "this workspace has no queue with this id; list them with GET %s/queues", prefix)
		}
		return q.ID, err
	}
	queues, err := r.Queues(c.Key.WorkspaceID)
	if err != nil {
		return "", err
	}
	q, err := slots.Choose(queues, accountIDs, slots.NamesOf(r, c.Key.WorkspaceID))
	if err != nil {
		return "", err
	}
	return q.ID, nil
}

// lockQueue locks the chosen queue in the transaction, before the accounts of the post.
// Requests for the slots of one queue then run one after the other.
func (d *Decision) lockQueue(r storage.Reader) error {
	if d.tx == nil {
		return nil
	}
	_, err := r.Queue(d.request.Key.WorkspaceID, d.queueID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return slots.ErrQueueGone
	}
	return err
}
