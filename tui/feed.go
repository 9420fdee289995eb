package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
)

const (
	pageSize  = 100 // posts on a page, the most that the API gives
	keptPages = 3   // kept on each side of the selection
	weekPages = 7   // of a week are read at once and kept: its days stand side by side
	lookAhead = 40  // how far from the end the next page is asked for
)

// feed is a list of posts that is read as one scrolls. It keeps the pages near
// the selection, and of all others only where they begin and how long they are.
type feed struct {
	query    Query
	gen      int // counts resets, so that late answers are known
	pages    []page
	next     string // cursor of the page after the last one, or empty
	loaded   bool   // the first page is there
	loading  bool
	err      error
	selected int
	top      int    // the first post on the screen
	anchor   string // the post to select when it is read again, or empty
}

type page struct {
	cursor string // from which it was read
	posts  []apiv1.Post
	count  int  // of posts, also when they are forgotten
	known  bool // posts are there
	old    bool // and may be out of date
}

// need is a page that is to be read.
type need struct {
	index int
	query Query
	gen   int
}

// reset forgets everything, for another query or to read it all again.
func (f *feed) reset(q Query) {
	*f = feed{query: q, gen: f.gen + 1}
}

// renew has everything read again, as it is needed. Until then it stays on the
// screen.
func (f *feed) renew() {
	f.gen++
	f.loading, f.err = false, nil
	for i := range f.pages {
		f.pages[i].old = true
	}
}

// missing reports whether a page is to be read.
func (p page) missing() bool { return !p.known || p.old }

// size returns how many posts are known to be there.
func (f *feed) size() (n int) {
	for i := range f.pages {
		n += f.pages[i].count
	}
	return n
}

// locate returns the page of a post and its place there.
func (f *feed) locate(i int) (p, j int, ok bool) {
	for p = range f.pages {
		if i < f.pages[p].count {
			return p, i, i >= 0
		}
		i -= f.pages[p].count
	}
	return 0, 0, false
}

// at returns a post, unless it is forgotten or was never there.
func (f *feed) at(i int) (apiv1.Post, bool) {
	p, j, ok := f.locate(i)
	if !ok || !f.pages[p].known {
		return apiv1.Post{}, false
	}
	return f.pages[p].posts[j], true
}

// current returns the selected post.
func (f *feed) current() (apiv1.Post, bool) { return f.at(f.selected) }

// find returns the place of a post among those that are kept.
func (f *feed) find(id string) (i int, ok bool) {
	for p := range f.pages {
		for j := range f.pages[p].posts {
			if f.pages[p].posts[j].ID == id {
				return i + j, true
			}
		}
		i += f.pages[p].count
	}
	return 0, false
}

// wanted returns the page that is missing most, if none is on its way.
func (f *feed) wanted(height int) (need, bool) {
	if f.loading || f.err != nil {
		return need{}, false
	}
	ask := func(index int, cursor string) (need, bool) {
		f.loading = true
		q := f.query
		q.Cursor = cursor
		return need{index: index, query: q, gen: f.gen}, true
	}
	if !f.loaded {
		return ask(0, "")
	}
	for _, i := range []int{f.selected, f.top, f.top + height} {
		if p, _, ok := f.locate(i); ok && f.pages[p].missing() {
			return ask(p, f.pages[p].cursor)
		}
	}
	if f.next != "" && (f.eager(len(f.pages)) || f.selected+max(lookAhead, height) >= f.size()) {
		return ask(len(f.pages), f.next)
	}
	if f.size() == 0 && f.pages[0].old {
		return ask(0, "")
	}
	return need{}, false
}

// eager reports whether a page is kept however far it is from the selection.
func (f *feed) eager(page int) bool { return !f.query.Before.IsZero() && page < weekPages }

// receive takes a page that was asked for. What has changed since then makes the
// pages after it begin elsewhere: they are read again.
func (f *feed) receive(n need, list apiv1.PostList, err error) {
	if n.gen != f.gen {
		return
	}
	f.loading = false
	if f.err = err; err != nil || n.index > len(f.pages) {
		return
	}
	next := ""
	if list.NextCursor != nil {
		next = *list.NextCursor
	}
	got := page{cursor: n.query.Cursor, posts: list.Results, count: len(list.Results), known: true}
	chosen, _ := f.current()
	switch {
	case n.index == len(f.pages):
		f.pages, f.next = append(f.pages, got), next
	case n.index == len(f.pages)-1:
		f.pages[n.index], f.next = got, next
	default:
		f.pages[n.index] = got
		if f.pages[n.index+1].cursor != next {
			f.pages, f.next = f.pages[:n.index+1], next
		}
	}
	f.loaded = true
	f.stay(chosen.ID)
	f.forget()
}

