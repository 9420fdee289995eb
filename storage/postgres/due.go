package postgres

import (
	"math"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
)

// Numbers of entries of the due index that one round trip reads: of the first page, and
// at most. The first page mostly holds everything due within seconds and takes a
// millisecond. A million entries take less than a second.
const (
	firstDuePage = 500
	maxDuePage   = 10_000
)

// Due implements [storage.Reader].
func (r *reader) Due(from schedctl.Due, fn func(schedctl.Due) bool) error {
	r.lockTable("targets")
	after := false
	for limit := firstDuePage; ; limit = min(8*limit, maxDuePage) {
		page, err := r.duePage(from, after, limit)
		if err != nil {
			return err
		}
		for _, d := range page {
			if !fn(d) {
				return nil
			}
		}
		if len(page) < limit {
			return nil
		}
		from, after = page[limit-1], true
	}
}

// duePage returns the entries at or after the given one, or only those after it.
func (r *reader) duePage(from schedctl.Due, after bool, limit int) ([]schedctl.Due, error) {
	compare := ">="
	if after {
		compare = ">"
	}
	page := make([]schedctl.Due, 0, limit)
	err := r.send(statement{
		sql: "SELECT due_at, id FROM targets WHERE due_at IS NOT NULL AND (due_at, id) " + compare +
			" ($1, $2) ORDER BY due_at, id LIMIT $3",
		args: []any{stampMillis(from.At), pgtype.UUID{Bytes: from.Target, Valid: true}, limit},
		scan: func(rows pgx.Rows) error {
			for rows.Next() {
				var at pgtype.Timestamptz
				var target pgtype.UUID
				if err := rows.Scan(&at, &target); err != nil {
					return err
				}
				page = append(page, schedctl.Due{At: millisOf(at), Target: target.Bytes})
			}
			return rows.Err()
		},
	})
	return page, err
}

// millisOf is the inverse of stampMillis.
func millisOf(t pgtype.Timestamptz) int64 {
	switch t.InfinityModifier {
	case pgtype.Infinity:
		return math.MaxInt64
	case pgtype.NegativeInfinity:
		return math.MinInt64
	}
	return t.Time.UnixMilli()
}
