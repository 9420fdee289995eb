package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// footLines renders a dialog below the list, or the notice and the keys.
func footLines(m *Model, width int) []string {
	lines := []string{m.Theme.RuleLine(width)}
	if m.dialog != nil && !m.dialog.FullScreen() {
		return append(lines, m.dialog.Lines(m, width, m.height)...)
	}
	lines = append(lines, m.noticeLines(width)...)
	if m.dialog == nil {
		return append(lines, screen.ShortHelp(m.Theme, m.shortKeys(), width))
	}
	return lines
}

// noticeLines renders an error in full, other notices in one line. Without a notice
// it summarizes the list.
func (m *Model) noticeLines(width int) []string {
	const most = 3
	if m.notice.text == "" || !m.notice.bad {
		return []string{m.statusLine(width)}
	}
	lines := screen.Wrap(m.notice.text, width)
	if len(lines) > most {
		lines = append(lines[:most-1], screen.Clip(strings.Join(lines[most-1:], " "), width))
	}
	for i, l := range lines {
		lines[i] = m.Theme.Bad.Render(l)
	}
	if m.undos.Offered(m.Now) != nil && m.dialog == nil {
		lines = append(lines, m.Theme.Warn.Render(screen.Clip(m.undoOffer(), width)))
	}
	return lines
}

// statusLine renders the undo offer, a notice or the summary of the list.
func (m *Model) statusLine(width int) string {
	t := m.Theme
	switch {
	case m.undos.Offered(m.Now) != nil && m.dialog == nil:
		return m.undoLine(width)
	case len(m.marks.Order) > 0 && m.dialog == nil && m.Feed() != nil:
		return t.Warn.Render(screen.Clip(m.markText()+"   "+cmp.Or(m.notice.text, m.listSummary(m.Feed())), width))
	case m.notice.text != "":
		return t.Good.Render(screen.Clip(m.notice.text, width))
	case m.dialog != nil:
		return ""
	}
	f := m.Feed()
	if f == nil {
		return ""
	}
	return t.Faint.Render(screen.Clip(m.listSummary(f), width))
}

// undoLine shows what was done and offers to undo it. The end of the offer is the
// text of the post, so it may be cut.
func (m *Model) undoLine(width int) string {
	offer := m.undoOffer()
	if m.notice.text == "" {
		return m.Theme.Warn.Render(screen.Clip(offer, width))
	}
	offer = screen.Clip(offer, max(width/3, width-ansi.StringWidth(m.notice.text)-3))
	done := screen.Clip(m.notice.text, width-ansi.StringWidth(offer)-3)
	return m.Theme.Good.Render(done) + screen.Clip("   "+m.Theme.Warn.Render(offer), width-ansi.StringWidth(done))
}

// undoOffer describes what the undo key does.
func (m *Model) undoOffer() string {
	label := m.undos.Last().Label
	if m.Theme.Plain {
		return "press u to " + label
	}
	return "u " + label
}

// listSummary describes the position, filters and order of the list.
func (m *Model) listSummary(f *postlist.Feed) string {
	var parts []string
	if g, ok := m.selectedGhost(); ok {
		parts = append(parts, "free slot of "+screen.OneLine(g.Queue))
	} else if n := f.Size(); n > 0 {
		more := ""
		if f.Next != "" {
			more = "+"
		}
		parts = append(parts, fmt.Sprintf("%d of %d%s", f.Selected+1, n, more))
	}
	q := f.Query
	if q.Search != "" {
		parts = append(parts, fmt.Sprintf("with %q", screen.OneLine(q.Search)))
	}
	if q.AccountID != "" {
		parts = append(parts, "to "+m.PostScene().Name(q.AccountID))
	}
	if q.Label != "" {
		parts = append(parts, "labeled "+screen.OneLine(q.Label))
	}
	if len(q.Statuses) < len(m.traits().Query.Statuses) {
		names := make([]string, len(q.Statuses))
		for i, s := range q.Statuses {
			names[i] = string(s)
		}
		parts = append(parts, "only "+strings.Join(names, ", "))
	}
	parts = append(parts, m.holder().Summary()...)
	return strings.Join(parts, ", ") + ", times in " + m.Now.In(m.Zone).Format("MST")
}

// shortKeys returns the most important keys in the current view.
func (m *Model) shortKeys() []key.Binding {
	k := &m.Keys
	if m.detail().Open {
		keys := []key.Binding{k.Help, k.Back, k.Down, k.Edit, k.Schedule, k.Retry, k.Browse, k.Copy, k.Quit}
		p, ok := m.CurrentPost()
		if ok && p.SeriesID != nil && p.Status == schedctl.Scheduled {
			keys = slices.Insert(keys, 3, k.Skip)
		}
		if ok && postlist.IsPending(p) {
			keys = slices.Insert(keys, 2, k.Note)
		}
		if ok && postlist.IsPending(p) && m.review.MayApprove() {
			keys = slices.Insert(keys, 2, k.ApprovePost, k.Changes)
		}
		if ok && m.show != nil && len(postlist.Pictures(p)) > 0 {
			keys = slices.Insert(keys, 3, k.Pictures)
		}
		return keys
	}
	if len(m.marks.Order) > 0 && m.Feed() != nil {
		return []key.Binding{k.Help, k.Grab, k.Label, k.Accounts, k.Enqueue, k.CancelPost, k.Archive, k.Unmark, k.Quit}
	}
	return m.room().Keys()
}
