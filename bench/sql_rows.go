package main

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// rowSource makes the rows of a post with three targets.
type rowSource struct {
	workspace, key string
	accounts       []schedctl.Account
}

func newRows() *rowSource {
	now := time.Now()
	r := &rowSource{workspace: schedctl.NewID(schedctl.WorkspacePrefix, now), key: schedctl.NewID(schedctl.KeyPrefix, now)}
	for range targetsEach {
		r.accounts = append(r.accounts, schedctl.Account{
			ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: r.workspace, Platform: "mastodon", Status: schedctl.AccountConnected,
		})
	}
	return r
}

// targetsEach is the number of targets of a post.
const targetsEach = 3

// idempotencyBody is roughly a response to a create.
var idempotencyBody = []byte(strings.Repeat(`{"post": "as JSON"}`, 40))

// createdRows is one post with everything stored with it.
type createdRows struct {
	post   schedctl.Post
	events []schedctl.Event
	audit  schedctl.AuditEntry
	key    storage.IdempotencyScope
	answer storage.IdempotencyRecord
}

func (r *rowSource) next() (c createdRows, err error) {
	now := time.Now()
	c.post, c.events, err = schedctl.Create(schedctl.NewPost{
		WorkspaceID: r.workspace, Content: schedctl.Content{Text: "A post of ordinary length, as people write them every day."},
		Accounts: r.accounts, PublishAt: now.Add(24 * time.Hour),
	}, now)
	c.audit = schedctl.AuditEntry{
		ID: schedctl.NewID(schedctl.AuditPrefix, now), WorkspaceID: r.workspace, At: now, KeyID: r.key, KeyName: "bench",
		RemoteAddr: "127.0.0.1", Action: "createPost", ResourceID: c.post.ID, RequestID: schedctl.NewID(schedctl.RequestPrefix, now),
	}
	c.key = storage.IdempotencyScope{WorkspaceID: r.workspace, Method: "POST", Path: "/api/v1/posts", IdempotencyKey: c.post.ID}
	c.answer = storage.IdempotencyRecord{Status: 201, Body: idempotencyBody, CreatedAt: c.post.CreatedAt}
	return c, err
}

// createRows stores a post as the API does: unless an idempotency record exists.
func (r *rowSource) createRows(ctx context.Context, store storage.Store) error {
	c, err := r.next()
	if err != nil {
		return err
	}
	return store.Update(ctx, func(tx storage.Tx) error {
		if _, err := tx.IdempotencyRecord(c.key); schedctl.CodeOf(err) != schedctl.NotFound {
			return err
		}
		for _, err := range []error{tx.PutPost(c.post), tx.AddEvents(c.events...), tx.PutIdempotencyRecord(c.key, c.answer), tx.AddAudit(c.audit)} {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// insert stores the same rows with its own statements, after the same check for an
// idempotency record.
func (r *rowSource) insert(ctx context.Context, pool *pgxpool.Pool) error {
	c, err := r.next()
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var found int
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM answers WHERE hash = $1", []byte(c.post.ID)).Scan(&found); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		c.queue(batch)
		return tx.SendBatch(ctx, batch).Close()
	})
}

// queue adds the inserts of all rows to a batch.
func (c *createdRows) queue(batch *pgx.Batch) {
	p, ws := &c.post, uuid(schedctl.WorkspacePrefix, c.post.WorkspaceID)
	post := uuid(schedctl.PostPrefix, p.ID)
	batch.Queue(`INSERT INTO posts (id, workspace_id, content, status, publish_at, created_at, updated_at, version) VALUES ($1,$2,$3,$4,$5,$6,$7,$8)`,
		post, ws, p.Text, "scheduled", p.PublishAt, p.CreatedAt, p.UpdatedAt, 1)
	for i, t := range p.Targets {
		batch.Queue(`INSERT INTO targets (id, workspace_id, post_id, place, account_id, platform, status, publish_at, due_at, attempts, attempts_before,
			content, platform_post_id, platform_post_url, listed, post_status, post_publish_at) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$8,0,0,'','','',true,$7,$8)`,
			uuid(schedctl.TargetPrefix, t.ID), ws, post, i, uuid(schedctl.AccountPrefix, t.AccountID), t.Platform, string(t.Status), t.PublishAt)
	}
	for _, e := range c.events {
		batch.Queue(`INSERT INTO events (id, type, created_at, workspace_id, post_id, platform, status, platform_post_id, platform_post_url)
			VALUES ($1,$2,$3,$4,$5,$6,$7,'','')`, uuid(schedctl.EventPrefix, e.ID), string(e.Type), e.CreatedAt, ws, post, e.Platform, string(e.Status))
	}
	hash := []byte(p.ID)
	batch.Queue(`INSERT INTO answers (hash, workspace, method, path, idempotency_key, fingerprint, status, body, sealed, created_at)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,false,$9)`,
		hash, c.key.WorkspaceID, c.key.Method, c.key.Path, c.key.IdempotencyKey, c.answer.Fingerprint[:], c.answer.Status, c.answer.Body, c.answer.CreatedAt)
	a := &c.audit
	batch.Queue(`INSERT INTO audit_entries (workspace_id, id, at, key_id, key_name, remote_addr, action, resource_id, request_id)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9)`,
		ws, uuid(schedctl.AuditPrefix, a.ID), a.At, uuid(schedctl.KeyPrefix, a.KeyID), a.KeyName, a.RemoteAddr, a.Action, a.ResourceID, a.RequestID)
}

func uuid(p schedctl.Prefix, id string) pgtype.UUID {
	u, ok := schedctl.ParseID(p, id)
	return pgtype.UUID{Bytes: u, Valid: ok}
}
