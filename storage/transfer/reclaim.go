package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/schedctl/schedctl/storage"
)

// ErrUsable means that daemons may use the database already.
var ErrUsable = errors.New("daemons may use it already")

// Reclaim allows daemons to use a database again that was moved, or that is a copy of
// one that stays in use. before is called first, to hold posts that may have been
// published from the other database. Of the options only From (the name of the
// database), Host, Version and Now are used.
//
// It fails with [ErrUsable], with a [*RefusedError] for an unfinished copy, and with a
// [*BusyError].
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

// Forget removes the mark of a database. Use it for a new file made from a marked
// database, after the posts that may have been published from the other database are
// held.
func Forget(ctx context.Context, store storage.Store) error {
	m, err := readMark(ctx, store)
	if err != nil || m.Role == "" {
		return err
	}
	return withDatabase("remove the mark of a copy", store.Update(ctx, unmark))
}
