package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/schedule"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
	"github.com/schedctl/schedctl/storage/storagetest/oracle"
)

// modelDaemon is the part of a daemon that accepts and publishes posts, in a
// synctest bubble. It implements oracle.Subject here and in model_client_test.go.
type modelDaemon struct {
	rapid.TB
	open       func() storage.Store
	store      storage.Store
	other      storage.Store // a second daemon's view of a shared database, or nil
	network    *moodyNetwork
	sealer     *seal.Sealer
	workspaces []string
	secrets    []string // of the world's keys
	world      oracle.World
	seen       string // the last event of the last Look
	looks      int

	mu      sync.Mutex // mu guards running
	running *modelRun
}

// modelRun is one run of the daemon.
type modelRun struct {
	server    http.Handler
	loop      *schedule.Loop
	deliverer *deliver.Deliverer
	committed func(storage.Commit) // of the server
	stop      context.CancelFunc
	parts     sync.WaitGroup
}

func newModelDaemon(t rapid.TB, open func() storage.Store) *modelDaemon {
	sealer, err := seal.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	d := &modelDaemon{TB: t, open: open, network: newMoodyNetwork(), sealer: sealer}
	d.openStore()
	d.makeWorld()
	d.start()
	return d
}

func (d *modelDaemon) openStore() {
	d.store = d.open()
	if _, shared := d.store.(storage.Shared); shared {
		d.other = d.open()
	}
	d.store.Notify(func(c storage.Commit) {
		d.mu.Lock()
		running := d.running
		d.mu.Unlock()
		if running == nil {
			return
		}
		running.loop.Add(c.Due)
		if len(c.Accounts) > 0 {
			running.deliverer.AccountsChanged(c.Accounts)
		}
		running.committed(c)
	})
}

// dueIndex lets the loop read the due index.
type dueIndex struct{ storage.Store }

func (s dueIndex) Due(ctx context.Context, from schedctl.Due, fn func(schedctl.Due) bool) error {
	return s.View(ctx, func(r storage.Reader) error { return r.Due(from, fn) })
}

func (d *modelDaemon) start() {
	log := slog.New(slog.DiscardHandler)
	publishers := publish.NewRegistry(d.network)
	connector := connect.New(connect.Config{Store: d.store, Publishers: publishers, Sealer: d.sealer, Logger: log})
	server := api.New(api.Config{Store: d.store, Publishers: publishers, Connector: connector, Sealer: d.sealer, Version: "test"})
	run := &modelRun{server: d.alternating(server, publishers), committed: server.Committed, deliverer: deliver.New(deliver.Config{
		Store: d.store, Publishers: publishers, Sealer: d.sealer, Sessions: connector,
		Owner: schedctl.NewULID(time.Now()).String(), Logger: log,
	})}
	run.loop = schedule.New(dueIndex{d.store}, run.deliverer.Enqueue, log)
	var ctx context.Context
	ctx, run.stop = context.WithCancel(context.Background())
	d.mu.Lock()
	d.running = run
	d.mu.Unlock()
	run.parts.Go(func() { run.loop.Run(ctx) })
	run.parts.Go(func() { run.deliverer.Run(ctx) })
}

// alternating returns a handler that sends every second request to a second daemon,
// if the store can be shared.
func (d *modelDaemon) alternating(server *api.Server, publishers publish.Registry) http.Handler {
	if d.other == nil {
		return server
	}
	connector := connect.New(connect.Config{Store: d.other, Publishers: publishers, Sealer: d.sealer, Logger: slog.New(slog.DiscardHandler)})
	other := api.New(api.Config{Store: d.other, Publishers: publishers, Connector: connector, Sealer: d.sealer, Version: "test"})
	d.other.Notify(other.Committed)
	requests := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests%2 == 0 {
			other.ServeHTTP(w, r)
		} else {
			server.ServeHTTP(w, r)
		}
	})
}

// closeStore closes the store, as both daemons see it.
func (d *modelDaemon) closeStore() {
	err := d.store.Close()
	if d.other != nil {
		err = errors.Join(err, d.other.Close())
	}
	if err != nil {
		d.Errorf("Close: %v", err)
	}
}

// end stops the run gracefully.
func (d *modelDaemon) end() {
	d.running.stop()
	d.running.parts.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running = nil
}

func (d *modelDaemon) close() {
	d.end()
	d.closeStore()
}

