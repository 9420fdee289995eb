// Package mutant damages database files as disks, file systems and people do, and
// knows which records of each are intact. It is for tests of damaged files.
package mutant

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Fill uses a database as a daemon does in an hour: posts are created, deleted,
// canceled and published, each in its own transaction, so that the free pages have
// older records. It returns the secret of an API key.
func Fill(ctx context.Context, store storage.Store, posts int) (secret string, err error) {
	u := user{now: schedctl.Millis(time.Now().Add(-time.Hour))}
	u.workspace = schedctl.Workspace{ID: u.id(schedctl.WorkspacePrefix), Name: "mutant", Timezone: "UTC", CreatedAt: u.now}
	u.hook = schedctl.Webhook{ID: u.id(schedctl.WebhookPrefix), WorkspaceID: u.workspace.ID, URL: "https://example.com", CreatedAt: u.now}
	secret, hash := schedctl.NewKeySecret()
	key := schedctl.APIKey{ID: u.id(schedctl.KeyPrefix), WorkspaceID: u.workspace.ID, Name: "admin", Hash: hash, Scopes: schedctl.Scopes(), CreatedAt: u.now}
	for _, name := range []string{"one", "two"} {
		u.accounts = append(u.accounts, schedctl.Account{
			ID: u.id(schedctl.AccountPrefix), WorkspaceID: u.workspace.ID, Platform: "feed", Name: name, Status: schedctl.AccountConnected, CreatedAt: u.now, UpdatedAt: u.now,
		})
	}
	err = store.Update(ctx, func(tx storage.Tx) error {
		for _, a := range u.accounts {
			if err := tx.PutAccount(a); err != nil {
				return err
			}
		}
		if err := tx.PutWorkspace(u.workspace); err != nil {
			return err
		}
		if err := tx.PutKey(key); err != nil {
			return err
		}
		return errors.Join(tx.PutWebhook(u.hook), tx.PutWebhook(u.notification()), u.putPlans(tx, key.ID))
	})
	for i := 0; err == nil && i < posts; i++ {
		u.now = u.now.Add(time.Second)
		if err = u.create(ctx, store, i); err == nil && i%3 == 2 {
			err = u.change(ctx, store, i)
		}
	}
	if err != nil {
		return "", fmt.Errorf("fill a database: %w", err)
	}
	return secret, nil
}

// user is the user of the database.
type user struct {
	now       time.Time
	workspace schedctl.Workspace
	hook      schedctl.Webhook
	queue     schedctl.Queue
	accounts  []schedctl.Account
	posts     []string
}

func (u *user) id(prefix schedctl.Prefix) string { return schedctl.NewID(prefix, u.now) }

// notification returns a notification by e-mail.
func (u *user) notification() schedctl.Webhook {
	return schedctl.Webhook{
		ID: u.id(schedctl.WebhookPrefix), WorkspaceID: u.workspace.ID, Name: "on-call", Enabled: true,
		EventTypes: schedctl.NotificationEvents(), Secret: []byte("sealed"), CreatedAt: u.now, UpdatedAt: u.now,
		Notify: &schedctl.Notify{
			Mail: &schedctl.Mail{Host: "smtp.example.com", Port: 587, Username: "ann", From: "a@example.com", To: []string{"ops@example.com"}, TLS: schedctl.MailStartTLS},
		},
	}
}

// create creates a draft, a post for tomorrow, or a post that is published now or
// is just being published.
func (u *user) create(ctx context.Context, store storage.Store, i int) error {
	n := schedctl.NewPost{WorkspaceID: u.workspace.ID, Content: schedctl.Content{Text: fmt.Sprint("post ", i, strings.Repeat(" and more", i%40))}, Accounts: u.accounts}
	if i%3 == 0 {
		addParts(&n, i)
	}
	switch i % 4 {
	case 1, 2:
		n.PublishAt = u.now.Add(24 * time.Hour)
		if i%4 == 2 {
			n.Booking = schedctl.Booking{QueueID: u.queue.ID, Slot: schedctl.Slot{Local: schedctl.LocalTimeOf(n.PublishAt), Timezone: "UTC"}}
		}
	case 3:
		n.Now = true
	}
	p, events, err := schedctl.Create(n, u.now)
	if err != nil {
		return err
	}
	asset := u.asset(i)
	if i%5 == 0 {
		p.Media = []schedctl.PostMedia{{AssetID: asset.ID, SHA256: asset.SHA256, AltText: "a picture", HasAltText: true}}
	}
	var attempts []schedctl.Attempt
	if n.Now {
		list, more, err := u.publish(&p, i%8 == 3)
		if err != nil {
			return err
		}
		attempts, events = list, append(events, more...)
	}
	u.posts = append(u.posts, p.ID)
	return store.Update(ctx, func(tx storage.Tx) error {
		if err := tx.PutPost(p); err != nil {
			return err
		}
		if len(p.Media) > 0 {
			if err := tx.PutMediaAsset(asset); err != nil {
				return err
			}
		}
		for _, a := range attempts {
			if err := tx.PutAttempt(a); err != nil {
				return err
			}
		}
		if t := &p.Targets[0]; t.Status == schedctl.Published {
			r := schedctl.Results{TargetID: t.ID, WorkspaceID: p.WorkspaceID, PostID: p.ID, AccountID: t.AccountID, PublishedAt: t.PublishedAt, NextAt: u.now}
			r.Add(u.now, schedctl.Metrics{Reactions: new(int64(i))})
			of := schedctl.AccountResults{AccountID: t.AccountID, WorkspaceID: p.WorkspaceID, ReadAt: u.now}
			of.CountRequests(i, u.now)
			of.Gain(&r, u.now)
			if err := errors.Join(tx.PutResults(r), tx.PutAccountResults(of)); err != nil {
				return err
			}
		}
		if t := &p.Targets[0]; t.Status == schedctl.Publishing && len(t.Done) > 0 {
			account := u.accounts[0]
			account.ThreadTargetID = t.ID
			if err := tx.PutAccount(account); err != nil {
				return err
			}
		}
		if err := tx.AddEvents(events...); err != nil {
			return err
		}
		return u.record(tx, "createPost", p.ID, events[0].ID)
	})
}

