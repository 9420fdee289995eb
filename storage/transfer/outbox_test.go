package transfer_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/transfer"
)

// Events of several processes may be out of order by id. Whatever the order of events
// in the copy, each webhook receives the events that it has not received yet.
func TestNoWebhookMissesAnEvent(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) storage.Store{
		"file":   func(t *testing.T) storage.Store { return openFile(t) },
		"server": openServer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := openServer(t), open(t)
			putOutOfOrder(t, from)
			if _, err := transfer.Run(t.Context(), from, to, options()); err != nil {
				t.Fatal(err)
			}
			want, got := dump(t, from).Unsent, dump(t, to).Unsent
			if name == "server" {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("events sent to webhooks (-want +got):\n%s", diff)
				}
				return
			}
			for hook, events := range want {
				for _, id := range events {
					if !slices.Contains(got[hook], id) {
						t.Errorf("%s does not receive %s, only %v", hook, id, got[hook])
					}
				}
			}
		})
	}
}

// putOutOfOrder puts events whose ids are out of order, and webhooks with cursors
// before and after each of them. Some cursors are ids of events.
func putOutOfOrder(t *testing.T, store storage.Store) {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ws := schedctl.Workspace{ID: schedctl.NewID(schedctl.WorkspacePrefix, now), Name: "one", CreatedAt: now}
	ids := make([]string, 8)
	for i := range ids {
		ids[i] = schedctl.NewID(schedctl.EventPrefix, now.Add(time.Duration(i)*time.Second))
	}
	slices.Sort(ids)
	hook := func(tx storage.Tx, cursor string) error {
		return tx.PutWebhook(schedctl.Webhook{
			ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: ws.ID, Enabled: true, Cursor: cursor, CreatedAt: now, UpdatedAt: now,
		})
	}
	var ends []string
	for _, i := range []int{1, 0, 2, 5, 3, 6, 4, 7} {
		err := store.Update(t.Context(), func(tx storage.Tx) error {
			end, err := tx.OutboxEnd()
			if err != nil {
				return err
			}
			ends = append(ends, end)
			return tx.AddEvents(schedctl.Event{ID: ids[i], CreatedAt: now, WorkspaceID: ws.ID})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := store.Update(t.Context(), func(tx storage.Tx) error {
		end, err := tx.OutboxEnd()
		if err != nil {
			return err
		}
		for _, cursor := range slices.Concat([]string{"", end}, ends, ids) {
			if err := hook(tx, cursor); err != nil {
				return err
			}
		}
		return tx.PutWorkspace(ws)
	})
	if err != nil {
		t.Fatal(err)
	}
	unsent := dump(t, store).Unsent
	if n := len(unsent); n != 16 { // two cursors are at the end
		t.Fatalf("%d webhooks wait for events: %s", n, strings.Join(ids, " "))
	}
}
