package storagetest

import (
	"context"
	"errors"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var prepareParts = []part{
	{"PreparingChangesNothing", testPreparingChangesNothing},
	{"PreparingSeesWrites", testPreparingSeesWrites},
	{"PreparedRecordsAreCopies", testPreparedRecordsAreCopies},
}

// targetWorld holds everything that belongs to some targets.
type targetWorld struct {
	posts    []schedctl.Post
	accounts []schedctl.Account
	attempts []schedctl.Attempt
	absent   schedctl.Target // of no post
	asked    []string        // targets of the first two posts, and a missing one
}

// newTargetWorld stores three posts with two targets each, of two existing accounts and
// a missing one, with a finished and a running attempt.
func newTargetWorld(f *fixture) targetWorld {
	w := targetWorld{accounts: []schedctl.Account{newFilled[schedctl.Account](f), f.newAccount("other", epoch)}}
	w.accounts[0].WorkspaceID = f.ws
	ids := []string{w.accounts[0].ID, w.accounts[1].ID, newID(schedctl.AccountPrefix, epoch)}
	for i := range 3 {
		w.posts = append(w.posts, f.newPost(epoch, epoch.Add(time.Hour), schedctl.Publishing, ids[i], ids[(i+1)%3]))
	}
	for i, p := range w.posts {
		t := p.Targets[0]
		ended, running := w.newAttempt(&p, t, 1), w.newAttempt(&p, t, 2)
		ended.FinishedAt, ended.Outcome, ended.Error = epoch, schedctl.OutcomeNotPublished, &schedctl.TargetError{Message: "no"}
		running.StartedAt = epoch.Add(-time.Duration(i) * time.Hour)
		w.attempts = append(w.attempts, ended, running)
		if i < 2 {
			w.asked = append(w.asked, p.Targets[0].ID, p.Targets[1].ID)
		}
	}
	w.absent = f.newPost(epoch, epoch, schedctl.Publishing, ids[0]).Targets[0]
	w.asked = append(append(w.asked, w.absent.ID), malformedIDs(schedctl.TargetPrefix)...)
	f.putPosts(w.posts...)
	f.putAccounts(w.accounts...)
	f.putAttempts(w.attempts...)
	return w
}

func (w *targetWorld) newAttempt(p *schedctl.Post, t schedctl.Target, number int) schedctl.Attempt {
	return schedctl.Attempt{
		ID: newID(schedctl.AttemptPrefix, epoch), TargetID: t.ID, WorkspaceID: p.WorkspaceID, PostID: p.ID, AccountID: t.AccountID,
		Number: number, StartedAt: epoch, Outcome: schedctl.OutcomeRunning, Owner: "me", Key: "key",
	}
}

// readResult is everything that a reader returns about targets.
type readResult struct {
	Routes   map[string]storage.Route
	Attempts map[string][]schedctl.Attempt
	Running  map[string][]schedctl.Attempt
	Posts    map[string]schedctl.Post
	Accounts map[string]schedctl.Account
	Codes    []schedctl.Code // of errors
}

// readAll reads what belongs to the prepared targets, and all posts.
func (w *targetWorld) readAll(r storage.Reader) (readResult, error) {
	s := readResult{
		Routes: map[string]storage.Route{}, Attempts: map[string][]schedctl.Attempt{}, Running: map[string][]schedctl.Attempt{},
		Posts: map[string]schedctl.Post{}, Accounts: map[string]schedctl.Account{},
	}
	var errs []error
	note := func(err error) {
		if code := schedctl.CodeOf(err); err == nil || code == schedctl.NotFound {
			s.Codes = append(s.Codes, code)
		} else {
			errs = append(errs, err)
		}
	}
	var err error
	for _, id := range append([]string{w.posts[2].Targets[0].ID}, w.asked...) {
		s.Routes[id], err = r.Route(id)
		note(err)
		s.Attempts[id], err = r.Attempts(id)
		note(err)
	}
	for _, p := range w.posts {
		s.Posts[p.ID], err = r.Post(p.WorkspaceID, p.ID)
		note(err)
		_, err = r.Post(newID(schedctl.WorkspacePrefix, epoch), p.ID)
		note(err)
		id := p.Targets[0].AccountID
		s.Accounts[id], err = r.Account(p.WorkspaceID, id)
		note(err)
		_, err = r.Account(newID(schedctl.WorkspacePrefix, epoch), id)
		note(err)
		if tx, ok := r.(storage.SharedTx); ok {
			s.Running[id], err = tx.RunningOf(id)
			note(err)
		}
	}
	return s, errors.Join(errs...)
}

func testPreparingChangesNothing(f *fixture) {
	w := newTargetWorld(f)
	want := mustRead(f, w.readAll)
	wantSame(f, "a View that is prepared", want, mustRead(f, func(r storage.Reader) (readResult, error) {
		if err := storage.Prepare(r, w.asked); err != nil {
			return readResult{}, err
		}
		return w.readAll(r)
	}))
	nothing := func(storage.Tx) error { return nil }
	wantSame(f, "a transaction that is prepared", w.inTransaction(f, nothing), w.inTransaction(f, func(tx storage.Tx) error {
		return errors.Join(storage.Prepare(tx, w.asked[:2]), storage.Prepare(tx, w.asked), storage.Prepare(tx, nil))
	}))
}

// inTransaction returns what a transaction reads after do, and rolls it back.
func (w *targetWorld) inTransaction(f *fixture, do func(storage.Tx) error) (s readResult) {
	f.Helper()
	err := f.store.Update(context.Background(), func(tx storage.Tx) error {
		err := do(tx)
		if err == nil {
			s, err = w.readAll(tx)
		}
		return errors.Join(err, errRollback)
	})
	if !errors.Is(err, errRollback) || s.Posts == nil {
		f.Fatalf("Update: %v", err)
	}
	return s
}

// testPreparingSeesWrites makes every kind of change after preparing.
func testPreparingSeesWrites(f *fixture) {
	w := newTargetWorld(f)
	first, account := w.posts[0], w.accounts[0]
	changed, fewer, more := first.Clone(), first.Clone(), first.Clone()
	changed.Text, changed.Targets[1].AccountID = "changed", account.ID
	fewer.Targets = fewer.Targets[1:]
	more.Targets = append(more.Targets, w.absent)
	ended, moved := w.attempts[1], w.attempts[1]
	ended.FinishedAt, ended.Outcome = epoch, schedctl.OutcomePublished
	moved.AccountID = w.accounts[1].ID
	account.Username = "changed"
	begun := w.newAttempt(&first, first.Targets[1], 1)
	for what, write := range map[string]func(storage.Tx) error{
		"a post changed":        func(tx storage.Tx) error { return tx.PutPost(changed) },
		"a target removed":      func(tx storage.Tx) error { return tx.PutPost(fewer) },
		"a target added":        func(tx storage.Tx) error { return tx.PutPost(more) },
		"a post deleted":        func(tx storage.Tx) error { return tx.DeletePost(f.ws, first.ID) },
		"an account changed":    func(tx storage.Tx) error { return tx.PutAccount(account) },
		"an attempt ended":      func(tx storage.Tx) error { return tx.PutAttempt(ended) },
		"an attempt moved":      func(tx storage.Tx) error { return tx.PutAttempt(moved) },
		"an attempt started":    func(tx storage.Tx) error { return tx.PutAttempt(begun) },
		"put and removed again": func(tx storage.Tx) error { return errors.Join(tx.PutPost(more), tx.PutPost(fewer)) },
	} {
		wantSame(f, what, w.inTransaction(f, write), w.inTransaction(f, func(tx storage.Tx) error {
			return errors.Join(storage.Prepare(tx, w.asked), write(tx))
		}))
	}
}

func testPreparedRecordsAreCopies(f *fixture) {
	w := newTargetWorld(f)
	var first, second readResult
	f.update(func(tx storage.Tx) error {
		err := storage.Prepare(tx, w.asked)
		for _, s := range []*readResult{&first, &second} {
			if err == nil {
				*s, err = w.readAll(tx)
			}
			if s == &first {
				first.overwrite()
			}
		}
		return err
	})
	wantSame(f, "what is read again", w.inTransaction(f, func(storage.Tx) error { return nil }), second)
}

// overwrite overwrites everything that shallow copies would share.
func (s readResult) overwrite() {
	for _, p := range s.Posts {
		for i := range p.Targets {
			p.Targets[i] = schedctl.Target{}
		}
	}
	for _, a := range s.Accounts {
		for key := range a.Options {
			a.Options[key] = "spoiled"
		}
		clear(a.Credentials)
		if a.Error != nil {
			a.Error.Message = "spoiled"
		}
	}
	for _, list := range s.Attempts {
		for i := range list {
			if list[i].Error != nil {
				list[i].Error.Message = "spoiled"
			}
			list[i].Owner = "spoiled"
		}
	}
}
