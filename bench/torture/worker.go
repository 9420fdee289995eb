package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// worker works until enough is closed, and finishes what it is doing.
type worker func(ctx context.Context, enough <-chan struct{}) error

// repeatedly returns a worker that repeats a step. Its errors start with the name.
func repeatedly(name string, step func(context.Context) error) worker {
	return func(ctx context.Context, enough <-chan struct{}) error {
		for {
			select {
			case <-enough:
				return nil
			default:
			}
			if err := step(ctx); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
}

// whileWorking runs fn while workers work, and returns when all have ended. fn must leave a
// running daemon, with which the workers finish, or return an error, on which they give up.
func whileWorking(ctx context.Context, workers []worker, fn func() error) error {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	enough := make(chan struct{})
	var wg sync.WaitGroup
	var failed firstError
	for _, work := range workers {
		wg.Go(func() { failed.add(work(ctx, enough)) })
	}
	err := fn()
	if err != nil {
		giveUp()
	}
	close(enough)
	wg.Wait()
	return errors.Join(err, failed.err)
}
