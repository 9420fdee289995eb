package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// replace replaces a post without moving it.
func (f *feed) replace(p apiv1.Post) {
	for i := range f.moved {
		if f.moved[i].ID == p.ID {
			f.moved[i] = p
		}
	}
	f.show(p)
}

// show replaces a post in memory.
func (f *feed) show(p apiv1.Post) {
	for i := range f.pages {
		for j := range f.pages[i].posts {
			if f.pages[i].posts[j].ID == p.ID {
				f.pages[i].posts[j] = p
				return
			}
		}
	}
}

// update moves a post to its position in the list, or removes it if the query no
// longer matches. The selection stays on its post.
func (f *feed) update(p apiv1.Post) {
	f.moved = slices.DeleteFunc(f.moved, func(moved apiv1.Post) bool { return moved.ID == p.ID })
	if !f.loaded {
		return
	}
	chosen, had := f.current()
	if i, ok := f.find(p.ID); ok {
		old, _ := f.at(i)
		if matches(f.query, p) && f.order(old, p) == 0 {
			f.replace(p)
			return
		}
		f.drop(i)
	}
	if matches(f.query, p) {
		f.insert(p)
	}
	f.selected = screen.Clamp(f.selected, f.size())
	switch i, ok := f.find(chosen.ID); {
	case had && ok:
		f.selected = i
	case had && chosen.ID == p.ID && f.size() > 0:
		f.seek(p)
	}
}

// remove removes a post.
func (f *feed) remove(id string) {
	if i, ok := f.find(id); ok {
		f.drop(i)
		if i < f.selected {
			f.selected--
		}
		f.selected = screen.Clamp(f.selected, f.size())
	}
}

func (f *feed) drop(i int) {
	p, j, _ := f.locate(i)
	f.pages[p].posts = slices.Delete(f.pages[p].posts, j, j+1)
	f.pages[p].count--
}

// insert inserts a post into its page. If that page is not in memory, the post is
// loaded with it later.
func (f *feed) insert(p apiv1.Post) {
	for i := range f.pages {
		pg := &f.pages[i]
		last := i == len(f.pages)-1
		if !pg.loaded || pg.count == 0 && !last {
			continue
		}
		end := last && f.next == ""
		if !end && (pg.count == 0 || f.order(p, pg.posts[pg.count-1]) > 0) {
			continue
		}
		if i > 0 && !f.pages[i-1].loaded && f.order(p, pg.posts[0]) < 0 {
			return
		}
		j, _ := slices.BinarySearchFunc(pg.posts, p, f.order)
		pg.posts = slices.Insert(pg.posts, j, p)
		pg.count++
		return
	}
}

// order compares two posts in the order of the query. Posts without a time are
// always last.
func (f *feed) order(a, b apiv1.Post) int {
	if f.query.Sort == sortProposed {
		return compareProposed(a, b)
	}
	field, descending := strings.CutPrefix(f.query.Sort, "-")
	at := func(p apiv1.Post) *apiv1.Time {
		if field == "publish_at" {
			return planned(p)
		}
		return p.CreatedAt
	}
	x, y := at(a), at(b)
	c := 0
	switch {
	case x == nil && y == nil:
	case x == nil:
		return 1
	case y == nil:
		return -1
	default:
		c = x.Compare(y.Time)
	}
	if c = cmp.Or(c, strings.Compare(a.ID, b.ID)); descending {
		c = -c
	}
	return c
}

// matches reports whether a query matches a post.
func matches(q screen.Query, p apiv1.Post) bool {
	var at time.Time
	if planned(p) != nil {
		at = planned(p).Time
	}
	switch {
	case p.ArchivedAt != nil,
		len(q.Statuses) > 0 && !slices.Contains(q.Statuses, p.Status) && !(q.WithProposals() && isProposal(p)),
		q.AccountID != "" && !slices.Contains(p.SocialAccountIDs, q.AccountID),
		q.Approval != "" && !hasApproval(p, q.Approval),
		q.QueueID != "" && (p.QueueID == nil || *p.QueueID != q.QueueID),
		q.Label != "" && !slices.Contains(p.Labels, q.Label),
		q.Search != "" && !strings.Contains(strings.ToLower(p.Content), strings.ToLower(q.Search)),
		!q.After.IsZero() && at.Before(q.After),
		!q.Before.IsZero() && !at.Before(q.Before):
		return false
	}
	return true
}
