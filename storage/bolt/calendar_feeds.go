package bolt

import (
	"bytes"
	"fmt"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
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
func (r *reader) CalendarFeedByHash(hash [32]byte) (f schedctl.CalendarFeed, err error) {
	key := r.in(calendarFeedHashes).Get(hash[:])
	switch {
	case key == nil:
		return f, schedctl.Errorf(schedctl.NotFound, "", "there is no such calendar feed")
	case len(key) != 32:
		return f, fmt.Errorf("%q: %w: an entry has %d bytes", calendarFeedHashes, storage.ErrCorrupt, len(key))
	}
	return feedKind.indexed(r, calendarFeedHashes, key)
}

// PutCalendarFeed implements [storage.Tx]. It fails if another feed has the hash.
func (tx *tx) PutCalendarFeed(f schedctl.CalendarFeed) error {
	other, err := tx.CalendarFeedByHash(f.Hash)
	switch {
	case err == nil && other.ID != f.ID:
		return fmt.Errorf("put calendar feed %s: another feed has its hash", f.ID)
	case err != nil && schedctl.CodeOf(err) != schedctl.NotFound:
		return err
	}
	return putOwned(tx, &feedKind, &f)
}

// DeleteCalendarFeed implements [storage.Tx].
func (tx *tx) DeleteCalendarFeed(workspaceID, id string) error {
	return deleteOwned(tx, &feedKind, workspaceID, id)
}
