package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var transactionParts = []part{
	{"TransactionSeesItsWrites", testTransactionSeesItsWrites},
	{"TransactionThatEmptiesTheStore", testTransactionEmptiesTheStore},
	{"FailedTransactionLeavesNothing", testFailedTransactionHasNoEffect},
	{"RefusedWritesChangeNothing", testRefusedWritesChangeNothing},
	{"FailuresHarmOnlyThemselves", testFailedTransactionsAreIndependent},
	{"TransactionsAreSerial", testTransactionsAreSerial},
	{"ViewIsASnapshot", testViewIsASnapshot},
	{"ViewReturnsItsError", testViewReturnsItsError},
	{"EndedContext", testEndedContext},
	{"RecordIsAnUpdate", testUpdateFromReserveIsAnUpdate},
}

func asError(err error, target **schedctl.Error) bool { return errors.As(err, target) }

func testTransactionSeesItsWrites(f *fixture) {
	e := newOneOfEach(f)
	inside := 0
	f.update(func(tx storage.Tx) error {
		if err := e.put(tx); err != nil {
			return err
		}
		inside = e.countReads(tx)
		return nil
	})
	wantSame(f, "reads that find it inside", readCount, inside)
	wantSame(f, "reads that find it after", readCount, countAll(f, e))
	f.update(func(tx storage.Tx) error {
		if err := tx.DeletePost(f.ws, e.post.ID); err != nil {
			return err
		}
		if _, err := tx.Post(f.ws, e.post.ID); !isCode(err, schedctl.NotFound) {
			return fmt.Errorf("a deleted post can still be read: %v", err)
		}
		return tx.PutPost(e.post)
	})
	wantSame(f, "post deleted and put again", e.post, mustRead(f, postByID(f, e.post.ID)))
}

// testTransactionEmptiesTheStore guards engines whose cursors fail on pages that the
// running transaction has emptied: looking up the last of no posts, events or audit
// entries once did not return.
func testTransactionEmptiesTheStore(f *fixture) {
	const n = 500
	account := newAccountIDs(1)[0]
	posts := make([]schedctl.Post, n)
	for i := range posts {
		posts[i] = f.newPost(epoch.Add(time.Duration(i)*time.Second), epoch.Add(time.Hour), schedctl.Scheduled, account)
	}
	f.putPosts(posts...)
	f.update(func(tx storage.Tx) error { return tx.AddEvents(f.newEvents(n, epoch)...) })
	f.addAudit(newAudit(f.ws, n, epoch)...)
	late := f.newPost(epoch.Add(time.Hour), epoch.Add(2*time.Hour), schedctl.Scheduled, account)
	event, entry := f.newEvents(1, epoch.Add(2000*time.Hour)), newAudit(f.ws, 1, epoch.Add(2000*time.Hour))[0]
	f.update(func(tx storage.Tx) error {
		for _, p := range posts {
			if err := tx.DeletePost(f.ws, p.ID); err != nil {
				return err
			}
		}
		for _, sort := range sorts {
			page, err := tx.Posts(storage.PostQuery{WorkspaceID: f.ws, Sort: sort, Limit: 10})
			if err != nil || len(page.Posts) > 0 {
				return fmt.Errorf("sort %q lists %d of no posts: %v", sort, len(page.Posts), err)
			}
		}
		if _, err := tx.Prune(pruneAll, 10*n); err != nil {
			return err
		}
		if _, err := tx.LastEvent(); err != nil {
			return err
		}
		return errors.Join(tx.PutPost(late), tx.AddEvents(event...), tx.AddAudit(entry))
	})
	wantSame(f, "posts", []schedctl.Post{late}, list(f, storage.PostQuery{WorkspaceID: f.ws, Limit: 10}).Posts)
}

