package postgres

import (
	"time"

	"github.com/schedctl/schedctl"
)

var (
	queueKind    = ownedKind[schedctl.Queue]{queues, schedctl.QueuePrefix, func(q *schedctl.Queue) (string, string) { return q.WorkspaceID, q.ID }}
	blackoutKind = ownedKind[schedctl.Blackout]{
		blackouts, schedctl.BlackoutPrefix, func(b *schedctl.Blackout) (string, string) { return b.WorkspaceID, b.ID },
	}
)

// queueTimeDoc is a [schedctl.QueueTime] as a document.
type queueTimeDoc struct {
	Days   schedctl.Weekdays `json:"days"`
	Minute int               `json:"minute"`
}

// queueTimesField is the list of times of a queue; null for none.
type queueTimesField struct{ times *[]schedctl.QueueTime }

func (f queueTimesField) value() (any, error) {
	docs := make([]queueTimeDoc, len(*f.times))
	for i, t := range *f.times {
		docs[i] = queueTimeDoc(t)
	}
	return jsonField[[]queueTimeDoc]{&docs, func(docs []queueTimeDoc) bool { return len(docs) == 0 }}.value()
}

func (queueTimesField) same(field) bool { return false }

func (f queueTimesField) ScanBytes(v []byte) error {
	var docs []queueTimeDoc
	err := jsonField[[]queueTimeDoc]{doc: &docs}.ScanBytes(v)
	*f.times = nil
	for _, doc := range docs {
		*f.times = append(*f.times, schedctl.QueueTime(doc))
	}
	return err
}

func describeQueue(r *row, q *schedctl.Queue) {
	r.id("id", schedctl.QueuePrefix, &q.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &q.WorkspaceID)
	text(r, "name", &q.Name)
	text(r, "timezone", &q.Timezone)
	r.add("times", "jsonb", queueTimesField{&q.Times})
	r.ids("account_ids", schedctl.AccountPrefix, &q.AccountIDs)
	number(r, "gap_ns", &q.Gap)
	r.bool("is_default", &q.Default)
	r.time("created_at", &q.CreatedAt)
	r.time("updated_at", &q.UpdatedAt)
	number(r, "version", &q.Version)
	r.managed("managed", &q.Managed)
}

func describeBlackout(r *row, b *schedctl.Blackout) {
	r.id("id", schedctl.BlackoutPrefix, &b.ID)
	r.id("workspace_id", schedctl.WorkspacePrefix, &b.WorkspaceID)
	text(r, "local_from", &b.From)
	text(r, "local_to", &b.To)
	text(r, "timezone", &b.Timezone)
	r.ids("account_ids", schedctl.AccountPrefix, &b.AccountIDs)
	text(r, "reason", &b.Reason)
	text(r, "mode", &b.Mode)
	r.time("starts_at", &b.StartsAt)
	r.time("ends_at", &b.EndsAt)
	r.time("settled_at", &b.SettledAt)
	r.time("created_at", &b.CreatedAt)
	r.time("updated_at", &b.UpdatedAt)
	number(r, "version", &b.Version)
	r.managed("managed", &b.Managed)
	text(r, "label", &b.Label)
}

// Queue implements [storage.Reader]. A transaction that has read a queue runs before or
// after the others that read it.
func (r *reader) Queue(workspaceID, id string) (schedctl.Queue, error) {
	return getOwned(r, &queueKind, workspaceID, id)
}

// Queues implements [storage.Reader].
func (r *reader) Queues(workspaceID string) ([]schedctl.Queue, error) {
	return listOwned(r, &queueKind, workspaceID)
}

// PutQueue implements [storage.Tx].
func (tx *tx) PutQueue(q schedctl.Queue) error { return putOwned(tx, &queueKind, &q) }

// DeleteQueue implements [storage.Tx].
func (tx *tx) DeleteQueue(workspaceID, id string) error {
	return deleteOwned(tx, &queueKind, workspaceID, id)
}

// Blackout implements [storage.Reader].
func (r *reader) Blackout(workspaceID, id string) (schedctl.Blackout, error) {
	return getOwned(r, &blackoutKind, workspaceID, id)
}

// Blackouts implements [storage.Reader].
func (r *reader) Blackouts(workspaceID string) ([]schedctl.Blackout, error) {
	return listOwned(r, &blackoutKind, workspaceID)
}

// BlackoutsByEnd implements [storage.Reader]. It locks nothing.
func (r *reader) BlackoutsByEnd(before time.Time, limit int) ([]schedctl.Blackout, error) {
	return query(r, blackouts, "WHERE settled_at IS NULL AND ends_at < $1 ORDER BY ends_at, id LIMIT $2", stampMillis(before.UnixMilli()), limit)
}

// PutBlackout implements [storage.Tx].
func (tx *tx) PutBlackout(b schedctl.Blackout) error { return putOwned(tx, &blackoutKind, &b) }

// DeleteBlackout implements [storage.Tx].
func (tx *tx) DeleteBlackout(workspaceID, id string) error {
	return deleteOwned(tx, &blackoutKind, workspaceID, id)
}
