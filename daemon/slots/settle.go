package slots

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// releaseBatch is the number of posts that one transaction moves.
const releaseBatch = 200

// ErrMoreHeld means that a transaction has moved as many held posts as one may. Commit
// it, and continue with another one.
var ErrMoreHeld = errors.New("more posts are held")

// Settle ends a blackout whose end has passed. Posts that it held and whose slots have
// passed get new slots; see [Release]. Then its copies leave the accounts, which wakes
// their queues, and SettledAt is set. Each transaction moves at most 200 posts. Settle may
// be interrupted and repeated at any time, also by several nodes at once. It does nothing
// if the blackout is missing, settled or not over. clock returns the current time.
func Settle(ctx context.Context, store storage.Store, workspaceID, blackoutID string, clock func() time.Time) error {
	release := &Release{WorkspaceID: workspaceID}
	for {
		more := false
		err := store.Update(ctx, func(tx storage.Tx) error {
			now := schedctl.Millis(clock())
			b, err := tx.Blackout(workspaceID, blackoutID)
			if schedctl.CodeOf(err) == schedctl.NotFound {
				more = false
				return nil
			}
			if err != nil {
				return err
			}
			more, err = settle(tx, release, b, now)
			return err
		})
		if err != nil || !more {
			return err
		}
		release.Committed()
	}
}

func settle(tx storage.Tx, release *Release, b schedctl.Blackout, now time.Time) (more bool, err error) {
	if !b.SettledAt.IsZero() || b.EndsAt.IsZero() || b.EndsAt.After(now) {
		return false, nil
	}
	after := b.Clone()
	after.SettledAt, after.UpdatedAt, after.Version = now, now, b.Version+1
	err = release.Change(tx, &b, &after, now)
	if errors.Is(err, ErrMoreHeld) {
		return true, nil
	}
	return false, errors.Join(err, tx.PutBlackout(after))
}

// Release moves the posts that a hold has kept back, when it ends or when accounts leave
// it. Scheduled posts whose slot has passed get the next free slots of their queues, in
// the order of their old times. If the queue was deleted, no longer has their accounts or
// is full, they get the next free second instead. Posts with a fixed time keep it: they are
// late.
//
// The zero value with a WorkspaceID is ready for use. It remembers how far it came, so that
// a hold with many posts is released in several transactions. Use a Release for one change
// of one blackout.
type Release struct {
	WorkspaceID string

	progress          // of committed transactions
	running  progress // of the transaction that has just run
}

// progress is how far a release came.
type progress struct {
	since time.Time            // no post with an older slot is left
	last  map[string]time.Time // the last slot that was given, by account
}

// Committed must be called after the commit of a transaction in which [Release.Change]
// returned [ErrMoreHeld].
func (rel *Release) Committed() { rel.progress = rel.running }

// Change replaces the copies of a blackout in its accounts. after is nil if the blackout is
// deleted. Before it does so, it moves the posts that the change releases. If there are
// too many for the transaction, it returns [ErrMoreHeld] and has changed no copy. It does
// not store the blackout.
func (rel *Release) Change(tx storage.Tx, before, after *schedctl.Blackout, now time.Time) error {
	queues, err := tx.Queues(rel.WorkspaceID)
	if err != nil {
		return err
	}
	accounts, err := coveredAccounts(tx, before, after)
	if err != nil {
		return err
	}
	change := func(a *schedctl.Account) {
		if after == nil {
			a.RemoveBlackout(before.ID)
		} else {
			a.SetBlackout(after)
		}
	}
	changed := make([]schedctl.Account, len(accounts))
	var released []releasedAccount
	for i, a := range accounts {
		change(&a)
		if accounts[i].EndsHold(&a, now) {
			released = append(released, releasedAccount{before: &accounts[i], after: &changed[i]})
		}
		changed[i] = a
	}
	if err := rel.move(tx, moving{queues: queues, released: released, change: change, now: now}); err != nil {
		return err
	}
	for i := range changed {
		if slices.Equal(changed[i].Blackouts, accounts[i].Blackouts) {
			continue
		}
		if err := tx.PutAccount(changed[i]); err != nil {
			return err
		}
	}
	return nil
}

// coveredAccounts returns the accounts of both versions of a blackout, in order of their
// ids. Both are nil if they do not exist.
func coveredAccounts(tx storage.Tx, before, after *schedctl.Blackout) ([]schedctl.Account, error) {
	var ids []string
	workspace := ""
	for _, b := range []*schedctl.Blackout{before, after} {
		if b == nil {
			continue
		}
		if len(b.AccountIDs) == 0 {
			return tx.Accounts(b.WorkspaceID)
		}
		ids, workspace = append(ids, b.AccountIDs...), b.WorkspaceID
	}
	return Accounts(tx, workspace, ids)
}

// releasedAccount is an account before and after a hold of it ends.
type releasedAccount struct{ before, after *schedctl.Account }

// has reports whether a post waits for the hold alone.
func (r releasedAccount) has(p *schedctl.Post, now time.Time) bool {
	_, held := r.before.PostHeldAt(p.Labels, now)
	_, stillHeld := r.after.PostHeldAt(p.Labels, now)
	return held && !stillHeld
}

// moving is what one transaction needs to know to move posts.
type moving struct {
	queues   []schedctl.Queue
	released []releasedAccount
	change   func(*schedctl.Account) // makes the account as it is after the release
	now      time.Time
}

