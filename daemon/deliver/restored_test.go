package deliver_test

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// withhold calls Withhold and checks the number of targets.
func (r *rig) withhold(want int) {
	r.Helper()
	n, err := deliver.Withhold(r.Context(), r.store, time.Now())
	if err != nil || n != want {
		r.Fatalf("Withhold = %d, %v; want %d", n, err, want)
	}
}

// wantWithheld checks that a target has failed with the outcome unknown.
func (r *rig) wantWithheld(p schedctl.Post) {
	r.Helper()
	e := r.wantStatus(p, schedctl.Failed).Error
	if e == nil || e.Kind != schedctl.KindUnknown || e.Code != "restored" || e.Outcome != maybe || e.Retryable {
		r.Errorf("target of %s has the error %+v", p.ID, e)
	}
}

func TestWithheldTargetsNeverGoOutByThemselves(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", schedctl.Options{"idempotent": true})
		draft := r.create(schedctl.NewPost{Content: schedctl.Content{Text: "a draft"}, Accounts: []schedctl.Account{a}})
		past := r.schedule(time.Hour, a)
		exact := r.schedule(2*time.Hour, a)
		future := r.schedule(2*time.Hour+time.Millisecond, a)
		queued := r.publishNow(a)
		interrupted := r.publishNow(a)
		r.interrupt(interrupted)
		between := r.publishNow(a)
		r.interrupt(between)
		r.finishLast(between, schedctl.Result{
			Error:   &schedctl.TargetError{Kind: schedctl.KindNetwork, Outcome: no, Retryable: true},
			RetryAt: time.Now().Add(100 * time.Hour),
		})
		r.after(2 * time.Hour)

		r.withhold(5)
		for _, p := range []schedctl.Post{past, exact, queued, interrupted, between} {
			r.wantWithheld(p)
		}
		r.wantStatus(draft, schedctl.Draft)
		r.wantStatus(future, schedctl.Scheduled)
		if diff := cmp.Diff([]schedctl.Outcome{maybe}, r.outcomes(interrupted)); diff != "" {
			t.Errorf("attempts of the interrupted target (-want +got):\n%s", diff)
		}
		r.withhold(0)

		r.start()
		r.after(30 * 24 * time.Hour)
		if calls := r.wantCalls(1); calls[0].PostID != future.ID {
			t.Errorf("%s was published, want %s", calls[0].PostID, future.ID)
		}
	})
}

// TestSalvagedPostsAreHeld guards that no post from a damaged database is published
// before a person has checked it, whenever it is due.
func TestSalvagedPostsAreHeld(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		posts := []schedctl.Post{r.schedule(time.Hour, a), r.schedule(100*365*24*time.Hour, a), r.publishNow(a)}
		n, err := deliver.WithholdSalvaged(t.Context(), r.store, time.Now())
		if err != nil || n != len(posts) {
			t.Fatalf("WithholdSalvaged = %d, %v; want %d", n, err, len(posts))
		}
		for _, p := range posts {
			if e := r.wantStatus(p, schedctl.Failed).Error; e == nil || e.Code != "salvaged" || e.Outcome != maybe {
				t.Errorf("target of %s has the error %+v", p.ID, e)
			}
		}
	})
}

// TestSalvagedStatusIsWrong guards that a published target that still has the time of an
// attempt, because its status is damaged, does not prevent the daemon from starting.
func TestSalvagedStatusIsWrong(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		sound, damaged := r.schedule(time.Hour, a), r.publishNow(a)
		r.update(func(tx storage.Tx) error {
			p, err := tx.Post(r.workspace, damaged.ID)
			if err != nil {
				return err
			}
			p.Targets[0].Status = schedctl.Published
			return tx.PutPost(p)
		})
		if n, err := deliver.WithholdSalvaged(t.Context(), r.store, time.Now()); n != 1 || err != nil {
			t.Errorf("WithholdSalvaged = %d, %v; want 1", n, err)
		}
		r.wantStatus(damaged, schedctl.Published)
		r.wantStatus(sound, schedctl.Failed)
	})
}

