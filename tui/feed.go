package tui

import (
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
	cursor   string // from which it was read
	posts    []apiv1.Post
	count    int  // of posts, also when they are forgotten
	loaded   bool // posts are there
	outdated bool // and may be out of date
}

// pageRequest is a page that is to be read.
type pageRequest struct {
	index int
	query Query
	gen   int
}

// reset forgets everything, for another query or to read it all again.
func (f *feed) reset(q Query) {
	*f = feed{query: q, gen: f.gen + 1}
}

// markOutdated has everything read again, as it is needed. Until then it stays on the
// screen.
func (f *feed) markOutdated() {
	f.gen++
	f.loading, f.err = false, nil
	for i := range f.pages {
		f.pages[i].outdated = true
	}
}

// missing reports whether a page is to be read.
func (p page) missing() bool { return !p.loaded || p.outdated }

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
	if !ok || !f.pages[p].loaded {
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

// nextRequest returns the page that is missing most, if none is on its way.
func (f *feed) nextRequest(height int) (pageRequest, bool) {
	if f.loading || f.err != nil {
		return pageRequest{}, false
	}
	ask := func(index int, cursor string) (pageRequest, bool) {
		f.loading = true
		q := f.query
		q.Cursor = cursor
		return pageRequest{index: index, query: q, gen: f.gen}, true
	}
	if !f.loaded {
		return ask(0, "")
	}
	for _, i := range []int{f.selected, f.top, f.top + height} {
		if p, _, ok := f.locate(i); ok && f.pages[p].missing() {
			return ask(p, f.pages[p].cursor)
		}
	}
	if f.next != "" && (f.alwaysKept(len(f.pages)) || f.selected+max(lookAhead, height) >= f.size()) {
		return ask(len(f.pages), f.next)
	}
	if f.size() == 0 && f.pages[0].outdated {
		return ask(0, "")
	}
	return pageRequest{}, false
}

// alwaysKept reports whether a page is kept however far it is from the selection.
func (f *feed) alwaysKept(page int) bool { return !f.query.Before.IsZero() && page < weekPages }

// receive takes a page that was asked for. What has changed since then makes the
// pages after it begin elsewhere: they are read again.
func (f *feed) receive(n pageRequest, list apiv1.PostList, err error) {
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
	got := page{cursor: n.query.Cursor, posts: list.Results, count: len(list.Results), loaded: true}
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
	f.keepSelection(chosen.ID)
	f.dropFarPages()
}

// keepSelection keeps the selection on a post. One that is not there may come with the
// page that is read next.
func (f *feed) keepSelection(id string) {
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

// dropFarPages drops the posts of pages that are far from the selection.
func (f *feed) dropFarPages() {
	here, _, _ := f.locate(f.selected)
	for p := range f.pages {
		if max(p-here, here-p) > keptPages && !f.alwaysKept(p) {
			f.pages[p].posts, f.pages[p].loaded = nil, false
		}
	}
}

// move changes the selection.
func (f *feed) move(by int) {
	f.selected, f.anchor = clamp(f.selected+by, f.size()), ""
	f.dropFarPages()
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
