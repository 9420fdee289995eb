package storagetest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var processParts = []sharedPart{
	{"CommitsOfOthersAreTold", testCommitsOfOtherProcesses},
	{"EventsOfManyProcesses", testEventsOfManyProcesses},
	{"RunningOf", testRunningOf},
	{"OneBeginsForAnAccount", testOneAttemptPerAccount},
	{"SlotsAreTakenOnce", testSlotsOfManyProcesses},
	{"UnsearchedSlotsAreTakenOnce", testUnsearchedSlots},
	{"AliasesArePutOnce", aliasKind.testIsPutOnceByTwo},
	{"CollectionsArePutOnce", collectionKind.testIsPutOnceByTwo},
}

func testCommitsOfOtherProcesses(f *sharedFixture) {
	own, others := make(chan storage.Commit, 100), make(chan storage.Commit, 100)
	f.one.Notify(func(c storage.Commit) { own <- c })
	f.two.Notify(func(c storage.Commit) { others <- c })
	account, hook := f.newAccount("a", epoch), f.newWebhooks(1)[0]
	post := f.newPost(epoch, epoch.Add(time.Hour), schedctl.Scheduled, account.ID)
	f.update(func(tx storage.Tx) error {
		return errors.Join(tx.PutAccount(account), tx.PutWebhook(hook), tx.PutPost(post), tx.AddEvents(f.newEvents(2, epoch)...))
	})
	want := storage.Commit{Due: dueOf(post), Accounts: []string{account.ID}, Webhooks: []string{hook.ID}, Events: 2, Elsewhere: true}
	for got := (storage.Commit{}); got.Events == 0; {
		select {
		case got = <-others:
			if got.Events > 0 { // a commit without events has another cause
				wantSame(&f.fixture, "reported by another process", want, got)
			}
		case <-time.After(30 * time.Second):
			f.Fatal("the commit of the second process was not reported")
		}
	}
	for len(own) > 0 {
		if got := <-own; got.Elsewhere && !got.Missed {
			f.Errorf("a process received its own commit: %+v", got)
		}
	}
}

// testEventsOfManyProcesses adds events whose ids are not in commit order, as different
// clocks produce them.
func testEventsOfManyProcesses(f *sharedFixture) {
	late, early := f.newEvents(1, epoch.Add(time.Hour))[0], f.newEvents(1, epoch)[0]
	f.update(func(tx storage.Tx) error { return tx.AddEvents(late) })
	if err := f.two.Update(context.Background(), func(tx storage.Tx) error { return tx.AddEvents(early) }); err != nil {
		f.Fatal(err)
	}
	for _, step := range []struct {
		after string
		want  []schedctl.Event
	}{{"", []schedctl.Event{late, early}}, {late.ID, []schedctl.Event{early}}, {early.ID, nil}} {
		got := mustRead(&f.fixture, func(r storage.Reader) ([]schedctl.Event, error) { return r.Events(step.after, 9) })
		wantSame(&f.fixture, "events", step.want, got)
	}
}

// runningOf calls RunningOf in a transaction.
func runningOf(f *sharedFixture, s storage.Shared, accountID string) (list []schedctl.Attempt, err error) {
	err = s.Update(context.Background(), func(tx storage.Tx) (err error) {
		list, err = tx.(storage.SharedTx).RunningOf(accountID)
		return err
	})
	return list, err
}

func testRunningOf(f *sharedFixture) {
	account, other := newID(schedctl.AccountPrefix, epoch), newID(schedctl.AccountPrefix, epoch)
	post := f.newPost(epoch, epoch, schedctl.Publishing, account, account, account, other)
	var attempts []schedctl.Attempt
	for i, t := range post.Targets {
		attempts = append(attempts, schedctl.Attempt{
			ID: newID(schedctl.AttemptPrefix, epoch), TargetID: t.ID, WorkspaceID: f.ws, PostID: post.ID, AccountID: t.AccountID, Number: 1,
			StartedAt: epoch.Add(-time.Duration(i) * time.Second), Outcome: schedctl.OutcomeRunning, Owner: "me",
		})
	}
	attempts[1].FinishedAt, attempts[1].Outcome = epoch, schedctl.OutcomePublished
	f.update(func(tx storage.Tx) error {
		errs := []error{tx.PutPost(post)}
		for _, a := range attempts {
			errs = append(errs, tx.PutAttempt(a))
		}
		found, err := tx.(storage.SharedTx).RunningOf(account)
		wantSame(&f.fixture, "running, as the transaction sees it", []schedctl.Attempt{attempts[2], attempts[0]}, found)
		return errors.Join(append(errs, err)...)
	})
	for id, want := range map[string][]schedctl.Attempt{
		account: {attempts[2], attempts[0]}, other: attempts[3:], newID(schedctl.AccountPrefix, epoch): nil,
	} {
		got, err := runningOf(f, f.two, id)
		if err != nil {
			f.Errorf("RunningOf: %v", err)
		}
		wantSame(&f.fixture, "running", want, got)
	}
	for _, id := range malformedIDs(schedctl.AccountPrefix) {
		_, err := runningOf(f, f.one, id)
		wantCode(&f.fixture, schedctl.NotFound, err)
	}
}

