package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// errUsedSinceStart means that a copy has become worthless.
var errUsedSinceStart = errors.New("a daemon has used the database since the copy started: remove the copy, and start again")

// finish records which database may be used from now on. At no time may both be used.
func (r *run) finish(ctx context.Context) error {
	now := schedctl.Millis(r.Now())
	source := func(tx storage.Tx) error {
		m, err := MarkOf(tx)
		switch {
		case err != nil:
			return err
		case m.Copy != r.id:
			return errUsedSinceStart
		case r.After == UseSource:
			return unmark(tx)
		case m.Role == Moved:
			return nil
		}
		return Mark{Role: Moved, Copy: r.id, Peer: r.To, At: now}.put(tx)
	}
	arrived := func(tx storage.Tx) error {
		if err := tx.PutMetadata(progressKey, nil); err != nil || r.After == UseCopy {
			return errors.Join(err, unmark(tx))
		}
		return Mark{Role: Duplicate, Copy: r.id, Peer: r.From, At: now}.put(tx)
	}
	steps := []func() error{
		func() error { return withDatabase("mark "+r.From, r.from.Update(ctx, source)) },
		func() error { return withDatabase("mark "+r.To, r.to.Update(ctx, arrived)) },
	}
	if r.After == UseSource {
		slices.Reverse(steps)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func withDatabase(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
