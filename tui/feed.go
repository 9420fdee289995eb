package tui

import (
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

const (
	pageSize   = 100 // posts per page, the maximum of the API
	keptPages  = 3   // pages kept on each side of the selection
	weekPages  = 7   // pages of a week that are read at once and kept: its days are shown next to each other
	monthPages = 100 // the same for a month
	lookAhead  = 40  // distance from the end at which the next page is read
)

// feed is a list of posts that is read while the user scrolls. It keeps the posts of
// the pages near the selection. Of other pages it keeps only the cursor and the
// number of posts.
type feed struct {
	query    screen.Query
	gen      int // number of resets, to ignore late responses
	pages    []page
	next     string // cursor of the page after the last one, or empty
	loaded   bool   // the first page is loaded
	loading  bool
	err      error
	selected int
	top      int       // the first post on the screen
	anchor   string    // the post to select once its page is loaded, or empty
	from     time.Time // the first post from then on is selected once it is loaded; zero for none

	moved  []apiv1.Post // posts with a change that the daemon does not have yet; shown in their places
	sought *apiv1.Post  // the post whose page the feed searches
	seeks  int          // pages that were searched for it
	edited *apiv1.Post  // the post that was saved last; nil after the selection has moved
}

type page struct {
	cursor   string // the cursor with which the page was read
	posts    []apiv1.Post
	count    int  // number of posts, also if they were dropped
	loaded   bool // posts are in memory
	outdated bool // posts may be out of date
}

// pageRequest is a request for one page.
type pageRequest struct {
	index int
	query screen.Query
	gen   int
}

// reset drops all pages, for a new query or a complete reload.
func (f *feed) reset(q screen.Query) {
	*f = feed{query: q, gen: f.gen + 1}
}

// markOutdated makes the feed reload its pages when they are needed. The old posts
// stay on the screen until then.
func (f *feed) markOutdated() {
	f.gen++
	f.loading, f.err = false, nil
	for i := range f.pages {
		f.pages[i].outdated = true
	}
}

// missing reports whether the page must be read.
func (p page) missing() bool { return !p.loaded || p.outdated }

// size returns the number of known posts.
func (f *feed) size() (n int) {
	for i := range f.pages {
		n += f.pages[i].count
	}
	return n
}

// locate returns the page of post i and its position in the page.
func (f *feed) locate(i int) (p, j int, ok bool) {
	for p = range f.pages {
		if i < f.pages[p].count {
			return p, i, i >= 0
		}
		i -= f.pages[p].count
	}
	return 0, 0, false
}

// at returns post i, unless it was dropped or does not exist.
func (f *feed) at(i int) (apiv1.Post, bool) {
	p, j, ok := f.locate(i)
	if !ok || !f.pages[p].loaded {
		return apiv1.Post{}, false
	}
	return f.pages[p].posts[j], true
}

// current returns the selected post.
func (f *feed) current() (apiv1.Post, bool) { return f.at(f.selected) }

// find returns the position of a post among the posts in memory.
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

// has reports whether a post is in memory.
func (f *feed) has(id string) bool {
	_, ok := f.find(id)
	return ok
}

// nextRequest returns the request for the most urgent missing page. ok is false if a
// request is in progress or nothing is missing.
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

// alwaysKept reports whether a page is kept regardless of its distance from the
// selection.
func (f *feed) alwaysKept(page int) bool {
	const week = 8 * 24 * time.Hour // also with a clock change
	switch period := f.query.Before.Sub(f.query.After); {
	case f.query.Before.IsZero():
		return false
	case period > week:
		return page < monthPages
	}
	return page < weekPages
}

// receive stores a requested page. If the next page no longer follows it, receive
// drops the later pages, and they are read again.
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
	for _, p := range f.moved {
		switch {
		case f.has(p.ID):
			f.show(p)
		case matches(f.query, p):
			f.insert(p)
		}
	}
	f.keepSelection(chosen.ID)
	if f.sought != nil {
		f.stepSeek()
	}
	if !f.from.IsZero() && f.sought == nil {
		f.selectFrom(f.from)
	}
	f.dropFarPages()
}

// keepSelection keeps the selection on a post. If the post is missing, it may be on
// the next page that is loaded.
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
	f.selected = screen.Clamp(f.selected, f.size())
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

// move moves the selection.
func (f *feed) move(by int) {
	f.selected, f.anchor, f.sought, f.from = screen.Clamp(f.selected+by, f.size()), "", nil, time.Time{}
	f.edited = nil
	f.dropFarPages()
}

// selectFrom selects the first post at or after t, as soon as it is loaded. Without one, it
// selects the last post.
func (f *feed) selectFrom(t time.Time) {
	f.anchor, f.sought, f.from = "", nil, t
	first := 0
	for i := range f.pages {
		for j := range f.pages[i].posts {
			if at := planned(f.pages[i].posts[j]); at != nil && !at.Before(t) {
				f.selected, f.from = first+j, time.Time{}
				return
			}
		}
		first += f.pages[i].count
	}
	if f.selected = screen.Clamp(first-1, first); f.loaded && f.next == "" {
		f.from = time.Time{}
	}
}
