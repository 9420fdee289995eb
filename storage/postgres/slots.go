package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// checkSlots returns SLOT_TAKEN if another post holds a slot of the post. A transaction
// that does not verify its writes leaves that to the unique index.
func (tx *tx) checkSlots(p *schedctl.Post) error {
	if !tx.verifyWrites {
		return nil
	}
	var accounts []pgtype.UUID
	for _, row := range targetRows(p) {
		if !row.slotAt.IsZero() {
			account, err := parse(schedctl.AccountPrefix, row.target.AccountID)
			if err != nil {
				return err
			}
			accounts = append(accounts, account)
		}
	}
	if len(accounts) == 0 {
		return nil
	}
	post, err := parse(schedctl.PostPrefix, p.ID)
	if err != nil {
		return err
	}
	taken := ""
	err = tx.send(statement{
		sql:  "SELECT account_id FROM targets WHERE slot_at = $1 AND account_id = ANY($2) AND post_id <> $3 ORDER BY account_id LIMIT 1",
		args: []any{stamp(p.PublishAt), accounts, post},
		scan: func(rows pgx.Rows) error {
			for rows.Next() {
				if err := rows.Scan(&idField{prefix: schedctl.AccountPrefix, id: &taken}); err != nil {
					return err
				}
			}
			return rows.Err()
		},
	})
	if err == nil && taken != "" {
		err = storage.SlotTaken(taken, p.PublishAt)
	}
	return err
}

// Occupied implements [storage.Reader]. A transaction locks the lists of the accounts, as
// [reader.SameContent] does, in order of their ids. The list index by time has the posts
// of an account and a status.
func (r *reader) Occupied(q storage.OccupiedQuery) (found []storage.OccupiedTime, err error) {
	ws, err := parse(schedctl.WorkspacePrefix, q.WorkspaceID)
	if err != nil {
		return nil, err
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(q.AccountIDs)))
	accounts, err := parseAll(schedctl.AccountPrefix, sorted)
	if err != nil || len(accounts) == 0 {
		return nil, err
	}
	for _, account := range accounts {
		r.lockList("targets", account)
	}
	return found, r.send(statement{
		sql: `SELECT at, post_id, account_id FROM unnest($2::uuid[]) AS of (account) CROSS JOIN unnest($3::text[]) AS wanted CROSS JOIN LATERAL (
				SELECT coalesce(post_publish_at, 'infinity') AS at, post_id, account_id FROM targets
				WHERE workspace_id = $1 AND listed AND account_id = of.account AND post_status = wanted
					AND coalesce(post_publish_at, 'infinity') >= $4 AND coalesce(post_publish_at, 'infinity') < $5
					AND status IN ('scheduled', 'publishing', 'published')
				ORDER BY coalesce(post_publish_at, 'infinity'), post_id LIMIT $6
			) AS part ORDER BY at, post_id, account_id LIMIT $6`,
		args: []any{ws, accounts, listStatuses(nil, ""), stampMillis(schedctl.Millis(q.From).UnixMilli()), stampMillis(schedctl.Millis(q.Until).UnixMilli()), q.Limit},
		scan: func(rows pgx.Rows) error {
			for rows.Next() {
				var o storage.OccupiedTime
				err := rows.Scan(timeField{&o.At}, &idField{prefix: schedctl.PostPrefix, id: &o.PostID}, &idField{prefix: schedctl.AccountPrefix, id: &o.AccountID})
				if err != nil {
					return err
				}
				found = append(found, o)
			}
			return rows.Err()
		},
	})
}
