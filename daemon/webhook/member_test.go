package webhook_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/webhook"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// fleet is several nodes on one store, which the rig uses too.
type fleet struct {
	*rig
	memory *storagetest.SharedMemory // or nil
	open   func() storage.Shared

	mu    sync.Mutex // mu guards what follows
	nodes []*node
	holds map[string]*node
}

// node is a node of a fleet with its own view of its lease.
type node struct {
	*run
	fleet *fleet
	id    string

	// Guarded by the fleet's mu.
	alive bool // from the view of the other nodes
	sure  bool // from its own view, the lease is valid
	mute  bool // responses to Hold are lost, and Release fails
}

// join starts a node.
func (f *fleet) join() *node {
	n := &node{fleet: f, alive: true, sure: true}
	f.mu.Lock()
	n.id = fmt.Sprint("node ", len(f.nodes))
	f.mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	n.run = &run{stop: stop, done: make(chan error, 1)}
	store := f.open()
	n.Dispatcher = webhook.New(webhook.Config{
		Store: store, Client: f.client, Sealer: f.sealer, Member: n, Notifier: &f.courier,
		Logger: slog.New(slog.NewTextHandler(&f.logs, &slog.HandlerOptions{Level: slog.LevelDebug})).With("node", n.id),
	})
	store.Notify(n.Committed)
	f.change(func() { f.nodes = append(f.nodes, n) })
	go func() { n.done <- n.Run(ctx) }()
	return n
}

// stopAll stops all nodes.
func (f *fleet) stopAll() {
	for _, n := range f.nodes {
		n.stop()
		if err := <-n.done; err != nil {
			f.Errorf("Run: %v", err)
		}
	}
}

// follow stores a webhook that receives events from now on, as the API does.
func (f *fleet) follow(host string) schedctl.Webhook {
	f.Helper()
	w := f.hook(host)
	f.update(func(tx storage.Tx) (err error) {
		if w.Cursor, err = tx.OutboxEnd(); err != nil {
			return err
		}
		return tx.PutWebhook(w)
	})
	return w
}

// disorder stores n events that every webhook wants, with unordered ids, as from nodes
// with different clocks.
func (f *fleet) disorder(n int) (ids []string) {
	f.Helper()
	for i := range n {
		now := schedctl.Millis(time.Now())
		u := schedctl.NewULID(now)
		u[4] ^= byte(37 * i)
		e := schedctl.Event{
			ID: u.ID(schedctl.EventPrefix), Type: schedctl.EventPostPublished, CreatedAt: now, WorkspaceID: f.workspace,
			PostID: schedctl.NewID(schedctl.PostPrefix, now), Status: schedctl.Published,
		}
		f.update(func(tx storage.Tx) error { return tx.AddEvents(e) })
		ids = append(ids, e.ID)
	}
	return ids
}

// holder returns the node that holds a webhook, or nil.
func (f *fleet) holder(w schedctl.Webhook) *node {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.holds["webhook:"+w.ID]
}

// change runs fn with mu held.
func (f *fleet) change(fn func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn()
}

func (n *node) ID() string { return n.id }

func (n *node) Holds(id string) bool {
	n.fleet.mu.Lock()
	defer n.fleet.mu.Unlock()
	return id == n.id && n.sure
}

// Mine prefers the living node with the greatest hash.
func (n *node) Mine(key string) bool {
	n.fleet.mu.Lock()
	defer n.fleet.mu.Unlock()
	for _, m := range n.fleet.nodes {
		if m != n && m.alive && weight(m.id, key) > weight(n.id, key) {
			return false
		}
	}
	return true
}

func weight(id, key string) string {
	h := sha256.Sum256([]byte(id + key))
	return string(h[:])
}

// followBySecond stores a webhook for which the second node is preferred.
func (f *fleet) followBySecond() (w schedctl.Webhook, host string) {
	f.Helper()
	for i := 0; w.ID == "" || weight("node 0", w.ID) > weight("node 1", w.ID); i++ {
		host = fmt.Sprint("host", i)
		w = f.follow(host)
	}
	return w, host
}

