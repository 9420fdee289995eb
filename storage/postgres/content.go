package postgres

import (
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// SameContent implements [storage.Reader].
func (r *reader) SameContent(q storage.ContentQuery) (list []string, err error) {
	account, err := parse(schedctl.AccountPrefix, q.AccountID)
	if err != nil {
		return nil, err
	}
	r.holdList("targets", account)
	return list, r.send(statement{
		sql: `SELECT DISTINCT coalesce(post_publish_at, 'infinity') AS at, post_id FROM targets
			WHERE account_id = $1 AND fingerprint IS NOT NULL AND fingerprint = $2
			AND coalesce(post_publish_at, 'infinity') >= $3 AND coalesce(post_publish_at, 'infinity') < $4
			ORDER BY at, post_id LIMIT $5`,
		args: []any{account, q.Fingerprint[:], stampMillis(q.From.UnixMilli()), stampMillis(q.Until.UnixMilli()), q.Limit},
		scan: func(rows pgx.Rows) (err error) {
			list, err = pgx.CollectRows(rows, func(rows pgx.CollectableRow) (id string, err error) {
				var at pgtype.Timestamptz
				err = rows.Scan(&at, &idField{schedctl.PostPrefix, &id, false})
				return id, err
			})
			return err
		},
	})
}

// PublishedAs implements [storage.Reader].
func (r *reader) PublishedAs(platformPostID string, accountIDs []string) (list []string, err error) {
	ids := make([]pgtype.UUID, len(accountIDs))
	for i, id := range accountIDs {
		if ids[i], err = parse(schedctl.AccountPrefix, id); err != nil {
			return nil, err
		}
	}
	if platformPostID == "" || len(ids) == 0 {
		return nil, nil
	}
	// In one order, so that of two transactions one waits for the other.
	slices.SortFunc(ids, func(a, b pgtype.UUID) int { return slices.Compare(a.Bytes[:], b.Bytes[:]) })
	for _, account := range ids {
		r.holdList("targets", account)
	}
	return list, r.send(statement{
		sql:  "SELECT id FROM targets WHERE account_id = ANY($1) AND status = 'published' AND platform_post_id = $2 ORDER BY id",
		args: []any{ids, clean(platformPostID)},
		scan: func(rows pgx.Rows) (err error) {
			list, err = pgx.CollectRows(rows, func(rows pgx.CollectableRow) (id string, err error) {
				err = rows.Scan(&idField{schedctl.TargetPrefix, &id, false})
				return id, err
			})
			return err
		},
	})
}

// AccountsOf implements [storage.Reader]. It locks nothing.
func (r *reader) AccountsOf(identities []schedctl.Identity) ([]schedctl.Account, error) {
	platforms, logins := make([]string, len(identities)), make([]string, len(identities))
	for i, identity := range identities {
		platforms[i], logins[i] = clean(identity.Platform), clean(identity.Login)
	}
	list, err := query(r, accounts, `WHERE (platform, CASE WHEN profile_url <> '' THEN profile_url ELSE username END)
		IN (SELECT * FROM unnest($1::text[], $2::text[]))`, platforms, logins)
	slices.SortFunc(list, func(a, b schedctl.Account) int { return strings.Compare(a.ID, b.ID) })
	return list, err
}
