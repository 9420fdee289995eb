package storage

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/schedctl/schedctl"
)

// Exporter is implemented by the readers of engines whose databases can be copied
// into others. With what Reader has, it reaches every record that something leads
// to.
type Exporter interface {
	Reader

	// AttemptsOf returns the attempts of many targets, ordered by target and number.
	AttemptsOf(targetIDs []string) ([]schedctl.Attempt, error)

	// AllEvents is Events for a database that nobody else writes to: it waits for no
	// event that may still come, and so ends at the last one.
	AllEvents(afterID string, limit int) ([]schedctl.Event, error)

	// IdempotencyRecords returns up to limit stored answers in order of their times of creation
	// and then of their hashes, beginning after the given one; the zero value begins
	// at the first.
	IdempotencyRecords(after StoredIdempotencyRecord, limit int) ([]StoredIdempotencyRecord, error)

	// AllMetadata returns all that is noted of the database itself, by name.
	AllMetadata() (map[string][]byte, error)
}

// Importer is implemented by the transactions of engines that a database can be
// copied into.
type Importer interface {
	Tx

	// PutStoredIdempotencyRecord is PutAnswer for an answer of which only the hash is known.
	PutStoredIdempotencyRecord(StoredIdempotencyRecord) error
}

// StoredIdempotencyRecord is an answer with the hash of what it answers, which is all that an
// engine has to keep of that.
type StoredIdempotencyRecord struct {
	Hash   [32]byte
	Record IdempotencyRecord
}

// Hash returns what an answer is found by. It is the same in all engines and
// versions.
func (k IdempotencyScope) Hash() [32]byte {
	buf := make([]byte, 0, 256)
	for _, part := range []string{k.WorkspaceID, k.Method, k.Path, k.IdempotencyKey} {
		buf = append(binary.AppendUvarint(buf, uint64(len(part))), part...)
	}
	return sha256.Sum256(buf)
}
