package bolt_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// creator creates posts as the API does: one transaction adds a post, its events, an
// audit entry and the idempotency record.
type creator struct {
	store      *bolt.Store
	account    schedctl.Account
	at         time.Time // publish time of the first post
	key        string    // the API key of its requests
	unanswered bool      // without the idempotency record and the audit entry
}

func newCreator(store *bolt.Store) *creator {
	now := time.Now()
	return &creator{store: store, at: now.Add(24 * time.Hour), key: schedctl.NewID(schedctl.KeyPrefix, now), account: schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, now),
		Platform: "mastodon", Name: "bench", Status: schedctl.AccountConnected,
	}}
}

var answerBody = []byte(strings.Repeat(`{"post": "as JSON"}`, 40))

func (c *creator) create(tx storage.Tx, number int) (schedctl.Post, error) {
	now := time.Now()
	p, events, err := schedctl.Create(schedctl.NewPost{
		WorkspaceID: c.account.WorkspaceID, Content: schedctl.Content{Text: "A post of an ordinary length, such as people write them every day."},
		Accounts: []schedctl.Account{c.account}, PublishAt: c.at.Add(time.Duration(number) * time.Second),
	}, now)
	if err != nil {
		return p, err
	}
	if err := tx.PutPost(p); err != nil {
		return p, err
	}
	if err := tx.AddEvents(events...); err != nil {
		return p, err
	}
	if c.unanswered {
		return p, nil
	}
	if err := tx.AddAudit(schedctl.AuditEntry{
		ID: schedctl.NewID(schedctl.AuditPrefix, now), WorkspaceID: p.WorkspaceID, At: now, KeyID: c.key, KeyName: "bench",
		RemoteAddr: "127.0.0.1", Action: "createPost", ResourceID: p.ID, RequestID: schedctl.NewID(schedctl.RequestPrefix, now),
	}); err != nil {
		return p, err
	}
	key := storage.IdempotencyScope{WorkspaceID: p.WorkspaceID, Method: "POST", Path: "/api/v1/posts", IdempotencyKey: p.ID}
	return p, tx.PutIdempotencyRecord(key, storage.IdempotencyRecord{Status: 201, Body: answerBody, CreatedAt: p.CreatedAt})
}

func (c *creator) update(tb testing.TB, number int) {
	err := c.store.Update(context.Background(), func(tx storage.Tx) error {
		_, err := c.create(tx, number)
		return err
	})
	if err != nil {
		tb.Error(err)
	}
}

// fill adds n posts in large transactions.
func (c *creator) fill(tb testing.TB, n int) {
	tb.Helper()
	for from := 0; from < n; from += 1000 {
		err := c.store.Update(context.Background(), func(tx storage.Tx) error {
			for i := from; i < min(n, from+1000); i++ {
				if _, err := c.create(tx, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkCreate1 measures the latency of a single client.
func BenchmarkCreate1(b *testing.B) { benchmarkCreate(b, 1) }

// BenchmarkCreate64 measures the time for each post when 64 clients create posts.
func BenchmarkCreate64(b *testing.B) { benchmarkCreate(b, 64) }

func benchmarkCreate(b *testing.B, clients int) {
	c := newCreator(open(b, filepath.Join(b.TempDir(), "bench.db")))
	c.fill(b, 10_000)
	b.ReportAllocs()
	b.ResetTimer()
	numbers := make(chan int)
	var wait sync.WaitGroup
	for range clients {
		wait.Go(func() {
			for n := range numbers {
				c.update(b, n)
			}
		})
	}
	for n := range b.N {
		numbers <- n
	}
	close(numbers)
	wait.Wait()
}

// BenchmarkCreateInOne measures the processor time of a create without the commit.
func BenchmarkCreateInOne(b *testing.B) {
	c := newCreator(open(b, filepath.Join(b.TempDir(), "bench.db")))
	c.fill(b, 10_000)
	b.ReportAllocs()
	b.ResetTimer()
	c.fill(b, b.N)
}

// BenchmarkPage measures a page of 20 posts in a small and in a large database.
func BenchmarkPage(b *testing.B) {
	for _, posts := range []int{1_000, 100_000} {
		c := newCreator(open(b, filepath.Join(b.TempDir(), "bench.db")))
		c.fill(b, posts)
		for name, q := range map[string]storage.PostQuery{
			"newest":    {},
			"scheduled": {Statuses: []schedctl.Status{schedctl.Scheduled}, Sort: storage.PublishAscending},
			"account":   {AccountID: c.account.ID, Sort: storage.PublishDescending},
		} {
			q.WorkspaceID, q.Limit = c.account.WorkspaceID, 20
			b.Run(fmt.Sprintf("%s/%d", name, posts), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					err := c.store.View(context.Background(), func(r storage.Reader) error {
						page, err := r.Posts(q)
						if err == nil && len(page.Posts) != 20 {
							err = fmt.Errorf("%d posts, want 20", len(page.Posts))
						}
						return err
					})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
