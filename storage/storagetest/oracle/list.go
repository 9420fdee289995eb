package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// listPosition is a position in a list: after a post as it was listed.
type listPosition struct {
	publishAt time.Time
	created   int // index of the post in order of creation
}

// expectedPage returns the expected posts after a position, the position of the last
// one, and whether there are more.
func (m *model) expectedPage(k Key, q Query, behind *listPosition) (ids []string, last listPosition, more bool) {
	skip := q.Offset
	for _, at := range m.sorted(k, q) {
		p := m.posts[at.created]
		switch {
		case behind != nil && comparePositions(q.Sort, at, *behind) <= 0:
		case skip > 0:
			skip--
		case len(ids) == q.Limit:
			return ids, last, true
		default:
			ids, last = append(ids, p.ID), at
		}
	}
	return ids, last, false
}

// sorted returns the positions of all posts that match a query, in its order.
func (m *model) sorted(k Key, q Query) (all []listPosition) {
	for i, p := range m.posts {
		if m.visibleTo(k, p.ID) == p && q.selects(p) {
			all = append(all, listPosition{p.PublishAt, i})
		}
	}
	slices.SortFunc(all, func(a, b listPosition) int { return comparePositions(q.Sort, a, b) })
	return all
}

// selects reports whether a post matches the filters.
func (q Query) selects(p *post) bool {
	at := p.PublishAt
	switch {
	case len(q.Statuses) > 0 && !slices.Contains(q.Statuses, p.status()):
		return false
	case q.Account != "" && !slices.Contains(p.accountIDs(), q.Account):
		return false
	case !q.After.IsZero() && (at.IsZero() || at.Before(q.After)):
		return false
	case !q.Before.IsZero() && (at.IsZero() || !at.Before(q.Before)):
		return false
	}
	texts := []string{p.Content}
	for _, part := range p.Thread {
		texts = append(texts, part.Text)
	}
	if p.Comment != nil {
		texts = append(texts, p.Comment.Text)
	}
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(q.Text)) })
}

// comparePositions compares two positions in a sort order. Posts without a time come
// last in both directions.
func comparePositions(sort string, a, b listPosition) int {
	older := cmp.Compare(a.created, b.created)
	switch sort {
	case "created_at":
		return older
	case "publish_at", "-publish_at":
		direction := 1
		if sort[0] == '-' {
			direction = -1
		}
		if a.publishAt.IsZero() != b.publishAt.IsZero() {
			if a.publishAt.IsZero() {
				return 1
			}
			return -1
		}
		return direction * cmp.Or(a.publishAt.Compare(b.publishAt), older)
	}
	return -older
}

// judgePage checks a page and returns its last position.
func (m *model) judgePage(r Request, behind *listPosition, got Response) (last listPosition, err error) {
	k := m.world.Keys[r.Key]
	want, last, more := m.expectedPage(k, r.Query, behind)
	var ids []string
	for _, p := range got.Posts {
		ids = append(ids, p.ID)
	}
	if !slices.Equal(ids, want) {
		return last, fmt.Errorf("the page has %v\nwant %v", ids, want)
	}
	if more != (got.Next != "") {
		return last, fmt.Errorf("next page: %v, want %v", got.Next != "", more)
	}
	for _, p := range got.Posts {
		if err := samePost(m.find(p.ID).public(), p); err != nil {
			return last, fmt.Errorf("on the page: %w", err)
		}
	}
	return last, nil
}
