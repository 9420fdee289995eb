package storagetest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// ownedKind is a kind of records that workspaces own and list.
type ownedKind[T any] struct {
	prefix schedctl.Prefix
	ids    func(*T) (id, workspace *string)
	get    func(r storage.Reader, ws, id string) (T, error)
	list   func(r storage.Reader, ws string) ([]T, error)
	put    func(tx storage.Tx, v T) error
	remove func(tx storage.Tx, ws, id string) error
}

func (k ownedKind[T]) byID(ws, id string) func(storage.Reader) (T, error) {
	return func(r storage.Reader) (T, error) { return k.get(r, ws, id) }
}

func (k ownedKind[T]) all(ws string) func(storage.Reader) ([]T, error) {
	return func(r storage.Reader) ([]T, error) { return k.list(r, ws) }
}

func (k ownedKind[T]) putAll(f *fixture, list ...T) {
	f.Helper()
	f.update(func(tx storage.Tx) error {
		for _, v := range list {
			if err := k.put(tx, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// new returns a record without zero fields that belongs to the workspace.
func (k ownedKind[T]) new(f *fixture, at time.Time) T {
	f.Helper()
	v := newFilled[T](f)
	id, ws := k.ids(&v)
	*id, *ws = newID(k.prefix, at), f.ws
	return v
}

// testKeepsEveryField checks that records are stored whole, replaced and deleted.
func (k ownedKind[T]) testKeepsEveryField(f *fixture) {
	want := k.new(f, epoch)
	id, _ := k.ids(&want)
	wantNotFound(f, "missing record", k.byID(f.ws, *id))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return k.remove(tx, f.ws, *id) })
	k.putAll(f, want)
	wantSame(f, "record", want, mustRead(f, k.byID(f.ws, *id)))
	wantSame(f, "list", []T{want}, mustRead(f, k.all(f.ws)))

	var bare T
	bareID, bareWS := k.ids(&bare)
	*bareID, *bareWS = *id, f.ws
	k.putAll(f, bare)
	wantSame(f, "bare record", bare, mustRead(f, k.byID(f.ws, *id)))

	foreign := want
	_, ws := k.ids(&foreign)
	*ws = newID(schedctl.WorkspacePrefix, epoch)
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return k.put(tx, foreign) })
	wantNotFound(f, "record of a different workspace", k.byID(*ws, *id))
	f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return k.remove(tx, *ws, *id) })

	f.update(func(tx storage.Tx) error { return k.remove(tx, f.ws, *id) })
	wantNotFound(f, "deleted record", k.byID(f.ws, *id))
	wantSame(f, "list after that", []T(nil), mustRead(f, k.all(f.ws)))
}

// testIsListed checks that the records of a workspace are listed in order of creation.
func (k ownedKind[T]) testIsListed(f *fixture) {
	var want []T
	for i := range 5 {
		want = append(want, k.new(f, epoch.Add(time.Duration(i)*time.Second)))
	}
	other := k.new(f, epoch)
	_, ws := k.ids(&other)
	*ws = newID(schedctl.WorkspacePrefix, epoch)
	k.putAll(f, append(slices.Clone(want[3:]), other)...)
	k.putAll(f, want[:3]...)
	wantSame(f, "list", want, mustRead(f, k.all(f.ws)))
	wantSame(f, "list of a different workspace", []T{other}, mustRead(f, k.all(*ws)))
}

// testIsPutOnce lets many transactions put a record unless the list has one. They run one
// after the other, so only the first does: names are unique because of that.
func (k ownedKind[T]) testIsPutOnce(f *fixture) { k.putOnce(f, f.store) }

// testIsPutOnceByTwo is testIsPutOnce in two processes.
func (k ownedKind[T]) testIsPutOnceByTwo(f *sharedFixture) { k.putOnce(&f.fixture, f.one, f.two) }

func (k ownedKind[T]) putOnce(f *fixture, stores ...storage.Store) {
	const writers = 8
	var puts [writers]bool
	var wg sync.WaitGroup
	for i := range puts {
		store, v := stores[i%len(stores)], k.new(f, epoch.Add(time.Duration(i)*time.Second))
		wg.Go(func() {
			err := store.Update(context.Background(), func(tx storage.Tx) error {
				list, err := k.list(tx, f.ws)
				if puts[i] = len(list) == 0; err != nil || !puts[i] {
					return err
				}
				return k.put(tx, v)
			})
			if err != nil {
				f.Errorf("Update: %v", err)
			}
		})
	}
	wg.Wait()
	n := 0
	for _, put := range puts {
		if put {
			n++
		}
	}
	wantSame(f, "transactions that put a record", 1, n)
	wantSame(f, "records", 1, len(mustRead(f, k.all(f.ws))))
}

func (k ownedKind[T]) testMalformedIDs(f *fixture) {
	v := k.new(f, epoch)
	id, ws := k.ids(&v)
	known := *id
	for _, bad := range malformedIDs(k.prefix) {
		wantNotFound(f, "record "+bad, k.byID(f.ws, bad))
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return k.remove(tx, f.ws, bad) })
		*id = bad
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return k.put(tx, v) })
	}
	*id = known
	for _, bad := range malformedIDs(schedctl.WorkspacePrefix) {
		wantNotFound(f, "record of "+bad, k.byID(bad, known))
		wantNotFound(f, "list of "+bad, k.all(bad))
		*ws = bad
		f.refuse(schedctl.NotFound, func(tx storage.Tx) error { return k.put(tx, v) })
	}
}
