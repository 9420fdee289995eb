package api

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// duplicateGuardOption is the account option with the minimum time between posts
// with the same text. Without it, no post is refused as a duplicate.
const duplicateGuardOption = "duplicate_guard"

func duplicateGuard(a *schedctl.Account) time.Duration {
	guard, _ := a.Options.Duration(duplicateGuardOption)
	return guard
}

// anyDuplicateGuard reports whether any account has a duplicate guard.
func anyDuplicateGuard(accounts []schedctl.Account) bool {
	return slices.ContainsFunc(accounts, func(a schedctl.Account) bool { return duplicateGuard(&a) > 0 })
}

// refuseDuplicates returns an error with code DUPLICATE_CONTENT when a post
// that waits to go out has a twin: another one with the same text for the same
// account whose time is less than the account's guard away. It belongs into the
// transaction that stores the post, so that of two twins sent at once one is
// refused. accounts are those of the targets, in their order.
func refuseDuplicates(r storage.Reader, p *schedctl.Post, accounts []schedctl.Account) error {
	for i := range p.Targets {
		t := &p.Targets[i]
		if _, waiting := t.Due(); !waiting {
			continue
		}
		sent := sentText{postID: p.ID, accountID: t.AccountID, content: p.ContentFor(t), media: p.MediaFor(t), at: p.PublishAt}
		if err := sent.refuseDuplicate(r, &accounts[i]); err != nil {
			return err
		}
	}
	return nil
}

// sentText is what an account gets at a time.
type sentText struct {
	accountID string
	postID    string // of the post that brings it, or empty
	content   string
	media     []schedctl.PostMedia
	at        time.Time
}

// refuseDuplicate returns an error with code DUPLICATE_CONTENT when the account
// guards itself against a twin that there is.
func (t *sentText) refuseDuplicate(r storage.Reader, a *schedctl.Account) error {
	guard := duplicateGuard(a)
	if guard <= 0 {
		return nil
	}
	twin, err := t.hasDuplicate(r, guard)
	if err != nil || !twin {
		return err
	}
	return schedctl.Errorf(schedctl.DuplicateContent, "content",
		"%s has the same text from another post less than %s away; change the text, or allow it with allow_duplicate: true (--allow-duplicate)",
		a.ID, a.Options.String(duplicateGuardOption))
}

// hasDuplicate reports whether another post brings the account the same content less than
// within away. It costs the same however many posts there are.
func (t *sentText) hasDuplicate(r storage.Reader, within time.Duration) (bool, error) {
	ids, err := r.SameContent(storage.ContentQuery{
		AccountID: t.accountID, Fingerprint: schedctl.FingerprintOf(t.content, t.media...),
		From:  t.at.Add(time.Millisecond - within), // exactly that far away is far enough
		Until: t.at.Add(within),
		Limit: 2, // one of them can be the post itself
	})
	return slices.ContainsFunc(ids, func(id string) bool { return id != t.postID }), err
}