// asset returns a picture for post i.
func (u *user) asset(i int) schedctl.MediaAsset {
	return schedctl.MediaAsset{
		ID: u.id(schedctl.MediaPrefix), WorkspaceID: u.workspace.ID, FileName: fmt.Sprint(i, ".png"), MIMEType: "image/png", Size: int64(i) * 1000,
		SHA256: sha256.Sum256([]byte(fmt.Sprint(i))), Width: 640, Height: 480, AltText: "a picture", Status: schedctl.MediaReady,
		CreatedAt: u.now, UpdatedAt: u.now, ExpiresAt: u.now.Add(7 * 24 * time.Hour),
	}
}

// addParts adds a thread with a poll, or a first comment with a link card, to post i.
func addParts(n *schedctl.NewPost, i int) {
	if i%48 < 24 {
		n.Thread = []schedctl.Part{{Content: fmt.Sprint("second part of post ", i)}, {Content: "third part"}}
		n.Poll = &schedctl.Poll{Options: []string{"yes", "no"}, ExpiresIn: time.Hour, Multiple: true}
		n.Overrides = []schedctl.Override{{AccountID: n.Accounts[1].ID, Partial: schedctl.Partial{Thread: []schedctl.Part{}, Poll: &schedctl.Poll{}}}}
		return
	}
	n.FirstComment = &schedctl.Part{Content: fmt.Sprint("comment on post ", i)}
	n.Annotation.Title, n.Style = new("title"), new(schedctl.StyleText)
	n.LinkPreview = schedctl.LinkPreview{Mode: schedctl.PreviewCard, URL: "https://example.com/", Title: "a card"}
	n.Presentation = schedctl.Presentation{ContentWarning: "spoilers", Visibility: schedctl.VisibilityUnlisted, Language: "en"}
}

// publish starts an attempt, and finishes it if end is true. The second part of a post has
// an attempt, too.
func (u *user) publish(p *schedctl.Post, end bool) (attempts []schedctl.Attempt, events []schedctl.Event, err error) {
	t := &p.Targets[0]
	for range min(p.PartCount(t), 2) {
		a, err := p.Begin(schedctl.Claim{TargetID: t.ID, Owner: "mutant", Lease: time.Minute, Key: t.ID}, u.now)
		if err != nil || !end {
			return append(attempts, a), events, err
		}
		more, err := p.Finish(t.ID, schedctl.Result{Receipt: &schedctl.Receipt{ID: fmt.Sprint(a.Number), Ref: "ref"}}, u.now)
		if err != nil {
			return nil, nil, err
		}
		a.FinishedAt, a.Outcome = u.now, schedctl.OutcomePublished
		attempts, events = append(attempts, a), append(events, more...)
	}
	return attempts, events, nil
}

// record writes what the daemon writes for a request: an idempotency record, an audit
// entry and a delivery.
func (u *user) record(tx storage.Tx, action, post, event string) error {
	key := storage.IdempotencyScope{WorkspaceID: u.workspace.ID, Method: "POST", Path: "/api/v1/posts", IdempotencyKey: post + action}
	if err := tx.PutIdempotencyRecord(key, storage.IdempotencyRecord{Status: 201, Body: []byte(`{"id":"` + post + `"}`), CreatedAt: u.now}); err != nil {
		return err
	}
	err := tx.AddAudit(schedctl.AuditEntry{ID: u.id(schedctl.AuditPrefix), WorkspaceID: u.workspace.ID, At: u.now, Action: action, ResourceID: post})
	if err != nil {
		return err
	}
	return tx.PutDelivery(schedctl.Delivery{
		ID: u.id(schedctl.DeliveryPrefix), WebhookID: u.hook.ID, EventID: event, Status: schedctl.DeliveryDelivered, Attempt: 1, CreatedAt: u.now,
	})
}

// change deletes an earlier draft, or cancels an earlier post.
func (u *user) change(ctx context.Context, store storage.Store, i int) error {
	id := u.posts[i*7%len(u.posts)]
	return store.Update(ctx, func(tx storage.Tx) error {
		p, err := tx.Post(u.workspace.ID, id)
		if schedctl.CodeOf(err) == schedctl.NotFound {
			return nil // already deleted
		}
		if err != nil {
			return err
		}
		if p.Status() == schedctl.Draft {
			return tx.DeletePost(u.workspace.ID, id)
		}
		events, err := p.Cancel(u.now)
		if err != nil {
			return nil // already final
		}
		if err := tx.PutPost(p); err != nil {
			return err
		}
		return tx.AddEvents(events...)
	})
}
