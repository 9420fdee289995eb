package storage

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/schedctl/schedctl"
)

// Exporter is implemented by the readers of databases that can be copied into
// another database. Together with Reader it reaches every record.
type Exporter interface {
	Reader

	// AttemptsOf returns the attempts of several targets, ordered by target and number.
	AttemptsOf(targetIDs []string) ([]schedctl.Attempt, error)

	// AllEvents is Events for a database without other writers. It does not wait for
	// events of running transactions.
	AllEvents(afterID string, limit int) ([]schedctl.Event, error)

	// IdempotencyRecords returns up to limit records, ordered by creation time and hash,
	// starting after the given one. The zero value starts at the first.
	IdempotencyRecords(after StoredIdempotencyRecord, limit int) ([]StoredIdempotencyRecord, error)
}

// Importer is implemented by the transactions of databases that another database can
// be copied into.
type Importer interface {
	Tx

	// PutStoredIdempotencyRecord is [Tx.PutIdempotencyRecord] with the hash of a scope.
	PutStoredIdempotencyRecord(StoredIdempotencyRecord) error
}

// StoredIdempotencyRecord is a record with the hash of its scope. Engines need not
// store the scope itself.
type StoredIdempotencyRecord struct {
	Hash   [32]byte
	Record IdempotencyRecord
}

// Hash returns the key under which records are stored. It is the same for all engines
// and versions.
func (k IdempotencyScope) Hash() [32]byte {
	buf := make([]byte, 0, 256)
	for _, part := range []string{k.WorkspaceID, k.Method, k.Path, k.IdempotencyKey} {
		buf = append(binary.AppendUvarint(buf, uint64(len(part))), part...)
	}
	return sha256.Sum256(buf)
}
