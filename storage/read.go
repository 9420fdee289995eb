package storage

import "context"

// Read returns the result of fn, which view calls with a snapshot. view is the View of a
// [Store] or of its [Readers].
func Read[T any](ctx context.Context, view func(context.Context, func(Reader) error) error, fn func(Reader) (T, error)) (result T, err error) {
	err = view(ctx, func(r Reader) (err error) {
		result, err = fn(r)
		return err
	})
	return result, err
}