// makeWorld creates two workspaces, with three accounts and one account, and keys
// of many kinds.
func (d *modelDaemon) makeWorld() {
	for i := range 2 {
		now := schedctl.Millis(time.Now())
		w := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "test", Timezone: "UTC", CreatedAt: now}
		d.update(func(tx storage.Tx) error { return tx.PutWorkspace(w) })
		d.workspaces = append(d.workspaces, w.ID)
		for n := range 3 - 2*i {
			d.makeAccount(w.ID, string(rune('a'+n)), n == 2, n == 1)
		}
		d.makeQueue(w.ID)
	}
	d.world.SlotEvery, d.world.SlotOffset = modelSlotEvery, modelSlotOffset
	d.makeKey("all", 0, schedctl.Scopes())
	d.makeKey("other", 1, schedctl.Scopes())
	d.makeKey("limited", 0, schedctl.Scopes(), d.world.Accounts[0].ID)
	d.makeKey("drafts", 0, []schedctl.Scope{schedctl.ScopePostsDraft, schedctl.ScopePostsRead})
	d.makeKey("reader", 0, []schedctl.Scope{schedctl.ScopePostsRead})
	d.world.Full = true
}

// The slots of the model's queue: as many as a queue can have.
const (
	modelSlotEvery  = 24 * time.Hour / schedctl.MaxSlotsPerDay
	modelSlotOffset = 7 * time.Minute
)

// makeQueue adds the default queue of a workspace.
func (d *modelDaemon) makeQueue(workspace string) {
	now := schedctl.Millis(time.Now())
	q := schedctl.Queue{
		ID: schedctl.NewID(schedctl.QueuePrefix, now), WorkspaceID: workspace, Name: "all", Timezone: "UTC", Default: true, CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	for at := modelSlotOffset; at < 24*time.Hour; at += modelSlotEvery {
		q.Times = append(q.Times, schedctl.QueueTime{Days: schedctl.EveryDay, Minute: int(at / time.Minute)})
	}
	d.update(func(tx storage.Tx) error { return tx.PutQueue(q) })
}

func (d *modelDaemon) makeAccount(workspace, name string, idempotent, whole bool) {
	now := schedctl.Millis(time.Now())
	a := schedctl.Account{
		ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: workspace, Platform: d.network.Platform(), Name: name,
		Status: schedctl.AccountConnected, Options: schedctl.Options{"idempotent": idempotent, "whole": whole}, CreatedAt: now, UpdatedAt: now,
	}
	credentials, err := json.Marshal(publish.Credentials{"token": "t"})
	if err != nil {
		d.Fatal(err)
	}
	a.Credentials = d.sealer.Seal(credentials, a.ID)
	d.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
	d.world.Accounts = append(d.world.Accounts, oracle.Account{
		ID: a.ID, Workspace: workspace, Status: string(a.Status), Idempotent: idempotent, Whole: whole,
	})
}

func (d *modelDaemon) makeKey(name string, workspace int, scopes []schedctl.Scope, accounts ...string) {
	secret, hash := schedctl.NewKeySecret()
	k := schedctl.APIKey{
		ID: schedctl.NewID(schedctl.KeyPrefix, time.Now()), WorkspaceID: d.workspaces[workspace], Name: name, Hash: hash,
		Scopes: scopes, AccountIDs: accounts, CreatedAt: schedctl.Millis(time.Now()),
	}
	d.update(func(tx storage.Tx) error { return tx.PutKey(k) })
	key := oracle.Key{Name: name, Workspace: k.WorkspaceID, Accounts: accounts}
	for _, scope := range scopes {
		key.Scopes = append(key.Scopes, string(scope))
	}
	d.secrets, d.world.Keys = append(d.secrets, secret), append(d.world.Keys, key)
}

func (d *modelDaemon) update(fn func(storage.Tx) error) {
	if err := d.store.Update(context.Background(), fn); err != nil {
		d.Fatal(err)
	}
}

// World implements [oracle.Subject], like the methods below.
func (d *modelDaemon) World() oracle.World { return d.world }

func (d *modelDaemon) Now() time.Time { return schedctl.Millis(time.Now()) }

func (d *modelDaemon) Mood(accountID string, m oracle.Mood) { d.network.setMood(accountID, m) }

func (d *modelDaemon) Pass(t time.Duration) { time.Sleep(t) }

func (d *modelDaemon) Restart(down time.Duration) {
	d.end()
	synctest.Wait() // interrupted calls end with their process
	d.network.unrecorded(d.runningAttempts())
	d.closeStore()
	time.Sleep(down)
	d.openStore()
	d.network.found(d.Now())
	d.start()
}

// runningAttempts returns the attempts without an end.
func (d *modelDaemon) runningAttempts() (running []schedctl.Attempt) {
	err := d.store.View(context.Background(), func(r storage.Reader) (err error) {
		running, err = r.RunningAttempts()
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return running
}

func (d *modelDaemon) Settle() []oracle.Exchange {
	synctest.Wait()
	return d.network.take()
}

// Look reads the store. Every fifth time it also lists all posts, because that is
// the most expensive part.
func (d *modelDaemon) Look() (sight oracle.State) {
	last := d.seen
	err := d.store.View(context.Background(), func(r storage.Reader) (err error) {
		sight, last, err = storagetest.Look(r, d.workspaces, d.seen)
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	d.seen = last
	if d.looks++; d.looks%5 == 0 {
		sight.Posts = append(d.allPosts(0), d.allPosts(1)...)
	}
	return sight
}
