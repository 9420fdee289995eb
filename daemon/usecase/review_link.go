package usecase

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// CheckReviewLink returns nil if messages of the request's key may have addresses of reviews.
// Errors: INSUFFICIENT_SCOPE, KEY_NOT_ALLOWED.
func (c *Request) CheckReviewLink() error {
	if !c.Key.Allows(schedctl.ScopeSharesWrite) {
		return schedctl.Errorf(schedctl.InsufficientScope, "review_link", "review_link (--review-link) also needs the scope %s; use a key that has it", schedctl.ScopeSharesWrite)
	}
	return c.mayShare(linkRight(&c.Key))
}

// linkRight returns what the address of a review in a message can do.
func linkRight(k *schedctl.APIKey) schedctl.ShareRight {
	if k.Actor().Approver {
		return schedctl.ShareDecide
	}
	return schedctl.ShareComment
}

// LinkReview makes the share of a message of a notification about a submitted post, and
// returns its token. The same seed gives the same share, which is made once. It returns no
// token if the post does not wait for an approval any more, or if the key of the notification
// has ended or may not share. refused is why a share that should be made was not, such as too
// many shares. err is non-nil only if the store fails.
func LinkReview(tx storage.Tx, hook *schedctl.Webhook, e *schedctl.Event, seed [32]byte, now time.Time) (token string, refused, err error) {
	key, err := tx.Key(hook.WorkspaceID, hook.Notify.KeyID)
	if isNotFound(err) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	c := Request{Key: key, Now: now}
	if key.Check(now) != nil || c.CheckReviewLink() != nil {
		return "", nil, nil
	}
	p, err := tx.Post(hook.WorkspaceID, e.PostID)
	if isNotFound(err) || err == nil && (p.Approval == nil || p.Approval.State != schedctl.ApprovalPending) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	token, hash := schedctl.ShareToken(seed)
	existing, err := tx.ShareByHash(hash)
	switch {
	case err == nil && existing.Running(now):
		return token, nil, nil
	case err == nil:
		return "", nil, nil // it was revoked or has expired
	case !isNotFound(err):
		return "", nil, err
	}
	share, token, err := c.CreateShare(tx, schedctl.NewShare{
		Kind: schedctl.ShareReview, Name: hook.Notify.ReviewLink, Can: linkRight(&key), PostIDs: []string{e.PostID}, Seed: seed,
	})
	if slices.Contains(linkRefusals, schedctl.CodeOf(err)) {
		return "", err, nil
	}
	if err != nil {
		return "", nil, err
	}
	return token, nil, tx.AddAudit(schedctl.AuditEntry{
		ID: schedctl.NewID(schedctl.AuditPrefix, now), WorkspaceID: hook.WorkspaceID, At: schedctl.Millis(now), KeyID: key.ID, KeyName: key.Name,
		Action: "createShare", ResourceID: share.ID, Detail: "for a message of " + schedctl.NotificationID(hook.ID),
	})
}

// linkRefusals are the errors of CreateShare that leave a message without an address, such as
// too many shares.
var linkRefusals = []schedctl.Code{schedctl.ValidationFailed, schedctl.AccountNotAllowed, schedctl.InsufficientScope, schedctl.KeyNotAllowed, schedctl.NotFound}

func isNotFound(err error) bool { return schedctl.CodeOf(err) == schedctl.NotFound }