func (rel *Release) move(tx storage.Tx, m moving) error {
	if len(m.released) == 0 {
		return nil
	}
	posts, more, err := rel.held(tx, m)
	if err != nil {
		return err
	}
	last := map[string]time.Time{} // not rel.last: the transaction may run again
	maps.Copy(last, rel.last)
	for i := range posts {
		if err := rel.moveOne(tx, m, last, posts[i]); err != nil {
			return err
		}
	}
	if !more {
		return nil
	}
	rel.running = progress{since: posts[len(posts)-1].PublishAt, last: last}
	return ErrMoreHeld
}

// held returns the first posts of the released accounts whose slots have passed, in
// order, and whether there are more.
func (rel *Release) held(r storage.Reader, m moving) (posts []schedctl.Post, more bool, err error) {
	known := map[string]bool{}
	for _, account := range m.released {
		has := func(p *schedctl.Post) bool { return account.has(p, m.now) }
		list, err := heldOf(r, has, storage.PostQuery{
			WorkspaceID: rel.WorkspaceID, AccountID: account.before.ID, Statuses: []schedctl.Status{schedctl.Scheduled},
			PublishAfter: rel.since, PublishBefore: schedctl.Millis(m.now).Add(time.Millisecond),
			Sort: storage.PublishAscending, Limit: releaseBatch + 1,
		})
		if err != nil {
			return nil, false, err
		}
		for _, p := range list {
			if !known[p.ID] {
				known[p.ID] = true
				posts = append(posts, p)
			}
		}
	}
	slices.SortFunc(posts, schedctl.CompareQueued)
	if len(posts) > releaseBatch {
		return posts[:releaseBatch], true, nil
	}
	return posts, false, nil
}

// heldOf returns the posts with slots of a query for which has is true, at most its limit.
func heldOf(r storage.Reader, has func(*schedctl.Post) bool, q storage.PostQuery) (posts []schedctl.Post, err error) {
	for {
		page, err := r.Posts(q)
		if err != nil {
			return nil, err
		}
		for _, p := range page.Posts {
			if p.Slot != (schedctl.Slot{}) && has(&p) {
				posts = append(posts, p)
			}
		}
		if page.Next == nil || len(posts) >= q.Limit {
			return posts[:min(len(posts), q.Limit)], nil
		}
		q.After = page.Next
	}
}

func (rel *Release) moveOne(tx storage.Tx, m moving, last map[string]time.Time, p schedctl.Post) error {
	accounts, err := Accounts(tx, rel.WorkspaceID, p.AccountIDs())
	if err != nil {
		return err
	}
	for i := range accounts {
		m.change(&accounts[i])
	}
	search := Search{WorkspaceID: rel.WorkspaceID, Accounts: accounts, PostID: p.ID}
	at, booking, err := nextTime(tx, m, last, search, &p)
	if err != nil {
		return err
	}
	events, err := p.Edit(schedctl.Edit{PublishAt: at, Booking: booking, BySeries: true}, m.now)
	if err != nil {
		return err
	}
	return errors.Join(tx.PutPost(p), tx.AddEvents(events...))
}

// nextTime returns the new time of a post: a slot of its queue, or else the next free
// second.
func nextTime(r storage.Reader, m moving, last map[string]time.Time, s Search, p *schedctl.Post) (time.Time, schedctl.Booking, error) {
	i := slices.IndexFunc(m.queues, func(q schedctl.Queue) bool { return q.ID == p.QueueID })
	if i >= 0 && CheckServes(r, &m.queues[i], p.AccountIDs()) == nil {
		q := &m.queues[i]
		s.From = p.NotBefore
		for _, id := range p.AccountIDs() { // no account gets an earlier slot for a later post
			s.From = slices.MaxFunc([]time.Time{s.From, last[id]}, time.Time.Compare)
		}
		slot, err := Find(r, q, s, m.now)
		switch {
		case err == nil:
			if !p.NotBefore.After(m.now) {
				for _, id := range p.AccountIDs() {
					last[id] = slot.At
				}
			}
			return slot.At, Booking(q, slot, p.NotBefore), nil
		case schedctl.CodeOf(err) != schedctl.QueueFull && schedctl.CodeOf(err) != schedctl.ValidationFailed:
			return time.Time{}, schedctl.Booking{}, err
		}
	}
	at, err := freeSecond(r, s, m.now)
	return at, schedctl.Booking{}, err
}

// freeSecond returns the first time from which no other post of the accounts is less than
// a second away, and that no blackout blocks. It starts a second from now.
func freeSecond(r storage.Reader, s Search, now time.Time) (time.Time, error) {
	const gap = time.Second
	none := schedctl.Queue{Gap: gap}
	for at := First(time.Time{}, now); ; {
		if end, blocked := blockedUntil(s.Accounts, at); blocked {
			at = end
			continue
		}
		batch := make([]schedctl.QueueSlot, 0, chunk)
		for ; len(batch) < chunk; at = at.Add(gap) {
			batch = append(batch, schedctl.QueueSlot{At: at})
		}
		if free, found, err := s.firstFree(r, &none, batch); err != nil || found {
			return free.At, err
		}
	}
}

// blockedUntil returns when the last blackout ends that blocks an account at t.
func blockedUntil(accounts []schedctl.Account, t time.Time) (end time.Time, blocked bool) {
	for i := range accounts {
		if b, found := accounts[i].BlackoutAt(t); found {
			blocked = true
			end = slices.MaxFunc([]time.Time{end, b.To}, time.Time.Compare)
		}
	}
	return end, blocked
}
