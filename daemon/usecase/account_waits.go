package usecase

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// accountWaits says why and until when no post of an account is sent to its network. It is
// nil if posts need not wait, or if the end of the wait is not known.
func accountWaits(a *schedctl.Account, now time.Time) *apiv1.Waits {
	if a.Status == schedctl.AccountDisconnected || !a.PausedUntil.After(now) {
		return nil
	}
	w := &apiv1.Waits{Reason: apiv1.WaitsPause, Until: apiv1.NewTime(a.PausedUntil), Message: "its network has asked for a pause, or its last response was an error"}
	switch {
	case a.Status == schedctl.AccountError:
		w.Reason, w.Message = apiv1.WaitsHold, "its network refuses the account, and schedctl checks it again at that time"
	case !a.DisruptedSince.IsZero():
		w.Reason, w.Message = apiv1.WaitsUnreachable, fmt.Sprintf("its network has been unreachable since %s", apiv1.Time{Time: a.DisruptedSince})
	case a.PausedBy == schedctl.KindRateLimited:
		w.Reason, w.Message = apiv1.WaitsRateLimited, "its network accepts no more requests until then (rate limit)"
	}
	return w
}

// waitsText returns why and until when posts of an account wait at a time, empty if they do
// not.
func waitsText(a *schedctl.Account, at time.Time) string {
	w := accountWaits(a, at)
	if w == nil {
		return ""
	}
	return fmt.Sprintf("the post waits until %s: %s", w.Until, w.Message)
}

// missesPause reports whether a target that is waiting will be too late when the pause of
// its account ends.
func (s *Service) missesPause(a *schedctl.Account, t *schedctl.Target, now time.Time) bool {
	return t.Status == schedctl.Scheduled && accountWaits(a, now) != nil && a.PausedUntil.Sub(t.LateSince()) > s.MaxLateness
}

// MissWarning says that the target of a post will be too late when the pause of its account
// ends. It is empty if it will not.
func (s *Service) MissWarning(a *schedctl.Account, t *schedctl.Target, now time.Time) string {
	if !s.missesPause(a, t, now) {
		return ""
	}
	return fmt.Sprintf("the account %s:%s waits until %s, when this post is later than --max-lateness allows and is not published: move it", a.Platform, a.Name, apiv1.Time{Time: a.PausedUntil})
}

// maxNamedPosts is how many posts a message names.
const maxNamedPosts = 3

// CountWaiting adds to the message of a waiting account how many of its scheduled posts are
// due before the account is tried again, and which of them will be too late. It counts those
// that the key of the request may see, at most [MaxOpen].
func (s *Service) CountWaiting(r storage.Reader, c *Request, id string, w *apiv1.Waits) error {
	a, err := c.AccountByID(r, id)
	if err != nil {
		return err
	}
	q := storage.PostQuery{
		WorkspaceID: a.WorkspaceID, AccountID: id, Statuses: []schedctl.Status{schedctl.Scheduled},
		PublishBefore: w.Until.Time, Sort: storage.PublishAscending, Limit: postPage,
	}
	due, late := 0, 0
	var named []string
	err = c.eachPost(r, q, func(p *schedctl.Post) bool {
		due++
		for i := range p.Targets {
			if p.Targets[i].AccountID != id || !s.missesPause(&a, &p.Targets[i], c.Now) {
				continue
			}
			if late++; len(named) < maxNamedPosts {
				named = append(named, p.ID)
			}
		}
		return due < MaxOpen
	})
	if due > 0 {
		w.Message += fmt.Sprintf("; scheduled posts that are due before: %d", due)
	}
	if late > 0 {
		w.Message += fmt.Sprintf(", of which %d will be later than --max-lateness allows and are not published (%s", late, strings.Join(named, ", "))
		if late > len(named) {
			w.Message += fmt.Sprintf(" and %d more", late-len(named))
		}
		w.Message += "): move them"
	}
	return err
}
