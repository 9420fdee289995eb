package postgres

import (
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/search"
)

// Posts implements [storage.Reader]. In a transaction it keeps others from
// writing posts of the account, or any post when the query names no account.
func (r *reader) Posts(q storage.PostQuery) (storage.PostPage, error) {
	l := listing{reader: r, query: q, needle: search.For(q.Search)}
	if err := l.plan(); err != nil {
		return storage.PostPage{}, err
	}
	if q.AccountID != "" {
		r.holdList("targets", l.account)
	} else {
		r.holdTable("posts")
	}
	for _, s := range l.spans {
		if complete, err := l.walk(s); complete || err != nil {
			return l.page, err
		}
	}
	return l.page, nil
}

// listing is one query on its way through an index. The indexes are cut by
// status, so that a page of any set of statuses is a merge of a few ordered
// lists.
type listing struct {
	*reader
	query    storage.PostQuery
	needle   search.Needle
	ws       pgtype.UUID
	account  pgtype.UUID
	statuses []string
	byTime   bool
	descend  bool
	spans    []span // the parts of the index to go through
	looks    bool   // the index does not tell which posts are selected

	skipped int
	looked  int
	seen    position // of the post that was looked at last
	added   position // of the last post of the page
	page    storage.PostPage
}

// span is a part of an index: the times of it that are wanted, from one on and
// up to another, exclusive, and the position it begins behind.
type span struct {
	from, to pgtype.Timestamptz // null for no bound
	timeless bool               // only the posts without a time
	after    *position
}

// position is a place in an index.
type position struct {
	at   pgtype.Timestamptz // the end of time for a post without a time
	post pgtype.UUID
}

func (p position) public(byTime bool) *storage.Position {
	out := &storage.Position{PostID: schedctl.ULID(p.post.Bytes).ID(schedctl.PostPrefix)}
	if byTime && p.at.InfinityModifier == pgtype.Finite {
		out.PublishAt = p.at.Time.UTC()
	}
	return out
}

// plan chooses the index and the parts of it to walk through.
func (l *listing) plan() (err error) {
	q := &l.query
	if l.ws, err = parse(schedctl.WorkspacePrefix, q.WorkspaceID); err != nil {
		return err
	}
	if q.AccountID != "" {
		if l.account, err = parse(schedctl.AccountPrefix, q.AccountID); err != nil {
			return err
		}
	}
	for _, s := range schedctl.Statuses() {
		if len(q.Statuses) == 0 || slices.Contains(q.Statuses, s) {
			l.statuses = append(l.statuses, string(s))
		}
	}
	l.looks = q.Search != ""
	switch q.Sort {
	case storage.PublishAscending, storage.PublishDescending:
		l.byTime, l.descend = true, q.Sort == storage.PublishDescending
		l.spans = l.timeSpans()
	default:
		l.descend = q.Sort != storage.OldestFirst
		l.spans = []span{{}}
		l.looks = l.looks || l.bounded()
	}
	return l.resume()
}

func (l *listing) bounded() bool {
	return !l.query.PublishAfter.IsZero() || !l.query.PublishBefore.IsZero()
}

// timeSpans returns the parts of the index by time between the query's bounds.
// Posts without a time sort behind all others in it, so that in descending
// order they are a part of their own.
func (l *listing) timeSpans() []span {
	if !l.bounded() {
		if l.descend {
			return []span{{to: endOfTime()}, {timeless: true}}
		}
		return []span{{}}
	}
	timed := span{to: endOfTime()}
	if at := l.query.PublishAfter; !at.IsZero() {
		timed.from = stamp(schedctl.Millis(at))
	}
	if at := l.query.PublishBefore; !at.IsZero() {
		timed.to = stamp(schedctl.Millis(at))
	}
	return []span{timed}
}

// resume cuts off what lies before the query's position.
func (l *listing) resume() error {
	if l.query.After == nil {
		return nil
	}
	post, err := parse(schedctl.PostPrefix, l.query.After.PostID)
	if err != nil {
		return err
	}
	after := position{at: stampOrEnd(l.query.After.PublishAt), post: post}
	if l.byTime && l.descend && after.at.InfinityModifier == pgtype.Infinity && len(l.spans) == 2 {
		l.spans = l.spans[1:]
	}
	l.spans[0].after = &after
	return nil
}

// How many positions are read at once: as many as may complete a page that
// selects them all, and for one that has to look at posts, more with each time.
const (
	firstLook = 100
	mostLooks = 2000
)

// walk goes through one part of the index and reports whether the page is
// complete.
func (l *listing) walk(s span) (complete bool, err error) {
	batch := l.query.Offset - l.skipped + l.query.Limit - len(l.page.Posts) + 1
	if l.looks {
		batch = firstLook
	}
	for ; ; batch = min(2*batch, mostLooks) {
		places, err := l.places(s, batch)
		if err != nil {
			return false, err
		}
		if complete, err := l.visitAll(places); complete || err != nil {
			return complete, err
		}
		if len(places) < batch {
			return false, nil
		}
		s.after = &places[len(places)-1]
	}
}