func testFailedTransactionHasNoEffect(f *fixture) {
	e := newOneOfEach(f)
	fail := errors.New("no")
	err := f.store.Update(context.Background(), func(tx storage.Tx) error { return errors.Join(e.put(tx), fail) })
	if !errors.Is(err, fail) {
		f.Errorf("Update returned %v, want the error of its function", err)
	}
	wantSame(f, "reads that find it", 0, countAll(f, e))

	f.update(e.put)
	err = f.store.Update(context.Background(), func(tx storage.Tx) error {
		changed := e.post.Clone()
		changed.Text = "changed"
		disconnected := e.account
		disconnected.Status = schedctl.AccountDisconnected
		delivered := e.delivery
		delivered.Status = schedctl.DeliveryDelivered
		again := e.audit
		again.ID = newID(schedctl.AuditPrefix, epoch)
		if err := errors.Join(tx.PutDelivery(delivered), tx.AddAudit(again), tx.DeleteWebhook(f.ws, e.webhook.ID)); err != nil {
			return err
		}
		failed := e.media
		failed.Status = schedctl.MediaFailed
		if err := errors.Join(tx.PutMediaAsset(failed), tx.DeleteMediaAsset(f.ws, failed.ID)); err != nil {
			return err
		}
		_, pruned := tx.Prune(pruneAll, 100)
		return errors.Join(tx.PutPost(changed), tx.PutAccount(disconnected), tx.DeletePost(f.ws, e.post.ID), pruned, fail)
	})
	if !errors.Is(err, fail) {
		f.Errorf("Update returned %v, want the error of its function", err)
	}
	wantSame(f, "reads that find it after a failed change", readCount, countAll(f, e))
	wantSame(f, "post", e.post, mustRead(f, postByID(f, e.post.ID)))
	wantSame(f, "delivery", e.delivery, mustRead(f, deliveryByID(e.webhook.ID, e.delivery.ID)))
}

