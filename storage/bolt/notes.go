package bolt

import (
	"bytes"
	"fmt"

	"github.com/schedctl/schedctl/storage"
)

// notePrefix is what the keys of notes begin with, beside that of the version.
const notePrefix = "note "

// Metadata implements [storage.Reader].
func (r *reader) Metadata(name string) ([]byte, error) {
	return bytes.Clone(r.in(meta).Get([]byte(notePrefix + name))), nil
}

// PutMetadata implements [storage.Tx].
func (tx *tx) PutMetadata(name string, value []byte) error {
	switch {
	case len(value) > storage.MaxNote:
		return fmt.Errorf("note %s: %d bytes are more than %d", name, len(value), storage.MaxNote)
	case value == nil:
		return tx.delete(meta, []byte(notePrefix+name))
	}
	return tx.put(meta, []byte(notePrefix+name), bytes.Clone(value))
}