// testOneAttemptPerAccount lets many transactions of two processes start an attempt for
// an account unless one is running, each for its own post.
func testOneAttemptPerAccount(f *sharedFixture) {
	account := f.newAccount("a", epoch)
	f.putAccounts(account)
	var begun [8]bool
	var all sync.WaitGroup
	for i := range begun {
		post := f.newPost(epoch, epoch, schedctl.Publishing, account.ID)
		f.putPosts(post)
		attempt := schedctl.Attempt{
			ID: newID(schedctl.AttemptPrefix, epoch), TargetID: post.Targets[0].ID, WorkspaceID: f.ws, PostID: post.ID, AccountID: account.ID,
			Number: 1, StartedAt: epoch, Outcome: schedctl.OutcomeRunning,
		}
		all.Go(func() {
			err := []storage.Shared{f.one, f.two}[i%2].Update(context.Background(), func(tx storage.Tx) error {
				begun[i] = false
				_, postErr := tx.Post(f.ws, post.ID)
				_, err := tx.Account(f.ws, account.ID)
				if err := errors.Join(postErr, err); err != nil {
					return err
				}
				running, err := tx.(storage.SharedTx).RunningOf(account.ID)
				if err != nil || len(running) > 0 {
					return err
				}
				begun[i] = true
				return tx.PutAttempt(attempt)
			})
			if err != nil {
				f.Errorf("Update: %v", err)
			}
		})
	}
	all.Wait()
	n := 0
	for _, b := range begun {
		if b {
			n++
		}
	}
	wantSame(&f.fixture, "attempts started", 1, n)
}

// testSlotsOfManyProcesses searches and takes slots in both processes at once.
func testSlotsOfManyProcesses(f *sharedFixture) {
	const posts = 40
	accounts := newAccountIDs(2)
	var wg sync.WaitGroup
	for i := range posts {
		side := f.fixture
		if i%2 == 1 {
			side.store = f.two
		}
		wg.Go(func() {
			if err := side.takeFirstSlot(accounts[:1+i%2]); err != nil {
				f.Errorf("take a slot: %v", err)
			}
		})
	}
	wg.Wait()
	times := mustRead(&f.fixture, func(r storage.Reader) ([]storage.OccupiedTime, error) {
		return r.Occupied(storage.OccupiedQuery{WorkspaceID: f.ws, AccountIDs: accounts[:1], From: epoch, Until: slotTime(1000), Limit: manyRecords})
	})
	for n, o := range times {
		if !o.At.Equal(slotTime(n)) {
			f.Errorf("post %d has the slot at %s, want %s", n, o.At, slotTime(n))
		}
	}
	if len(times) != posts {
		f.Errorf("%d posts have slots, want %d", len(times), posts)
	}
}

// testUnsearchedSlots puts posts into one slot from both processes, without a search that
// locks the account: the index of slots must refuse all but one.
func testUnsearchedSlots(f *sharedFixture) {
	const posts = 10
	account := newAccountIDs(1)[0]
	errs := make([]error, posts)
	var wg sync.WaitGroup
	for i := range posts {
		store, p := f.one, f.inSlot("", slotTime(1), account)
		if i%2 == 1 {
			store = f.two
		}
		wg.Go(func() {
			errs[i] = store.Update(context.Background(), func(tx storage.Tx) error { return tx.PutPost(p) })
		})
	}
	wg.Wait()
	taken := 0
	for _, err := range errs {
		switch {
		case err == nil:
			taken++
		case !isCode(err, schedctl.SlotTaken):
			f.Errorf("error %v, want SLOT_TAKEN", err)
		}
	}
	if taken != 1 {
		f.Errorf("%d posts have the slot, want 1", taken)
	}
}
