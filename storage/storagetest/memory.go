package storagetest

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// NewMemory returns an empty store in memory. It starts no goroutine and sets no timer,
// so that it can be used in a testing/synctest bubble. It runs the function of every
// Update twice and undoes the first run, so that tests detect functions that cannot be
// repeated.
//
// Its queries scan all records: it is meant for thousands of posts, not for millions.
func NewMemory() storage.Store { return newMemory().open() }

func newMemory() *memory {
	return &memory{
		posts:       make(map[string]schedctl.Post),
		routes:      make(map[string]storage.Route),
		attempts:    make(map[attemptKey]schedctl.Attempt),
		accounts:    make(map[string]schedctl.Account),
		workspaces:  make(map[string]schedctl.Workspace),
		keys:        make(map[string]schedctl.APIKey),
		idempotency: make(map[[32]byte]storage.IdempotencyRecord),
		refused:     make(map[[32]byte]time.Time),
		webhooks:    make(map[string]schedctl.Webhook),
		deliveries:  make(map[ownedKey]schedctl.Delivery),
		audit:       make(map[ownedKey]schedctl.AuditEntry),
		metadata:    make(map[string][]byte),
		media:       make(map[ownedKey]schedctl.MediaAsset),
		queues:      make(map[string]schedctl.Queue),
		blackouts:   make(map[string]schedctl.Blackout),
		series:      make(map[string]schedctl.Series),
		feeds:       make(map[string]schedctl.CalendarFeed),
		collections: make(map[string]schedctl.Collection),
		aliases:     make(map[string]schedctl.Alias),
		shares:      make(map[string]schedctl.Share),
		results:     make(map[string]schedctl.Results),
		readings:    make(map[string]schedctl.AccountResults),
		sources:     make(map[string]schedctl.Source),
		items:       make(map[string]schedctl.SourceItem),
	}
}

// memory is the data of a store. mu guards all of its fields and those of its
// processes. A View holds it for reading.
type memory struct {
	mu                sync.RWMutex
	processes         []*process
	notificationsLost bool // processes do not receive each other's commits

	posts       map[string]schedctl.Post
	routes      map[string]storage.Route
	attempts    map[attemptKey]schedctl.Attempt
	accounts    map[string]schedctl.Account
	workspaces  map[string]schedctl.Workspace
	keys        map[string]schedctl.APIKey
	idempotency map[[32]byte]storage.IdempotencyRecord
	refused     map[[32]byte]time.Time // refused requests without a response
	outbox      outbox
	webhooks    map[string]schedctl.Webhook
	deliveries  map[ownedKey]schedctl.Delivery   // by webhook
	audit       map[ownedKey]schedctl.AuditEntry // by workspace
	metadata    map[string][]byte
	media       map[ownedKey]schedctl.MediaAsset // by workspace
	queues      map[string]schedctl.Queue
	blackouts   map[string]schedctl.Blackout
	series      map[string]schedctl.Series
	feeds       map[string]schedctl.CalendarFeed
	collections map[string]schedctl.Collection
	aliases     map[string]schedctl.Alias
	shares      map[string]schedctl.Share
	results     map[string]schedctl.Results
	readings    map[string]schedctl.AccountResults
	sources     map[string]schedctl.Source
	items       map[string]schedctl.SourceItem
}

type attemptKey struct {
	target string
	number int
}

func (m *memory) open() *process {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := &process{m: m}
	m.processes = append(m.processes, p)
	return p
}

// process is a store on a memory that others may share.
type process struct {
	m      *memory
	closed bool
	notify func(storage.Commit)
}

