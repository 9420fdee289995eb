package webhook_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/scripts/testsize"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// newPostgresFleet returns two nodes on one PostgreSQL database.
func newPostgresFleet(t *testing.T) *fleet {
	t.Helper()
	url := postgrestest.Schema(t)
	open := func() storage.Shared {
		store, err := postgres.Open(t.Context(), url, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		return store
	}
	f := &fleet{rig: newRig(t, open()), open: open, holds: make(map[string]*node)}
	f.join()
	f.join()
	return f
}

// end stops a node, waits until it has recorded its attempts, and lets its leases
// expire.
func (f *fleet) end(n *node) {
	n.stop()
	n.done <- <-n.done
	f.change(func() { n.alive = false })
}

// Nodes on one PostgreSQL send every event to each webhook once, in one order. When
// a node stops, another one continues.
func TestWebhooksOnPostgres(t *testing.T) {
	t.Parallel()
	f := newPostgresFleet(t)
	defer f.stopAll()
	hosts := []string{"a", "b", "c"}
	var hooks []schedctl.Webhook
	for _, host := range hosts {
		hooks = append(hooks, f.follow(host))
	}
	var want []string
	step := func() {
		t.Helper()
		want = append(want, f.disorder(12)...)
		for _, host := range hosts {
			f.waitDelivered(host, len(want))
			if diff := cmp.Diff(want, f.endpoints.at(host).eventIDs()); diff != "" {
				t.Fatalf("events of %s (-want +got):\n%s", host, diff)
			}
		}
	}
	step()
	gone := f.holder(hooks[0])
	f.end(gone)
	step()
	for i, w := range hooks {
		if f.holder(w) == gone {
			t.Errorf("%s is held by a stopped node", hosts[i])
		}
		for _, d := range f.deliveries(w) {
			if d.Status != schedctl.DeliveryDelivered || d.Attempt != 1 {
				t.Errorf("%s: %+v", hosts[i], d)
			}
		}
	}
}

// waitDelivered waits until a host has received this many events.
func (f *fleet) waitDelivered(host string, n int) {
	f.Helper()
	for deadline := time.Now().Add(testsize.Patience); len(f.endpoints.at(host).all()) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.Fatalf("%s received %d events, want %d:\n%s", host, len(f.endpoints.at(host).all()), n, f.logs.String())
		}
	}
}
