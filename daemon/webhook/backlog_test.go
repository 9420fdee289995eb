package webhook_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/webhook"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// An endpoint that is dead for many events does not affect others: they receive events long
// before a call to the dead one ends, and memory use stays constant.
func TestADeadEndpointDelaysNobody(t *testing.T) {
	for name, dead := range map[string]responder{"refuses": refused, "hangs": hanging, "responds slowly": slow(8*time.Second, status(500))} {
		t.Run(name, func(t *testing.T) {
			backlog := testsize.Of(12_000, 100_000)
			store, err := bolt.Open(filepath.Join(t.TempDir(), "test.db"), bolt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			r := newRig(t, store)
			r.hook("dead.example")
			r.endpoints.at("dead.example").fromNow(dead)
			for range backlog / 1000 {
				r.publish(1000)
			}
			r.hook("fine.example")
			received := r.listen("fine.example")
			before := heap()
			x := r.start()
			defer r.stop()

			var took []time.Duration
			for range 100 {
				began := time.Now()
				waitFor(t, received, r.publish(1)[0])
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			t.Logf("the other endpoint received events within %v", took[99])
			if took[89] > 5*time.Second { // a busy machine can stop any program for seconds, but not often
				t.Errorf("the other endpoint received 11 of 100 events after %v or later", took[89])
			}
			if grown := heap() - before; grown > 16<<20 {
				t.Errorf("the heap has grown by %d MiB", grown>>20)
			}
			if n, err := x.Backlog(t.Context()); err != nil || n != webhook.MaxBacklog {
				t.Errorf("backlog %d, %v; want as many as are counted, %d", n, err, webhook.MaxBacklog)
			}
			if calls := len(r.endpoints.at("dead.example").all()); calls == 0 || calls > 100 {
				t.Errorf("%d calls of the dead endpoint", calls)
			}
		})
	}
}

// listen returns a channel with the events that an endpoint receives from now on.
func (r *rig) listen(host string) <-chan string {
	received := make(chan string, 1000)
	r.endpoints.at(host).fromNow(func(req *http.Request) (*http.Response, error) {
		received <- req.Header.Get("webhook-id")
		return status(204)(req)
	})
	return received
}

// waitFor waits until an event is received.
func waitFor(t *testing.T, received <-chan string, event string) {
	t.Helper()
	deadline := time.After(testsize.Patience)
	for {
		select {
		case id := <-received:
			if id == event {
				return
			}
		case <-deadline:
			t.Fatalf("event %s was not sent", event)
		}
	}
}

// heap returns how many bytes are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Each webhook uses two goroutines, regardless of its backlog.
func TestGoroutinesAreBounded(t *testing.T) {
	const webhooks = 50
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, storagetest.NewMemory())
		for range webhooks {
			r.hook("a.example")
		}
		r.endpoints.at("a.example").fromNow(hanging)
		before := runtime.NumGoroutine()
		r.start()
		defer r.stop()
		for range 20 {
			r.publish(50)
			after(30 * time.Second)
		}
		if n := runtime.NumGoroutine() - before; n > 2*webhooks+5 {
			t.Errorf("%d goroutines for %d webhooks", n, webhooks)
		}
		if calls := len(r.endpoints.at("a.example").all()); calls < webhooks {
			t.Errorf("%d calls", calls)
		}
	})
}

// lagging is a store whose snapshots are used some time after they were taken.
type lagging struct {
	storage.Store
	delay func() time.Duration
}

func (s lagging) View(ctx context.Context, fn func(storage.Reader) error) error {
	return s.Store.View(ctx, func(r storage.Reader) error {
		time.Sleep(s.delay())
		return fn(r)
	})
}

// An event that is committed while a lane reads an older snapshot is found by the next
// read.
func TestEventsThatComeWhileTheStoreIsRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) {
		store, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		random := rand.New(rand.NewPCG(1, 2))
		var mu sync.Mutex // mu guards random
		upTo := func(d time.Duration) time.Duration {
			mu.Lock()
			defer mu.Unlock()
			return time.Duration(random.Int64N(int64(d)))
		}
		r := newRig(t, lagging{store, func() time.Duration { return upTo(20 * time.Millisecond) }})
		r.hook("a.example")
		r.start()
		defer r.stop()
		var want []string
		for range 300 {
			want = append(want, r.publish(1)...)
			after(upTo(100 * time.Millisecond))
		}
		after(time.Second)
		if diff := cmp.Diff(want, r.endpoints.at("a.example").eventIDs()); diff != "" {
			t.Errorf("received (-want +got):\n%s", diff)
		}
	})
}

// A file that is written and read by a whole run. The time of the test does not
// pass while the file is written, so no retry of the first event comes in between.
func TestOnAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) {
		store, err := bolt.Open(path, bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		r := newRig(t, store)
		w := r.hook("a.example")
		received := r.listen("a.example")
		r.endpoints.at("a.example").then(status(500))
		r.start()
		ids := r.publish(300)
		waitFor(t, received, ids[len(ids)-1])
		r.stop()
		if got := r.readHook(w); got.Cursor != ids[len(ids)-1] || string(got.Secret) != string(w.Secret) {
			t.Errorf("webhook %+v", got)
		}
		for i, d := range r.deliveries(w) {
			want := schedctl.DeliveryDelivered
			if i == 0 {
				want = schedctl.DeliveryPending
			}
			if d.EventID != ids[i] || d.Status != want || d.Attempt != 1 {
				t.Errorf("delivery %d: %+v", i, d)
			}
		}
	})
}
