package bolt

import (
	"bytes"

	"github.com/schedctl/schedctl"
)

var feedKind = ownedKind[schedctl.CalendarFeed]{
	table: table[schedctl.CalendarFeed]{
		bucket: calendarFeeds, owner: schedctl.WorkspacePrefix, record: schedctl.CalendarFeedPrefix, fields: (*coder).calendarFeed,
		ids: func(f *schedctl.CalendarFeed) (workspaceID, id *string) { return &f.WorkspaceID, &f.ID },
	},
	index: func(dst []indexEntry, f *schedctl.CalendarFeed, ws, id ulid) []indexEntry {
		return append(dst, indexEntry{calendarFeedHashes, bytes.Clone(f.Hash[:]), concat(nil, ws[:], id[:])})
	},
}

// CalendarFeeds implements [storage.Reader].
func (r *reader) CalendarFeeds(workspaceID string) ([]schedctl.CalendarFeed, error) {
	return feedKind.list(r, workspaceID)
}

// CalendarFeedByHash implements [storage.Reader].
func (r *reader) CalendarFeedByHash(hash [32]byte) (schedctl.CalendarFeed, error) {
	return byTokenHash(r, &feedKind, calendarFeedHashes, hash)
}

// PutCalendarFeed implements [storage.Tx]. It fails if another feed has the hash.
func (tx *tx) PutCalendarFeed(f schedctl.CalendarFeed) error {
	other, err := tx.CalendarFeedByHash(f.Hash)
	return putWithHash(tx, &feedKind, &f, other.ID, err)
}

// DeleteCalendarFeed implements [storage.Tx].
func (tx *tx) DeleteCalendarFeed(workspaceID, id string) error {
	return deleteOwned(tx, &feedKind, workspaceID, id)
}
