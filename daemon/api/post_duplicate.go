package api

import (
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// guardOption is the account option that says how far apart in time the same
// text must be. Without it nothing is refused as a duplicate.
const guardOption = "duplicate_guard"

func guardOf(a *schedctl.Account) time.Duration {
	guard, _ := a.Options.Duration(guardOption)
	return guard
}

// anyGuarded reports whether duplicates are to be looked for at all.
func anyGuarded(accounts []schedctl.Account) bool {
	return slices.ContainsFunc(accounts, func(a schedctl.Account) bool { return guardOf(&a) > 0 })
}

// refuseDuplicates returns an error with code DUPLICATE_CONTENT when a post
// that waits to go out has a twin: another one with the same text for the same
// account whose time is less than the account's guard away. It belongs into the
// transaction that stores the post, so that of two twins sent at once one is
// refused.
func refuseDuplicates(r storage.Reader, p *schedctl.Post) error {
	for i := range p.Targets {
		t := &p.Targets[i]
		if _, waiting := t.Due(); !waiting {
			continue
		}
		a, err := r.Account(p.WorkspaceID, t.AccountID)
		if err != nil {
			return err
		}
		guard := guardOf(&a)
		if guard <= 0 {
			continue
		}
		twin, err := hasTwin(r, p, a.ID, guard)
		if err != nil {
			return err
		}
		if twin {
			return schedctl.Errorf(schedctl.DuplicateContent, "content",
				"%s has the same text from another post less than %s away; change the text, or allow it with allow_duplicate: true (--allow-duplicate)",
				a.ID, a.Options.String(guardOption))
		}
	}
	return nil
}

// hasTwin looks for a twin of the post among the posts of the account, of which
// it looks at the latest [storage.ScanLimit] within the guard.
func hasTwin(r storage.Reader, p *schedctl.Post, accountID string, guard time.Duration) (bool, error) {
	q := storage.PostQuery{
		WorkspaceID: p.WorkspaceID, AccountID: accountID, Sort: storage.PublishDescending, Limit: maxLimit,
		PublishAfter:  p.PublishAt.Add(time.Millisecond - guard), // exactly the guard apart is far enough
		PublishBefore: p.PublishAt.Add(guard),
	}
	for seen := 0; seen < storage.ScanLimit; seen += maxLimit {
		page, err := r.Posts(q)
		if err != nil {
			return false, err
		}
		isTwin := func(other schedctl.Post) bool {
			return other.ID != p.ID && other.Content == p.Content && mayGoTo(&other, accountID)
		}
		if slices.ContainsFunc(page.Posts, isTwin) {
			return true, nil
		}
		if page.Next == nil {
			break
		}
		q.After = page.Next
	}
	return false, nil
}

// mayGoTo reports whether the account has the post, will have it, or may have
// it without anyone knowing.
func mayGoTo(p *schedctl.Post, accountID string) bool {
	return slices.ContainsFunc(p.Targets, func(t schedctl.Target) bool {
		if t.AccountID != accountID {
			return false
		}
		switch t.Status {
		case schedctl.Scheduled, schedctl.Publishing, schedctl.Published:
			return true
		}
		return t.Error != nil && t.Error.Outcome == schedctl.OutcomeUnknown
	})
}
