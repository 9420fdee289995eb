package slots

import (
	"errors"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// ErrQueueGone means that the queue that was chosen on a snapshot is gone in the
// transaction. The caller chooses again.
var ErrQueueGone = errors.New("the queue was deleted")

// Choose returns the queue whose slots posts for the accounts take if the client names no
// queue: the queue that names the accounts, or else the default queue. Errors:
// NO_QUEUE without such a queue; VALIDATION_FAILED if the accounts have several;
// INVALID_SOCIAL_ACCOUNTS without accounts. Messages name accounts with name.
func Choose(queues []schedctl.Queue, accountIDs []string, name AccountNames) (*schedctl.Queue, error) {
	if len(accountIDs) == 0 {
		return nil, schedctl.Errorf(schedctl.InvalidSocialAccounts, "social_account_ids", "a post needs at least one account; give social_account_ids (--to)")
	}
	if len(queues) == 0 {
		return nil, schedctl.Errorf(schedctl.NoQueue, "queue_id", "this workspace has no queue; create one with POST /queues (schedctl queue create), or give the post a fixed time")
	}
	var chosen *schedctl.Queue
	for n, id := range accountIDs {
		q, err := chooseFor(queues, id, name)
		if err != nil {
			return nil, err
		}
		if n > 0 && q.ID != chosen.ID {
			return nil, schedctl.Errorf(schedctl.ValidationFailed, "queue_id",
				"the accounts have different queues (%s and %s); name a queue that has all of them with queue_id (--queue), or write separate posts", chosen.Name, q.Name)
		}
		chosen = q
	}
	return chosen, nil
}

// chooseFor is [Choose] for one account.
func chooseFor(queues []schedctl.Queue, accountID string, name AccountNames) (*schedctl.Queue, error) {
	var naming []schedctl.Queue
	for i := range queues {
		if slices.Contains(queues[i].AccountIDs, accountID) {
			naming = append(naming, queues[i])
		}
	}
	switch len(naming) {
	case 1:
		return &naming[0], nil
	case 0:
		i := slices.IndexFunc(queues, func(q schedctl.Queue) bool { return q.Default && q.Serves(accountID) })
		if i < 0 {
			return nil, schedctl.Errorf(schedctl.NoQueue, "queue_id", "no queue names %s, and no default queue serves it; name one with queue_id (--queue)", name(accountID))
		}
		return &queues[i], nil
	}
	return nil, schedctl.Errorf(schedctl.ValidationFailed, "queue_id", "%s has several queues (%s); name one with queue_id (--queue)", name(accountID), names(naming))
}

// AccountNames returns what messages call the account with an id.
type AccountNames func(id string) string

// NamesOf returns names such as bluesky:blog, and the ids of accounts that cannot be read.
func NamesOf(r storage.Reader, workspaceID string) AccountNames {
	return func(id string) string {
		a, err := r.Account(workspaceID, id)
		if err != nil {
			return id
		}
		return a.Platform + ":" + a.Name
	}
}

// CheckServes returns an error with code VALIDATION_FAILED if the queue lacks one of the
// accounts.
func CheckServes(r storage.Reader, q *schedctl.Queue, accountIDs []string) error {
	for _, id := range accountIDs {
		if !q.Serves(id) {
			return schedctl.Errorf(schedctl.ValidationFailed, "queue_id", "queue %q does not have %s; name a queue that has all accounts of the post", q.Name, NamesOf(r, q.WorkspaceID)(id))
		}
	}
	return nil
}

// Request is a request for the next free slot.
type Request struct {
	WorkspaceID string
	QueueID     string // see [Choose]
	AccountIDs  []string
	PostID      string    // as in [Search]
	NotBefore   time.Time // zero for no limit
}

// Taken is a slot for a post. It is taken when the post is stored.
type Taken struct {
	At      time.Time
	Booking schedctl.Booking
	Note    schedctl.LocalNote
}

// Take finds the first free slot for a post. In a transaction, it first locks the
// queue, so that requests for the slots of one queue run one after the other. Errors:
// [ErrQueueGone]; VALIDATION_FAILED if the queue lacks an account; QUEUE_FULL.
func Take(r storage.Reader, t Request, now time.Time) (Taken, error) {
	q, err := r.Queue(t.WorkspaceID, t.QueueID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return Taken{}, ErrQueueGone
	}
	if err != nil {
		return Taken{}, err
	}
	if err := CheckServes(r, &q, t.AccountIDs); err != nil {
		return Taken{}, err
	}
	accounts, err := Accounts(r, t.WorkspaceID, t.AccountIDs)
	if err != nil {
		return Taken{}, err
	}
	slot, err := Find(r, &q, Search{WorkspaceID: t.WorkspaceID, Accounts: accounts, PostID: t.PostID, From: t.NotBefore}, now)
	if err != nil {
		return Taken{}, err
	}
	return Taken{At: slot.At, Booking: Booking(&q, slot, t.NotBefore), Note: slot.Note}, nil
}