func (n *node) Hold(_ context.Context, name string) (bool, error) {
	n.fleet.mu.Lock()
	defer n.fleet.mu.Unlock()
	if h := n.fleet.holds[name]; !n.alive || h != nil && h != n && h.alive {
		return false, nil
	}
	n.fleet.holds[name] = n
	if n.mute {
		return false, errRefused
	}
	return true, nil
}

func (n *node) Release(_ context.Context, name string) error {
	n.fleet.mu.Lock()
	defer n.fleet.mu.Unlock()
	if n.mute {
		return errRefused
	}
	if n.fleet.holds[name] == n {
		delete(n.fleet.holds, name)
	}
	return nil
}

// inFleet runs a test in a bubble, with several nodes.
func inFleet(t *testing.T, nodes int, test func(*fleet)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		memory := storagetest.NewSharedMemory()
		f := &fleet{rig: newRig(t, memory.Open()), memory: memory, open: memory.Open, holds: make(map[string]*node)}
		for range nodes {
			f.join()
		}
		defer f.stopAll()
		test(f)
	})
}

func (f *fleet) wantDelivered(host string, want []string) {
	f.Helper()
	if diff := cmp.Diff(want, f.endpoints.at(host).eventIDs()); diff != "" {
		f.Errorf("events of %s (-want +got):\n%s", host, diff)
	}
}

// One node calls each webhook and sends the events of all nodes in order, with or without
// notifications between the nodes.
func TestOneOfSeveralCallsAWebhook(t *testing.T) {
	for name, deaf := range map[string]bool{"notified": false, "deaf": true} {
		t.Run(name, func(t *testing.T) {
			inFleet(t, 3, func(f *fleet) {
				if deaf {
					f.memory.LoseNotifications()
				}
				used := map[*node]bool{}
				var hooks []schedctl.Webhook
				for i := range 8 {
					hooks = append(hooks, f.follow(fmt.Sprint("host", i)))
				}
				var want []string
				for range 3 {
					want = append(want, f.disorder(70)...)
					after(2 * time.Second)
				}
				for i, w := range hooks {
					f.wantDelivered(fmt.Sprint("host", i), want)
					used[f.holder(w)] = true
				}
				if len(used) < 2 || used[nil] {
					t.Errorf("%d of 3 daemons hold webhooks: %v", len(used), used)
				}
			})
		})
	}
}

// A new node takes over its share of the webhooks. No event is repeated or out of order.
func TestWebhooksMoveToADaemonThatComes(t *testing.T) {
	inFleet(t, 1, func(f *fleet) {
		w, host := f.followBySecond()
		f.endpoints.at(host).fromNow(slow(300*time.Millisecond, status(204)))
		want := f.disorder(40)
		after(2 * time.Second)
		second := f.join()
		after(2 * time.Second)
		if f.holder(w) != second {
			t.Error("the webhook did not move")
		}
		after(40 * time.Second)
		f.wantDelivered(host, want)
	})
}

// Another node takes over the webhooks of a dead node within a second and does not repeat
// events.
func TestWebhooksOfADeadDaemonAreTakenOver(t *testing.T) {
	inFleet(t, 2, func(f *fleet) {
		w := f.follow("host")
		want := f.disorder(5)
		after(2 * time.Second)
		dead := f.holder(w)
		dead.stop() // as if killed: it releases no lease
		<-dead.done
		dead.done <- nil
		f.change(func() { f.holds["webhook:"+w.ID] = dead })
		want = append(want, f.disorder(5)...)
		after(5 * time.Second)
		f.wantDelivered("host", want[:5])
		f.change(func() { dead.alive = false })
		after(1100 * time.Millisecond)
		f.wantDelivered("host", want)
	})
}

