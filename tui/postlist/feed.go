package postlist

import (
	"iter"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

const (
	PageSize   = 100 // posts per page, the maximum of the API
	keptPages  = 3   // pages kept on each side of the selection
	weekPages  = 7   // pages of a week that are read at once and kept: its days are shown next to each other
	monthPages = 100 // the same for a month
	LookAhead  = 40  // distance from the end at which the next page is read
)

// Feed is a list of posts that is read while the user scrolls. It keeps the posts of
// the pages near the selection. Of other pages it keeps only the cursor and the
// number of posts.
type Feed struct {
	Query    screen.Query
	gen      int // number of resets, to ignore late responses
	Pages    []page
	Next     string // cursor of the page after the last one, or empty
	Loaded   bool   // the first page is loaded
	loading  bool
	Err      error
	Selected int
	Top      int       // the first post on the screen
	Anchor   string    // the post to select once its page is loaded, or empty
	From     time.Time // the first post from then on is selected once it is loaded; zero for none

	Moved  []apiv1.Post // posts with a change that the daemon does not have yet; shown in their places
	sought *apiv1.Post  // the post whose page the feed searches
	seeks  int          // pages that were searched for it
	Edited *apiv1.Post  // the post that was saved last; nil after the selection has moved
}

type page struct {
	cursor   string // the cursor with which the page was read
	Posts    []apiv1.Post
	Count    int  // number of posts, also if they were dropped
	Loaded   bool // posts are in memory
	outdated bool // posts may be out of date
}

// PageRequest is a request for one page.
type PageRequest struct {
	index int
	Query screen.Query
	gen   int
}

// Reset drops all pages, for a new query or a complete reload.
func (f *Feed) Reset(q screen.Query) {
	*f = Feed{Query: q, gen: f.gen + 1}
}

// MarkOutdated makes the feed reload its pages when they are needed. The old posts
// stay on the screen until then.
func (f *Feed) MarkOutdated() {
	f.gen++
	f.loading, f.Err = false, nil
	for i := range f.Pages {
		f.Pages[i].outdated = true
	}
}

// missing reports whether the page must be read.
func (p page) missing() bool { return !p.Loaded || p.outdated }

// Size returns the number of known posts.
func (f *Feed) Size() (n int) {
	for i := range f.Pages {
		n += f.Pages[i].Count
	}
	return n
}

// locate returns the page of post i and its position in the page.
func (f *Feed) locate(i int) (p, j int, ok bool) {
	for p = range f.Pages {
		if i < f.Pages[p].Count {
			return p, i, i >= 0
		}
		i -= f.Pages[p].Count
	}
	return 0, 0, false
}

// At returns post i, unless it was dropped or does not exist.
func (f *Feed) At(i int) (apiv1.Post, bool) {
	p, j, ok := f.locate(i)
	if !ok || !f.Pages[p].Loaded {
		return apiv1.Post{}, false
	}
	return f.Pages[p].Posts[j], true
}

// Current returns the selected post.
func (f *Feed) Current() (apiv1.Post, bool) { return f.At(f.Selected) }

// Find returns the position of a post among the posts in memory.
func (f *Feed) Find(id string) (i int, ok bool) {
	for p := range f.Pages {
		for j := range f.Pages[p].Posts {
			if f.Pages[p].Posts[j].ID == id {
				return i + j, true
			}
		}
		i += f.Pages[p].Count
	}
	return 0, false
}

// InMemory returns the posts in memory, in their order.
func (f *Feed) InMemory() iter.Seq[*apiv1.Post] {
	return func(yield func(*apiv1.Post) bool) {
		for i := range f.Pages {
			for j := range f.Pages[i].Posts {
				if !yield(&f.Pages[i].Posts[j]) {
					return
				}
			}
		}
	}
}

// Has reports whether a post is in memory.
func (f *Feed) Has(id string) bool {
	_, ok := f.Find(id)
	return ok
}

// NextRequest returns the request for the most urgent missing page. ok is false if a
// request is in progress or nothing is missing.
func (f *Feed) NextRequest(height int) (PageRequest, bool) {
	if f.loading || f.Err != nil {
		return PageRequest{}, false
	}
	ask := func(index int, cursor string) (PageRequest, bool) {
		f.loading = true
		q := f.Query
		q.Cursor = cursor
		return PageRequest{index: index, Query: q, gen: f.gen}, true
	}
	if !f.Loaded {
		return ask(0, "")
	}
	for _, i := range []int{f.Selected, f.Top, f.Top + height} {
		if p, _, ok := f.locate(i); ok && f.Pages[p].missing() {
			return ask(p, f.Pages[p].cursor)
		}
	}
	if f.Next != "" && (f.alwaysKept(len(f.Pages)) || f.Selected+max(LookAhead, height) >= f.Size()) {
		return ask(len(f.Pages), f.Next)
	}
	if f.Size() == 0 && f.Pages[0].outdated {
		return ask(0, "")
	}
	return PageRequest{}, false
}

// alwaysKept reports whether a page is kept regardless of its distance from the
// selection.
func (f *Feed) alwaysKept(page int) bool {
	const week = 8 * 24 * time.Hour // also with a clock change
	switch period := f.Query.Before.Sub(f.Query.After); {
	case f.Query.Before.IsZero():
		return false
	case period > week:
		return page < monthPages
	}
	return page < weekPages
}

// Receive stores a requested page. If the next page no longer follows it, receive
// drops the later pages, and they are read again.
func (f *Feed) Receive(n PageRequest, list apiv1.PostList, err error) {
	if n.gen != f.gen {
		return
	}
	f.loading = false
	if f.Err = err; err != nil || n.index > len(f.Pages) {
		return
	}
	next := ""
	if list.NextCursor != nil {
		next = *list.NextCursor
	}
	got := page{cursor: n.Query.Cursor, Posts: list.Results, Count: len(list.Results), Loaded: true}
	chosen, _ := f.Current()
	switch {
	case n.index == len(f.Pages):
		f.Pages, f.Next = append(f.Pages, got), next
	case n.index == len(f.Pages)-1:
		f.Pages[n.index], f.Next = got, next
	default:
		f.Pages[n.index] = got
		if f.Pages[n.index+1].cursor != next {
			f.Pages, f.Next = f.Pages[:n.index+1], next
		}
	}
	f.Loaded = true
	for _, p := range f.Moved {
		switch {
		case f.Has(p.ID):
			f.show(p)
		case Matches(f.Query, p):
			f.insert(p)
		}
	}
	f.keepSelection(chosen.ID)
	if f.sought != nil {
		f.stepSeek()
	}
	if !f.From.IsZero() && f.sought == nil {
		f.SelectFrom(f.From)
	}
	f.dropFarPages()
}

// keepSelection keeps the selection on a post. If the post is missing, it may be on
// the next page that is loaded.
func (f *Feed) keepSelection(id string) {
	sought := f.Anchor != ""
	if sought {
		id, f.Anchor = f.Anchor, ""
	}
	if i, ok := f.Find(id); ok {
		f.Selected = i
	} else if !sought {
		f.Anchor = id
	}
	f.Selected = screen.Clamp(f.Selected, f.Size())
}

// dropFarPages drops the posts of pages that are far from the selection.
func (f *Feed) dropFarPages() {
	here, _, _ := f.locate(f.Selected)
	for p := range f.Pages {
		if max(p-here, here-p) > keptPages && !f.alwaysKept(p) {
			f.Pages[p].Posts, f.Pages[p].Loaded = nil, false
		}
	}
}

// Move moves the selection.
func (f *Feed) Move(by int) {
	f.Selected, f.Anchor, f.sought, f.From = screen.Clamp(f.Selected+by, f.Size()), "", nil, time.Time{}
	f.Edited = nil
	f.dropFarPages()
}

// SelectFrom selects the first post at or after t, as soon as it is loaded. Without one, it
// selects the last post.
func (f *Feed) SelectFrom(t time.Time) {
	f.Anchor, f.sought, f.From = "", nil, t
	first := 0
	for i := range f.Pages {
		for j := range f.Pages[i].Posts {
			if at := Planned(f.Pages[i].Posts[j]); at != nil && !at.Before(t) {
				f.Selected, f.From = first+j, time.Time{}
				return
			}
		}
		first += f.Pages[i].Count
	}
	if f.Selected = screen.Clamp(first-1, first); f.Loaded && f.Next == "" {
		f.From = time.Time{}
	}
}
