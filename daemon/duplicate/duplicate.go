// Package duplicate checks posts against the duplicate guards of accounts. The API and
// the sweep of series share it.
package duplicate

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Option is the account option with the minimum time between posts with the same text.
// Without it, no post is refused as a duplicate.
const Option = "duplicate_guard"

// Guard returns the minimum time of an account, 0 for none.
func Guard(a *schedctl.Account) time.Duration {
	guard, _ := a.Options.Duration(Option)
	return guard
}

// Refuse returns an error with code DUPLICATE_CONTENT when a waiting post has a
// duplicate: another post with the same text for the same account, closer in time than
// the account's guard. Call it in the transaction that stores the post, so that only one
// of two concurrent duplicates is accepted. accounts are those of the targets, in the
// same order.
func Refuse(r storage.Reader, p *schedctl.Post, accounts []schedctl.Account) error {
	for i := range p.Targets {
		t := &p.Targets[i]
		if _, waiting := t.Due(); !waiting || Guard(&accounts[i]) <= 0 {
			continue
		}
		sent := Text{PostID: p.ID, AccountID: t.AccountID, Fingerprint: p.Fingerprint(t), At: p.PublishAt}
		if err := sent.Refuse(r, &accounts[i]); err != nil {
			return err
		}
	}
	return nil
}

// Text is a text that an account gets at a time.
type Text struct {
	AccountID   string
	PostID      string // id of the text's own post, or empty
	Fingerprint schedctl.Fingerprint
	At          time.Time
}

// Refuse returns an error with code DUPLICATE_CONTENT when the account has a duplicate
// guard and there is a duplicate.
func (t *Text) Refuse(r storage.Reader, a *schedctl.Account) error {
	guard := Guard(a)
	if guard <= 0 {
		return nil
	}
	found, err := t.Exists(r, guard)
	if err != nil || !found {
		return err
	}
	return schedctl.Errorf(schedctl.DuplicateContent, "content",
		"%s:%s has the same text from another post less than %s away; change the text, or allow it with allow_duplicate: true (--allow-duplicate)",
		a.Platform, a.Name, a.Options.String(Option))
}

// Exists reports whether the account gets the same text from another post less than
// within away. The cost does not depend on the number of posts.
func (t *Text) Exists(r storage.Reader, within time.Duration) (bool, error) {
	ids, err := r.SameContent(storage.ContentQuery{
		AccountID: t.AccountID, Fingerprint: t.Fingerprint,
		From:  t.At.Add(time.Millisecond - within), // exactly that far away is far enough
		Until: t.At.Add(within),
		Limit: 2, // one of the two can be the post itself
	})
	return slices.ContainsFunc(ids, func(id string) bool { return id != t.PostID }), err
}
