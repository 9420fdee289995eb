package postgres

import (
	"fmt"

	"github.com/schedctl/schedctl/storage"
)

// Metadata implements [storage.Reader]. In a transaction no other transaction can
// change the metadata that was read, even if it is missing.
func (r *reader) Metadata(name string) (value []byte, err error) {
	r.lockTable("notes")
	err = r.send(statement{sql: "SELECT value FROM notes WHERE name = $1", args: []any{name}, scan: scanOne(new(bool), &value)})
	return value, err
}

// PutMetadata implements [storage.Tx].
func (tx *tx) PutMetadata(name string, value []byte) error {
	if len(value) > storage.MaxMetadata {
		return fmt.Errorf("metadata %s: %d bytes, the limit is %d", name, len(value), storage.MaxMetadata)
	}
	tx.lockTable("notes")
	if value == nil {
		tx.put("DELETE FROM notes WHERE name = $1", name)
		return nil
	}
	tx.put("INSERT INTO notes (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	return nil
}
