package daemon

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// addEvent stores a current event.
func addEvent(t *testing.T, store storage.Store) {
	t.Helper()
	e := schedctl.WebhookTestEvent(schedctl.Webhook{
		ID: schedctl.NewID(schedctl.WebhookPrefix, time.Now()), WorkspaceID: schedctl.NewID(schedctl.WorkspacePrefix, time.Now()),
	}, time.Now())
	if err := store.Update(t.Context(), func(tx storage.Tx) error { return tx.AddEvents(e) }); err != nil {
		t.Fatal(err)
	}
}

func countEvents(t *testing.T, store storage.Store) (n int) {
	t.Helper()
	err := store.View(t.Context(), func(r storage.Reader) error {
		events, err := r.Events("", 100)
		n = len(events)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Records do not become too old right after the clock leaps by years. The newest event
// stays even after the leap is confirmed, because ids continue after it.
func TestHousekeepingWaitsForAClockThatLeapt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := storagetest.NewMemory()
		for range 3 {
			addEvent(t, store)
			time.Sleep(time.Second)
		}
		made, log := time.Now(), slog.New(slog.DiscardHandler)
		time.Sleep(10 * 365 * 24 * time.Hour)
		d := &daemon{store: store, log: log, clock: clock.New(made, log)}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- d.runHousekeeping(ctx) }()
		time.Sleep(59 * time.Minute)
		if got := countEvents(t, store); got != 3 {
			t.Errorf("%d events in the first hour, want 3", got)
		}
		time.Sleep(20 * time.Minute)
		if got := countEvents(t, store); got != 1 {
			t.Errorf("%d events then, want the newest", got)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// New ids continue after the newest event, even if the clock was set back.
func TestAStartGoesOnFromTheYoungestEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := storagetest.NewMemory()
		if at, err := resumeIDs(t.Context(), store); err != nil || !at.IsZero() {
			t.Errorf("without events: %v, %v", at, err)
		}
		made := schedctl.Millis(time.Now())
		addEvent(t, store)
		time.Sleep(time.Hour)
		if at, err := resumeIDs(t.Context(), store); err != nil || !at.Equal(made) {
			t.Errorf("%v, %v; want %v", at, err, made)
		}
	})
}
