package usecase

import (
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// errNoShare is the only error for tokens that open nothing.
var errNoShare error = schedctl.Errorf(schedctl.NotFound, "", "there is nothing at this address; it may have been revoked, or the API key that made it has ended")

// errUnknownShare is the error for a share that the key does not see.
var errUnknownShare error = schedctl.Errorf(schedctl.NotFound, "", "this workspace has no share with this id")

// CreateShare makes a share of the request's key, and returns it with its token, which is
// not stored. It deletes shares that ended [schedctl.ShareRetention] ago. Errors:
// VALIDATION_FAILED, ACCOUNT_NOT_ALLOWED, INVALID_SOCIAL_ACCOUNTS, INSUFFICIENT_SCOPE,
// KEY_NOT_ALLOWED.
func (c *Request) CreateShare(tx storage.Tx, n schedctl.NewShare) (share schedctl.Share, token string, err error) {
	if err := c.mayShare(n.Can); err != nil {
		return share, "", err
	}
	if share, token, err = n.Make(&c.Key, c.Now); err != nil {
		return share, "", err
	}
	for _, id := range share.PostIDs {
		_, err := c.PostByID(tx, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			err = schedctl.Errorf(schedctl.ValidationFailed, "post_ids", "this workspace has no post %s that this API key may see; list them with GET %s/posts (schedctl post list)", id, prefix)
		}
		if err != nil {
			return share, "", err
		}
	}
	if len(share.Filter.AccountIDs) > 0 {
		if _, err := c.Accounts(tx, share.Filter.AccountIDs); err != nil {
			return share, "", err
		}
	}
	if err := c.roomForShare(tx); err != nil {
		return share, "", err
	}
	return share, token, tx.PutShare(share)
}

// mayShare returns nil if the key may make a share with the right. Errors:
// INSUFFICIENT_SCOPE, KEY_NOT_ALLOWED.
func (c *Request) mayShare(can schedctl.ShareRight) error {
	switch most, sees := mostRight(&c.Key); {
	case c.Key.Agent:
		return schedctl.Errorf(schedctl.KeyNotAllowed, "", "the key of an agent cannot make a share; use the key of a person")
	case !sees:
		return schedctl.Errorf(schedctl.InsufficientScope, "", "a share also needs the scope %s; use a key that has it", schedctl.ScopePostsRead)
	case can == schedctl.ShareDecide && most != schedctl.ShareDecide:
		return schedctl.Errorf(schedctl.InsufficientScope, "can", "a share that decides needs the scope %s; use a key that has it", schedctl.ScopePostsApprove)
	case can == schedctl.ShareComment && most == schedctl.ShareView:
		return schedctl.Errorf(schedctl.InsufficientScope, "can", "a share that comments needs a key that writes posts or approves them; use such a key")
	}
	return nil
}

// mostRight returns the most that a share of the key can do. sees is false if it can do
// nothing at all, because the key may not read posts.
func mostRight(k *schedctl.APIKey) (most schedctl.ShareRight, sees bool) {
	switch {
	case !k.Allows(schedctl.ScopePostsRead):
		return "", false
	case k.Actor().Approver:
		return schedctl.ShareDecide, true
	case k.Allows(schedctl.ScopePostsWrite), k.Allows(schedctl.ScopePostsDraft), k.Allows(schedctl.ScopePostsApprove):
		return schedctl.ShareComment, true
	}
	return schedctl.ShareView, true
}

// roomForShare deletes the shares of the workspace that are past their retention, and the
// oldest ended ones of too many. It returns an error if too many have not ended.
func (c *Request) roomForShare(tx storage.Tx) error {
	all, err := tx.Shares(c.Key.WorkspaceID)
	if err != nil {
		return err
	}
	ended := slices.DeleteFunc(slices.Clone(all), func(s schedctl.Share) bool { return s.Running(c.Now) })
	if running := len(all) - len(ended); running >= schedctl.MaxShares {
		return schedctl.Errorf(schedctl.ValidationFailed, "", "this workspace has %d shares, which is the limit; revoke one with DELETE %s/shares/{id} (schedctl share revoke)", running, prefix)
	}
	for i := range ended {
		if i >= len(ended)-schedctl.MaxShares && !ended[i].EndedBefore(c.Now.Add(-schedctl.ShareRetention)) {
			continue
		}
		if err := tx.DeleteShare(c.Key.WorkspaceID, ended[i].ID); err != nil {
			return err
		}
	}
	return nil
}

// Shares returns the shares that the key sees, in order of creation. A key that is limited
// to accounts, or that changes only its own posts, sees those that it made.
func (c *Request) Shares(r storage.Reader) ([]schedctl.Share, error) {
	all, err := r.Shares(c.Key.WorkspaceID)
	own := c.Limited() || c.Key.OwnOnly()
	return slices.DeleteFunc(all, func(s schedctl.Share) bool {
		return own && s.KeyID != c.Key.ID || s.EndedBefore(c.Now.Add(-schedctl.ShareRetention))
	}), err
}

// Share returns the share of the request. Errors: NOT_FOUND.
func (c *Request) Share(r storage.Reader) (schedctl.Share, error) {
	list, err := c.Shares(r)
	if err != nil {
		return schedctl.Share{}, err
	}
	if i := slices.IndexFunc(list, func(s schedctl.Share) bool { return s.ID == c.ID }); i >= 0 {
		return list[i], nil
	}
	return schedctl.Share{}, errUnknownShare
}

// RevokeShare ends the share of the request. A share that has ended stays as it is. Errors:
// NOT_FOUND.
func (c *Request) RevokeShare(tx storage.Tx) (schedctl.Share, error) {
	s, err := c.Share(tx)
	if err != nil || !s.Running(c.Now) {
		return s, err
	}
	s.RevokedAt = schedctl.Millis(c.Now)
	return s, tx.PutShare(s)
}

// OpenShare returns the share whose token has the hash, and a request with the key that made
// it. What a person does at the address is done by this request, after [schedctl.Share.Covers]
// and [ShareMay]. Errors: NOT_FOUND, and no other reason, if the share or its key has ended,
// or the key may not read posts.
//
// It reads as much from the store for a token that never existed as for one that has ended.
func OpenShare(r storage.Reader, hash [32]byte, now time.Time) (s schedctl.Share, c Request, err error) {
	s, err = r.ShareByHash(hash)
	unknown := schedctl.CodeOf(err) == schedctl.NotFound
	if unknown {
		s.WorkspaceID, s.KeyID = schedctl.NewID(schedctl.WorkspacePrefix, now), schedctl.NewID(schedctl.KeyPrefix, now)
	} else if err != nil {
		return s, c, fmt.Errorf("read a share: %w", err)
	}
	key, err := r.Key(s.WorkspaceID, s.KeyID)
	if err != nil && schedctl.CodeOf(err) != schedctl.NotFound {
		return s, c, fmt.Errorf("read the key of a share: %w", err)
	}
	if unknown || err != nil || key.Check(now) != nil || !s.Running(now) {
		return schedctl.Share{}, c, errNoShare
	}
	if _, sees := mostRight(&key); !sees {
		return schedctl.Share{}, c, errNoShare
	}
	return s, Request{Key: key, Person: schedctl.KeyRef{ID: key.ID, Name: s.Name, Share: s.ID}, Now: now}, nil
}

// ShareMay reports whether a person may do at the address of a share what needs the right:
// both the share and the key that made it must allow it.
func ShareMay(s *schedctl.Share, k *schedctl.APIKey, right schedctl.ShareRight) bool {
	most, sees := mostRight(k)
	return sees && most.Allows(right) && s.Can.Allows(right)
}

// UseShare adds uses to the share whose token has the hash, the last one at a time. It does
// nothing if the share no longer exists.
func UseShare(tx storage.Tx, hash [32]byte, uses int64, last time.Time) error {
	s, err := tx.ShareByHash(hash)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	s.Uses += uses
	if last = schedctl.Millis(last); last.After(s.LastUsedAt) {
		s.LastUsedAt = last
	}
	return tx.PutShare(s)
}