// testRefusedWritesChangeNothing makes one refused write after another in a transaction
// that continues and is committed.
func testRefusedWritesChangeNothing(f *fixture) {
	heard := recordCommits(f)
	e := newOneOfEach(f)
	other := f.newAccount("other", epoch)
	f.update(e.put)
	f.putAccounts(other)
	refused := map[string]func(storage.Tx) error{
		"a post with a bad target": func(tx storage.Tx) error {
			p := e.post.Clone()
			p.Text, p.Targets[2].ID = "changed", "bad"
			return tx.PutPost(p)
		},
		"a taken name": func(tx storage.Tx) error {
			a := e.account
			a.Name = other.Name
			return tx.PutAccount(a)
		},
		"options that are not JSON": func(tx storage.Tx) error {
			a := e.account
			a.Name, a.Options = "renamed", schedctl.Options{"bad": func() {}}
			return tx.PutAccount(a)
		},
		"a bad event after a good one": func(tx storage.Tx) error {
			good := f.newEvents(2, epoch.Add(time.Hour))
			good[1].WorkspaceID = "bad"
			return tx.AddEvents(good...)
		},
		"an event twice": func(tx storage.Tx) error {
			good := f.newEvents(1, epoch.Add(time.Hour))
			return tx.AddEvents(good[0], good[0])
		},
		"an attempt with a bad post": func(tx storage.Tx) error {
			a := e.attempt
			a.PostID, a.Number = "bad", 1
			return tx.PutAttempt(a)
		},
		"a key with a bad account": func(tx storage.Tx) error {
			k := cloneKey(e.key)
			k.AccountIDs[0] = "bad"
			return tx.PutKey(k)
		},
		"a webhook with a bad cursor": func(tx storage.Tx) error {
			w := e.webhook
			w.Name, w.Cursor = "changed", "bad"
			return tx.PutWebhook(w)
		},
		"a delivery with a bad event": func(tx storage.Tx) error {
			d := e.delivery
			d.Status, d.EventID = schedctl.DeliveryDelivered, "bad"
			return tx.PutDelivery(d)
		},
		"a post with a bad queue": func(tx storage.Tx) error {
			p := e.post.Clone()
			p.Text, p.QueueID = "changed", "bad"
			return tx.PutPost(p)
		},
		"a queue with a bad account": func(tx storage.Tx) error {
			q := e.queue.Clone()
			q.Name, q.AccountIDs[1] = "changed", "bad"
			return tx.PutQueue(q)
		},
		"a series with a bad queue": func(tx storage.Tx) error {
			s := e.series.Clone()
			s.ExternalID, s.QueueID = "changed", "bad"
			return tx.PutSeries(s)
		},
		"a series with a bad account": func(tx storage.Tx) error {
			s := e.series.Clone()
			s.Template.Targets[0].AccountID = "bad"
			return tx.PutSeries(s)
		},
		"an audit entry twice": func(tx storage.Tx) error { return tx.AddAudit(e.audit) },
		"an audit entry with a bad key": func(tx storage.Tx) error {
			a := e.audit
			a.ID, a.KeyID = newID(schedctl.AuditPrefix, epoch.Add(time.Hour)), "bad"
			return tx.AddAudit(a)
		},
	}
	heard.take()
	f.update(func(tx storage.Tx) error {
		for what, write := range refused {
			if err := write(tx); err == nil {
				return fmt.Errorf("%s is not refused", what)
			}
		}
		return tx.PutWorkspace(e.workspace)
	})
	wantSame(f, "notified", storage.Commit{}, heard.take())
	wantSame(f, "reads that find it", readCount+1, countAll(f, e)) // including the other account
	wantSame(f, "post", e.post, mustRead(f, postByID(f, e.post.ID)))
	wantSame(f, "account", e.account, mustRead(f, accountByID(f, e.account.ID)))
	wantSame(f, "feed", e.account, mustRead(f, feedNamed(e.account.Name)))
	wantNotFound(f, "the feed's new name", feedNamed("renamed"))
	wantSame(f, "webhook", e.webhook, mustRead(f, webhookByID(f, e.webhook.ID)))
	wantSame(f, "delivery", e.delivery, mustRead(f, deliveryByID(e.webhook.ID, e.delivery.ID)))
}

func testFailedTransactionsAreIndependent(f *fixture) {
	fail := errors.New("no")
	account := newAccountIDs(1)
	kept, lost := make([]schedctl.Post, 100), make([]schedctl.Post, 100)
	var wait sync.WaitGroup
	for i := range 100 {
		kept[i] = f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, account...)
		lost[i] = f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, account...)
		wait.Go(func() { f.putPosts(kept[i]) })
		wait.Go(func() {
			err := f.store.Update(context.Background(), func(tx storage.Tx) error {
				if i%2 == 0 { // some fail before their writes, some after
					return fail
				}
				return errors.Join(tx.PutPost(lost[i]), fail)
			})
			if !errors.Is(err, fail) {
				f.Errorf("Update returned %v, want the error of its function", err)
			}
		})
	}
	wait.Wait()
	for i := range 100 {
		wantSame(f, "post", kept[i], mustRead(f, postByID(f, kept[i].ID)))
		wantNotFound(f, "post of a failed transaction", postByID(f, lost[i].ID))
	}
	wantSame(f, "due entries", 100, len(f.dueIndex(schedctl.Due{})))
}

func testTransactionsAreSerial(f *fixture) {
	w := schedctl.Workspace{ID: f.ws, Name: "0"}
	f.putWorkspaces(w)
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for range 8 {
				f.update(func(tx storage.Tx) error {
					w, err := tx.Workspace(f.ws)
					if err != nil {
						return err
					}
					var n int
					if _, err := fmt.Sscan(w.Name, &n); err != nil {
						return err
					}
					w.Name = fmt.Sprint(n + 1)
					return tx.PutWorkspace(w)
				})
			}
		})
	}
	wait.Wait()
	wantSame(f, "counter", "128", mustRead(f, workspaceByID(f.ws)).Name)
}