// A node freezes during a call and returns after another node has sent that event and
// more: only that call is repeated.
func TestFrozenDaemonDoesNoHarm(t *testing.T) {
	for _, thawed := range []int{http.StatusNoContent, http.StatusInternalServerError} {
		t.Run(fmt.Sprint(thawed), func(t *testing.T) {
			inFleet(t, 2, func(f *fleet) {
				w := f.follow("host")
				f.endpoints.at("host").then(slow(9*time.Second, status(thawed)))
				want := f.disorder(3)
				after(2 * time.Second)
				frozen := f.holder(w)
				f.change(func() { frozen.alive = false }) // and still believes that it holds it
				after(2 * time.Second)
				f.wantDelivered("host", append([]string{want[0]}, want...))
				moved := f.readHook(w).Cursor
				f.change(func() { frozen.sure = false })
				after(10 * time.Second)
				f.wantDelivered("host", append([]string{want[0]}, want...))
				if got := f.readHook(w).Cursor; got != moved || got != want[2] {
					t.Errorf("the cursor is %s, was %s, the last event sent is %s", got, moved, want[2])
				}
				all := f.deliveries(w)
				if len(all) != 3 || all[0].Attempt != 2 || all[1].Attempt != 1 {
					t.Errorf("deliveries are %+v", all)
				}
				for _, d := range all {
					if d.Status != schedctl.DeliveryDelivered || !d.NextAttemptAt.IsZero() {
						t.Errorf("delivery %+v", d)
					}
				}
			})
		})
	}
}

// Two attempts of the same retry are both kept.
func TestRetriesOfTwoDaemonsAreBothKept(t *testing.T) {
	inFleet(t, 2, func(f *fleet) {
		w := f.follow("host")
		f.endpoints.at("host").then(status(500), slow(9*time.Second, status(503)), slow(time.Second, status(502)))
		event := f.publish(1)[0]
		after(2 * time.Second)
		frozen := f.holder(w)
		for len(f.endpoints.at("host").all()) < 2 {
			after(time.Second)
		}
		f.change(func() { frozen.alive = false })
		after(4 * time.Second)
		f.change(func() { frozen.sure = false })
		if d := f.delivery(w); d.Attempt != 2 || d.HTTPStatus != 502 || d.Status != schedctl.DeliveryPending {
			t.Errorf("after two attempts the delivery is %+v", d)
		}
		next := f.delivery(w).NextAttemptAt
		after(10 * time.Second)
		if d := f.delivery(w); d.Attempt != 3 || !d.NextAttemptAt.Equal(next) {
			t.Errorf("after three attempts the delivery is %+v, to be tried again at %s", d, next)
		}
		after(time.Hour)
		if d := f.delivery(w); d.Attempt != 4 || d.Status != schedctl.DeliveryDelivered {
			t.Errorf("at last the delivery is %+v", d)
		}
		f.wantDelivered("host", slices.Repeat([]string{event}, 4))
	})
}

// Changed event types take effect with the next events, even if notifications are lost.
func TestWhatAWebhookWantsIsKnownWithTheEvents(t *testing.T) {
	inFleet(t, 2, func(f *fleet) {
		w := f.follow("host")
		after(2 * time.Second)
		f.memory.LoseNotifications()
		f.emit(schedctl.EventPostFailed)
		after(2 * time.Second)
		f.edit(w, func(w *schedctl.Webhook) { w.EventTypes = append(w.EventTypes, schedctl.EventPostFailed) })
		want := f.emit(schedctl.EventPostFailed)
		after(2 * time.Second)
		f.wantDelivered("host", want)
		other := f.follow("other")
		late := f.publish(1)
		after(2 * time.Second)
		f.wantDelivered("other", late)
		f.enable(other)
		f.ping(other)
		after(2 * time.Second)
		if n := len(f.endpoints.at("other").all()); n != 2 {
			t.Errorf("%d calls, want a test after the event", n)
		}
		if n, err := f.nodes[0].Backlog(t.Context()); n != 0 || err != nil {
			t.Errorf("a backlog of %d, %v", n, err)
		}
	})
}

// A node releases a webhook that it holds without knowing it.
func TestWebhooksHeldUnknowinglyAreGivenUp(t *testing.T) {
	inFleet(t, 0, func(f *fleet) {
		_, host := f.followBySecond()
		first := f.join()
		f.change(func() { first.mute = true })
		after(5 * time.Minute) // it tries one webhook after each failure
		f.join()
		want := f.disorder(3)
		after(5 * time.Second)
		f.wantDelivered(host, nil)
		f.change(func() { first.mute = false })
		after(3 * time.Second)
		f.wantDelivered(host, want)
	})
}
