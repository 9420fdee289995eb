package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/bench/child"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// seedBatch is the number of posts in one transaction. With more, splitting pages costs
// more time than commits save.
const seedBatch = 2000

// httpAccounts is the number of accounts on the network.
const httpAccounts = 1000

// withAccounts returns a new data directory with a feed, a thousand accounts on the
// network, and no posts.
func (b *bench) withAccounts(ctx context.Context) (dir string, err error) {
	if b.accounts == "" {
		if b.accounts, err = b.newDir(); err != nil {
			return "", err
		}
		if err := b.withDaemon(ctx, b.accounts, func(d *child.Daemon) error { return b.connectAll(ctx, d) }); err != nil {
			return "", err
		}
	}
	return b.copy(b.accounts)
}

func (b *bench) connectAll(ctx context.Context, d *child.Daemon) error {
	if _, err := d.Connect(ctx, `{"platform":"feed","name":"bench"}`); err != nil {
		return err
	}
	s := serverOf(d)
	l := load{connections: 16, count: httpAccounts / b.scale, request: func(i int) []byte {
		body := fmt.Sprintf(`{"platform":"http","name":"bench %d","credentials":{"url":%q}}`, i, b.network.url)
		return s.post("/social-accounts", fmt.Sprintf("account-%d", i), body)
	}}
	_, err := l.send(ctx, s)
	return err
}

// seedPlan describes posts to store without a daemon.
type seedPlan struct {
	platform string // the posts go to its accounts, in turn
	posts    int
	post     func(i int) (content string, at time.Time)
	events   bool // also store the events of their creation
}

// seed stores posts in the database of a stopped daemon, as a daemon stores them.
func seed(ctx context.Context, dir string, s seedPlan) error {
	store, err := bolt.Open(filepath.Join(dir, "schedctl.db"), bolt.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	return errors.Join(s.into(ctx, store), store.Close())
}

// into stores the posts.
func (s *seedPlan) into(ctx context.Context, store storage.Store) error {
	accounts, err := accountsOf(ctx, store, s.platform)
	if err != nil {
		return err
	}
	for b := range s.batches(accounts) {
		if err := b.into(ctx, store); err != nil {
			return fmt.Errorf("seed %d posts: %w", s.posts, err)
		}
	}
	return nil
}

// seeded is a batch of posts to store, or the error of making it.
type seeded struct {
	posts  []schedctl.Post
	events []schedctl.Event
	err    error
}

// batches makes the posts, each batch while the previous one is stored.
func (s *seedPlan) batches(accounts []schedctl.Account) iter.Seq[seeded] {
	return func(yield func(seeded) bool) {
		made, done := make(chan seeded), make(chan struct{})
		var making sync.WaitGroup
		defer making.Wait()
		defer close(done)
		now := time.Now()
		making.Go(func() {
			defer close(made)
			for from := 0; from < s.posts; from += seedBatch {
				select {
				case made <- s.batch(accounts, from, now):
				case <-done:
					return
				}
			}
		})
		for b := range made {
			if !yield(b) {
				return
			}
		}
	}
}

func (s *seedPlan) batch(accounts []schedctl.Account, from int, now time.Time) (b seeded) {
	for i := from; i < min(from+seedBatch, s.posts); i++ {
		a := accounts[i%len(accounts)]
		content, at := s.post(i)
		p, events, err := schedctl.Create(schedctl.NewPost{
			WorkspaceID: a.WorkspaceID, Content: schedctl.Content{Text: content}, Accounts: []schedctl.Account{a}, PublishAt: at,
		}, now)
		if err != nil {
			return seeded{err: err}
		}
		if b.posts = append(b.posts, p); s.events {
			b.events = append(b.events, events...)
		}
	}
	return b
}

func (b *seeded) into(ctx context.Context, store storage.Store) error {
	if b.err != nil {
		return b.err
	}
	return store.Update(ctx, b.put)
}

func (b *seeded) put(tx storage.Tx) error {
	for i := range b.posts {
		if err := tx.PutPost(b.posts[i]); err != nil {
			return err
		}
	}
	if len(b.events) == 0 {
		return nil
	}
	return tx.AddEvents(b.events...)
}

// accountsOf returns the accounts of a platform in the first workspace.
func accountsOf(ctx context.Context, store storage.Store, platform string) (accounts []schedctl.Account, err error) {
	err = store.View(ctx, func(r storage.Reader) error {
		workspaces, err := r.Workspaces()
		if err != nil || len(workspaces) == 0 {
			return fmt.Errorf("%d workspaces: %w", len(workspaces), err)
		}
		all, err := r.Accounts(workspaces[0].ID)
		for _, a := range all {
			if a.Platform == platform {
				accounts = append(accounts, a)
			}
		}
		return err
	})
	if err == nil && len(accounts) == 0 {
		err = fmt.Errorf("no account of platform %s to seed posts for", platform)
	}
	return accounts, err
}

// waiting returns a new data directory with a number of posts due within a year.
func (b *bench) waiting(ctx context.Context, posts int) (dir string, err error) {
	if dir, err = b.withAccounts(ctx); err != nil {
		return "", err
	}
	return dir, seed(ctx, dir, farFuture(posts))
}

// farFuture returns posts for the feed that are due within a year.
func farFuture(posts int) seedPlan {
	first := time.Now().Add(24 * time.Hour)
	return seedPlan{platform: "feed", posts: posts, post: func(i int) (string, time.Time) {
		return fmt.Sprintf("Post number %d of the benchmark", i), first.Add(time.Duration(i) * 30 * time.Second)
	}}
}