// stay keeps the selection on a post. One that is not there may come with the
// page that is read next.
func (f *feed) stay(id string) {
	sought := f.anchor != ""
	if sought {
		id, f.anchor = f.anchor, ""
	}
	if i, ok := f.find(id); ok {
		f.selected = i
	} else if !sought {
		f.anchor = id
	}
	f.selected = clamp(f.selected, f.size())
}

// forget drops the posts of pages that are far from the selection.
func (f *feed) forget() {
	here, _, _ := f.locate(f.selected)
	for p := range f.pages {
		if max(p-here, here-p) > keptPages && !f.eager(p) {
			f.pages[p].posts, f.pages[p].known = nil, false
		}
	}
}

// move changes the selection.
func (f *feed) move(by int) {
	f.selected, f.anchor = clamp(f.selected+by, f.size()), ""
	f.forget()
}

// selectFrom selects the first post that is not before an instant, if there is
// one.
func (f *feed) selectFrom(t time.Time) {
	for i := range f.size() {
		if p, ok := f.at(i); ok && p.PublishAt != nil && !p.PublishAt.Before(t) {
			f.selected = i
			return
		}
	}
}

func clamp(i, size int) int { return max(0, min(i, size-1)) }

// replace draws a post anew where it stands.
func (f *feed) replace(p apiv1.Post) {
	for i := range f.pages {
		for j := range f.pages[i].posts {
			if f.pages[i].posts[j].ID == p.ID {
				f.pages[i].posts[j] = p
				return
			}
		}
	}
}

// put brings a post to where it belongs, or takes it out when it belongs nowhere
// any more. The selection stays on its post.
func (f *feed) put(p apiv1.Post) {
	if !f.loaded {
		return
	}
	chosen, had := f.current()
	if i, ok := f.find(p.ID); ok {
		old, _ := f.at(i)
		if f.matches(p) && f.order(old, p) == 0 {
			f.replace(p)
			return
		}
		f.drop(i)
	}
	if f.matches(p) {
		f.insert(p)
	}
	if i, ok := f.find(chosen.ID); had && ok {
		f.selected = i
	}
	f.selected = clamp(f.selected, f.size())
}

// remove takes a post out.
func (f *feed) remove(id string) {
	if i, ok := f.find(id); ok {
		f.drop(i)
		if i < f.selected {
			f.selected--
		}
		f.selected = clamp(f.selected, f.size())
	}
}

func (f *feed) drop(i int) {
	p, j, _ := f.locate(i)
	f.pages[p].posts = slices.Delete(f.pages[p].posts, j, j+1)
	f.pages[p].count--
}

// insert puts a post into the page that it belongs to. One that belongs to a
// page that is not there comes with that page.
func (f *feed) insert(p apiv1.Post) {
	for i := range f.pages {
		pg := &f.pages[i]
		last := i == len(f.pages)-1
		if !pg.known || pg.count == 0 && !last {
			continue
		}
		end := last && f.next == ""
		if !end && (pg.count == 0 || f.order(p, pg.posts[pg.count-1]) > 0) {
			continue
		}
		if i > 0 && !f.pages[i-1].known && f.order(p, pg.posts[0]) < 0 {
			return
		}
		j, _ := slices.BinarySearchFunc(pg.posts, p, f.order)
		pg.posts = slices.Insert(pg.posts, j, p)
		pg.count++
		return
	}
}

// order compares two posts as the query sorts them; posts without a time come
// last either way.
func (f *feed) order(a, b apiv1.Post) int {
	field, descending := strings.CutPrefix(f.query.Sort, "-")
	at := func(p apiv1.Post) *apiv1.Time {
		if field == "publish_at" {
			return p.PublishAt
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

// matches reports whether the query selects a post.
func (f *feed) matches(p apiv1.Post) bool {
	q := f.query
	var at time.Time
	if p.PublishAt != nil {
		at = p.PublishAt.Time
	}
	switch {
	case len(q.Statuses) > 0 && !slices.Contains(q.Statuses, p.Status),
		q.AccountID != "" && !slices.Contains(p.SocialAccountIDs, q.AccountID),
		q.Search != "" && !strings.Contains(strings.ToLower(p.Content), strings.ToLower(q.Search)),
		!q.After.IsZero() && at.Before(q.After),
		!q.Before.IsZero() && !at.Before(q.Before):
		return false
	}
	return true
}