// finishLast ends the running attempt of a post's first target.
func (r *rig) finishLast(p schedctl.Post, result schedctl.Result) {
	r.Helper()
	r.update(func(tx storage.Tx) error {
		p, err := tx.Post(r.workspace, p.ID)
		if err != nil {
			return err
		}
		attempts, err := tx.Attempts(p.Targets[0].ID)
		if err != nil {
			return err
		}
		last := attempts[len(attempts)-1]
		last.FinishedAt, last.Outcome, last.Error = schedctl.Millis(time.Now()), result.Error.Outcome, result.Error
		events, err := p.Finish(last.TargetID, result, time.Now())
		return errors.Join(err, tx.PutPost(p), tx.PutAttempt(last), tx.AddEvents(events...))
	})
}

// A canceled post stays canceled, and shows that it may have been published.
func TestWithheldCancel(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		p := r.publishNow(a)
		r.interrupt(p)
		r.cancel(p.ID)
		r.withhold(1)
		got := r.wantStatus(p, schedctl.Canceled)
		if got.Error == nil || got.Error.Code != "restored" || got.Error.Outcome != maybe {
			t.Errorf("canceled target has the error %+v", got.Error)
		}
		if diff := cmp.Diff([]schedctl.Outcome{maybe}, r.outcomes(p)); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
	})
}

// Events report withheld targets, and a person can publish them.
func TestWithheldIsToldAndCanBeForced(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		p := r.publishNow(a)
		r.withhold(1)
		want := []schedctl.EventType{
			schedctl.EventPostCreated, schedctl.EventPostQueued, schedctl.EventPostFailed, schedctl.EventPostCompleted,
		}
		if diff := cmp.Diff(want, r.events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		r.start()
		post := r.post(p.ID)
		if _, err := post.Retry(schedctl.Retry{}, time.Now()); schedctl.CodeOf(err) != schedctl.PostNotRetryable {
			t.Errorf("a retry without force: %v", err)
		}
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
			return p.Retry(schedctl.Retry{Force: true}, time.Now())
		})
		synctest.Wait()
		r.wantStatus(p, schedctl.Published)
	})
}

// After a failure of the store, another call continues where it stopped.
func TestWithholdContinuesAfterAFault(t *testing.T) {
	bubble(t, func(r *rig) {
		faulty := storagetest.NewFaulty(r.store)
		r.store = faulty
		a := r.account("me", nil)
		p, q := r.publishNow(a), r.publishNow(a)
		r.interrupt(q)
		for _, moment := range []storagetest.FailurePoint{storagetest.BeforeFn, storagetest.BeforeDisk, storagetest.AfterCommit} {
			faulty.FailUpdates(1, moment)
			if _, err := deliver.Withhold(t.Context(), faulty, time.Now()); !errors.Is(err, storagetest.ErrInjected) {
				t.Fatalf("moment %d: %v", moment, err)
			}
		}
		faulty.FailViews(1)
		if _, err := deliver.Withhold(t.Context(), faulty, time.Now()); !errors.Is(err, storagetest.ErrInjected) {
			t.Fatal(err)
		}
		r.withhold(1) // the attempt was ended by the commit that was reported as failed
		r.wantWithheld(p)
		r.wantWithheld(q)
	})
}

// More targets than fit in one transaction, in the engine that supports restores.
func TestWithholdManyOnDisk(t *testing.T) {
	t.Parallel()
	store, err := bolt.Open(filepath.Join(t.TempDir(), "db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r := newRig(t, store)
	var accounts []schedctl.Account
	for _, name := range []string{"a", "b", "c"} {
		accounts = append(accounts, r.account(name, nil))
	}
	const posts = 700
	now := time.Now()
	r.update(func(tx storage.Tx) error {
		for range posts {
			p, _, err := schedctl.Create(schedctl.NewPost{WorkspaceID: r.workspace, Content: schedctl.Content{Text: "x"}, Accounts: accounts, PublishAt: now.Add(time.Millisecond)}, now)
			if err := errors.Join(err, tx.PutPost(p)); err != nil {
				return err
			}
		}
		return nil
	})
	n, err := deliver.Withhold(t.Context(), store, now.Add(time.Second))
	if err != nil || n != 3*posts {
		t.Fatalf("Withhold = %d, %v", n, err)
	}
	r.view(func(rd storage.Reader) error {
		return rd.Due(schedctl.Due{}, func(d schedctl.Due) bool {
			t.Errorf("%s still waits", d.TargetID())
			return false
		})
	})
	if err := store.Check(t.Context()); err != nil {
		t.Error(err)
	}
}
