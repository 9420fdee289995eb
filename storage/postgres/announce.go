package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// announcement is the message in which one process reports its commits to the others.
type announcement struct {
	Node     string         `json:"node"`
	Due      []announcedDue `json:"due,omitempty"`
	Accounts []string       `json:"accounts,omitempty"`
	Webhooks []string       `json:"webhooks,omitempty"`
	Events   int            `json:"events,omitempty"`
	Missed   bool           `json:"missed,omitempty"` // not everything fitted into the message
}

// announcedDue is an entry of the due index.
type announcedDue struct {
	At     int64  `json:"at"`
	Target string `json:"target"`
}

// payloadLimit is the maximum size of an announcement in bytes. The server accepts less
// than 8000.
const payloadLimit = 7500

// encodeAnnouncement returns the payload that announces a commit.
func encodeAnnouncement(node string, c storage.Commit) (string, error) {
	a := announcement{Node: node, Accounts: c.Accounts, Webhooks: c.Webhooks, Events: c.Events, Missed: c.Missed}
	for _, d := range c.Due[:min(len(c.Due), payloadLimit/len(`{"at":0,"target":""}`))] {
		a.Due = append(a.Due, announcedDue{At: d.At, Target: d.TargetID()})
	}
	text, err := json.Marshal(a)
	if err == nil && len(text) > payloadLimit {
		text, err = json.Marshal(announcement{Node: node, Events: c.Events, Missed: true})
	}
	return string(text), err
}

// decodeAnnouncement returns the announced commit. foreign is false if this process
// announced it.
func decodeAnnouncement(node, text string) (c storage.Commit, foreign bool, err error) {
	var a announcement
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return c, true, fmt.Errorf("read an announcement: %w", err)
	}
	c = storage.Commit{Accounts: a.Accounts, Webhooks: a.Webhooks, Events: a.Events, Elsewhere: true, Missed: a.Missed}
	for _, d := range a.Due {
		target, ok := schedctl.ParseID(schedctl.TargetPrefix, d.Target)
		if !ok {
			return c, true, fmt.Errorf("read an announcement: %q is not a target id", d.Target)
		}
		c.Due = append(c.Due, schedctl.Due{At: d.At, Target: target})
	}
	return c, a.Node != node, nil
}

// announcer reports commits to other processes. It does so after the commits, never in
// their transactions: commits that notify wait for each other. Commits made while an
// announcement is being sent are merged into the next one.
type announcer struct {
	pool          *pgxpool.Pool
	log           *slog.Logger
	channel, node string
	wake          chan struct{} // holds one wake-up

	mu   sync.Mutex // mu guards next
	next *storage.Commit
}

func newAnnouncer(pool *pgxpool.Pool, log *slog.Logger, channel, node string) *announcer {
	return &announcer{pool: pool, log: log, channel: channel, node: node, wake: make(chan struct{}, 1)}
}

// add queues a commit for announcement. It does not block.
func (a *announcer) add(c storage.Commit) {
	if len(c.Due)+len(c.Accounts)+len(c.Webhooks)+c.Events == 0 && !c.Missed {
		return
	}
	a.mu.Lock()
	if a.next == nil {
		a.next = &storage.Commit{}
	}
	merge(a.next, c)
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// merge adds a commit to an announcement. Details beyond announceLimit are dropped, and
// Missed is set.
func merge(into *storage.Commit, c storage.Commit) {
	if len(into.Due)+len(c.Due) > payloadLimit {
		into.Due, into.Missed = nil, true
	} else {
		into.Due = append(into.Due, c.Due...)
	}
	for _, id := range c.Accounts {
		into.Accounts = appendNew(into.Accounts, id)
	}
	for _, id := range c.Webhooks {
		into.Webhooks = appendNew(into.Webhooks, id)
	}
	into.Events += c.Events
	into.Missed = into.Missed || c.Missed
}

func (a *announcer) take() *storage.Commit {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.next
	a.next = nil
	return next
}

// Limit of one announcement, and pause after one that failed.
const (
	announceLimit = 5 * time.Second
	announcePause = 200 * time.Millisecond
)

// run sends announcements until ctx ends, and then sends what is still queued.
func (a *announcer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			a.announce()
			return
		case <-a.wake:
		}
		if !a.announce() && !schedctl.Sleep(ctx, announcePause) {
			return
		}
	}
}

// announce sends the queued announcement and reports whether it was sent.
func (a *announcer) announce() bool {
	next := a.take()
	if next == nil {
		return true
	}
	text, err := encodeAnnouncement(a.node, *next)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), announceLimit)
		defer cancel()
		_, err = a.pool.Exec(ctx, "SELECT pg_notify($1, $2)", a.channel, text)
	}
	if err != nil {
		a.log.Warn("cannot announce commits to other processes; will retry", "error", err)
		a.add(storage.Commit{Events: next.Events, Missed: true})
	}
	return err == nil
}
