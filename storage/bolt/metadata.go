package bolt

import (
	"bytes"
	"fmt"

	"github.com/schedctl/schedctl/storage"
)

// metadataPrefix is the prefix of all metadata keys. The key of the version has none.
const metadataPrefix = "note "

// Metadata implements [storage.Reader].
func (r *reader) Metadata(name string) ([]byte, error) {
	return bytes.Clone(r.in(meta).Get([]byte(metadataPrefix + name))), nil
}

// PutMetadata implements [storage.Tx].
func (tx *tx) PutMetadata(name string, value []byte) error {
	switch {
	case len(value) > storage.MaxMetadata:
		return fmt.Errorf("note %s: %d bytes are more than %d", name, len(value), storage.MaxMetadata)
	case value == nil:
		return tx.delete(meta, []byte(metadataPrefix+name))
	}
	return tx.put(meta, []byte(metadataPrefix+name), bytes.Clone(value))
}
