package storagetest

import (
	"bytes"
	"errors"
	"sync"

	"github.com/schedctl/schedctl/storage"
)

var metadataParts = []part{
	{"NotesAreKept", testMetadataIsKept},
	{"OneOfManyNotesFirst", testConcurrentMetadataWrites},
}

func (f *fixture) metadata(name string) (value []byte) {
	f.Helper()
	err := f.store.View(f.Context(), func(r storage.Reader) (err error) {
		value, err = r.Metadata(name)
		return err
	})
	if err != nil {
		f.Fatalf("Metadata(%q): %v", name, err)
	}
	return value
}

func testMetadataIsKept(f *fixture) {
	wantSame(f, "missing metadata", []byte(nil), f.metadata("a"))
	put := func(name string, value []byte) error {
		return f.store.Update(f.Context(), func(tx storage.Tx) error { return tx.PutMetadata(name, value) })
	}
	longest := bytes.Repeat([]byte{0, 255}, storage.MaxMetadata/2)
	for name, value := range map[string][]byte{"a": []byte("one"), "b": longest} {
		if err := put(name, value); err != nil {
			f.Fatal(err)
		}
	}
	if put("a", append(longest, 1)) == nil {
		f.Error("metadata that is too long was accepted")
	}
	wantSame(f, "a", []byte("one"), f.metadata("a"))
	wantSame(f, "b", longest, f.metadata("b"))
	if err := errors.Join(put("a", []byte("two")), put("b", nil), put("never", nil)); err != nil {
		f.Fatal(err)
	}
	wantSame(f, "a, put again", []byte("two"), f.metadata("a"))
	wantSame(f, "b, removed", []byte(nil), f.metadata("b"))
	err := f.store.Update(f.Context(), func(tx storage.Tx) error {
		if err := tx.PutMetadata("a", []byte("three")); err != nil {
			return err
		}
		return errRollback
	})
	wantSame(f, "refused", true, errors.Is(err, errRollback))
	wantSame(f, "a, after a refused transaction", []byte("two"), f.metadata("a"))
}

// testConcurrentMetadataWrites lets many transactions put metadata unless it exists.
func testConcurrentMetadataWrites(f *fixture) {
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
	first := f.metadata("first")
	for i := range many {
		wantSame(f, "whether it was the first", len(first) == 1 && int(first[0]) == i, noted[i])
	}
}
