package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/transfer"
)

// admit returns an error if daemons must not use a database because of a copy.
func admit(ctx context.Context, store storage.Store) error {
	err := transfer.Check(ctx, store)
	var refused *transfer.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	return cli.NewFailure(cli.ExitConflict, cli.CodeOther, "%s", refused.Error()).WithHint(afterCopy[refused.Mark.Role])
}

// admitOr is admit for a running daemon. It ends the daemon if the database was moved
// while the daemon was disconnected.
func admitOr(refuse context.CancelCauseFunc) func(context.Context, storage.Store) error {
	return func(ctx context.Context, store storage.Store) error {
		err := admit(ctx, store)
		if f, ok := errors.AsType[*cli.Failure](err); ok {
			refuse(f)
		}
		return err
	}
}

// afterCopy returns the advice for a database that daemons refuse.
var afterCopy = map[transfer.Role]string{
	transfer.Leaving:   "wait for its end, or interrupt it, and start the daemon again",
	transfer.Arriving:  "run the same schedctl store copy again to complete it",
	transfer.Moved:     "start the daemon there, with --store; to use this one again: schedctl store use --help",
	transfer.Duplicate: "to use it instead of the other database: schedctl store use --help",
}

// refuseCopied returns an error if a file must not be restored because of "store
// copy". An incomplete copy is never restored. If the other database may be in use,
// posts that may have been published from it must be held.
func (o *restore) refuseCopied(ctx context.Context, store storage.Store, from string) error {
	mark, err := storage.Read(ctx, store.View, transfer.MarkOf)
	f := &cli.Failure{Status: cli.ExitConflict, Code: cli.CodeOther, Message: fmt.Sprintf("%s: %v", from, &transfer.RefusedError{Mark: mark})}
	switch {
	case err != nil:
		return err
	case mark.Role == transfer.Arriving:
		f.Hint = afterCopy[mark.Role]
	case o.overdue == overduePublish && (mark.Role == transfer.Moved || mark.Role == transfer.Duplicate):
		f.Hint = "leave out --overdue publish, or see: schedctl store use --help"
	default:
		return nil
	}
	return f
}
