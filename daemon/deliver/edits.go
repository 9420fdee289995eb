package deliver

import (
	"errors"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// edits are the changes of one transaction. They read and write each post and
// each account once, however many of its targets the transaction is about.
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

// post returns the post, as changed so far.
func (e *edits) post(workspace, id string) (*schedctl.Post, error) {
	if p := e.posts[id]; p != nil {
		return p, nil
	}
	p, err := e.tx.Post(workspace, id)
	if err != nil {
		return nil, err
	}
	e.posts[id] = &p
	return &p, nil
}

// account returns the account, as changed so far.
func (e *edits) account(workspace, id string) (*schedctl.Account, error) {
	if a := e.accounts[id]; a != nil {
		return a, nil
	}
	a, err := e.tx.Account(workspace, id)
	if err != nil {
		return nil, err
	}
	e.accounts[id] = &a
	return &a, nil
}

func (e *edits) changedPost(p *schedctl.Post) { e.changedPosts = addOnce(e.changedPosts, p) }

func (e *edits) changedAccount(a *schedctl.Account) {
	e.changedAccounts = addOnce(e.changedAccounts, a)
}

func addOnce[T any](list []*T, item *T) []*T {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] == item {
			return list
		}
	}
	return append(list, item)
}

// write puts what has changed.
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