// visitAll adds the selected posts among those at the given positions, and
// reports whether the page is complete.
func (l *listing) visitAll(places []position) (complete bool, err error) {
	wanted := places
	if !l.looks {
		skip := min(l.query.Offset-l.skipped, len(places))
		wanted = places[skip:]
		wanted = wanted[:min(len(wanted), l.query.Limit-len(l.page.Posts))]
	}
	found, err := l.fetch(wanted)
	if err != nil {
		return false, err
	}
	for _, at := range places {
		post, fetched := found[at.post]
		if l.visit(at, post, fetched) {
			return true, nil
		}
	}
	return false, nil
}

// fetch returns the posts at the given positions, by id.
func (l *listing) fetch(places []position) (map[pgtype.UUID]schedctl.Post, error) {
	if len(places) == 0 {
		return nil, nil
	}
	ids := make([]pgtype.UUID, len(places))
	for i, at := range places {
		ids[i] = at.post
	}
	list, err := l.postsByID(ids)
	found := make(map[pgtype.UUID]schedctl.Post, len(list))
	for i := range list {
		if u, ok := schedctl.ParseID(schedctl.PostPrefix, list[i].ID); ok {
			found[pgtype.UUID{Bytes: u, Valid: true}] = list[i]
		}
	}
	return found, err
}

// visit adds the post at a position if it is selected, and reports whether the
// page is complete.
func (l *listing) visit(at position, post schedctl.Post, fetched bool) (complete bool) {
	if l.looks {
		if l.looked == storage.ScanLimit {
			l.page.Next = l.seen.public(l.byTime)
			return true
		}
		l.looked, l.seen = l.looked+1, at
		if !fetched || !l.selects(&post) {
			return false
		}
	}
	if l.skipped < l.query.Offset {
		l.skipped++
		return false
	}
	if len(l.page.Posts) == l.query.Limit {
		l.page.Next = l.added.public(l.byTime)
		return true
	}
	if fetched {
		l.page.Posts, l.added = append(l.page.Posts, post), at
	}
	return false
}

func (l *listing) selects(p *schedctl.Post) bool {
	return inside(p.PublishAt, l.query.PublishAfter, l.query.PublishBefore) && l.needle.In(p.Content)
}

func inside(t, after, before time.Time) bool {
	if t.IsZero() {
		return after.IsZero() && before.IsZero()
	}
	return !t.Before(after) && (before.IsZero() || t.Before(before))
}

// places reads the next positions of a span.
func (l *listing) places(s span, limit int) (found []position, err error) {
	sql, args := l.placesQuery(s, limit)
	err = l.send(statement{sql: sql, args: args, scan: func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p position, err error) {
			return p, row.Scan(&p.at, &p.post)
		})
		return err
	}})
	return found, err
}

// placesQuery returns a statement that takes from each status's part of the
// index the first posts, and of those the first ones.
func (l *listing) placesQuery(s span, limit int) (sql string, args []any) {
	from, id, at, where := "posts", "id", "coalesce(publish_at, 'infinity')", "workspace_id = $1 AND status = wanted"
	args = []any{l.ws, l.statuses, limit}
	if l.account.Valid {
		from, id, at, where = "targets", "post_id", "coalesce(post_publish_at, 'infinity')",
			"listed AND workspace_id = $1 AND post_status = wanted AND account_id = $4"
		args = append(args, l.account)
	}
	bind := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	compare, direction := ">", ""
	if l.descend {
		compare, direction = "<", " DESC"
	}
	key, order := "("+id+")", "id"+direction
	if l.byTime {
		key, order = "("+at+", "+id+")", "at"+direction+", id"+direction
	}
	if s.after != nil && l.byTime {
		where += " AND " + key + " " + compare + " (" + bind(s.after.at) + ", " + bind(s.after.post) + ")"
	} else if s.after != nil {
		where += " AND " + id + " " + compare + " " + bind(s.after.post)
	}
	if s.from.Valid {
		where += " AND " + at + " >= " + bind(s.from)
	}
	if s.to.Valid {
		where += " AND " + at + " < " + bind(s.to)
	}
	if s.timeless {
		where += " AND " + at + " = 'infinity'"
	}
	inner := id + direction
	if l.byTime {
		inner = at + direction + ", " + id + direction
	}
	return "SELECT at, id FROM unnest($2::text[]) AS wanted CROSS JOIN LATERAL (SELECT " + at + " AS at, " + id + " AS id FROM " + from +
		" WHERE " + where + " ORDER BY " + inner + " LIMIT $3) AS part ORDER BY " + order + " LIMIT $3", args
}
