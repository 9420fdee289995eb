package usecase

import (
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/slots"
	"github.com/schedctl/schedctl/storage"
)

// QueueMoves are moves of posts between the slots of a queue.
type QueueMoves struct {
	Moves  []slots.Move
	Digest string // of the queue and its posts before the moves
}

// OrderQueue moves posts of the queue of the request, so that they are in the order of
// their ids.
func (c *Request) OrderQueue(tx storage.Tx, postIDs []string) (QueueMoves, error) {
	q, queued, err := c.queueWithPosts(tx)
	if err != nil {
		return QueueMoves{}, err
	}
	posts, err := pickPosts(queued, postIDs)
	if err != nil {
		return QueueMoves{}, err
	}
	moves, err := slots.Order(tx, &q, posts)
	if err == nil {
		err = c.mayMove(moves)
	}
	if err != nil {
		return QueueMoves{}, err
	}
	return QueueMoves{moves, slots.Digest(&q, queued)}, c.applyMoves(tx, moves)
}

// applyMoves moves posts whose approvals let the key do so.
func (c *Request) applyMoves(tx storage.Tx, moves []slots.Move) error {
	for i := range moves {
		was := &moves[i].Post
		moved := was.Clone()
		moved.Rebook(moves[i].To.At, moves[i].To.Booking)
		if err := moved.KeepsTime(was, c.actor()); err != nil {
			return err
		}
	}
	return slots.Apply(tx, moves, c.Key.ID, c.Now)
}

// ReflowQueue moves the posts of the queue of the request to its first free slots. digest
// is that of the preview. Errors: VERSION_MISMATCH for another digest.
func (c *Request) ReflowQueue(tx storage.Tx, digest string) (QueueMoves, error) {
	preview, err := c.PreviewReflow(tx, digest)
	if err == nil {
		err = c.mayMove(preview.Moves)
	}
	if err != nil {
		return preview, err
	}
	return preview, c.applyMoves(tx, preview.Moves)
}

// PreviewReflow returns the moves of a reflow and changes nothing. An empty digest stands
// for any.
func (c *Request) PreviewReflow(r storage.Reader, digest string) (moves QueueMoves, err error) {
	q, queued, err := c.queueWithPosts(r)
	if err != nil {
		return moves, err
	}
	moves.Digest = slots.Digest(&q, queued)
	if digest != "" && digest != moves.Digest {
		return moves, schedctl.Errorf(schedctl.VersionMismatch, "digest",
			"the queue or its posts have changed since the preview; ask for a new one with dry_run: true")
	}
	moves.Moves, err = slots.Reflow(r, &q, queued, c.Now)
	return moves, err
}

// queueWithPosts loads the queue of the request for a change, with its posts.
func (c *Request) queueWithPosts(r storage.Reader) (q schedctl.Queue, queued []schedctl.Post, err error) {
	if q, err = c.writableQueue(r); err == nil {
		queued, err = c.queuedPosts(r, q.ID)
	}
	return q, queued, err
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
				"%s is named twice, or is not a scheduled post with a slot of this queue; list them with GET %s/posts?queue_id={id}&status=scheduled", id, prefix)
		}
		delete(byID, id)
		posts = append(posts, p)
	}
	return posts, nil
}

// SlotAccounts returns the accounts for which slots of a queue are listed: the given ones,
// or all connected accounts that the queue serves, also those that the key may not use.
func (c *Request) SlotAccounts(r storage.Reader, q *schedctl.Queue, ids []string) ([]schedctl.Account, error) {
	if len(ids) > 0 {
		if _, err := c.Accounts(r, ids); err != nil {
			return nil, err
		}
		if err := slots.CheckServes(r, q, ids); err != nil {
			return nil, err
		}
		return slots.Accounts(r, q.WorkspaceID, ids)
	}
	accounts, err := slots.Accounts(r, q.WorkspaceID, q.AccountIDs)
	if len(q.AccountIDs) == 0 {
		accounts, err = r.Accounts(q.WorkspaceID)
	}
	return slices.DeleteFunc(accounts, func(a schedctl.Account) bool { return a.Status == schedctl.AccountDisconnected }), err
}

// PostInSlot returns the id of the post that takes a slot: one at its instant, or else one
// near it. It is empty if the key may see none of them.
func (c *Request) PostInSlot(r storage.Reader, s *slots.State) (string, error) {
	taken := slices.Clone(s.Taken)
	slices.SortStableFunc(taken, func(a, b storage.OccupiedTime) int {
		return int(min(1, s.At.Sub(a.At).Abs())) - int(min(1, s.At.Sub(b.At).Abs()))
	})
	for _, o := range taken {
		if !c.Limited() {
			return o.PostID, nil
		}
		p, err := r.Post(c.Key.WorkspaceID, o.PostID)
		if err != nil {
			return "", err
		}
		if c.MaySee(&p) {
			return o.PostID, nil
		}
	}
	return "", nil
}
