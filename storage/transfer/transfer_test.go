package transfer_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/postgres"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
	"github.com/schedctl/schedctl/storage/storagetest"
	"github.com/schedctl/schedctl/storage/transfer"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

func TestEverythingIsCopiedToAServerAndBack(t *testing.T) {
	t.Parallel()
	first, server, last := openFile(t), openServer(t), openFile(t)
	storagetest.Stock(t, first, 12)
	want := dump(t, first)
	for _, step := range []struct{ from, to storage.Store }{{first, server}, {server, last}} {
		report, err := transfer.Run(t.Context(), step.from, step.to, options())
		if err != nil {
			t.Fatal(err)
		}
		if report.Resumed || report.Records < 12*15 {
			t.Errorf("report %+v", report)
		}
		if diff := cmp.Diff(want, dump(t, step.to), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the copy (-want +got):\n%s", diff)
		}
	}
	if err := last.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// A copy interrupted after, or during, any of its transactions can be resumed.
func TestInterruptedCopyResumes(t *testing.T) {
	t.Parallel()
	from, to := storagetest.NewMemory(), storagetest.NewMemory()
	storagetest.Stock(t, from, 5)
	want := dump(t, from)
	faulty := storagetest.NewFaulty(to)
	for n, moment := range []storagetest.FailurePoint{
		storagetest.AfterCommit, storagetest.BeforeDisk, storagetest.AfterCommit, storagetest.AfterCommit, storagetest.BeforeFn,
	} {
		if n > 0 {
			fine := n // this many transactions succeed first
			ctx, cancel := context.WithCancel(t.Context())
			o := options()
			o.Progress = func(phase transfer.Phase, _, _ int) {
				if phase == transfer.Copying {
					if fine--; fine == 0 {
						faulty.FailUpdates(1, moment)
					}
				}
			}
			_, err := transfer.Run(ctx, from, faulty, o)
			cancel()
			if !errors.Is(err, storagetest.ErrInjected) {
				t.Fatalf("run %d: %v", n, err)
			}
		}
	}
	report, err := transfer.Run(t.Context(), from, faulty, options())
	if err != nil {
		t.Fatal(err)
	}
	if !report.Resumed {
		t.Error("the copy was restarted")
	}
	if diff := cmp.Diff(want, dump(t, to), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the copy (-want +got):\n%s", diff)
	}
}

// Every change to the copy before the comparison is detected.
func TestVerificationFindsDifferences(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(r storage.Reader, tx storage.Tx) error{
		"a post with another text": func(r storage.Reader, tx storage.Tx) error {
			p := anyPost(t, r)
			p.Text += "."
			return tx.PutPost(p)
		},
		"a post that is missing": func(r storage.Reader, tx storage.Tx) error {
			p := anyPost(t, r)
			return tx.DeletePost(p.WorkspaceID, p.ID)
		},
		"a media asset with another alt text": func(r storage.Reader, tx storage.Tx) error {
			list, err := tx.MediaAssets(anyPost(t, r).WorkspaceID, "", 1)
			if err != nil {
				return err
			}
			list[0].AltText += "."
			return tx.PutMediaAsset(list[0])
		},
		"an override without media that became none": func(r storage.Reader, tx storage.Tx) error {
			page, err := tx.Posts(storage.PostQuery{WorkspaceID: anyPost(t, r).WorkspaceID, Limit: 100})
			if err != nil {
				return err
			}
			for _, p := range page.Posts {
				if media := p.Targets[0].Media; media != nil && len(media) == 0 {
					p.Targets[0].Media = nil
					return tx.PutPost(p)
				}
			}
			return errors.New("override not found")
		},
		"an attempt with another outcome": func(r storage.Reader, tx storage.Tx) error {
			p := anyPost(t, r)
			list, err := tx.Attempts(p.Targets[0].ID)
			if err != nil || len(list) == 0 {
				return errors.Join(err, errors.New("attempt not found"))
			}
			list[0].FinishedAt = list[0].FinishedAt.Add(time.Millisecond)
			return tx.PutAttempt(list[0])
		},
		"a secret with another byte": func(r storage.Reader, tx storage.Tx) error {
			list, err := tx.Accounts(anyPost(t, r).WorkspaceID)
			if err != nil {
				return err
			}
			list[0].Credentials[0]++
			return tx.PutAccount(list[0])
		},
		"a webhook with a later cursor": func(r storage.Reader, tx storage.Tx) error {
			list, err := tx.Webhooks(anyPost(t, r).WorkspaceID)
			if err != nil {
				return err
			}
			list[0].Cursor = schedctl.NewID(schedctl.EventPrefix, time.Now())
			return tx.PutWebhook(list[0])
		},
		"a notification with another password": func(r storage.Reader, tx storage.Tx) error {
			w := anyNotification(t, tx, anyPost(t, r).WorkspaceID)
			w.Secret[0]++
			return tx.PutWebhook(w)
		},
		"a notification that was never sent": func(r storage.Reader, tx storage.Tx) error {
			w := anyNotification(t, tx, anyPost(t, r).WorkspaceID)
			w.Notify.SentAt = time.Time{}
			return tx.PutWebhook(w)
		},
		"an additional event": func(r storage.Reader, tx storage.Tx) error {
			list, err := tx.Events("", 1)
			if err != nil {
				return err
			}
			list[0].ID = schedctl.NewID(schedctl.EventPrefix, time.Now())
			return tx.AddEvents(list...)
		},
		"an additional idempotency record": func(_ storage.Reader, tx storage.Tx) error {
			return tx.PutIdempotencyRecord(storage.IdempotencyScope{Path: "/"}, storage.IdempotencyRecord{Status: 200})
		},
		"metadata with another value": func(_ storage.Reader, tx storage.Tx) error { return tx.PutMetadata("two", []byte("3")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := storagetest.NewMemory(), storagetest.NewMemory()
			storagetest.Stock(t, from, 2)
			o := options()
			o.Progress = func(phase transfer.Phase, done, _ int) {
				if phase == transfer.Verifying && done == 0 {
					if err := to.Update(t.Context(), func(tx storage.Tx) error { return change(tx, tx) }); err != nil {
						t.Error(err)
					}
				}
			}
			_, err := transfer.Run(t.Context(), from, to, o)
			var mismatch *transfer.MismatchError
			if !errors.As(err, &mismatch) || len(mismatch.Differences) == 0 {
				t.Errorf("the difference was not found: %v", err)
			}
			if err := transfer.Check(t.Context(), to); err == nil {
				t.Error("a daemon may use the copy")
			}
			if err := transfer.Check(t.Context(), from); err != nil {
				t.Errorf("no daemon may use the source: %v", err)
			}
		})
	}
}

func anyPost(t *testing.T, r storage.Reader) schedctl.Post {
	t.Helper()
	owners, err := r.Workspaces()
	if err != nil || len(owners) == 0 {
		t.Fatalf("workspaces: %v %v", owners, err)
	}
	page, err := r.Posts(storage.PostQuery{WorkspaceID: owners[0].ID, Limit: 1})
	if err != nil || len(page.Posts) == 0 {
		t.Fatalf("posts: %v %v", page, err)
	}
	return page.Posts[0]
}

func options() transfer.Options {
	return transfer.Options{From: "bolt:/from.db", To: "postgres://to", Host: "here", Version: "v1", Now: time.Now, Batch: 7}
}

func openFile(t *testing.T) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "test.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func openServer(t *testing.T) storage.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), postgrestest.Schema(t), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// anyNotification returns a webhook record that is a notification.
func anyNotification(t *testing.T, r storage.Reader, workspace string) schedctl.Webhook {
	t.Helper()
	list, err := r.Webhooks(workspace)
	i := slices.IndexFunc(list, func(w schedctl.Webhook) bool { return w.Notify != nil && !w.Notify.SentAt.IsZero() })
	if err != nil || i < 0 {
		t.Fatalf("there is no notification among %d webhooks: %v", len(list), err)
	}
	return list[i]
}
