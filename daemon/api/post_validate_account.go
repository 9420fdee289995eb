package api

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// maxWindowReads is how many posts are read to find out whether a network accepts one more.
const maxWindowReads = 1000

// expiryWarning says that the credentials of an account end before a time. It is empty if
// they do not, or if the daemon will renew them.
func expiryWarning(a schedctl.Account, at, now time.Time) string {
	e := a.Expiry
	if e.At.IsZero() || at.Before(e.At) || !e.RenewAt.IsZero() && !e.EndsSoon(now) {
		return ""
	}
	return "the post is due after that: " + schedctl.ExpiryWarning(a)
}

// checkWindow adds a warning if the account has as many posts before this one as its network
// accepts in a period.
func (v *validation) checkWindow(about *apiv1.AccountValidation, a *schedctl.Account) error {
	limit, window := a.Limits.Posts, a.Limits.Window
	if limit <= 0 || limit > maxWindowReads || window <= 0 {
		return nil
	}
	at := v.publishTime()
	page, err := v.reader.Posts(storage.PostQuery{
		WorkspaceID: a.WorkspaceID, AccountID: a.ID, PublishAfter: at.Add(-window), PublishBefore: at.Add(time.Millisecond),
		Statuses: []schedctl.Status{schedctl.Scheduled, schedctl.Publishing, schedctl.Published},
		Sort:     storage.PublishDescending, Limit: limit + 1,
	})
	if err != nil {
		return err
	}
	n := 0
	for i := range page.Posts {
		if page.Posts[i].ID != v.body.postID {
			n++
		}
	}
	if n >= limit {
		about.Warnings = append(about.Warnings, fmt.Sprintf("its network accepts %d posts in %s, and the account has as many before this one; the post waits until there is room", limit, window))
	}
	return nil
}
