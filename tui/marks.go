package tui

import (
	"fmt"
	"maps"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// chosen returns the posts that an action changes, as they are now: the marked ones, or the
// selected one if none is.
func (m *Model) chosen() []apiv1.Post {
	if len(m.marks.Order) == 0 {
		if p, ok := m.CurrentPost(); ok && !postlist.IsSeries(p) {
			return []apiv1.Post{p}
		}
		return nil
	}
	list := make([]apiv1.Post, 0, len(m.marks.Order))
	newest := maps.Clone(m.marks.Posts)
	for f := range m.feeds() {
		for loaded := range f.InMemory() {
			if p, marked := newest[loaded.ID]; marked {
				newest[p.ID] = postlist.Newer(p, *loaded)
			}
		}
	}
	for _, id := range m.marks.Order {
		list = append(list, newest[id])
	}
	return list
}

// handleMarkKey handles a key that marks posts, and reports whether it was one.
func (m *Model) handleMarkKey(k tea.KeyMsg) bool {
	if m.Feed() == nil || m.detail().Open {
		return false
	}
	switch {
	case key.Matches(k, m.Keys.Mark):
		m.markSelected()
	case key.Matches(k, m.Keys.Range):
		m.startRange()
	case key.Matches(k, m.Keys.Back) && len(m.marks.Order) > 0:
		m.ShowNotice(screen.Plural(len(m.marks.Order), "post") + " no longer marked")
		m.marks.Clear()
	default:
		return false
	}
	return true
}

// markSelected marks the selected post, or ends its mark, and goes to the next one.
func (m *Model) markSelected() {
	h := m.holder()
	list := h.UnderSelection()
	m.marks.Span = postlist.MarkRange{}
	if len(list) == 0 {
		m.ShowNotice("there is no post to mark")
		return
	}
	if slices.ContainsFunc(list, func(p apiv1.Post) bool { return !m.marks.Has(p.ID) }) {
		m.noteMarks(m.marks.Set(list...))
	} else {
		for _, p := range list {
			m.marks.Drop(p.ID)
		}
	}
	h.MarkNext()
}

// noteMarks says that not all posts could be marked.
func (m *Model) noteMarks(all bool) {
	if !all {
		m.ShowError(fmt.Sprintf("at most %d posts can be marked", postlist.MaxMarks))
	}
}

// startRange starts a range at the selected post, or ends it.
func (m *Model) startRange() {
	r := &m.marks.Span
	if r.From != "" {
		*r = postlist.MarkRange{}
		m.ShowNotice(screen.Plural(len(m.marks.Order), "post") + " marked")
		return
	}
	p, ok := m.CurrentPost()
	if !ok || postlist.IsSeries(p) {
		m.ShowNotice("there is no post to start a range at")
		return
	}
	*r = postlist.MarkRange{From: p.ID, Before: slices.Clone(m.marks.Order), Known: maps.Clone(m.marks.Posts)}
	m.extendRange()
}

// extendRange marks the posts between the start of the range and the selection.
func (m *Model) extendRange() {
	r, h := m.marks.Span, m.holder()
	if r.From == "" {
		return
	}
	if h == nil {
		m.marks.Span = postlist.MarkRange{}
		return
	}
	f := h.Feed()
	first, ok := f.Find(r.From)
	if !ok {
		m.marks.Span = postlist.MarkRange{}
		m.ShowNotice("the range has ended: its first post is not in this view")
		return
	}
	last := f.Selected
	if first > last {
		first, last = last, first
	}
	fresh := postlist.Marks{Span: r}
	for _, id := range r.Before {
		fresh.Set(r.Known[id])
	}
	all := true
	for i := first; i <= last && all; i++ {
		if p, ok := f.At(i); ok && !postlist.IsSeries(p) {
			all = fresh.Set(p)
		}
	}
	all = fresh.Set(h.UnderSelection()...) && all
	m.marks = fresh
	m.noteMarks(all)
}

// markText describes the marks for the line above the keys.
func (m *Model) markText() string {
	text := screen.Plural(len(m.marks.Order), "post") + " marked"
	if m.marks.Span.From != "" {
		text += ", a range"
	}
	return text
}
