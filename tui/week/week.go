// Package week is the screen of a week: its posts and free slots, with the days next to each
// other if there is room.
package week

import (
	"fmt"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// Screen is the week. It is a [postlist.Calendar].
type Screen struct {
	postlist.List
	frame   postlist.Frame
	monday  time.Time // the start of the week
	slots   slots
	pressed pressed
}

// pressed is the post on which the button of the mouse was pressed.
type pressed struct {
	id    string // empty for none
	day   int    // its column
	again bool   // it was selected before
}

// New returns the week of today.
func New(f postlist.Frame) *Screen {
	monday := postlist.WeekOf(f.Current().Now, f.Current().Zone)
	q := screen.Query{Statuses: postlist.Dated, Proposed: true}
	q.After, q.Before = period(monday)
	w := &Screen{frame: f, monday: monday, List: postlist.NewList(f, postlist.Traits{
		Query: q, Sorts: []string{"publish_at"}, Rows: postlist.AgendaRow, ByDay: true,
		Empty:   "No posts this week. Press n to write one, [ or ] for other weeks.",
		FromNow: true, Wide: true, Plans: true,
	})}
	w.Slots = func() []postlist.Ghost { return w.slots.free }
	return w
}

// period returns the period of the week that starts on a Monday.
func period(monday time.Time) (after, before time.Time) { return monday, monday.AddDate(0, 0, 7) }

// Arrive implements [screen.Screen].
func (w *Screen) Arrive() {
	w.List.Arrive()
	w.pressed = pressed{}
}

// Handle implements [screen.Screen].
func (w *Screen) Handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case postlist.SlotsMsg:
		return w.takeSlots(msg)
	case postlist.SlotsChanged:
		w.slots.outdate(msg)
	case postlist.QueuesRead:
		if msg.Changed {
			w.slots = slots{}
		}
	}
	return nil
}

// Retry implements [screen.Screen].
func (w *Screen) Retry() {
	w.List.Retry()
	for i := range w.slots.windows {
		w.slots.windows[i].Err = nil
	}
}

// StepsDays implements [postlist.Calendar].
func (w *Screen) StepsDays() bool { return false }

// PeriodKey implements [postlist.Calendar].
func (w *Screen) PeriodKey(k tea.KeyMsg) bool {
	switch keys := &w.frame.Current().Keys; {
	case key.Matches(k, keys.Left):
		w.StepDay(-1)
	case key.Matches(k, keys.Right):
		w.StepDay(1)
	case key.Matches(k, keys.WeekLater):
		w.stepWeek(7)
	case key.Matches(k, keys.WeekSooner):
		w.stepWeek(-7)
	default:
		return false
	}
	return true
}

// stepWeek moves the week by a number of days.
func (w *Screen) stepWeek(days int) {
	w.Detail().Close()
	w.monday = w.monday.AddDate(0, 0, days)
	after, before := period(w.monday)
	w.ShowPeriod(after, before, time.Time{})
}

// GoTo implements [postlist.Calendar].
func (w *Screen) GoTo(t time.Time) {
	w.frame.EndNotice()
	w.Detail().Close()
	zone := w.frame.Current().Zone
	monday, from := postlist.WeekOf(t, zone), postlist.DayOf(t, zone)
	if monday.Equal(w.monday) {
		w.SelectPost()
		w.Posts.SelectFrom(from)
		return
	}
	w.monday = monday
	after, before := period(monday)
	w.ShowPeriod(after, before, from)
}

// Follow implements [postlist.Holder].
func (w *Screen) Follow(p apiv1.Post) {
	at := postlist.Planned(p)
	if at == nil {
		w.List.Follow(p)
		return
	}
	monday := postlist.WeekOf(at.Time, w.frame.Current().Zone)
	after, before := period(monday)
	if w.FollowTo(p, after, before, monday.Equal(w.monday)) {
		w.monday = monday
	}
}

// Summary implements [postlist.Holder].
func (w *Screen) Summary() []string {
	parts := []string{"week of " + w.monday.Format("2 January 2006")}
	if left := w.slots.left; left > 0 {
		parts = append(parts, fmt.Sprintf("without the slots of %s", screen.Plural(left, "queue")))
	}
	return parts
}

// Keys implements [screen.Screen].
func (w *Screen) Keys() []key.Binding {
	k := &w.frame.Current().Keys
	if _, free := w.SelectedGhost(); free {
		return []key.Binding{k.Help, k.WriteHere, k.Up, k.Down, k.Weeks, k.Quit}
	}
	return []key.Binding{k.Help, k.New, k.Edit, k.Schedule, k.Grab, k.Weeks, k.GoToDate, k.Today, k.Open, k.Quit}
}

// view returns what is rendered.
func (w *Screen) view() view {
	v := view{Scene: w.frame.PostScene(), feed: &w.Posts, monday: w.monday, ghosts: w.Ghosts()}
	if g, ok := w.SelectedGhost(); ok {
		v.chosen = &g
	}
	return v
}

// isGrid reports whether the days are shown next to each other.
func (w *Screen) isGrid(width int) bool {
	return width >= minWidth && !w.frame.Current().Theme.Plain
}

// Lines implements [screen.Screen].
func (w *Screen) Lines(width, height int) []string {
	v := w.view()
	switch {
	case w.IsEmpty() && !v.isShaded():
		return w.EmptyLines(width)
	case w.isGrid(width):
		return v.lines(width, height)
	case w.listsEntries(v):
		return w.rows(v, width, height).Lines
	}
	return w.List.Lines(width, height)
}

// listsEntries reports whether days below each other also show slots or blackouts.
func (w *Screen) listsEntries(v view) bool { return len(v.ghosts) > 0 || v.isShaded() }

// Scroll implements [postlist.Holder].
func (w *Screen) Scroll(width, height int) {
	switch {
	case w.isGrid(width): // it shows all days
	case w.listsEntries(w.view()):
		w.Posts.Top = w.Posts.Selected
	default:
		w.List.Scroll(width, height)
	}
}

// Click implements [postlist.Holder]. In days next to each other, a post that is clicked again
// is opened when the button is released.
func (w *Screen) Click(x, row, width, height int) (again bool) {
	v := w.view()
	switch {
	case w.isGrid(width):
		w.press(v, x, row, width, height)
		return false
	case w.listsEntries(v):
		return w.ClickEntry(w.rows(v, width, height), row)
	}
	return w.List.Click(x, row, width, height)
}

// press selects the post or free slot at a column and row.
func (w *Screen) press(v view, x, row, width, height int) {
	e, day, ok := v.at(x, row, width, height)
	switch {
	case !ok:
	case e.Index == postlist.NoPost:
		w.SelectGhost(e.Ghost)
	default:
		w.pressed = pressed{id: e.Post.ID, day: day, again: w.ClickPost(e.Index)}
	}
}

// Release implements [postlist.Dragger].
func (w *Screen) Release(x int) (days int, again bool) {
	on := w.pressed
	w.pressed = pressed{}
	width, _ := w.frame.Size()
	if p, ok := w.CurrentPost(); !ok || on.id != p.ID || !w.isGrid(width) {
		return 0, false
	}
	days = min(x/max(1, width/7), 6) - on.day
	return days, days == 0 && on.again
}
