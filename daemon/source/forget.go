package source

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// forgottenAtOnce is how many items one transaction deletes.
const forgottenAtOnce = 200

// forget deletes a source that was removed long ago, with its items.
func (r *Runner) forget(ctx context.Context, s *schedctl.Source) error {
	for more := true; more && ctx.Err() == nil; {
		err := r.cfg.Store.Update(ctx, func(tx storage.Tx) error {
			current, err := tx.Source(s.WorkspaceID, s.ID)
			if more = false; schedctl.CodeOf(err) == schedctl.NotFound || err == nil && current.State != schedctl.SourceRemoved {
				return nil
			}
			if err != nil {
				return err
			}
			items, err := tx.SourceItems(storage.SourceItemQuery{WorkspaceID: s.WorkspaceID, SourceID: s.ID, Limit: forgottenAtOnce})
			if err != nil {
				return err
			}
			for _, i := range items {
				if err := tx.DeleteSourceItem(i.WorkspaceID, i.ID); err != nil {
					return err
				}
			}
			if more = len(items) == forgottenAtOnce; more {
				return nil
			}
			return tx.DeleteSource(s.WorkspaceID, s.ID)
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}
