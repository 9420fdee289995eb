package usecase

import (
	"slices"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// prefix is the path of the API, for advice in messages.
const prefix = "/api/v1"

// Request is an authenticated request. It belongs to one goroutine, except that a
// transaction may read it.
type Request struct {
	Key      schedctl.APIKey
	Person   schedctl.KeyRef // who uses a share of the key; zero for none
	ID       string          // of the object that the request is about; may be empty
	Now      time.Time
	Expected Versions // that the object may have
	decides  bool     // the request decides about the series of another key
	Detail   string   // what else the audit log says; may be empty
	Also     []Step   // with other objects that the transaction has done; the audit log has them too

	Cleaned []string // what was changed in the values of an account that the client gave

	ProposedAlso []string // other posts that propose the time of the submitted or approved post
}

// Step is a step that a request has done with an object other than its own.
type Step struct{ WorkspaceID, Action, ID string }

// Versions are the versions that the client of a change has seen. Nil means any.
type Versions []string

// Check returns nil if an object with this version may be changed. what names the object
// in the message. Errors: VERSION_MISMATCH.
func (v Versions) Check(what string, version int64) error {
	current := strconv.FormatInt(version, 10)
	if v == nil || slices.Contains(v, current) {
		return nil
	}
	return schedctl.Errorf(schedctl.VersionMismatch, "If-Match",
		"the %s is now at version %s; read it again and repeat the change if it still applies", what, current)
}

// actor returns who performs the request: the key, or the person who uses a share of it, with
// the rights of the key.
func (c *Request) actor() schedctl.Actor {
	by := c.Key.Actor()
	if c.Person != (schedctl.KeyRef{}) {
		by.Key = c.Person
	}
	return by
}

// Limited reports whether the key is limited to certain accounts.
func (c *Request) Limited() bool { return len(c.Key.AccountIDs) > 0 }

// MayUse reports whether the key may use the account.
func (c *Request) MayUse(accountID string) bool {
	return !c.Limited() || slices.Contains(c.Key.AccountIDs, accountID)
}

// MaySee reports whether the key may use all accounts of the post.
func (c *Request) MaySee(p *schedctl.Post) bool {
	for i := range p.Targets {
		if !c.MayUse(p.Targets[i].AccountID) {
			return false
		}
	}
	return true
}

// MaySeeAll reports whether the key may see an object that is about these accounts, or
// about all accounts if the list is empty.
func (c *Request) MaySeeAll(accountIDs []string) bool {
	return !slices.ContainsFunc(accountIDs, func(id string) bool { return !c.MayUse(id) })
}

// mayWriteAll returns nil if the key may write an object that is about these accounts. It
// refuses objects about all accounts for a key that is limited to some.
func (c *Request) mayWriteAll(accountIDs []string) error {
	if len(accountIDs) == 0 && c.Limited() {
		return schedctl.Errorf(schedctl.AccountNotAllowed, "social_account_ids",
			"this is about all accounts, and this API key is limited to some; name accounts of the key, or use another key")
	}
	for _, id := range accountIDs {
		if !c.MayUse(id) {
			return schedctl.Errorf(schedctl.AccountNotAllowed, "social_account_ids", "this API key may not use %s; use a key that may", id)
		}
	}
	return nil
}

// Accounts reads the accounts that a request names. Errors: ACCOUNT_NOT_ALLOWED,
// INVALID_SOCIAL_ACCOUNTS.
func (c *Request) Accounts(r storage.Reader, ids []string) ([]schedctl.Account, error) {
	return c.accountsOrExcused(r, ids, func(*schedctl.Account) bool { return false })
}

// accountsOrExcused is Accounts, except that excused accounts may be disconnected.
func (c *Request) accountsOrExcused(r storage.Reader, ids []string, excused func(*schedctl.Account) bool) ([]schedctl.Account, error) {
	return c.FindAccounts(ids, func(id string) (schedctl.Account, error) {
		a, err := r.Account(c.Key.WorkspaceID, id)
		if err == nil && excused(&a) {
			a.Status = schedctl.AccountConnected
		}
		return a, err
	})
}

// FindAccounts is Accounts with a custom lookup.
func (c *Request) FindAccounts(ids []string, find func(id string) (schedctl.Account, error)) ([]schedctl.Account, error) {
	for _, id := range ids[:min(len(ids), schedctl.MaxAccounts)] { // ResolveAccounts rejects longer lists
		if !c.MayUse(id) {
			return nil, schedctl.Errorf(schedctl.AccountNotAllowed, "social_account_ids", "this API key may not publish to %s; use a key that may", id)
		}
	}
	var broken error
	accounts, err := schedctl.ResolveAccounts(ids, func(id string) (schedctl.Account, bool) {
		a, err := find(id)
		if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
			broken = err
		}
		return a, err == nil
	})
	if broken != nil {
		return nil, broken
	}
	return accounts, err
}
