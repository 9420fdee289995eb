package daemon

import (
	"context"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/feed"
	"github.com/schedctl/schedctl/storage"
)

// feedSource reads the published posts of feed accounts from the store.
type feedSource struct{ store *storage.Readers }

// Feed returns the feed account with this name.
func (s feedSource) Feed(ctx context.Context, name string) (a schedctl.Account, err error) {
	err = s.store.View(ctx, func(r storage.Reader) (err error) {
		a, err = r.Feed(name)
		return err
	})
	return a, err
}

// Entries returns a page of the published posts of the account.
func (s feedSource) Entries(ctx context.Context, account schedctl.Account, after string, limit int) (entries []feed.Entry, err error) {
	err = s.store.View(ctx, func(r storage.Reader) error {
		entries = nil
		var from storage.PublishedTarget
		if after != "" {
			last, err := publishedEntry(r, account, after)
			if err != nil {
				return err
			}
			from = storage.PublishedTarget{At: last.PublishedAt, TargetID: last.ID}
		}
		published, err := r.PublishedTargets(account.ID, from, limit)
		if err != nil {
			return err
		}
		for _, p := range published {
			post, err := r.Post(p.WorkspaceID, p.PostID)
			if err != nil {
				return err
			}
			t := post.Target(p.TargetID)
			if t == nil {
				continue
			}
			entries = append(entries, feed.Entry{ID: t.ID, Content: post.ContentFor(t), PublishedAt: p.At})
		}
		return nil
	})
	return entries, err
}

// Entry returns one published target of the account.
func (s feedSource) Entry(ctx context.Context, account schedctl.Account, targetID string) (e feed.Entry, err error) {
	err = s.store.View(ctx, func(r storage.Reader) (err error) {
		e, err = publishedEntry(r, account, targetID)
		return err
	})
	return e, err
}

func publishedEntry(r storage.Reader, account schedctl.Account, targetID string) (feed.Entry, error) {
	route, err := r.Route(targetID)
	if err != nil {
		return feed.Entry{}, err
	}
	post, err := r.Post(route.WorkspaceID, route.PostID)
	if err != nil {
		return feed.Entry{}, err
	}
	t := post.Target(targetID)
	if t == nil || t.Status != schedctl.Published || t.AccountID != account.ID {
		return feed.Entry{}, schedctl.Errorf(schedctl.NotFound, "", "the feed has no entry %s", targetID)
	}
	return feed.Entry{ID: t.ID, Content: post.ContentFor(t), PublishedAt: t.PublishedAt}, nil
}
