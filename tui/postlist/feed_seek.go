package postlist

import (
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/screen"
)

// maxSeek is how many pages are read to find a post that moved to another page.
const maxSeek = 20

// Seek selects a post that the query matches. If the post is on a page that is not in
// memory, the selection moves to that page, which is then loaded.
func (f *Feed) Seek(p apiv1.Post) {
	if i, ok := f.Find(p.ID); ok {
		f.Selected, f.Anchor = i, ""
		return
	}
	if !Matches(f.Query, p) {
		return
	}
	if len(f.Pages) == 0 {
		f.Anchor, f.sought, f.seeks = p.ID, &p, 0 // the first page is being loaded
		return
	}
	f.sought, f.seeks = &p, 0
	f.stepSeek()
}

// stepSeek moves the selection to the next page that may have the sought post, and gives
// up if no page has it.
func (f *Feed) stepSeek() {
	p := *f.sought
	f.seeks++
	if _, found := f.Find(p.ID); found || f.seeks > maxSeek {
		f.sought = nil
		return
	}
	f.Anchor = p.ID
	start := 0
	for i, pg := range f.Pages {
		switch {
		case !pg.Loaded || pg.Count == 0:
		case f.Order(p, pg.Posts[0]) < 0 && i > 0 && !f.Pages[i-1].Loaded:
			f.Selected = start - 1 // on the last page that may have it
			return
		case f.Order(p, pg.Posts[pg.Count-1]) <= 0:
			f.sought, f.Anchor = nil, "" // its page is loaded and does not have it
			return
		}
		start += pg.Count
	}
	if f.Selected = screen.Clamp(start-1, f.Size()); f.Next == "" && f.Pages[len(f.Pages)-1].Loaded {
		f.sought, f.Anchor = nil, ""
	}
}
