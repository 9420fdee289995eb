package postgres

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/schedctl/schedctl"
)

// positions reads the next positions of a span.
func (l *listing) positions(s indexSpan, limit int) (found []listPosition, err error) {
	sql, args := l.positionsQuery(s, limit)
	err = l.send(statement{sql: sql, args: args, scan: scanAll(&found, func(row pgx.CollectableRow) (p listPosition, err error) {
		return p, row.Scan(&p.at, &p.post)
	})})
	return found, err
}

// positionsQuery returns a statement that reads the first positions of each status, and
// of those the first limit.
func (l *listing) positionsQuery(s indexSpan, limit int) (sql string, args []any) {
	q := positionsQuery{
		table: "posts", id: "id", status: "status", at: "coalesce(publish_at, 'infinity')",
		where: "workspace_id = $1", args: []any{l.ws, l.statuses, limit}, compare: ">",
	}
	if l.query.Collection != "" {
		q.where += " AND managed IS NOT NULL AND managed ->> 'collection' = " + q.bind(l.query.Collection)
	}
	if l.query.ExternalID != "" {
		q.where += " AND external_id <> '' AND external_id = " + q.bind(l.query.ExternalID)
	}
	if l.queue.Valid {
		q.where += " AND queue_id = " + q.bind(l.queue)
	}
	if l.series.Valid {
		q.where += " AND series_id = " + q.bind(l.series)
	}
	if l.query.Approval != "" {
		q.where += " AND approval <> '' AND approval = " + q.bind(string(l.query.Approval))
		q.at = "coalesce(publish_at, proposed_at, 'infinity')"
	}
	if l.query.ByCreator() {
		q.where += " AND created_by IS NOT NULL AND created_by = " + q.bind(l.creator)
	}
	if l.byAccount() {
		q.table, q.id, q.status, q.at = "targets", "post_id", "post_status", "coalesce(post_publish_at, 'infinity')"
		q.where += " AND listed AND account_id = " + q.bind(l.account)
	}
	if l.descend {
		q.compare, q.direction = "<", " DESC"
	}
	switch {
	case l.query.Proposed:
		return l.withProposals(&q, s), q.args
	case l.byTime:
		return q.byTime(s), q.args
	}
	return q.byAge(s), q.args
}

// withProposals adds the drafts that wait for an approval and propose a time to the posts of
// a query. Those of other accounts are filtered later.
func (l *listing) withProposals(q *positionsQuery, s indexSpan) string {
	posts := q.byTime(s)
	q.table, q.id, q.status, q.at = "posts", "id", "status", "coalesce(publish_at, proposed_at, 'infinity')"
	q.where = "workspace_id = $1 AND approval <> '' AND approval = '" + string(schedctl.ApprovalPending) + "' AND proposed_at IS NOT NULL"
	proposals := strings.Replace(q.byTime(s), "$2::text[]", "'{"+string(schedctl.Draft)+"}'::text[]", 1)
	return "SELECT at, id FROM ((" + posts + ") UNION ALL (" + proposals + ")) AS both_kinds ORDER BY at" + q.direction + ", id" + q.direction + " LIMIT $3"
}

// positionsQuery builds the statement.
type positionsQuery struct {
	table, id, status, at string
	where                 string
	args                  []any
	compare               string // operator that compares with the previous position
	direction             string // sort direction
}

func (q *positionsQuery) bind(v any) string {
	q.args = append(q.args, v)
	return fmt.Sprintf("$%d", len(q.args))
}

// The bounds of ids.
const (
	firstID = "'00000000-0000-0000-0000-000000000000'"
	lastID  = "'ffffffff-ffff-ffff-ffff-ffffffffffff'"
)

// byAge reads the index with row comparisons, (status, id) < (…), ordered by both
// columns. With status = …, the order by id would match the primary key. The planner
// would then read the whole primary key for a status that no post has, because it does
// not know how many posts have a status given as a parameter.
//
// Each end of the range has only one condition: PostgreSQL starts at the first
// condition, and would read from the end of the status to a position given in another
// one.
func (q *positionsQuery) byAge(s indexSpan) string {
	from, to := ">= (wanted, "+firstID+")", "<= (wanted, "+lastID+")"
	switch {
	case s.after != nil && q.direction == "":
		from = "> (wanted, " + q.bind(s.after.post) + ")"
	case s.after != nil:
		to = "< (wanted, " + q.bind(s.after.post) + ")"
	}
	row := "(" + q.status + ", " + q.id + ") "
	return "SELECT NULL::timestamptz, id FROM unnest($2::text[]) AS wanted CROSS JOIN LATERAL (SELECT " + q.id + " AS id FROM " + q.table +
		" WHERE " + q.where + " AND " + row + from + " AND " + row + to +
		" ORDER BY " + q.status + q.direction + ", " + q.id + q.direction + " LIMIT $3) AS part ORDER BY id" + q.direction + " LIMIT $3"
}

func (q *positionsQuery) byTime(s indexSpan) string {
	where := q.where + " AND " + q.status + " = wanted"
	if s.after != nil {
		where += " AND (" + q.at + ", " + q.id + ") " + q.compare + " (" + q.bind(s.after.at) + ", " + q.bind(s.after.post) + ")"
	}
	if s.from.Valid {
		where += " AND " + q.at + " >= " + q.bind(s.from)
	}
	if s.to.Valid {
		where += " AND " + q.at + " < " + q.bind(s.to)
	}
	if s.timeless {
		where += " AND " + q.at + " = 'infinity'"
	}
	return "SELECT at, id FROM unnest($2::text[]) AS wanted CROSS JOIN LATERAL (SELECT " + q.at + " AS at, " + q.id + " AS id FROM " + q.table +
		" WHERE " + where + " ORDER BY " + q.at + q.direction + ", " + q.id + q.direction + " LIMIT $3) AS part" +
		" ORDER BY at" + q.direction + ", id" + q.direction + " LIMIT $3"
}
