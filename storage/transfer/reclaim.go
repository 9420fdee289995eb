package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/schedctl/schedctl/storage"
)

// ErrUsable says that nothing keeps daemons from a database.
var ErrUsable = errors.New("daemons may use it already")

// Reclaim lets daemons use a database again that was moved, or that is a copy of one
// that goes on being used. before is called first, to hold back what may have been
// published from the other one. Of the options only From, the name of the database,
// Host, Version and Now count.
//
// It fails with [ErrUsable], with a [*RefusedError] when the database is half a copy,
// and with a [*BusyError].
func Reclaim(ctx context.Context, store storage.Store, o Options, before func(context.Context, storage.Store) error) error {
	present, err := join(ctx, &o, store, nil)
	if err != nil {
		return err
	}
	defer present.leave(ctx)
	m, err := readMark(ctx, store)
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", o.From, err)
	case m.Role == "" || m.Role == Leaving:
		return fmt.Errorf("%s: %w", o.From, ErrUsable)
	case m.Role == Arriving:
		return fmt.Errorf("%s: %w", o.From, &RefusedError{m})
	}
	if err := present.waitForOthers(ctx); err != nil {
		return err
	}
	if err := before(ctx, store); err != nil {
		return err
	}
	return withDatabase("mark "+o.From, store.Update(ctx, unmark))
}

// Forget takes the mark of a database away. It is for a file of its own, made from a
// database that had the mark, once what may have been published from the other one
// is held back in it.
func Forget(ctx context.Context, store storage.Store) error {
	m, err := readMark(ctx, store)
	if err != nil || m.Role == "" {
		return err
	}
	return withDatabase("take the mark of a copy away", store.Update(ctx, unmark))
}
