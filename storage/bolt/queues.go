package bolt

import (
	"time"

	"github.com/schedctl/schedctl"
)

var queueKind = ownedKind[schedctl.Queue]{
	table: table[schedctl.Queue]{
		bucket: queues, owner: schedctl.WorkspacePrefix, record: schedctl.QueuePrefix, fields: (*coder).queueRecord,
		ids: func(q *schedctl.Queue) (workspaceID, id *string) { return &q.WorkspaceID, &q.ID },
	},
	index: func(dst []indexEntry, _ *schedctl.Queue, _, _ ulid) []indexEntry { return dst },
}

var blackoutKind = ownedKind[schedctl.Blackout]{
	table: table[schedctl.Blackout]{
		bucket: blackouts, owner: schedctl.WorkspacePrefix, record: schedctl.BlackoutPrefix, fields: (*coder).blackout,
		ids: func(b *schedctl.Blackout) (workspaceID, id *string) { return &b.WorkspaceID, &b.ID },
	},
	index: blackoutEntries,
}

// blackoutEntries appends the entry of a blackout in the index of ends.
func blackoutEntries(dst []indexEntry, b *schedctl.Blackout, ws, id ulid) []indexEntry {
	if b.EndsAt.IsZero() || !b.SettledAt.IsZero() {
		return dst
	}
	return append(dst, timeEntry(blackoutEnds, timeKey(b.EndsAt.UnixMilli()), ws, id))
}

// Queue implements [storage.Reader].
func (r *reader) Queue(workspaceID, id string) (schedctl.Queue, error) {
	return queueKind.get(r, workspaceID, id)
}

// Queues implements [storage.Reader].
func (r *reader) Queues(workspaceID string) ([]schedctl.Queue, error) {
	return queueKind.list(r, workspaceID)
}

// PutQueue implements [storage.Tx].
func (tx *tx) PutQueue(q schedctl.Queue) error { return putOwned(tx, &queueKind, &q) }

// DeleteQueue implements [storage.Tx].
func (tx *tx) DeleteQueue(workspaceID, id string) error {
	return deleteOwned(tx, &queueKind, workspaceID, id)
}

// Blackout implements [storage.Reader].
func (r *reader) Blackout(workspaceID, id string) (schedctl.Blackout, error) {
	return blackoutKind.get(r, workspaceID, id)
}

// Blackouts implements [storage.Reader].
func (r *reader) Blackouts(workspaceID string) ([]schedctl.Blackout, error) {
	return blackoutKind.list(r, workspaceID)
}

// BlackoutsByEnd implements [storage.Reader].
func (r *reader) BlackoutsByEnd(before time.Time, limit int) ([]schedctl.Blackout, error) {
	return ownedBefore(r, &blackoutKind, blackoutEnds, timeKey(before.UnixMilli()), limit)
}

// PutBlackout implements [storage.Tx].
func (tx *tx) PutBlackout(b schedctl.Blackout) error { return putOwned(tx, &blackoutKind, &b) }

// DeleteBlackout implements [storage.Tx].
func (tx *tx) DeleteBlackout(workspaceID, id string) error {
	return deleteOwned(tx, &blackoutKind, workspaceID, id)
}
