package tui

import (
	"fmt"
	"maps"
	"slices"

	"github.com/charmbracelet/bubbles/key"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
)

// maxMarks is the maximum number of posts that are changed together.
const maxMarks = 500

// marks is the posts that the next action changes together. They stay marked in all views.
type marks struct {
	posts map[string]apiv1.Post // as they were when they were marked, by id
	order []string              // ids in the order in which they were marked

	span markRange
}

// markRange is the posts between the first one of a range and the selection.
type markRange struct {
	from   string   // the id of the first post; empty without a range
	before []string // the ids that were marked before the range
	known  map[string]apiv1.Post
}

// has reports whether a post is marked.
func (k *marks) has(id string) bool { _, ok := k.posts[id]; return ok }

// set marks posts besides the marked ones, as far as there is space. It reports whether all
// are marked.
func (k *marks) set(list ...apiv1.Post) bool {
	if k.posts == nil {
		k.posts = map[string]apiv1.Post{}
	}
	for _, p := range list {
		switch {
		case k.has(p.ID):
		case len(k.order) == maxMarks:
			return false
		default:
			k.order = append(k.order, p.ID)
		}
		k.posts[p.ID] = p
	}
	return true
}

// drop ends the mark of a post.
func (k *marks) drop(id string) {
	delete(k.posts, id)
	k.order = slices.DeleteFunc(k.order, func(other string) bool { return other == id })
}

// clear ends all marks.
func (k *marks) clear() { *k = marks{} }

// chosen returns the posts that an action changes, as they are now: the marked ones, or the
// selected one if none is.
func (m *Model) chosen() []apiv1.Post {
	if len(m.marks.order) == 0 {
		if p, ok := m.currentPost(); ok && !isSeries(p) {
			return []apiv1.Post{p}
		}
		return nil
	}
	list := make([]apiv1.Post, 0, len(m.marks.order))
	newest := maps.Clone(m.marks.posts)
	for t := range m.feeds {
		for _, pg := range m.feeds[t].pages {
			for i := range pg.posts {
				if p, marked := newest[pg.posts[i].ID]; marked {
					newest[p.ID] = newer(p, pg.posts[i])
				}
			}
		}
	}
	for _, id := range m.marks.order {
		list = append(list, newest[id])
	}
	return list
}

// handleMarkKey handles a key that marks posts, and reports whether it was one.
func (m *Model) handleMarkKey(k tea.KeyMsg) bool {
	if m.feed() == nil || m.detail.open {
		return false
	}
	switch {
	case key.Matches(k, m.Keys.Mark):
		m.markSelected()
	case key.Matches(k, m.Keys.Range):
		m.startRange()
	case key.Matches(k, m.Keys.Back) && len(m.marks.order) > 0:
		m.ShowNotice(screen.Plural(len(m.marks.order), "post") + " no longer marked")
		m.marks.clear()
	default:
		return false
	}
	return true
}

// underSelection returns the selected post, or all posts of the selected day of the month.
func (m *Model) underSelection() []apiv1.Post {
	f := m.feed()
	if m.tab == tabMonth && !m.month.inDay {
		var list []apiv1.Post
		for _, pg := range f.pages {
			for _, p := range pg.posts {
				if m.month.has(p, m.Zone) {
					list = append(list, p)
				}
			}
		}
		return list
	}
	if p, ok := m.currentPost(); ok && !isSeries(p) {
		return []apiv1.Post{p}
	}
	return nil
}

// markSelected marks the selected post, or ends its mark, and goes to the next one.
func (m *Model) markSelected() {
	list := m.underSelection()
	m.marks.span = markRange{}
	if len(list) == 0 {
		m.ShowNotice("there is no post to mark")
		return
	}
	if slices.ContainsFunc(list, func(p apiv1.Post) bool { return !m.marks.has(p.ID) }) {
		m.noteMarks(m.marks.set(list...))
	} else {
		for _, p := range list {
			m.marks.drop(p.ID)
		}
	}
	switch {
	case m.tab == tabMonth && !m.month.inDay:
		m.stepMonthDay(1)
	case m.tab == tabMonth:
		m.stepMonthRow(1)
	default:
		m.moveSelection(1)
	}
}

// noteMarks says that not all posts could be marked.
func (m *Model) noteMarks(all bool) {
	if !all {
		m.ShowError(fmt.Sprintf("at most %d posts can be marked", maxMarks))
	}
}

// startRange starts a range at the selected post, or ends it.
func (m *Model) startRange() {
	r := &m.marks.span
	if r.from != "" {
		*r = markRange{}
		m.ShowNotice(screen.Plural(len(m.marks.order), "post") + " marked")
		return
	}
	p, ok := m.currentPost()
	if !ok || isSeries(p) {
		m.ShowNotice("there is no post to start a range at")
		return
	}
	*r = markRange{from: p.ID, before: slices.Clone(m.marks.order), known: maps.Clone(m.marks.posts)}
	m.extendRange()
}

// extendRange marks the posts between the start of the range and the selection.
func (m *Model) extendRange() {
	r, f := m.marks.span, m.feed()
	if r.from == "" {
		return
	}
	if f == nil {
		m.marks.span = markRange{}
		return
	}
	first, ok := f.find(r.from)
	if !ok {
		m.marks.span = markRange{}
		m.ShowNotice("the range has ended: its first post is not in this view")
		return
	}
	last := f.selected
	if first > last {
		first, last = last, first
	}
	fresh := marks{span: r}
	for _, id := range r.before {
		fresh.set(r.known[id])
	}
	all := true
	for i := first; i <= last && all; i++ {
		if p, ok := f.at(i); ok && !isSeries(p) {
			all = fresh.set(p)
		}
	}
	if m.tab == tabMonth && !m.month.inDay {
		all = fresh.set(m.underSelection()...) && all
	}
	m.marks = fresh
	m.noteMarks(all)
}

// markText describes the marks for the line above the keys.
func (m *Model) markText() string {
	text := screen.Plural(len(m.marks.order), "post") + " marked"
	if m.marks.span.from != "" {
		text += ", a range"
	}
	return text
}
