package storage

import (
	"context"
	"iter"

	"github.com/schedctl/schedctl"
)

// Read returns the result of fn, which view calls with a snapshot. view is the View of a
// [Store] or of its [Readers].
func Read[T any](ctx context.Context, view func(context.Context, func(Reader) error) error, fn func(Reader) (T, error)) (result T, err error) {
	err = view(ctx, func(r Reader) (err error) {
		result, err = fn(r)
		return err
	})
	return result, err
}

// EachAccount returns the accounts of all workspaces. It ends after an error.
func EachAccount(r Reader) iter.Seq2[*schedctl.Account, error] {
	return func(yield func(*schedctl.Account, error) bool) {
		workspaces, err := r.Workspaces()
		if err != nil {
			yield(nil, err)
			return
		}
		for _, w := range workspaces {
			accounts, err := r.Accounts(w.ID)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range accounts {
				if !yield(&accounts[i], nil) {
					return
				}
			}
		}
	}
}
