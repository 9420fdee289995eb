package cli

import (
	"context"
	"iter"
)

// maxConcurrent is how many calls of a command that makes many are under way at the
// same time: enough for the daemon to put several into one commit.
const maxConcurrent = 8

// RunInOrder runs work on each item, several at once, and gives the results to done
// one after another in the order of the items. It stops at the first error, of an item
// or of done, and returns when all started work has ended. When ctx ends it starts no
// more items; work has to end those in progress.
func RunInOrder[T, R any](ctx context.Context, items iter.Seq2[T, error], work func(context.Context, T) R, done func(R) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	queue := make(chan chan R, maxConcurrent-1)
	var broken error // read when queue is closed
	go func() {
		defer close(queue)
		for item, err := range items {
			if err != nil {
				broken = err
				return
			}
			result := make(chan R, 1)
			select {
			case queue <- result:
				go func() { result <- work(ctx, item) }()
			case <-ctx.Done():
				return
			}
		}
	}()
	var failed error
	for result := range queue {
		r := <-result
		if failed != nil {
			continue
		}
		if failed = done(r); failed != nil {
			stop()
		}
	}
	switch {
	case failed != nil:
		return failed
	case broken != nil:
		return broken
	}
	return context.Cause(ctx)
}

// RunEachInOrder is inOrder for the elements of a list, with the error of work for
// each element.
func RunEachInOrder[T any](ctx context.Context, list []T, work func(context.Context, *T) error, done func(T, error) error) error {
	type result struct {
		value T
		err   error
	}
	items := func(yield func(T, error) bool) {
		for _, v := range list {
			if !yield(v, nil) {
				return
			}
		}
	}
	return RunInOrder(ctx, items, func(ctx context.Context, v T) result {
		err := work(ctx, &v)
		return result{v, err}
	}, func(r result) error { return done(r.value, r.err) })
}
