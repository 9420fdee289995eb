package cli

import (
	"context"
	"iter"
)

// maxConcurrent is the maximum number of concurrent requests of a command: enough for
// the daemon to put several changes into one commit.
const maxConcurrent = 8

// RunInOrder runs work on several items at once and passes the results to done, one at
// a time and in the order of the items. After the first error of work or done, or when
// ctx ends, it starts no more items. It returns when all started work has ended.
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

// RunEachInOrder is [RunInOrder] for the elements of a list. done also gets the error
// of work.
func RunEachInOrder[T any](ctx context.Context, list []T, work func(context.Context, *T) error, done func(T, error) error) error {
	return RunEachInTurn(ctx, list, func(*T) string { return "" }, work, done)
}

// RunEachInTurn is [RunEachInOrder], but elements with the same turn are never worked on at
// once: the work on each of them starts when done has returned for the one before. Elements
// whose turn is empty wait for none.
func RunEachInTurn[T any](ctx context.Context, list []T, turn func(*T) string, work func(context.Context, *T) error, done func(T, error) error) error {
	type result struct {
		value         T
		err           error
		before, ended chan struct{} // before is nil if the element waits for none
	}
	items := func(yield func(result, error) bool) {
		last := map[string]chan struct{}{}
		for _, v := range list {
			r := result{value: v, ended: make(chan struct{})}
			if t := turn(&v); t != "" {
				r.before, last[t] = last[t], r.ended
			}
			if !yield(r, nil) {
				return
			}
		}
	}
	return RunInOrder(ctx, items, func(ctx context.Context, r result) result {
		if r.before != nil {
			select {
			case <-r.before:
			case <-ctx.Done():
				r.err = context.Cause(ctx)
				return r
			}
		}
		r.err = work(ctx, &r.value)
		return r
	}, func(r result) error {
		err := done(r.value, r.err)
		if err == nil {
			close(r.ended)
		}
		return err
	})
}
