package postgres

import "github.com/schedctl/schedctl"

var feedKind = ownedKind[schedctl.CalendarFeed]{
	calendarFeeds, schedctl.CalendarFeedPrefix, func(f *schedctl.CalendarFeed) (string, string) { return f.WorkspaceID, f.ID },
}

func describeCalendarFeed(r *row, f *schedctl.CalendarFeed) {
	r.id("id", schedctl.CalendarFeedPrefix, &f.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &f.WorkspaceID)
	text(r, "name", &f.Name)
	r.ids("account_ids", schedctl.AccountPrefix, &f.AccountIDs)
	r.bool("titles_only", &f.TitlesOnly)
	r.hash("hash", &f.Hash)
	r.optionalID("key_id", schedctl.KeyPrefix, &f.KeyID)
	r.time("expires_at", &f.ExpiresAt)
	r.time("created_at", &f.CreatedAt)
}

// CalendarFeeds implements [storage.Reader].
func (r *reader) CalendarFeeds(workspaceID string) ([]schedctl.CalendarFeed, error) {
	return listOwned(r, &feedKind, workspaceID)
}

// CalendarFeedByHash implements [storage.Reader].
func (r *reader) CalendarFeedByHash(hash [32]byte) (schedctl.CalendarFeed, error) {
	return byTokenHash(r, &feedKind, hash)
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
