package postgres

import (
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

var sourceKind = ownedKind[schedctl.Source]{
	sourceRows, schedctl.SourcePrefix, func(s *schedctl.Source) (string, string) { return s.WorkspaceID, s.ID },
}

var sourceItemKind = ownedKind[schedctl.SourceItem]{
	sourceItemRows, schedctl.SourceItemPrefix, func(i *schedctl.SourceItem) (string, string) { return i.WorkspaceID, i.ID },
}

func describeSource(r *row, s *schedctl.Source) {
	r.id("id", schedctl.SourcePrefix, &s.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &s.WorkspaceID)
	r.optionalID("key_id", schedctl.KeyPrefix, &s.KeyID)
	text(r, "name", &s.Name)
	r.add("settings", "jsonb", jsonField[schedctl.SourceSettings]{&s.SourceSettings, func(schedctl.SourceSettings) bool { return false }})
	text(r, "state", &s.State)
	r.add("fault", "jsonb", jsonField[*schedctl.SourceFault]{&s.Fault, func(f *schedctl.SourceFault) bool { return f == nil }})
	r.managed("managed", &s.Managed)
	r.bytes("credentials", &s.Credentials)
	r.bytes("secret", &s.Secret)
	r.bytes("previous_secret", &s.PreviousSecret)
	r.time("previous_until", &s.PreviousUntil)
	r.add("progress", "jsonb", jsonField[schedctl.SourceProgress]{&s.SourceProgress, func(schedctl.SourceProgress) bool { return false }})
	r.time("wake_at", &s.WakeAt)
	r.ids("inherits", schedctl.SourcePrefix, &s.Inherits)
	r.time("created_at", &s.CreatedAt)
	r.time("updated_at", &s.UpdatedAt)
	r.time("removed_at", &s.RemovedAt)
	number(r, "version", &s.Version)
}

func describeSourceItem(r *row, i *schedctl.SourceItem) {
	r.id("id", schedctl.SourceItemPrefix, &i.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &i.WorkspaceID)
	r.optionalID("source_id", schedctl.SourcePrefix, &i.SourceID)
	text(r, "state", &i.State)
	text(r, "reason", &i.Reason)
	text(r, "title", &i.Title)
	text(r, "link", &i.Link)
	text(r, "author", &i.Author)
	r.time("published_at", &i.PublishedAt)
	r.time("first_seen_at", &i.FirstSeenAt)
	r.time("seen_at", &i.SeenAt)
	r.time("gone_at", &i.GoneAt)
	r.time("due_at", &i.DueAt)
	list(r, "keys", &i.Keys)
	number(r, "round", &i.Round)
	r.optionalID("post_id", schedctl.PostPrefix, &i.PostID)
	r.bytes("content", &i.Content)
}

// Source implements [storage.Reader].
func (r *reader) Source(workspaceID, id string) (schedctl.Source, error) {
	return getOwned(r, &sourceKind, workspaceID, id)
}

// Sources implements [storage.Reader].
func (r *reader) Sources(workspaceID string) ([]schedctl.Source, error) {
	return listOwned(r, &sourceKind, workspaceID)
}

// SourcesDue implements [storage.Reader]. It locks nothing.
func (r *reader) SourcesDue(before time.Time, limit int) ([]schedctl.Source, error) {
	return query(r, sourceRows, "WHERE wake_at < $1 ORDER BY wake_at, id LIMIT $2", stampMillis(before.UnixMilli()), limit)
}

// SourceItem implements [storage.Reader].
func (r *reader) SourceItem(workspaceID, id string) (schedctl.SourceItem, error) {
	return getOwned(r, &sourceItemKind, workspaceID, id)
}

// SourceItems implements [storage.Reader]. It locks nothing: the caller locks the source.
func (r *reader) SourceItems(q storage.SourceItemQuery) ([]schedctl.SourceItem, error) {
	ws, source, err := parse2(schedctl.WorkspacePrefix, q.WorkspaceID, schedctl.SourcePrefix, q.SourceID)
	if err != nil {
		return nil, err
	}
	where, args := "WHERE workspace_id = $1 AND source_id = $2", []any{ws, source, q.Limit}
	if q.State != "" {
		args = append(args, string(q.State))
		where += " AND state = $4"
	}
	if q.AfterID != "" {
		after, err := parse(schedctl.SourceItemPrefix, q.AfterID)
		if err != nil {
			return nil, err
		}
		args = append(args, after)
		where += " AND id < $" + string(rune('0'+len(args)))
	}
	return query(r, sourceItemRows, where+" ORDER BY id DESC LIMIT $3", args...)
}

// SourceItemsList implements [storage.Reader].
func (r *reader) SourceItemsList(workspaceID, afterID string, limit int) ([]schedctl.SourceItem, error) {
	ws, behind, args, err := pageCondition(schedctl.WorkspacePrefix, workspaceID, schedctl.SourceItemPrefix, afterID, limit)
	if err != nil {
		return nil, err
	}
	r.lockList(sourceItemRows.table, ws)
	return query(r, sourceItemRows, "WHERE workspace_id = $1"+behind+" ORDER BY id DESC LIMIT $2", args...)
}

// SourceItemsByKey implements [storage.Reader]. A transaction locks the items.
func (r *reader) SourceItemsByKey(workspaceID string, keys []string) ([]schedctl.SourceItem, error) {
	ws, err := parse(schedctl.WorkspacePrefix, workspaceID)
	if err != nil {
		return nil, err
	}
	cleaned := make([]string, len(keys))
	for i := range keys {
		cleaned[i] = clean(keys[i])
	}
	return query(r, sourceItemRows, "WHERE workspace_id = $1 AND keys && $2 ORDER BY id DESC"+r.forUpdate(), ws, cleaned)
}

// PutSource implements [storage.Tx].
func (tx *tx) PutSource(s schedctl.Source) error { return putOwned(tx, &sourceKind, &s) }

// DeleteSource implements [storage.Tx].
func (tx *tx) DeleteSource(workspaceID, id string) error {
	return deleteOwned(tx, &sourceKind, workspaceID, id)
}

// PutSourceItem implements [storage.Tx].
func (tx *tx) PutSourceItem(i schedctl.SourceItem) error { return putOwned(tx, &sourceItemKind, &i) }

// DeleteSourceItem implements [storage.Tx].
func (tx *tx) DeleteSourceItem(workspaceID, id string) error {
	return deleteOwned(tx, &sourceItemKind, workspaceID, id)
}
