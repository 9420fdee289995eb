package postgres_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// creator creates posts with three targets as the API does: one transaction checks for
// an idempotency record and stores a post, its events, the audit entry and the record.
type creator struct {
	workspace, key string
	accounts       []schedctl.Account
}

func newCreator() *creator {
	now := time.Now()
	c := &creator{workspace: schedctl.NewID(schedctl.WorkspacePrefix, now), key: schedctl.NewID(schedctl.KeyPrefix, now)}
	for range 3 {
		c.accounts = append(c.accounts, schedctl.Account{
			ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: c.workspace, Platform: "mastodon", Status: schedctl.AccountConnected,
		})
	}
	return c
}

var idempotencyBody = []byte(strings.Repeat(`{"post": "as JSON"}`, 40))

// records are what one request stores.
type records struct {
	post        schedctl.Post
	events      []schedctl.Event
	audit       schedctl.AuditEntry
	key         storage.IdempotencyScope
	idempotency storage.IdempotencyRecord
}

func (c *creator) records() (r records, err error) {
	now := time.Now()
	r.post, r.events, err = schedctl.Create(schedctl.NewPost{
		WorkspaceID: c.workspace, Content: schedctl.Content{Text: "A post of ordinary length, as people write them every day."},
		Accounts: c.accounts, PublishAt: now.Add(24 * time.Hour),
	}, now)
	r.audit = schedctl.AuditEntry{
		ID: schedctl.NewID(schedctl.AuditPrefix, now), WorkspaceID: c.workspace, At: now, KeyID: c.key, KeyName: "bench",
		RemoteAddr: "127.0.0.1", Action: "createPost", ResourceID: r.post.ID, RequestID: schedctl.NewID(schedctl.RequestPrefix, now),
	}
	r.key = storage.IdempotencyScope{WorkspaceID: c.workspace, Method: "POST", Path: "/api/v1/posts", IdempotencyKey: r.post.ID}
	r.idempotency = storage.IdempotencyRecord{Status: 201, Body: idempotencyBody, CreatedAt: r.post.CreatedAt}
	return r, err
}

func (c *creator) create(ctx context.Context, store storage.Store) error {
	r, err := c.records()
	if err != nil {
		return err
	}
	return store.Update(ctx, func(tx storage.Tx) error {
		if _, err := tx.IdempotencyRecord(r.key); schedctl.CodeOf(err) != schedctl.NotFound {
			return err
		}
		for _, write := range []error{tx.PutPost(r.post), tx.AddEvents(r.events...), tx.PutIdempotencyRecord(r.key, r.idempotency), tx.AddAudit(r.audit)} {
			if write != nil {
				return write
			}
		}
		return nil
	})
}

// bare stores the same rows with nothing but a driver.
func (c *creator) bare(ctx context.Context, pool *pgxpool.Pool) error {
	r, err := c.records()
	if err != nil {
		return err
	}
	id := func(p schedctl.Prefix, id string) pgtype.UUID {
		u, ok := schedctl.ParseID(p, id)
		return pgtype.UUID{Bytes: u, Valid: ok}
	}
	ws, post := id(schedctl.WorkspacePrefix, c.workspace), id(schedctl.PostPrefix, r.post.ID)
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var found int
		hash := []byte(r.post.ID)
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM answers WHERE hash = $1", hash).Scan(&found); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		batch.Queue("INSERT INTO posts (id, workspace_id, content, status, publish_at, created_at, updated_at, version) VALUES ($1,$2,$3,$4,$5,$6,$7,$8)",
			post, ws, r.post.Text, "scheduled", r.post.PublishAt, r.post.CreatedAt, r.post.UpdatedAt, 1)
		for i, t := range r.post.Targets {
			batch.Queue(`INSERT INTO targets (id, workspace_id, post_id, place, account_id, platform, status, publish_at, due_at, attempts, attempts_before,
				content, platform_post_id, platform_post_url, listed, post_status, post_publish_at) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$8,0,0,'','','',true,$7,$8)`,
				id(schedctl.TargetPrefix, t.ID), ws, post, i, id(schedctl.AccountPrefix, t.AccountID), t.Platform, string(t.Status), t.PublishAt)
		}
		for _, e := range r.events {
			batch.Queue(`INSERT INTO events (id, type, created_at, workspace_id, post_id, platform, status, platform_post_id, platform_post_url)
				VALUES ($1,$2,$3,$4,$5,$6,$7,'','')`, id(schedctl.EventPrefix, e.ID), string(e.Type), e.CreatedAt, ws, post, e.Platform, string(e.Status))
		}
		batch.Queue(`INSERT INTO answers (hash, workspace, method, path, idempotency_key, fingerprint, status, body, sealed, created_at)
			VALUES ($1,$2,$3,$4,$5,$6,$7,$8,false,$9)`, hash, c.workspace, r.key.Method, r.key.Path, r.key.IdempotencyKey, hash, 201, r.idempotency.Body, r.idempotency.CreatedAt)
		batch.Queue(`INSERT INTO audit_entries (workspace_id, id, at, key_id, key_name, remote_addr, action, resource_id, request_id)
			VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9)`, ws, id(schedctl.AuditPrefix, r.audit.ID), r.audit.At, id(schedctl.KeyPrefix, c.key), r.audit.KeyName,
			r.audit.RemoteAddr, r.audit.Action, r.audit.ResourceID, r.audit.RequestID)
		return tx.SendBatch(ctx, batch).Close()
	})
}

// benchClients is how many clients create posts at once.
const benchClients = 16

// BenchmarkCreate compares the cost of a post with three targets in the engine with
// that in a program that sends the same rows.
func BenchmarkCreate(b *testing.B) {
	b.Run("engine", func(b *testing.B) {
		store, c := open(b, postgrestest.Database(b)), newCreator()
		benchmark(b, func() error { return c.create(context.Background(), store) })
	})
	b.Run("bare", func(b *testing.B) {
		url := postgrestest.Database(b)
		migrated(b, url)
		pool, err := pgxpool.New(context.Background(), url+"&pool_max_conns=16")
		if err != nil {
			b.Fatal(err)
		}
		defer pool.Close()
		c := newCreator()
		benchmark(b, func() error { return c.bare(context.Background(), pool) })
	})
}

// migrated creates the tables in a database.
func migrated(tb testing.TB, url string) {
	tb.Helper()
	s, err := postgres.Open(context.Background(), url, postgres.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
}

func benchmark(b *testing.B, create func() error) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	var wait sync.WaitGroup
	turns := make(chan struct{})
	for range benchClients {
		wait.Go(func() {
			for range turns {
				if err := create(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for range b.N {
		turns <- struct{}{}
	}
	close(turns)
	wait.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
}
