package deliver

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

const (
	// statusForbidden is the HTTP status of a network that knows an account but does not
	// allow a request.
	statusForbidden = 403

	// blockedAfter is how many targets of an account in a row are refused, each on its own,
	// until the account is held: the network may refuse the whole account.
	blockedAfter = 3

	// nearPosts is how many posts of an account are searched for such targets, on each
	// side of a refused post, among those that have failed and those that have not ended.
	nearPosts = 20
)

// reviewHold decides again whether the end of an attempt holds its account, in view of what
// the store knows of earlier attempts. It may be called again when a transaction is
// repeated.
func (r *recordTx) reviewHold(e *attemptEnd) error {
	switch {
	case e.decision.refused && !e.decision.result.Unreached && e.decision.hold == nil:
		return r.failIfHeldBefore(e)
	case e.refusesOne():
		return r.holdIfBlocked(e)
	}
	return nil
}

// failIfHeldBefore fails a target that has held its account before, for the same reason. A
// check of the account has succeeded since, so the network refuses only this target.
func (r *recordTx) failIfHeldBefore(e *attemptEnd) error {
	attempts, err := r.edits.tx.Attempts(e.call.attempt.TargetID)
	if err != nil {
		return err
	}
	refusal := e.decision.result.Error
	for i := range attempts {
		a := &attempts[i]
		same := a.ID != e.call.attempt.ID && a.Part == e.call.attempt.Part && a.Error != nil && a.Error.Kind == schedctl.KindAuth && a.Error.Code == refusal.Code
		if !same || a.Outcome == schedctl.OutcomeRunning {
			continue
		}
		failed := *refusal
		failed.Kind, failed.Retryable = schedctl.KindContent, false
		failed.Message = "the network refused this post again, although it accepts the account"
		if e.decision.words != "" {
			failed.Message += ": " + strings.TrimSuffix(e.decision.words, ".")
		}
		failed.Message = withAdvice(failed.Message, "; change the post, then retry it")
		e.decision.refused, e.decision.result = false, schedctl.Result{Error: &failed}
		return nil
	}
	return nil
}

// refusesOne reports whether the network refused the post of a target, or one of its files,
// with 403, and nothing said that it refuses the account.
func (e *attemptEnd) refusesOne() bool {
	return e.receipt == nil && e.call.attempt.Part == 0 && e.decision.result.RetryAt.IsZero() && isRefusedAlone(e.decision.result.Error)
}

func isRefusedAlone(e *schedctl.TargetError) bool {
	return e != nil && (e.Kind == schedctl.KindContent || e.Kind == schedctl.KindMedia) && e.HTTPStatus == statusForbidden && e.Outcome == schedctl.OutcomeNotPublished
}

// holdIfBlocked holds the account of a target that the network refused alone, if it refused
// the targets before it as well, and published nothing in between.
func (r *recordTx) holdIfBlocked(e *attemptEnd) error {
	a := e.call.attempt
	last, err := r.edits.tx.PublishedTargets(a.AccountID, storage.PublishedTarget{}, 1)
	if err != nil {
		return err
	}
	var since time.Time
	if len(last) > 0 {
		since = last[0].At
	}
	refused, err := r.refusedNear(a, since)
	if err != nil {
		return err
	}
	refused++
	if refused < blockedAfter {
		return nil
	}
	hold := *e.decision.result.Error
	hold.Kind, hold.Code = schedctl.KindAuth, string(publish.HoldBlocked)
	hold.Message = publish.Clip(fmt.Sprintf("the network refused %d posts in a row, the last one with: %s. Check the account there, then run: schedctl account verify ACCOUNT", refused, hold.Message), maxMessage)
	e.decision.refused, e.decision.hold = true, &hold
	return nil
}

// refusedNear returns how many targets of the account of an attempt were refused alone after
// a time, without its own. It stops counting when the account is to be held for them.
//
// Targets are claimed in the order of their publish times, or in either direction if a
// person retried many. So the posts of the last ones are next to that of the attempt. They
// have not ended if they have other accounts. Each status is searched alone, because many
// posts that wait for their turn are in the same place.
//
// The bound of [nearPosts] keeps the cost of a refusal the same for every account: an index
// of failures by their ends would be exact, but each failure would write to it. So posts that
// a person retries one by one, and whose times are further apart, are not counted.
func (r *recordTx) refusedNear(a schedctl.Attempt, since time.Time) (refused int, err error) {
	post, err := r.edits.post(a.WorkspaceID, a.PostID)
	if err != nil {
		return 0, err
	}
	for _, status := range []schedctl.Status{schedctl.Failed, schedctl.Publishing} {
		for _, sort := range []storage.Sort{storage.PublishDescending, storage.PublishAscending} {
			page, err := r.edits.tx.Posts(storage.PostQuery{
				WorkspaceID: a.WorkspaceID, AccountID: a.AccountID, Statuses: []schedctl.Status{status},
				Sort: sort, Limit: nearPosts, After: &storage.Position{PublishAt: post.PublishAt, PostID: post.ID},
			})
			if err != nil {
				return 0, err
			}
			n, err := r.refusedAmong(page.Posts, a.AccountID, since)
			if refused += n; err != nil || refused+1 >= blockedAfter {
				return refused, err
			}
		}
	}
	return refused, nil
}

// refusedAmong returns how many targets of an account among posts were refused alone after
// a time. It reads no attempts of posts that have not changed since.
func (r *recordTx) refusedAmong(posts []schedctl.Post, accountID string, since time.Time) (refused int, err error) {
	for i := range posts {
		for _, t := range posts[i].Targets {
			if posts[i].UpdatedAt.Before(since) || t.AccountID != accountID || t.Status != schedctl.Failed || !isRefusedAlone(t.Error) {
				continue
			}
			attempts, err := r.edits.tx.Attempts(t.ID)
			if err != nil {
				return 0, err
			}
			if n := len(attempts); n > 0 && attempts[n-1].FinishedAt.After(since) {
				refused++
			}
		}
	}
	return refused, nil
}
