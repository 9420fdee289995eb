package postgres

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// Attempts implements [storage.Reader].
func (r *reader) Attempts(targetID string) ([]schedctl.Attempt, error) {
	target, err := parse(schedctl.TargetPrefix, targetID)
	if err != nil {
		return nil, err
	}
	if list, ready := r.prepared.attempts[targetID]; ready {
		return cloneAttempts(list), nil
	}
	r.lockPostOf(target)
	return query(r, attempts, "WHERE target_id = $1 ORDER BY number", target)
}

// LatestAttempts implements [storage.Reader].
func (r *reader) LatestAttempts(targetIDs []string, limit int) ([]schedctl.Attempt, error) {
	ids, err := parseAll(schedctl.TargetPrefix, targetIDs)
	if err != nil {
		return nil, err
	}
	r.lockTable("attempts")
	return query(r, attempts, `JOIN (
			SELECT DISTINCT of, last FROM unnest($1::uuid[]) AS of CROSS JOIN LATERAL (
				SELECT number AS last FROM attempts AS latest WHERE latest.target_id = of ORDER BY number DESC LIMIT 1) AS ends
		) AS wanted ON target_id = of AND number > last - $2 ORDER BY target_id, number`, ids, limit)
}

// RunningAttempts implements [storage.Reader].
func (r *reader) RunningAttempts() ([]schedctl.Attempt, error) {
	r.lockTable("attempts")
	list, err := query(r, attempts, "WHERE finished_at IS NULL ORDER BY started_at, id")
	sortByAge(list)
	return list, err
}

// RunningOf implements [storage.SharedTx]. The attempts that it returns may end before
// the transaction does.
func (tx *tx) RunningOf(accountID string) ([]schedctl.Attempt, error) {
	account, err := parse(schedctl.AccountPrefix, accountID)
	if err != nil {
		return nil, err
	}
	if list, ready := tx.prepared.running[accountID]; ready {
		return cloneAttempts(list), nil
	}
	list, err := query(&tx.reader, attempts, "WHERE account_id = $1 AND finished_at IS NULL ORDER BY started_at, id", account)
	sortByAge(list)
	return list, err
}

// sortByAge sorts attempts read from the database, which does not sort null as the zero
// time.
func sortByAge(list []schedctl.Attempt) {
	slices.SortFunc(list, func(a, b schedctl.Attempt) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt), strings.Compare(a.ID, b.ID))
	})
}

// PutAttempt implements [storage.Tx].
func (tx *tx) PutAttempt(a schedctl.Attempt) error {
	values, err := attempts.values(&a)
	if err != nil {
		return err
	}
	if tx.posts[a.PostID] == nil {
		target, err := parse(schedctl.TargetPrefix, a.TargetID)
		if err != nil {
			return err
		}
		tx.lockPostOf(target)
	}
	was := tx.prepared.attempt(a.TargetID, a.Number)
	tx.prepared.forgetAttempt(&a)
	switch {
	case tx.attempted[a.TargetID]:
		tx.put(attempts.sql().upsert, values...) // a bulk statement might run before earlier writes
	case was != nil:
		return tx.changeAttempt(was, &a)
	default:
		tx.putRow(attempts.sql().upsert, attempts.sql().bulkUpsert, values)
	}
	tx.attempted[a.TargetID] = true
	return nil
}

// changeAttempt writes the columns of an attempt that have changed.
func (tx *tx) changeAttempt(was, is *schedctl.Attempt) error {
	c, values, err := attempts.update(was, is)
	if c == nil || err != nil {
		return err
	}
	tx.attempted[is.TargetID] = true
	tx.putRow(c.sql, c.bulk, values)
	return nil
}

// PublishedTargets implements [storage.Reader].
func (r *reader) PublishedTargets(accountID string, after storage.PublishedTarget, limit int) (list []storage.PublishedTarget, err error) {
	account, err := parse(schedctl.AccountPrefix, accountID)
	if err != nil {
		return nil, err
	}
	args, behind := []any{account, limit}, ""
	if after != (storage.PublishedTarget{}) {
		target, err := parse(schedctl.TargetPrefix, after.TargetID)
		if err != nil {
			return nil, err
		}
		args, behind = append(args, stampOrEnd(after.At), target), " AND (coalesce(published_at, 'infinity'), id) < ($3, $4)"
	}
	r.lockTable("targets")
	return list, r.send(statement{
		sql: "SELECT published_at, id, workspace_id, post_id FROM targets WHERE account_id = $1 AND status = 'published'" + behind +
			" ORDER BY coalesce(published_at, 'infinity') DESC, id DESC LIMIT $2",
		args: args,
		scan: scanAll(&list, scanPublished),
	})
}

func scanPublished(rows pgx.CollectableRow) (p storage.PublishedTarget, err error) {
	err = rows.Scan(timeField{&p.At}, &idField{schedctl.TargetPrefix, &p.TargetID, false},
		&idField{schedctl.WorkspacePrefix, &p.WorkspaceID, false}, &idField{schedctl.PostPrefix, &p.PostID, false})
	return p, err
}

var _ pgtype.TimestamptzScanner = timeField{}
