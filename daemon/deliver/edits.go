package deliver

import (
	"errors"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// edits collects the changes of one transaction. Each post and each account is read
// and written once, however many of its targets change.
type edits struct {
	tx       storage.Tx
	posts    map[string]*schedctl.Post
	accounts map[string]*schedctl.Account
	attempts []schedctl.Attempt
	events   []schedctl.Event

	changedPosts    []*schedctl.Post
	changedAccounts []*schedctl.Account
}

func newEdits(tx storage.Tx) *edits {
	return &edits{tx: tx, posts: map[string]*schedctl.Post{}, accounts: map[string]*schedctl.Account{}}
}

// post returns a post with the changes so far.
func (e *edits) post(workspace, id string) (*schedctl.Post, error) {
	return readOnce(e.posts, e.tx.Post, workspace, id)
}

// account returns an account with the changes so far.
func (e *edits) account(workspace, id string) (*schedctl.Account, error) {
	return readOnce(e.accounts, e.tx.Account, workspace, id)
}

// readOnce returns the record with the id, and reads it if known does not have it.
func readOnce[T any](known map[string]*T, read func(workspace, id string) (T, error), workspace, id string) (*T, error) {
	if record := known[id]; record != nil {
		return record, nil
	}
	record, err := read(workspace, id)
	if err != nil {
		return nil, err
	}
	known[id] = &record
	return &record, nil
}

func (e *edits) changedPost(p *schedctl.Post) { e.changedPosts = addOnce(e.changedPosts, p) }

func (e *edits) changedAccount(a *schedctl.Account) {
	e.changedAccounts = addOnce(e.changedAccounts, a)
}

func addOnce[T any](list []*T, item *T) []*T {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}

// finish ends a target of a post. It returns an error and changes nothing if the
// target does not accept the result.
func (e *edits) finish(p *schedctl.Post, targetID string, result schedctl.Result, now time.Time) error {
	events, err := p.Finish(targetID, result, now)
	if err != nil {
		return err
	}
	e.changedPost(p)
	e.events = append(e.events, events...)
	return nil
}

// endAttempt ends an attempt and its target. It ends the attempt even if it returns an
// error because the target does not accept the result.
func (e *edits) endAttempt(p *schedctl.Post, a schedctl.Attempt, outcome schedctl.Outcome, result schedctl.Result, now time.Time) error {
	err := e.finish(p, a.TargetID, result, now)
	a.FinishedAt, a.Outcome, a.Error = schedctl.Millis(now), outcome, result.Error
	if result.Receipt != nil {
		a.Error = result.Receipt.Degraded.TargetError()
	}
	e.attempts = append(e.attempts, a)
	return err
}

// hasEnd reports whether the attempt with this id is ended in this transaction.
func (e *edits) hasEnd(attemptID string) bool {
	return slices.ContainsFunc(e.attempts, func(a schedctl.Attempt) bool {
		return a.ID == attemptID && a.Outcome != schedctl.OutcomeRunning
	})
}

// write stores the changes.
func (e *edits) write() error {
	var errs []error
	for _, p := range e.changedPosts {
		errs = append(errs, e.tx.PutPost(*p))
	}
	for _, a := range e.changedAccounts {
		errs = append(errs, e.tx.PutAccount(*a))
	}
	for _, a := range e.attempts {
		errs = append(errs, e.tx.PutAttempt(a))
	}
	if len(e.events) > 0 {
		errs = append(errs, e.tx.AddEvents(e.events...))
	}
	return errors.Join(errs...)
}
