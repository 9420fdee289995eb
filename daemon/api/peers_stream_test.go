package api_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// disorder stores events of my workspace with unordered ids, as daemons with
// different clocks create them.
func (f *fixture) disorder(n int) (ids []string) {
	f.t.Helper()
	for i := range n {
		now := time.Now()
		u := schedctl.NewULID(now)
		u[4] ^= byte(37 * i)
		e := schedctl.WebhookDisabledEvent(schedctl.Webhook{ID: "wh_01K2M4N6P8QARCTDVEWFXGYHZ1", WorkspaceID: f.mine.workspace}, now)
		e.ID = u.ID(schedctl.EventPrefix)
		f.update(func(tx storage.Tx) error { return tx.AddEvents(e) })
		ids = append(ids, e.ID)
	}
	return ids
}

// wantEvents reads the wanted number of events of a stream.
func (w *follower) wantEvents(want []string) {
	w.live.t.Helper()
	got := make([]string, len(want))
	for i := range got {
		got[i] = w.nextID()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.live.t.Fatalf("events (-want +got):\n%s", diff)
	}
}

// A stream of one daemon has the events of all daemons, in one order regardless of
// their ids, and can be resumed at a different daemon.
func TestStreamsOfSeveralDaemons(t *testing.T) {
	t.Parallel()
	onPeers(t, func(t *testing.T, peers []*fixture) {
		here, there := peers[0].goLive(), peers[1].goLive()
		peers[0].disorder(3) // before
		first, second := here.follow(), there.follow()
		quiet := here.follow().position
		want := peers[1].disorder(20)
		want = append(want, peers[0].disorder(20)...)
		first.wantEvents(want)
		second.wantEvents(want[:30])
		second.leave()
		here.follow(resume(want[29])).wantEvents(want[30:])
		there.follow(resume(quiet)).wantEvents(want) // an id of the second daemon that no event has

		// A stream that joins while others run starts with future events.
		third := there.follow()
		more := peers[0].disorder(5)
		third.wantEvents(more)
		first.wantEvents(more)
	})
}

// A stream ends within a second after a different daemon has revoked its key.
func TestStreamsEndWhereKeysAreRevokedElsewhere(t *testing.T) {
	t.Parallel()
	if _, err := document(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		memory, stores := inMemory(2)
		memory.LoseNotifications()
		peers := newPeers(t, stores)
		made := peers[0].newAPIKey(nil, body{"name": "x"})
		w := peers[1].goLive().follow(as(made.Secret))
		time.Sleep(10500 * time.Millisecond)
		peers[0].do(nil, "DELETE", "/api-keys/"+made.APIKey.ID, nil).want(http.StatusNoContent)
		began := time.Now()
		if w.ended(); time.Since(began) > time.Second {
			t.Errorf("the stream ended after %s", time.Since(began))
		}
	})
}
