package storagetest

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// epoch is the creation time of the suite's records.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// pruneAll is after all records of the suite.
var pruneAll = storage.Retention{
	IdempotencyRecords: epoch.Add(1000 * time.Hour), Events: epoch.Add(1000 * time.Hour),
	Deliveries: epoch.Add(1000 * time.Hour), Audit: epoch.Add(1000 * time.Hour),
}

// newID returns an id made at the given time, which may precede that of an earlier call.
func newID(p schedctl.Prefix, at time.Time) string {
	var u schedctl.ULID
	binary.BigEndian.PutUint64(u[:8], uint64(at.UnixMilli())<<16)
	rand.Read(u[6:])
	return u.ID(p)
}

// malformedIDs returns ids that schedctl never creates.
func malformedIDs(p schedctl.Prefix) []string {
	good := newID(p, epoch)
	return []string{
		"", string(p), good[:len(good)-1], good + "0", "x" + good, "nope_" + good[len(p)+1:],
		good[:len(good)-1] + "l", good[:len(good)-1] + "\x00", string(p) + "_8" + good[len(p)+2:],
	}
}

// newAccount returns a connected account created at the given time.
func (f *fixture) newAccount(name string, at time.Time) schedctl.Account {
	return schedctl.Account{
		ID: newID(schedctl.AccountPrefix, at), WorkspaceID: f.ws, Platform: "mastodon", Name: name,
		Status: schedctl.AccountConnected, CreatedAt: at, UpdatedAt: at,
	}
}

// newPost returns a post with one target of the given status for each account,
// scheduled at the given time, or a draft without a time.
func (f *fixture) newPost(created, publish time.Time, status schedctl.Status, accounts ...string) schedctl.Post {
	p := schedctl.Post{
		ID: newID(schedctl.PostPrefix, created), WorkspaceID: f.ws, Content: schedctl.Content{Text: "a post of " + created.String()},
		PublishAt: publish, CreatedAt: created, UpdatedAt: created, Version: 1,
	}
	for _, a := range accounts {
		t := schedctl.Target{ID: newID(schedctl.TargetPrefix, created), AccountID: a, Platform: "mastodon", Status: status, PublishAt: publish}
		switch status {
		case schedctl.Publishing:
			t.NextAttemptAt = publish
		case schedctl.Published:
			t.PublishedAt = publish
		case schedctl.Canceled:
			p.CanceledAt = created
		}
		p.Targets = append(p.Targets, t)
	}
	return p
}

func newAccountIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = newID(schedctl.AccountPrefix, epoch)
	}
	return ids
}

// newEvents returns n events, a millisecond apart, in order.
func (f *fixture) newEvents(n int, from time.Time) []schedctl.Event {
	events := make([]schedctl.Event, n)
	for i := range events {
		at := from.Add(time.Duration(i) * time.Millisecond)
		events[i] = schedctl.Event{
			ID: newID(schedctl.EventPrefix, at), Type: schedctl.EventPostCreated, CreatedAt: at, WorkspaceID: f.ws,
			PostID: newID(schedctl.PostPrefix, at), Status: schedctl.Draft, PlatformPostID: fmt.Sprint(i),
		}
	}
	return events
}

// dueOf returns the expected due entries of posts.
func dueOf(posts ...schedctl.Post) []schedctl.Due {
	var all []schedctl.Due
	for _, p := range posts {
		all = append(all, dueEntries(p)...)
	}
	return all
}
