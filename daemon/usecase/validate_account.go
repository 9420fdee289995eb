package usecase

import (
	"fmt"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// maxWindowReads is how many posts are read to find out whether a network accepts one more.
const maxWindowReads = 1000

// endsBefore reports whether the credentials of an account end before a time, and the daemon
// will not renew them.
func endsBefore(a *schedctl.Account, at, now time.Time) bool {
	e := a.Expiry
	return !e.At.IsZero() && !at.Before(e.At) && (e.RenewAt.IsZero() || e.EndsSoon(now))
}

// expiryWarning says that the credentials of an account end before a time. It is empty if
// they do not, or if the daemon will renew them.
func expiryWarning(a schedctl.Account, at, now time.Time) string {
	if !endsBefore(&a, at, now) {
		return ""
	}
	return "the post is due after that: " + schedctl.ExpiryWarning(a)
}

// windowRule says how many posts, or replies, a network accepts from an account in any period
// of a length.
type windowRule struct {
	noun   string
	limit  int
	window time.Duration
}

// postWindow returns the rule for the posts of an account, or nil if its network has none
// that can be checked.
func postWindow(a *schedctl.Account) *windowRule {
	limit, window := a.Limits.Posts, a.Limits.Window
	if limit <= 0 || limit > maxWindowReads || window <= 0 {
		return nil
	}
	return &windowRule{"posts", limit, window}
}

// replyWindow is postWindow for the parts of threads after the first one.
func (s *Service) replyWindow(a *schedctl.Account) *windowRule {
	threader, ok := s.Publishers[a.Platform].(publish.Threader)
	if !ok {
		return nil
	}
	rules := threader.ThreadRules(*a)
	if rules.Replies <= 0 || rules.RepliesWindow <= 0 {
		return nil
	}
	return &windowRule{"replies", rules.Replies, rules.RepliesWindow}
}

// checkWindow adds a warning if the account has as many posts before this one as its network
// accepts in a period.
func (v *validation) checkWindow(about *apiv1.AccountValidation, a *schedctl.Account) error {
	rule := postWindow(a)
	if rule == nil {
		return nil
	}
	before, err := v.postsBefore(a, rule.window, rule.limit+1)
	if err != nil {
		return err
	}
	if len(before) >= rule.limit {
		about.Warnings = append(about.Warnings, fmt.Sprintf("its network accepts %d posts in %s, and the account has as many before this one; the post waits until there is room", rule.limit, rule.window))
	}
	return nil
}

// checkReplies adds a warning if the replies of this post and of those before it are more
// than the network of the account accepts in a period.
func (v *validation) checkReplies(about *apiv1.AccountValidation, a *schedctl.Account) error {
	replies := len(about.Parts) - 1
	rule := v.service.replyWindow(a)
	if rule == nil || replies == 0 {
		return nil
	}
	before, err := v.postsBefore(a, rule.window, maxWindowReads)
	if err != nil {
		return err
	}
	n := 0
	for i := range before {
		for j := range before[i].Targets {
			if t := &before[i].Targets[j]; t.AccountID == a.ID {
				n += before[i].PartCount(t) - 1
			}
		}
	}
	if n+replies > rule.limit {
		about.Warnings = append(about.Warnings, fmt.Sprintf("its network accepts %d replies in %s, and the account has %d before the %d of this post; the rest waits until there is room", rule.limit, rule.window, n, replies))
	}
	return nil
}

// postsBefore returns up to limit posts of an account in the period before this post, without
// this post.
func (v *validation) postsBefore(a *schedctl.Account, window time.Duration, limit int) ([]schedctl.Post, error) {
	at := v.publishTime()
	page, err := v.r.Posts(storage.PostQuery{
		WorkspaceID: a.WorkspaceID, AccountID: a.ID, PublishAfter: at.Add(-window), PublishBefore: at.Add(time.Millisecond),
		Statuses: []schedctl.Status{schedctl.Scheduled, schedctl.Publishing, schedctl.Published},
		Sort:     storage.PublishDescending, Limit: limit,
	})
	return slices.DeleteFunc(page.Posts, func(p schedctl.Post) bool { return p.ID == v.postID }), err
}

// checkBlackouts adds a problem if the account avoids the fixed time of the post, and a
// warning if it is held then.
func (v *validation) checkBlackouts(about *apiv1.AccountValidation, a *schedctl.Account) error {
	at := v.body.PublishAt
	if !at.IsZero() && !v.body.NextSlot && !v.body.Allow.Blackout {
		stays, err := v.keepsTime(a.ID, at)
		if err != nil {
			return err
		}
		if !stays {
			refusal := v.avoidBlackout(a, at)
			if refusal != nil && schedctl.CodeOf(refusal) != schedctl.InBlackout {
				return refusal
			}
			about.Problems = append(about.Problems, problemsOf(refusal)...)
		}
	}
	if warning := holdWarning(a, v.labels(), v.publishTime()); warning != "" {
		about.Warnings = append(about.Warnings, warning)
	}
	return nil
}

// labels returns the labels of the post.
func (v *validation) labels() []string {
	if v.body.Labels == nil {
		return nil
	}
	return *v.body.Labels
}

// keepsTime reports whether the existing post that would be changed is on the account at
// that time already.
func (v *validation) keepsTime(accountID string, at time.Time) (bool, error) {
	if v.postID == "" {
		return false, nil
	}
	p, err := v.request.PostByID(v.r, v.postID)
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return false, nil
	}
	return err == nil && p.PublishAt.Equal(at) && slices.Contains(p.AccountIDs(), accountID), err
}