func testViewIsASnapshot(f *fixture) {
	other := newID(schedctl.WorkspacePrefix, epoch)
	write := func(n int) {
		f.update(func(tx storage.Tx) error {
			name := fmt.Sprint(n)
			return errors.Join(tx.PutWorkspace(schedctl.Workspace{ID: f.ws, Name: name}),
				tx.PutWorkspace(schedctl.Workspace{ID: other, Name: name}))
		})
	}
	write(0)
	var done atomic.Bool
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for !done.Load() {
				mustRead(f, func(r storage.Reader) (any, error) {
					first, err1 := r.Workspace(f.ws)
					second, err2 := r.Workspace(other)
					again, err3 := r.Workspace(f.ws)
					if first.Name != second.Name || first.Name != again.Name {
						f.Errorf("one View saw %s, %s and %s", first.Name, second.Name, again.Name)
					}
					return nil, errors.Join(err1, err2, err3)
				})
			}
		})
	}
	for n := range 50 {
		write(n)
	}
	done.Store(true)
	wait.Wait()
}

func testViewReturnsItsError(f *fixture) {
	want := errors.New("mine")
	if err := f.store.View(context.Background(), func(storage.Reader) error { return want }); !errors.Is(err, want) {
		f.Errorf("View returned %v, want the error of its function", err)
	}
}

func testEndedContext(f *fixture) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ran := false
	if err := f.store.Update(ctx, func(storage.Tx) error { ran = true; return nil }); !errors.Is(err, context.Canceled) {
		f.Errorf("Update returned %v, want %v", err, context.Canceled)
	}
	if err := f.store.View(ctx, func(storage.Reader) error { ran = true; return nil }); !errors.Is(err, context.Canceled) {
		f.Errorf("View returned %v, want %v", err, context.Canceled)
	}
	if ran {
		f.Error("a function ran although its context had ended")
	}

	ctx, cancel = context.WithCancel(context.Background())
	p := f.newPost(epoch, time.Time{}, schedctl.Draft)
	if err := f.store.Update(ctx, func(tx storage.Tx) error { cancel(); return tx.PutPost(p) }); err != nil {
		f.Errorf("a context that ended after the start: %v", err)
	}
	wantSame(f, "post", p, mustRead(f, postByID(f, p.ID)))
}

// testUpdateFromReserveIsAnUpdate guards that UpdateFromReserve is as durable and
// serializable as Update, and reports its commits. It cannot test a full database.
func testUpdateFromReserveIsAnUpdate(f *fixture) {
	e := newOneOfEach(f)
	notified := 0
	f.store.Notify(func(c storage.Commit) { notified += c.Events })
	fail := errors.New("no")
	err := f.store.UpdateFromReserve(context.Background(), func(tx storage.Tx) error { return errors.Join(e.put(tx), fail) })
	if !errors.Is(err, fail) {
		f.Errorf("UpdateFromReserve returned %v, want the error of its function", err)
	}
	wantSame(f, "reads that find what was rolled back", 0, countAll(f, e))
	if err := f.store.UpdateFromReserve(context.Background(), e.put); err != nil {
		f.Fatal(err)
	}
	wantSame(f, "reads that find it", readCount, countAll(f, e))
	if notified == 0 {
		f.Error("the events of UpdateFromReserve were not reported")
	}
	ended, end := context.WithCancel(context.Background())
	end()
	never := func(storage.Tx) error { f.Error("ran with a context that had ended"); return nil }
	if err := f.store.UpdateFromReserve(ended, never); !errors.Is(err, context.Canceled) {
		f.Errorf("UpdateFromReserve returned %v, want %v", err, context.Canceled)
	}
	if err := f.store.Full(); err != nil {
		f.Errorf("Full: %v although there is space", err)
	}
}
