package bolt_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/bolt"
)

// A leaf that was overwritten by a copy of its parent points to itself. In such a cycle
// bbolt would overflow the stack.
func TestOpenRefusesALeafThatBecameABranch(t *testing.T) {
	t.Parallel()
	_, path := livedIn(t, 100)
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var root int
	if err := db.View(func(tx *bbolt.Tx) error {
		root = int(tx.Bucket([]byte("events")).Root())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	db.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size, order := os.Getpagesize(), binary.NativeEndian
	branch := data[root*size:][:size]
	leaf := int(order.Uint64(branch[16+8:]))
	if kind := order.Uint16(branch[8:]); kind != 1 || order.Uint16(data[leaf*size+8:]) != 2 {
		t.Fatalf("page %d is not a branch above a leaf: %#x", root, kind)
	}
	copy(data[leaf*size+8:], branch[8:])
	broken := filepath.Join(t.TempDir(), "broken.db")
	if err := os.WriteFile(broken, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.Open(broken, bolt.Options{}); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("opened: %v", err)
	}
}
