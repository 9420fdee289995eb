package bolt

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	bbolt "go.etcd.io/bbolt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// spoil calls fn with a bucket and its first row, to damage the bucket without the store.
func spoil(t *testing.T, s *Store, b bucket, fn func(b *bbolt.Bucket, key, value []byte) error) {
	t.Helper()
	err := s.db.Update(func(tx *bbolt.Tx) error {
		in := tx.Bucket([]byte(bucketNames[b]))
		k, v := in.Cursor().First()
		return fn(in, bytes.Clone(k), bytes.Clone(v))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func remove(b *bbolt.Bucket, key, _ []byte) error { return b.Delete(key) }

func stray(b *bbolt.Bucket, key, value []byte) error {
	key[len(key)-1] ^= 0x40
	return b.Put(key, value)
}

func short(b *bbolt.Bucket, key, value []byte) error {
	return errors.Join(b.Delete(key), b.Put(key[:len(key)-1], value))
}

func garble(b *bbolt.Bucket, key, value []byte) error {
	if len(value) == 0 {
		return b.Put(key, []byte("value"))
	}
	return b.Put(key, bytes.Repeat([]byte{0xee}, len(value)))
}

// TestCheckFindsFaults damages every bucket in every detectable way.
func TestCheckFindsFaults(t *testing.T) {
	t.Parallel()
	unindexed := map[bucket]bool{workspaces: true, audit: true} // a missing record cannot be detected
	for b := workspaces; b < bucketCount; b++ {
		for name, how := range map[string]func(*bbolt.Bucket, []byte, []byte) error{
			"removed": remove, "stray": stray, "short": short, "garbled": garble,
		} {
			if unindexed[b] && (name == "removed" || name == "stray") || b == accountNames && name == "short" {
				continue
			}
			t.Run(b.String()+" "+name, func(t *testing.T) {
				t.Parallel()
				s := seeded(t)
				if err := s.Check(t.Context()); err != nil {
					t.Fatalf("before: %v", err)
				}
				spoil(t, s, b, how)
				if err := s.Check(t.Context()); !errors.Is(err, storage.ErrCorrupt) {
					t.Errorf("Check returned %v, want %v", err, storage.ErrCorrupt)
				}
			})
		}
	}
}

func TestCheckStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := seeded(t).Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Check returned %v, want %v", err, context.Canceled)
	}
}

// TestSpoiledRecordsAreErrors guards that reading a damaged record neither panics nor
// returns NOT_FOUND.
func TestSpoiledRecordsAreErrors(t *testing.T) {
	t.Parallel()
	s := seeded(t)
	var ws, post, target, account, webhook, delivery, event string
	if err := s.View(t.Context(), func(r storage.Reader) error {
		list, err := r.Workspaces()
		if err != nil {
			return err
		}
		ws = list[0].ID
		page, err := r.Posts(storage.PostQuery{WorkspaceID: ws, Sort: storage.OldestFirst, Limit: 3})
		if err != nil {
			return err
		}
		p := page.Posts[1] // it has a running attempt
		post, target, account = p.ID, p.Targets[0].ID, p.Targets[0].AccountID
		webhooks, err := r.Webhooks(ws)
		if err != nil {
			return err
		}
		webhook = webhooks[0].ID
		deliveries, err := r.Deliveries(webhook, "", 1)
		if err != nil {
			return err
		}
		delivery = deliveries[0].ID
		event, err = r.LastEvent()
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, b := range []bucket{workspaces, keys, accounts, posts, attempts, idempotencyRecords, events, targets, published, feeds, webhooks, deliveries, audit} {
		err := s.db.Update(func(tx *bbolt.Tx) error {
			in := tx.Bucket([]byte(bucketNames[b]))
			var all [][]byte
			for k, _ := in.Cursor().First(); len(all) < in.Stats().KeyN; k, _ = in.Cursor().Seek(append(k, 0)) {
				all = append(all, bytes.Clone(k))
			}
			for _, k := range all {
				if err := in.Put(k, []byte{0xee}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	reads := map[string]func(storage.Reader) error{
		"Post": func(r storage.Reader) error { _, err := r.Post(ws, post); return err },
		"Posts": func(r storage.Reader) error {
			_, err := r.Posts(storage.PostQuery{WorkspaceID: ws, Limit: 1})
			return err
		},
		"Route":    func(r storage.Reader) error { _, err := r.Route(target); return err },
		"Attempts": func(r storage.Reader) error { _, err := r.Attempts(target); return err },
		"Running":  func(r storage.Reader) error { _, err := r.RunningAttempts(); return err },
		"Published": func(r storage.Reader) error {
			_, err := r.PublishedTargets(account, storage.PublishedTarget{}, 1)
			return err
		},
		"Account":  func(r storage.Reader) error { _, err := r.Account(ws, account); return err },
		"Accounts": func(r storage.Reader) error { _, err := r.Accounts(ws); return err },
		"Feed":     func(r storage.Reader) error { _, err := r.Feed("blog"); return err },
		"Answer": func(r storage.Reader) error {
			_, err := r.IdempotencyRecord(storage.IdempotencyScope{WorkspaceID: ws})
			return err
		},
		"Workspace": func(r storage.Reader) error { _, err := r.Workspace(ws); return err },
		"All":       func(r storage.Reader) error { _, err := r.Workspaces(); return err },
		"KeyByHash": func(r storage.Reader) error { _, err := r.KeyByHash([32]byte{}); return err },
		"Keys":      func(r storage.Reader) error { _, err := r.Keys(ws); return err },
		"Events":    func(r storage.Reader) error { _, err := r.Events("", 1); return err },
		"OfPost":    func(r storage.Reader) error { _, err := r.PostEvents(post, 9); return err },
		"Event":     func(r storage.Reader) error { _, err := r.Event(event); return err },
		"Webhook":   func(r storage.Reader) error { _, err := r.Webhook(ws, webhook); return err },
		"Webhooks":  func(r storage.Reader) error { _, err := r.Webhooks(ws); return err },
		"Delivery":  func(r storage.Reader) error { _, err := r.Delivery(webhook, delivery); return err },
		"Told":      func(r storage.Reader) error { _, err := r.Deliveries(webhook, "", 1); return err },
		"Pending":   func(r storage.Reader) error { _, err := r.PendingDeliveries(webhook, 1); return err },
		"Audit":     func(r storage.Reader) error { _, err := r.Audit(ws, "", 1); return err },
	}
	for name, read := range reads {
		if err := s.View(t.Context(), read); !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("%s returned %v, want %v", name, err, storage.ErrCorrupt)
		}
	}
	later := time.Now().Add(time.Hour)
	writes := map[string]func(storage.Tx) error{
		"PutPost":    func(tx storage.Tx) error { return tx.PutPost(schedctl.Post{ID: post, WorkspaceID: ws}) },
		"DeletePost": func(tx storage.Tx) error { return tx.DeletePost(ws, post) },
		"PutAccount": func(tx storage.Tx) error { return tx.PutAccount(schedctl.Account{ID: account, WorkspaceID: ws}) },
		"Prune":      func(tx storage.Tx) error { _, err := tx.Prune(storage.Retention{Events: later}, 9); return err },
		"PutDelivery": func(tx storage.Tx) error {
			return tx.PutDelivery(schedctl.Delivery{ID: delivery, WebhookID: webhook, EventID: event})
		},
	}
	for name, write := range writes {
		if err := s.Update(t.Context(), write); !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("%s returned %v, want %v", name, err, storage.ErrCorrupt)
		}
	}
}

// TestPruneOfSpoiledRecords guards that Prune does not treat unreadable deliveries and
// audit entries as old.
func TestPruneOfSpoiledRecords(t *testing.T) {
	t.Parallel()
	for _, b := range []bucket{deliveries, audit} {
		s := seeded(t)
		spoil(t, s, b, garble)
		err := s.Update(t.Context(), func(tx storage.Tx) error { _, err := tx.Prune(storage.Retention{}, 9); return err })
		if !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("%q: Prune returned %v, want %v", b, err, storage.ErrCorrupt)
		}
	}
}

// TestWrongKeysAreErrors guards that truncated keys are errors and are not read as ids.
func TestWrongKeysAreErrors(t *testing.T) {
	t.Parallel()
	for b, read := range map[bucket]func(r storage.Reader, ws, webhook string) error{
		webhooks:          func(r storage.Reader, ws, _ string) error { _, err := r.Webhooks(ws); return err },
		deliveries:        func(r storage.Reader, _, webhook string) error { _, err := r.Deliveries(webhook, "", 9); return err },
		pendingDeliveries: func(r storage.Reader, _, webhook string) error { _, err := r.PendingDeliveries(webhook, 9); return err },
		audit:             func(r storage.Reader, ws, _ string) error { _, err := r.Audit(ws, "", 9); return err },
	} {
		s := seeded(t)
		var ws, webhook string
		err := s.View(t.Context(), func(r storage.Reader) error {
			workspaces, err := r.Workspaces()
			if err != nil {
				return err
			}
			ws = workspaces[0].ID
			list, err := r.Webhooks(ws)
			webhook = list[0].ID
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		spoil(t, s, b, short)
		err = s.View(t.Context(), func(r storage.Reader) error { return read(r, ws, webhook) })
		if !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("%q: error %v, want %v", b, err, storage.ErrCorrupt)
		}
	}
}
