package api

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// slotChoice has the fields of a request that say which slot the post takes.
type slotChoice struct {
	queueID   string    // empty for the queue that [slots.Choose] returns
	notBefore time.Time // zero for no limit
}

// slotFields are the fields of slotChoice.
var slotFields = []string{"queue_id", "not_before"}

// slotField reads a field of slotChoice. It reports false for other names.
func (d *decoder) slotField(name string, b *slotChoice) bool {
	switch name {
	case "queue_id":
		b.queueID = d.queueID()
	case "not_before":
		b.notBefore = d.notBefore()
	default:
		return false
	}
	return true
}

// queueID reads the id of a queue, or null for none.
func (d *decoder) queueID() string {
	if d.null() {
		return ""
	}
	id, ok := d.text()
	if _, valid := schedctl.ParseID(schedctl.QueuePrefix, id); ok && !valid {
		d.wrong(schedctl.ValidationFailed, "is not the id of a queue; list them with GET %s/queues", prefix)
	}
	return id
}

// notBefore reads a time, or null for none.
func (d *decoder) notBefore() time.Time {
	if d.null() {
		return time.Time{}
	}
	text, ok := d.text()
	if !ok {
		return time.Time{}
	}
	return d.time(text, schedctl.ValidationFailed)
}

// onlyForSlots adds a fault if a body chooses a slot without asking for one.
func (b *slotChoice) onlyForSlots(d *decoder, at publishTime) {
	if *b != (slotChoice{}) && !at.nextSlot && d.clean() {
		d.fault(schedctl.ValidationFailed, `queue_id and not_before are for posts that take a slot; give publish_at "next-slot" with them`)
	}
}

// chooseQueue returns the id of the queue whose slot a post for the accounts takes. Call
// it on a snapshot: it reads all queues.
func (c *request) chooseQueue(r storage.Reader, b slotChoice, accountIDs []string) (string, error) {
	if b.queueID != "" {
		q, err := c.Queue(r, b.queueID)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			err = schedctl.Errorf(schedctl.ValidationFailed, "queue_id", "this workspace has no queue with this id; list them with GET %s/queues", prefix)
		}
		return q.ID, err
	}
	queues, err := r.Queues(c.Key.WorkspaceID)
	if err != nil {
		return "", err
	}
	q, err := slots.Choose(queues, accountIDs)
	if err != nil {
		return "", err
	}
	return q.ID, nil
}

// slotRequest returns the request for a slot of a queue that was chosen.
func (c *request) slotRequest(b slotChoice, queueID, postID string, accountIDs []string) slots.Request {
	return slots.Request{WorkspaceID: c.Key.WorkspaceID, QueueID: queueID, AccountIDs: accountIDs, PostID: postID, NotBefore: b.notBefore}
}

// previewSlot gives a new post the slot that it would take now, and returns the request
// with which it takes one in the transaction.
func (s *Server) previewSlot(ctx context.Context, c *request, b *createPost) (wanted slots.Request, err error) {
	err = s.view(ctx, func(r storage.Reader) error {
		queueID, err := c.chooseQueue(r, b.slotChoice, b.accountIDs)
		if err != nil {
			return err
		}
		wanted = c.slotRequest(b.slotChoice, queueID, "", b.accountIDs)
		return b.takeSlot(r, wanted)
	})
	return wanted, err
}

// takeSlot gives a new post the next free slot.
func (b *createPost) takeSlot(r storage.Reader, wanted slots.Request) error {
	taken, err := slots.Take(r, wanted, time.Now())
	b.publishAt.at, b.booking = taken.At, taken.Booking
	return err
}

// createInSlot returns the new post in the slot that is free in the transaction.
func (c *request) createInSlot(tx storage.Tx, b createPost, wanted slots.Request, accounts []schedctl.Account) (schedctl.Post, []schedctl.Event, error) {
	if err := b.takeSlot(tx, wanted); err != nil {
		return schedctl.Post{}, nil, err
	}
	return schedctl.Create(b.newPost(c.Key.WorkspaceID, accounts), c.Now)
}

// slotTaker takes slots for a post that is changed. The queue is chosen on a snapshot,
// and the slot in the transaction.
type slotTaker struct {
	c       *request
	choice  slotChoice
	queueID string
}

// lock locks the queue in the transaction, before the accounts of the post. Requests for
// the slots of one queue then run one after the other.
func (t *slotTaker) lock(r storage.Reader, known *contentChecks) error {
	if !known.frozen {
		return nil
	}
	_, err := r.Queue(t.c.Key.WorkspaceID, t.queueID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return slots.ErrQueueGone
	}
	return err
}

// lockChosen is lock if a queue was chosen.
func (t *slotTaker) lockChosen(r storage.Reader, known *contentChecks) error {
	if t.queueID == "" {
		return nil
	}
	return t.lock(r, known)
}

// take returns the slot for a post with the given accounts, or with its own if accounts
// is nil.
func (t *slotTaker) take(r storage.Reader, p *schedctl.Post, accounts *[]schedctl.Account, known *contentChecks) (taken slots.Taken, err error) {
	ids := p.AccountIDs()
	if accounts != nil {
		ids = convert(*accounts, func(a schedctl.Account) string { return a.ID })
	}
	if !known.frozen {
		if t.queueID, err = t.c.chooseQueue(r, t.choice, ids); err != nil {
			return taken, err
		}
	}
	return slots.Take(r, t.c.slotRequest(t.choice, t.queueID, p.ID, ids), time.Now())
}

// checkSlotStays returns an error if a post must not keep its slot with changed accounts:
// the queue does not serve them all, or the slot is not free for the added ones.
func (c *request) checkSlotStays(r storage.Reader, p *schedctl.Post, before []string) error {
	if p.Slot == (schedctl.Slot{}) || p.Status() != schedctl.Scheduled {
		return nil
	}
	var q schedctl.Queue // without a gap, if the queue was deleted
	if p.QueueID != "" {
		var err error
		if q, err = r.Queue(p.WorkspaceID, p.QueueID); err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			return err
		}
	}
	ids := p.AccountIDs()
	if err := slots.CheckServes(&q, ids); err != nil {
		return err
	}
	added := slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(before, id) })
	accounts, err := slots.Accounts(r, p.WorkspaceID, added)
	if err != nil || len(accounts) == 0 {
		return err
	}
	return slots.IsFree(r, &q, slots.Search{WorkspaceID: p.WorkspaceID, Accounts: accounts, PostID: p.ID}, p.PublishAt)
}
