package usecase

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// maxProposals is how many proposals of a period are read.
const maxProposals = 500

// AlsoProposed returns the ids of the posts that wait for an approval and propose this
// time for one of the accounts of a post. It leaves out the post itself, and posts that
// the key of the request may not see. r is a snapshot.
func (c *Request) AlsoProposed(r storage.Reader, p *schedctl.Post, at time.Time) ([]string, error) {
	if at.IsZero() {
		return nil, nil
	}
	at = schedctl.Millis(at)
	found, err := c.Proposals(r, at, at.Add(time.Millisecond), p.AccountIDs())
	var ids []string
	for i := range found {
		if found[i].ID != p.ID {
			ids = append(ids, found[i].ID)
		}
	}
	return ids, err
}

// Proposals returns the drafts that wait for an approval and propose a time between two
// instants for one of the accounts, by time: those of the first 500 proposals that the key
// of the request may see. r is a snapshot.
func (c *Request) Proposals(r storage.Reader, from, until time.Time, accountIDs []string) (found []schedctl.Post, err error) {
	page, err := r.Posts(c.proposalsIn(from, until))
	for _, p := range page.Posts {
		of := func(id string) bool { return slices.Contains(accountIDs, id) }
		if c.MaySee(&p) && slices.ContainsFunc(p.AccountIDs(), of) {
			found = append(found, p)
		}
	}
	return found, err
}

// proposalsIn selects the first 500 drafts that wait for an approval and propose a time
// between two instants.
func (c *Request) proposalsIn(from, until time.Time) storage.PostQuery {
	return storage.PostQuery{
		WorkspaceID: c.Key.WorkspaceID, Approval: schedctl.ApprovalPending, Statuses: []schedctl.Status{schedctl.Draft},
		PublishAfter: from, PublishBefore: until, Sort: storage.PublishAscending, Limit: maxProposals,
	}
}

// alsoProposed keeps the other proposals for the time of a post that waits, or that was
// just approved. It does nothing in a transaction.
func (d *Decision) alsoProposed(p *schedctl.Post) error {
	if d.tx != nil {
		return nil
	}
	return d.view(func(r storage.Reader) (err error) {
		d.request.ProposedAlso, err = d.request.AlsoProposed(r, p, p.PlannedAt())
		return err
	})
}

// checkProposals adds a warning if other posts propose the time of the post, or the one that
// it proposes.
func (v *validation) checkProposals() error {
	at := v.body.PublishAt
	if at.IsZero() {
		at = v.body.Proposed.At
	}
	if v.body.Now || len(v.foundAccounts) == 0 || at.IsZero() {
		return nil
	}
	p := schedctl.Post{ID: v.postID}
	for i := range v.foundAccounts {
		p.Targets = append(p.Targets, schedctl.Target{AccountID: v.foundAccounts[i].ID})
	}
	ids, err := v.request.AlsoProposed(v.r, &p, at)
	if len(ids) > 0 {
		v.result.ProposedAlso, v.result.Warnings = ids, append(v.result.Warnings, alsoProposedWarning(ids))
	}
	return err
}

// alsoProposedWarning says which posts that wait for an approval propose the same time.
func alsoProposedWarning(ids []string) string {
	return fmt.Sprintf("this time is also proposed for one of these accounts, in posts that wait for an approval: %s", strings.Join(ids, ", "))
}
