package usecase

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Blackout loads a blackout. Errors: NOT_FOUND, also if the key may not see it.
func (c *Request) Blackout(r storage.Reader, id string) (schedctl.Blackout, error) {
	b, err := r.Blackout(c.Key.WorkspaceID, id)
	if schedctl.CodeOf(err) == schedctl.NotFound || err == nil && !c.MaySeeAll(b.AccountIDs) {
		err = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no blackout with this id")
	}
	return b, err
}

// Limits of ScheduledIn.
const (
	maxScheduledIn      = 100 // ids in a response
	maxScheduledInReads = 500 // posts that are read to find them
	maxLabelPages       = 5   // pages of posts that are read to find those with a label
)

// endOfTimes is after every publish time.
var endOfTimes = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// ScheduledIn returns the ids of the first scheduled posts in the period of a blackout
// that the key may see, in order of time. A blackout that is settled has none. Read them
// on a snapshot: a transaction would lock all these posts.
func (c *Request) ScheduledIn(r storage.Reader, b *schedctl.Blackout) ([]string, error) {
	ids := []string{}
	accounts, err := c.accountsOf(r, b)
	if err != nil || len(accounts) == 0 || !b.SettledAt.IsZero() {
		return ids, err
	}
	if b.Label != "" {
		return c.labeledIn(r, b, accounts)
	}
	q := storage.OccupiedQuery{WorkspaceID: c.Key.WorkspaceID, AccountIDs: accounts, From: b.StartsAt, Until: b.EndsAt, Limit: maxScheduledInReads}
	if q.Until.IsZero() {
		q.Until = endOfTimes
	}
	found, err := r.Occupied(q)
	if err != nil {
		return nil, err
	}
	last := ""
	for _, o := range found {
		if o.PostID == last || len(ids) == maxScheduledIn {
			continue
		}
		last = o.PostID
		p, err := r.Post(c.Key.WorkspaceID, o.PostID)
		if err != nil {
			return nil, err
		}
		if p.Status() == schedctl.Scheduled && c.MaySee(&p) {
			ids = append(ids, p.ID)
		}
	}
	return ids, nil
}

// labeledIn is ScheduledIn for a hold of a label.
func (c *Request) labeledIn(r storage.Reader, b *schedctl.Blackout, accounts []string) ([]string, error) {
	ids, from := []string{}, b.StartsAt
	if !from.After(c.Now) {
		from = time.Time{} // posts that wait are held, too
	}
	q := storage.PostQuery{
		WorkspaceID: c.Key.WorkspaceID, Labels: []string{b.Label}, Statuses: []schedctl.Status{schedctl.Scheduled, schedctl.Publishing},
		PublishAfter: from, PublishBefore: b.EndsAt, Sort: storage.PublishAscending, Limit: postPage,
	}
	for range maxLabelPages {
		page, err := r.Posts(q)
		if err != nil {
			return nil, err
		}
		for i := range page.Posts {
			p := &page.Posts[i]
			on := slices.ContainsFunc(p.AccountIDs(), func(id string) bool { return slices.Contains(accounts, id) })
			if on && c.MaySee(p) && len(ids) < maxScheduledIn {
				ids = append(ids, p.ID)
			}
		}
		if q.After = page.Next; q.After == nil || len(ids) == maxScheduledIn {
			break
		}
	}
	return ids, nil
}

// accountsOf returns the ids of the accounts of a blackout that the key may use.
func (c *Request) accountsOf(r storage.Reader, b *schedctl.Blackout) ([]string, error) {
	ids := slices.Clone(b.AccountIDs)
	if len(ids) == 0 {
		all, err := r.Accounts(c.Key.WorkspaceID)
		if err != nil {
			return nil, err
		}
		for i := range all {
			ids = append(ids, all[i].ID)
		}
	}
	return slices.DeleteFunc(ids, func(id string) bool { return !c.MayUse(id) }), nil
}

// adoptBlackouts gives a new account the copies of the blackouts that are about all
// accounts.
func adoptBlackouts(tx storage.Tx, a *schedctl.Account) error {
	list, err := tx.Blackouts(a.WorkspaceID)
	for i := range list {
		a.SetBlackout(&list[i])
	}
	return err
}
