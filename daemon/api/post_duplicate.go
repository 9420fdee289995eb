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

// refuseDuplicates returns an error with code DUPLICATE_CONTENT when a waiting post
// has a duplicate: another post with the same text for the same account, closer in
// time than the account's guard. Call it in the transaction that stores the post,
// so that only one of two concurrent duplicates is accepted. accounts are those of
// the targets, in the same order.
func refuseDuplicates(r storage.Reader, p *schedctl.Post, accounts []schedctl.Account) error {
	for i := range p.Targets {
		t := &p.Targets[i]
		if _, waiting := t.Due(); !waiting {
			continue
		}
		sent := sentText{postID: p.ID, accountID: t.AccountID, fingerprint: p.Fingerprint(t), at: p.PublishAt}
		if err := sent.refuseDuplicate(r, &accounts[i]); err != nil {
			return err
		}
	}
	return nil
}

// sentText is a text that an account gets at a time.
type sentText struct {
	accountID   string
	postID      string // id of the text's own post, or empty
	fingerprint schedctl.Fingerprint
	at          time.Time
}

// refuseDuplicate returns an error with code DUPLICATE_CONTENT when the account has
// a duplicate guard and there is a duplicate.
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

// hasDuplicate reports whether the account gets the same text from another post
// less than within away. The cost does not depend on the number of posts.
func (t *sentText) hasDuplicate(r storage.Reader, within time.Duration) (bool, error) {
	ids, err := r.SameContent(storage.ContentQuery{
		AccountID: t.accountID, Fingerprint: t.fingerprint,
		From:  t.at.Add(time.Millisecond - within), // exactly that far away is far enough
		Until: t.at.Add(within),
		Limit: 2, // one of the two can be the post itself
	})
	return slices.ContainsFunc(ids, func(id string) bool { return id != t.postID }), err
}