func (p *process) View(ctx context.Context, fn func(storage.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.m.mu.RLock()
	defer p.m.mu.RUnlock()
	if p.closed {
		return storage.ErrClosed
	}
	return fn(memoryReader{ctx: ctx, m: p.m})
}

func (p *process) Update(ctx context.Context, fn func(storage.Tx) error) error {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	if p.closed {
		return storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	rehearsal := &memoryTx{memoryReader: memoryReader{ctx: context.Background(), m: p.m}}
	err := rehearsal.run(fn)
	rehearsal.rollback()
	if err != nil {
		return err
	}
	began := time.Now()
	tx := &memoryTx{memoryReader: memoryReader{ctx: context.Background(), m: p.m}}
	if err := tx.run(fn); err != nil {
		tx.rollback()
		return err
	}
	if len(tx.undo) > 0 {
		reported := tx.summary()
		reported.Took = time.Since(began)
		p.notifyAll(reported)
	}
	return nil
}

// notifyAll reports a commit of this process to every process.
func (p *process) notifyAll(c storage.Commit) {
	p.receive(c)
	c.Took, c.Elsewhere = 0, true
	for _, other := range p.m.processes {
		if other != p && !p.m.notificationsLost {
			other.receive(c)
		}
	}
}

func (p *process) receive(c storage.Commit) {
	if p.notify != nil && !p.closed {
		p.notify(c)
	}
}

// UpdateFromReserve is Update: memory is never full.
func (p *process) UpdateFromReserve(ctx context.Context, fn func(storage.Tx) error) error {
	return p.Update(ctx, fn)
}

func (p *process) Full() error { return nil }

func (p *process) Notify(fn func(storage.Commit)) {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	p.notify = fn
}

func (p *process) Close() error {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	p.closed = true
	return nil
}

// memoryTx writes directly to the store and records how to undo the writes.
type memoryTx struct {
	memoryReader
	undo     []func()
	due      []schedctl.Due
	accounts []string
	webhooks []string
	events   int
}

func (tx *memoryTx) run(fn func(storage.Tx) error) (err error) {
	returned := false
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the transaction panicked: %v\n%s", r, debug.Stack())
		} else if !returned {
			tx.rollback() // runtime.Goexit, as called by testing.T.FailNow
		}
	}()
	err = fn(tx)
	returned = true
	return err
}

func (tx *memoryTx) rollback() {
	for _, undo := range slices.Backward(tx.undo) {
		undo()
	}
	tx.undo = nil
}

// summary returns what the transaction did, without due entries that it added and
// removed again.
func (tx *memoryTx) summary() storage.Commit {
	slices.SortFunc(tx.due, schedctl.Due.Compare)
	due := slices.DeleteFunc(slices.Compact(tx.due), func(d schedctl.Due) bool {
		route, err := tx.Route(d.TargetID())
		if err != nil {
			return true
		}
		post := tx.m.posts[route.PostID]
		return !slices.Contains(dueEntries(post), d)
	})
	return storage.Commit{Due: due, Accounts: tx.accounts, Webhooks: tx.webhooks, Events: tx.events}
}

func putKey[K comparable, V any](tx *memoryTx, in map[K]V, key K, value V) {
	old, had := in[key]
	tx.undo = append(tx.undo, func() {
		if had {
			in[key] = old
		} else {
			delete(in, key)
		}
	})
	in[key] = value
}

func deleteKey[K comparable, V any](tx *memoryTx, in map[K]V, key K) {
	if old, had := in[key]; had {
		tx.undo = append(tx.undo, func() { in[key] = old })
		delete(in, key)
	}
}

// checkIDs returns NOT_FOUND for a malformed id.
func checkIDs(prefix schedctl.Prefix, ids ...string) error {
	for _, id := range ids {
		if _, ok := schedctl.ParseID(prefix, id); !ok {
			return notFound(nouns[prefix], id)
		}
	}
	return nil
}

// checkOptional is checkIDs for an id that may be empty.
func checkOptional(prefix schedctl.Prefix, id string) error {
	if id == "" {
		return nil
	}
	return checkIDs(prefix, id)
}

var nouns = map[schedctl.Prefix]string{
	schedctl.PostPrefix: "post", schedctl.TargetPrefix: "target", schedctl.AccountPrefix: "account",
	schedctl.WorkspacePrefix: "workspace", schedctl.KeyPrefix: "API key", schedctl.EventPrefix: "event",
	schedctl.AttemptPrefix: "attempt", schedctl.WebhookPrefix: "webhook", schedctl.DeliveryPrefix: "delivery",
	schedctl.AuditPrefix: "audit entry", schedctl.MediaPrefix: "media asset",
}

func notFound(what, id string) error {
	return schedctl.Errorf(schedctl.NotFound, "", "there is no %s %q", what, id)
}
