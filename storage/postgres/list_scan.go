package postgres

import (
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// scan reads the posts at positions without their targets, and returns the positions of
// those that match. exhausted reports that the page has reached its scan limit.
func (l *listing) scan(places []listPosition) (selected []listPosition, exhausted bool, err error) {
	heads, err := l.heads(places)
	if err != nil {
		return nil, false, err
	}
	for _, at := range places {
		if l.scanned == storage.ScanLimit || l.scannedBytes >= storage.ScanBytes {
			return selected, true, nil
		}
		if err := l.ctx.Err(); err != nil {
			return nil, false, err
		}
		runtime.Gosched() // let goroutines run that publish posts
		head, found := heads[at.post]
		l.scanned, l.scannedBytes, l.lastScanned = l.scanned+1, l.scannedBytes+head.post.TextSize(), at
		if found && l.selects(&head) {
			selected = append(selected, at)
		}
	}
	return selected, false, nil
}

// postHead is the part of a post that filters need.
type postHead struct {
	post      schedctl.Post // the times, the texts, the labels and the author
	ofAccount bool          // the post has a target on the query's account
}

// heads returns the heads of the posts at positions, by id.
func (l *listing) heads(places []listPosition) (map[pgtype.UUID]postHead, error) {
	found := make(map[pgtype.UUID]postHead, len(places))
	err := l.send(statement{
		sql: `SELECT id, publish_at, proposed_at, content, extra, labels, created_by,
				EXISTS (SELECT 1 FROM targets WHERE post_id = posts.id AND account_id = $2)
			FROM posts WHERE id = ANY($1)`, args: []any{postsAt(places), l.account},
		scan: func(rows pgx.Rows) error {
			for rows.Next() {
				var id pgtype.UUID
				var h postHead
				if err := rows.Scan(&id, &timeField{&h.post.PublishAt}, &timeField{&h.post.Proposed.At}, &h.post.Text, extraFieldOf(&h.post), jsonField[[]string]{doc: &h.post.Labels}, &idField{prefix: schedctl.KeyPrefix, id: &h.post.CreatedBy}, &h.ofAccount); err != nil {
					return fmt.Errorf("read posts: %w", err)
				}
				found[id] = h
			}
			return rows.Err()
		},
	})
	return found, err
}

func postsAt(places []listPosition) []pgtype.UUID {
	ids := make([]pgtype.UUID, len(places))
	for i, at := range places {
		ids[i] = at.post
	}
	return ids
}

func (l *listing) selects(h *postHead) bool {
	return (l.query.CreatedBy == "" || h.post.CreatedBy == l.query.CreatedBy) && (l.byTime || inside(l.query.TimeOf(&h.post), l.query.PublishAfter, l.query.PublishBefore)) && h.post.HasLabels(l.query.Labels) &&
		(h.ofAccount || !l.account.Valid || l.byAccount() && !l.query.Proposed) && h.post.ContainsText(l.needle.In)
}

func inside(t, after, before time.Time) bool {
	if t.IsZero() {
		return after.IsZero() && before.IsZero()
	}
	return !t.Before(after) && (before.IsZero() || t.Before(before))
}
