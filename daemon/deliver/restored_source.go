package deliver

import (
	"context"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// startSourcesOver restarts all sources: the original may have made posts of every item
// that has appeared until the restore, so none is made.
func (w *withholding) startSourcesOver(ctx context.Context) error {
	workspaces, err := storage.Read(ctx, w.store.View, func(r storage.Reader) ([]schedctl.Workspace, error) { return r.Workspaces() })
	if err != nil {
		return err
	}
	for _, workspace := range workspaces {
		list, err := storage.Read(ctx, w.store.View, func(r storage.Reader) ([]schedctl.Source, error) { return r.Sources(workspace.ID) })
		if err != nil {
			return err
		}
		for i := range list {
			if list[i].State == schedctl.SourceRemoved {
				continue
			}
			if err := w.startOver(ctx, &list[i]); err != nil {
				return fmt.Errorf("start a source over: %w", err)
			}
		}
	}
	return nil
}

// startOver fails the waiting items of a source, and lets its next fetch be like the first one.
func (w *withholding) startOver(ctx context.Context, s *schedctl.Source) error {
	for more := true; more; {
		err := w.store.Update(ctx, func(tx storage.Tx) error {
			current, err := tx.Source(s.WorkspaceID, s.ID)
			if err != nil {
				return err
			}
			items, err := tx.SourceItems(storage.SourceItemQuery{WorkspaceID: s.WorkspaceID, SourceID: s.ID, State: schedctl.ItemWaiting, Limit: maxGroup})
			if err != nil {
				return err
			}
			for i := range items {
				items[i].Settle(schedctl.ItemFailed, "the database was restored from a backup, and the item may have made a post since; check the account before you make one")
				if err := tx.PutSourceItem(items[i]); err != nil {
					return err
				}
			}
			more = len(items) == maxGroup
			current.StartOver()
			return tx.PutSource(current)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
