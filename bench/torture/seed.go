package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// plannedPost is a post that was scheduled an hour before its time.
type plannedPost struct {
	account string
	at      time.Time
	thread  bool // with a thread, a first comment and a poll
}

// seedBatch is the number of posts in one transaction.
const seedBatch = 5000

// seed stops the daemon and adds posts to its database as the daemon would have stored
// them. The API does not accept times in the past.
func (w *world) seed(ctx context.Context, posts []plannedPost) error {
	d := w.daemon()
	if err := d.Stop(); err != nil {
		return err
	}
	store, err := bolt.Open(d.Database(), bolt.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer store.Close()
	accounts, err := allAccounts(ctx, store)
	if err != nil {
		return err
	}
	for from := 0; from < len(posts); from += seedBatch {
		batch := posts[from:min(from+seedBatch, len(posts))]
		var stories []*story
		err := store.Update(ctx, func(tx storage.Tx) (err error) {
			stories, err = put(tx, accounts, batch)
			return err
		})
		if err != nil {
			return fmt.Errorf("seed: %w", err)
		}
		w.seeded = append(w.seeded, stories...)
	}
	return nil
}

func allAccounts(ctx context.Context, store storage.Store) (map[string]schedctl.Account, error) {
	out := map[string]schedctl.Account{}
	err := store.View(ctx, func(r storage.Reader) error {
		workspaces, err := r.Workspaces()
		if err != nil || len(workspaces) == 0 {
			return fmt.Errorf("%d workspaces: %w", len(workspaces), err)
		}
		accounts, err := r.Accounts(workspaces[0].ID)
		for _, a := range accounts {
			out[a.ID] = a
		}
		return err
	})
	return out, err
}

// seededEvents are the events of every seeded post.
var seededEvents = map[schedctl.EventType]int{
	schedctl.EventPostCreated: 1, schedctl.EventPostScheduled: 1, schedctl.EventPostQueued: 1,
}

func put(tx storage.Tx, accounts map[string]schedctl.Account, posts []plannedPost) (stories []*story, err error) {
	for i, p := range posts {
		account := accounts[p.account]
		n := schedctl.NewPost{
			WorkspaceID: account.WorkspaceID, Content: schedctl.Content{Text: fmt.Sprintf("post %d for %s", i, p.at.UTC())},
			Accounts: []schedctl.Account{account}, PublishAt: p.at,
		}
		if p.thread {
			n.Thread, n.FirstComment = []schedctl.Part{{Content: "two"}, {Content: "three"}}, &schedctl.Part{Content: "comment"}
			n.Poll = &schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: time.Hour}
		}
		post, events, err := schedctl.Create(n, p.at.Add(-time.Hour))
		if err != nil {
			return nil, err
		}
		if err := tx.PutPost(post); err != nil {
			return nil, err
		}
		if err := tx.AddEvents(events...); err != nil {
			return nil, err
		}
		stories = append(stories, &story{post: post.ID, content: post.Text, events: seededEvents})
	}
	return stories, nil
}
