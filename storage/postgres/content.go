package postgres

import (
	"cmp"
	"crypto/sha256"
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
	r.lockList("targets", account)
	return list, r.send(statement{
		sql: `SELECT DISTINCT coalesce(post_publish_at, 'infinity') AS at, post_id FROM targets
			WHERE account_id = $1 AND fingerprint IS NOT NULL AND fingerprint = $2
			AND coalesce(post_publish_at, 'infinity') >= $3 AND coalesce(post_publish_at, 'infinity') < $4
			ORDER BY at, post_id LIMIT $5`,
		args: []any{account, q.Fingerprint[:], stampMillis(q.From.UnixMilli()), stampMillis(q.Until.UnixMilli()), q.Limit},
		scan: scanAll(&list, func(rows pgx.CollectableRow) (id string, err error) {
			var at pgtype.Timestamptz
			err = rows.Scan(&at, &idField{schedctl.PostPrefix, &id, false})
			return id, err
		}),
	})
}

// PublishedAs implements [storage.Reader], in one round trip.
func (r *reader) PublishedAs(wanted []storage.PlatformPost) ([][]string, error) {
	found := make([][]string, len(wanted))
	platforms, logins, ids := make([]string, len(wanted)), make([]string, len(wanted)), make([]string, len(wanted))
	for i, w := range wanted {
		platforms[i], logins[i], ids[i] = clean(w.Owner.Platform), clean(w.Owner.Login), clean(w.ID)
	}
	r.lockPlatformPosts(wanted)
	return found, r.send(statement{
		sql: `SELECT wanted.place, targets.id
			FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS wanted (platform, login, id, place)
			JOIN accounts ON accounts.platform = wanted.platform
				AND CASE WHEN accounts.profile_url <> '' THEN accounts.profile_url ELSE accounts.username END = wanted.login
			JOIN LATERAL (
				SELECT id FROM targets
				WHERE targets.account_id = accounts.id AND targets.platform_post_id = wanted.id AND targets.status = 'published'
				UNION
				SELECT id FROM targets
				WHERE targets.part_ids @> to_jsonb(ARRAY[replace(accounts.id::text, '-', '') || ' ' || wanted.id])
			) AS targets ON true
			WHERE wanted.id <> '' AND wanted.login <> ''`,
		args: []any{platforms, logins, ids},
		scan: func(rows pgx.Rows) error {
			for rows.Next() {
				var place int
				var id string
				if err := rows.Scan(&place, &idField{schedctl.TargetPrefix, &id, false}); err != nil {
					return err
				}
				found[place-1] = append(found[place-1], id)
			}
			for i := range found {
				slices.Sort(found[i])
			}
			return rows.Err()
		},
	})
}

// lockPlatformPosts serializes transactions that query the same platform posts. The
// locks are taken in sorted order.
func (r *reader) lockPlatformPosts(wanted []storage.PlatformPost) {
	if r.tx == nil {
		return
	}
	locks := make([]lockKey, len(wanted))
	for i, w := range wanted {
		sum := sha256.Sum256([]byte(w.Owner.Platform + "\x00" + w.Owner.Login + "\x00" + w.ID))
		locks[i] = lockOf("accounts", [16]byte(sum[:16]))
		locks[i].exclusive = true
	}
	slices.SortFunc(locks, func(a, b lockKey) int { return cmp.Compare(a.of, b.of) })
	for _, k := range locks {
		r.tx.lock(k)
	}
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
