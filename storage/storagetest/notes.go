package storagetest

import (
	"bytes"
	"errors"
	"sync"

	"github.com/schedctl/schedctl/storage"
)

var noteParts = []part{
	{"NotesAreKept", testNotesAreKept},
	{"OneOfManyNotesFirst", testOneOfManyNotesFirst},
}

func (f *fixture) note(name string) (value []byte) {
	f.Helper()
	err := f.store.View(f.Context(), func(r storage.Reader) (err error) {
		value, err = r.Metadata(name)
		return err
	})
	if err != nil {
		f.Fatalf("Note(%q): %v", name, err)
	}
	return value
}

func testNotesAreKept(f *fixture) {
	same(f, "a note that is not there", []byte(nil), f.note("a"))
	put := func(name string, value []byte) error {
		return f.store.Update(f.Context(), func(tx storage.Tx) error { return tx.PutMetadata(name, value) })
	}
	longest := bytes.Repeat([]byte{0, 255}, storage.MaxNote/2)
	for name, value := range map[string][]byte{"a": []byte("one"), "b": longest} {
		if err := put(name, value); err != nil {
			f.Fatal(err)
		}
	}
	if put("a", append(longest, 1)) == nil {
		f.Error("a note that is too long is taken")
	}
	same(f, "a", []byte("one"), f.note("a"))
	same(f, "b", longest, f.note("b"))
	if err := errors.Join(put("a", []byte("two")), put("b", nil), put("never", nil)); err != nil {
		f.Fatal(err)
	}
	same(f, "a, put again", []byte("two"), f.note("a"))
	same(f, "b, removed", []byte(nil), f.note("b"))
	err := f.store.Update(f.Context(), func(tx storage.Tx) error {
		if err := tx.PutMetadata("a", []byte("three")); err != nil {
			return err
		}
		return errNotThisOne
	})
	same(f, "refused", true, errors.Is(err, errNotThisOne))
	same(f, "a, after a transaction that was refused", []byte("two"), f.note("a"))
}

// testOneOfManyNotesFirst lets many make a note unless there is one.
func testOneOfManyNotesFirst(f *fixture) {
	const many = 8
	var noted [many]bool
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			err := f.store.Update(f.Context(), func(tx storage.Tx) error {
				found, err := tx.Metadata("first")
				if noted[i] = err == nil && found == nil; noted[i] {
					err = tx.PutMetadata("first", []byte{byte(i)})
				}
				return err
			})
			if err != nil {
				f.Errorf("Update: %v", err)
			}
		})
	}
	all.Wait()
	first := f.note("first")
	for i := range many {
		same(f, "whether it was the one", len(first) == 1 && int(first[0]) == i, noted[i])
	}
}
