package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// seedBatch is how many posts one transaction writes.
const seedBatch = 5000

// seed returns a data directory with a feed account and a number of posts that
// are due in the coming year.
func (b *bench) seed(ctx context.Context, posts int) (dir string, err error) {
	if dir, err = b.fresh(); err != nil {
		return "", err
	}
	d, err := b.start(ctx, dir)
	if err != nil {
		return "", err
	}
	_, err = d.connect(ctx, `{"platform":"feed","name":"bench"}`)
	if stopped := d.stop(); err == nil {
		err = stopped
	}
	if err != nil {
		return "", err
	}
	store, err := bolt.Open(filepath.Join(dir, "schedctl.db"), bolt.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return "", err
	}
	defer store.Close()
	return dir, fill(ctx, store, posts)
}

func fill(ctx context.Context, store storage.Store, posts int) error {
	accounts, err := firstAccounts(ctx, store)
	if err != nil {
		return err
	}
	now := time.Now()
	for from := 0; from < posts; from += seedBatch {
		err := store.Update(ctx, func(tx storage.Tx) error {
			for i := from; i < min(from+seedBatch, posts); i++ {
				p, events, err := schedctl.Create(schedctl.NewPost{
					WorkspaceID: accounts[0].WorkspaceID, Content: fmt.Sprintf("Post number %d of the benchmark", i),
					Accounts: accounts, PublishAt: now.Add(24*time.Hour + time.Duration(i)*30*time.Second),
				}, now)
				if err != nil {
					return err
				}
				if err := tx.PutPost(p); err != nil {
					return err
				}
				if err := tx.AddEvents(events...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	return nil
}

func firstAccounts(ctx context.Context, store storage.Store) (accounts []schedctl.Account, err error) {
	err = store.View(ctx, func(r storage.Reader) error {
		workspaces, err := r.Workspaces()
		if err != nil || len(workspaces) == 0 {
			return fmt.Errorf("%d workspaces: %w", len(workspaces), err)
		}
		accounts, err = r.Accounts(workspaces[0].ID)
		return err
	})
	return accounts, err
}
