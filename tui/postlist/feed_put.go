package postlist

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// Put replaces the post at a position in memory.
func (f *Feed) Put(i int, p apiv1.Post) {
	if page, j, ok := f.locate(i); ok && f.Pages[page].Loaded {
		f.Pages[page].Posts[j] = p
	}
}

// Replace replaces a post without moving it.
func (f *Feed) Replace(p apiv1.Post) {
	for i := range f.Moved {
		if f.Moved[i].ID == p.ID {
			f.Moved[i] = p
		}
	}
	f.show(p)
}

// ReplaceAll is Replace for several posts, by id.
func (f *Feed) ReplaceAll(byID map[string]*apiv1.Post) {
	for i := range f.Moved {
		if p := byID[f.Moved[i].ID]; p != nil {
			f.Moved[i] = *p
		}
	}
	for old := range f.InMemory() {
		if p := byID[old.ID]; p != nil {
			*old = *p
		}
	}
}

// show replaces a post in memory.
func (f *Feed) show(p apiv1.Post) {
	for i := range f.Pages {
		for j := range f.Pages[i].Posts {
			if f.Pages[i].Posts[j].ID == p.ID {
				f.Pages[i].Posts[j] = p
				return
			}
		}
	}
}

// Update moves a post to its position in the list, or removes it if the query no
// longer matches. The selection stays on its post.
func (f *Feed) Update(p apiv1.Post) {
	f.Moved = slices.DeleteFunc(f.Moved, func(moved apiv1.Post) bool { return moved.ID == p.ID })
	if !f.Loaded {
		return
	}
	chosen, had := f.Current()
	if i, ok := f.Find(p.ID); ok {
		old, _ := f.At(i)
		if Matches(f.Query, p) && f.Order(old, p) == 0 {
			f.Replace(p)
			return
		}
		f.drop(i)
	}
	if Matches(f.Query, p) {
		f.insert(p)
	}
	f.Selected = screen.Clamp(f.Selected, f.Size())
	switch i, ok := f.Find(chosen.ID); {
	case had && ok:
		f.Selected = i
	case had && chosen.ID == p.ID && f.Size() > 0:
		f.Seek(p)
	}
}

// Remove removes a post.
func (f *Feed) Remove(id string) {
	if i, ok := f.Find(id); ok {
		f.drop(i)
		if i < f.Selected {
			f.Selected--
		}
		f.Selected = screen.Clamp(f.Selected, f.Size())
	}
}

func (f *Feed) drop(i int) {
	p, j, _ := f.locate(i)
	f.Pages[p].Posts = slices.Delete(f.Pages[p].Posts, j, j+1)
	f.Pages[p].Count--
}

// insert inserts a post into its page. If that page is not in memory, the post is
// loaded with it later.
func (f *Feed) insert(p apiv1.Post) {
	for i := range f.Pages {
		pg := &f.Pages[i]
		last := i == len(f.Pages)-1
		if !pg.Loaded || pg.Count == 0 && !last {
			continue
		}
		end := last && f.Next == ""
		if !end && (pg.Count == 0 || f.Order(p, pg.Posts[pg.Count-1]) > 0) {
			continue
		}
		if i > 0 && !f.Pages[i-1].Loaded && f.Order(p, pg.Posts[0]) < 0 {
			return
		}
		j, _ := slices.BinarySearchFunc(pg.Posts, p, f.Order)
		pg.Posts = slices.Insert(pg.Posts, j, p)
		pg.Count++
		return
	}
}

// Order compares two posts in the order of the query. Posts without a time are
// always last.
func (f *Feed) Order(a, b apiv1.Post) int {
	if f.Query.Sort == SortProposed {
		return CompareProposed(a, b)
	}
	field, descending := strings.CutPrefix(f.Query.Sort, "-")
	at := func(p apiv1.Post) *apiv1.Time {
		if field == "publish_at" {
			return Planned(p)
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

// Matches reports whether a query matches a post.
func Matches(q screen.Query, p apiv1.Post) bool {
	var at time.Time
	if Planned(p) != nil {
		at = Planned(p).Time
	}
	switch {
	case p.ArchivedAt != nil,
		len(q.Statuses) > 0 && !slices.Contains(q.Statuses, p.Status) && !(q.WithProposals() && IsProposal(p)),
		q.AccountID != "" && !slices.Contains(p.SocialAccountIDs, q.AccountID),
		q.Approval != "" && !HasApproval(p, q.Approval),
		q.QueueID != "" && (p.QueueID == nil || *p.QueueID != q.QueueID),
		q.Label != "" && !slices.Contains(p.Labels, q.Label),
		q.Search != "" && !strings.Contains(strings.ToLower(p.Content), strings.ToLower(q.Search)),
		!q.After.IsZero() && at.Before(q.After),
		!q.Before.IsZero() && !at.Before(q.Before):
		return false
	}
	return true
}
