package storagetest

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Run checks the whole contract of package storage against an engine. It calls open for
// each part with that part's t. open must return a new, empty store, which the suite
// may close.
func Run(t *testing.T, open func(t *testing.T) storage.Store) { run(t, open, 0) }

// RunBriefly is Run for another configuration of an engine that has passed Run: it
// plays fewer random scripts.
func RunBriefly(t *testing.T, open func(t *testing.T) storage.Store) { run(t, open, 3) }

func run(t *testing.T, open func(t *testing.T) storage.Store, halvings int) {
	for _, part := range suiteParts {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(&fixture{T: t, store: open(t), ws: newID(schedctl.WorkspacePrefix, epoch), halvings: halvings})
		})
	}
}

type part struct {
	name string
	test func(*fixture)
}

// suiteParts is concatenated from the lists of the test files.
var suiteParts = concat(
	postParts, externalParts, listParts, dueParts, notifyParts, attemptParts, publishedParts,
	contentParts, threadParts, modelParts, accountParts, idempotencyParts, keyParts, workspaceParts, eventParts,
	webhookParts, deliveryParts, auditParts, queueParts, slotParts, blackoutParts, seriesParts, feedParts, collectionParts, aliasParts, shareParts, resultsParts, readingsParts, sourceParts, reviewParts, planGameParts, mediaParts, mediaUseParts, metadataParts, pruneParts,
	exportParts, prepareParts, transactionParts, closeParts, isolationParts,
)

func concat(lists ...[]part) []part {
	var all []part
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// fixture is an empty store with a workspace.
type fixture struct {
	*testing.T
	store    storage.Store
	ws       string
	halvings int // of the number of random scripts
}

// update runs fn in a transaction that must succeed.
func (f *fixture) update(fn func(storage.Tx) error) {
	f.Helper()
	if err := f.store.Update(context.Background(), fn); err != nil {
		f.Fatalf("Update: %v", err)
	}
}

// refuse runs fn in a transaction that must fail with the code.
func (f *fixture) refuse(code schedctl.Code, fn func(storage.Tx) error) {
	f.Helper()
	wantCode(f, code, f.store.Update(context.Background(), fn))
}

func (f *fixture) putPosts(posts ...schedctl.Post) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, p := range posts {
			if err := tx.PutPost(p); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) putAccounts(accounts ...schedctl.Account) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, a := range accounts {
			if err := tx.PutAccount(a); err != nil {
				return err
			}
		}
		return nil
	})
}

// tryRead reads with get in its own View.
func tryRead[T any](f *fixture, get func(storage.Reader) (T, error)) (v T, err error) {
	err = f.store.View(context.Background(), func(r storage.Reader) error {
		v, err = get(r)
		return err
	})
	return v, err
}

// mustRead is tryRead for a read that must succeed.
func mustRead[T any](f *fixture, get func(storage.Reader) (T, error)) T {
	f.Helper()
	v, err := tryRead(f, get)
	if err != nil {
		f.Fatalf("View: %v", err)
	}
	return v
}

// wantNotFound checks that get returns NOT_FOUND.
func wantNotFound[T any](f *fixture, what string, get func(storage.Reader) (T, error)) {
	f.Helper()
	_, err := tryRead(f, get)
	if !isCode(err, schedctl.NotFound) {
		f.Errorf("%s: error %v, want NOT_FOUND", what, err)
	}
}

func isCode(err error, code schedctl.Code) bool {
	var e *schedctl.Error
	return errors.As(err, &e) && e.Code == code
}

func wantCode(f *fixture, code schedctl.Code, err error) {
	f.Helper()
	if !isCode(err, code) {
		f.Errorf("error %v, want %s", err, code)
	}
}

// wantSame compares got with want. It treats nil and empty lists as equal.
func wantSame(f *fixture, what string, want, got any) {
	f.Helper()
	if reflect.DeepEqual(want, got) { // the usual case; cmp.Diff is much slower
		return
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		f.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func postByID(f *fixture, id string) func(storage.Reader) (schedctl.Post, error) {
	return func(r storage.Reader) (schedctl.Post, error) { return r.Post(f.ws, id) }
}

func routeOf(id string) func(storage.Reader) (storage.Route, error) {
	return func(r storage.Reader) (storage.Route, error) { return r.Route(id) }
}

func accountByID(f *fixture, id string) func(storage.Reader) (schedctl.Account, error) {
	return func(r storage.Reader) (schedctl.Account, error) { return r.Account(f.ws, id) }
}

func attemptsOf(id string) func(storage.Reader) ([]schedctl.Attempt, error) {
	return func(r storage.Reader) ([]schedctl.Attempt, error) { return r.Attempts(id) }
}

// dueIndex reads the due index from the given entry on.
func (f *fixture) dueIndex(from schedctl.Due) []schedctl.Due {
	f.Helper()
	return mustRead(f, func(r storage.Reader) (entries []schedctl.Due, err error) {
		err = r.Due(from, func(d schedctl.Due) bool {
			entries = append(entries, d)
			return true
		})
		return entries, err
	})
}
