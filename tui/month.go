package tui

import (
	"slices"
	"sort"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/compose"
	"github.com/schedctl/schedctl/tui/postlist"
)

// monthWeeks is the number of weeks that a month shows: a month touches at most six.
const monthWeeks = 6

// monthScreen is the state of the month. Its posts are in the feed of its tab.
type monthScreen struct {
	first time.Time // the first day of the month
	day   time.Time // the selected day
	inDay bool      // arrows move through the posts of the day
}

// monthOf returns the first day of the month of t.
func monthOf(t time.Time, zone *time.Location) time.Time {
	y, m, _ := t.In(zone).Date()
	return time.Date(y, m, 1, 0, 0, 0, 0, zone)
}

// monthPeriod returns the days that are shown with the month of a day: whole weeks.
func monthPeriod(first time.Time) (after, before time.Time) {
	after = weekOf(monthOf(first, first.Location()), first.Location())
	return after, after.AddDate(0, 0, 7*monthWeeks)
}

// selectDay selects a day.
func (s *monthScreen) selectDay(day time.Time) { s.day, s.inDay = day, false }

// has reports whether the selected day is that of a post.
func (s *monthScreen) has(p apiv1.Post, zone *time.Location) bool {
	return postlist.Planned(p) != nil && postlist.DayOf(postlist.Planned(p).Time, zone).Equal(s.day)
}

// handleMonthKey handles a key that moves through the days and their posts.
func (m *Model) handleMonthKey(k tea.KeyMsg) bool {
	s := &m.month
	switch {
	case key.Matches(k, m.Keys.Left):
		m.stepMonthDay(-1)
	case key.Matches(k, m.Keys.Right):
		m.stepMonthDay(1)
	case key.Matches(k, m.Keys.Up):
		m.stepMonthRow(-1)
	case key.Matches(k, m.Keys.Down):
		m.stepMonthRow(1)
	case key.Matches(k, m.Keys.WeekSooner, m.Keys.PageUp):
		m.stepMonth(-1)
	case key.Matches(k, m.Keys.WeekLater, m.Keys.PageDown):
		m.stepMonth(1)
	case key.Matches(k, m.Keys.Top):
		m.goTo(s.first)
	case key.Matches(k, m.Keys.End):
		m.goTo(s.first.AddDate(0, 1, -1))
	case key.Matches(k, m.Keys.Open) && !s.inDay:
		_, s.inDay = m.currentPost()
	case key.Matches(k, m.Keys.Back) && s.inDay:
		m.goTo(s.day)
	default:
		return false
	}
	return true
}

// stepMonthDay selects the day that is a number of days later.
func (m *Model) stepMonthDay(by int) { m.goTo(m.month.day.AddDate(0, 0, by)) }

// stepMonthRow moves to the same weekday of another week, or to another post of the day.
func (m *Model) stepMonthRow(by int) {
	if !m.month.inDay {
		m.stepMonthDay(7 * by)
		return
	}
	f := m.feed()
	if p, ok := f.At(f.Selected + by); ok && m.month.has(p, m.Zone) {
		f.Move(by)
	}
}

// stepMonth shows another month, and the same day in it or its last one.
func (m *Model) stepMonth(by int) {
	first, day := m.month.first.AddDate(0, by, 0), m.month.day.Day()
	last := first.AddDate(0, 1, -1)
	m.goTo(first.AddDate(0, 0, min(day, last.Day())-1))
}

// monthDay is the posts of a day.
type monthDay struct {
	posts []monthPost
	more  bool // some posts are not loaded
}

// monthPost is a post and its position in the feed.
type monthPost struct {
	*apiv1.Post
	index int
}

// monthDays returns the posts of each day from start on. The posts of the feed are in order
// of time, except those that are being moved.
func monthDays(f *postlist.Feed, start time.Time) (days [7 * monthWeeks]monthDay) {
	var starts [len(days) + 1]time.Time
	for d := range starts {
		starts[d] = start.AddDate(0, 0, d)
	}
	d, index, gap := 0, 0, false
	for i := range f.Pages {
		pg := &f.Pages[i]
		gap = gap || !pg.Loaded
		for j := range pg.Posts {
			p := &pg.Posts[j]
			at := postlist.Planned(*p)
			if at == nil || at.Before(start) || !at.Before(starts[len(days)]) {
				continue
			}
			its := d
			if at.Before(starts[d]) || !at.Before(starts[d+1]) {
				its = sort.Search(len(days), func(i int) bool { return starts[i+1].After(at.Time) })
			}
			for ; gap && d < its; d++ {
				days[d].more = true
			}
			days[its].more = days[its].more || gap
			d, gap = its, false
			days[its].posts = append(days[its].posts, monthPost{p, index + j})
		}
		index += pg.Count
	}
	for gap = gap || f.Next != "" || !f.Loaded; gap && d < len(days); d++ {
		days[d].more = true
	}
	for d := range days {
		byTime := func(a, b monthPost) int { return postlist.Planned(*a.Post).Compare(postlist.Planned(*b.Post).Time) }
		if !slices.IsSortedFunc(days[d].posts, byTime) {
			slices.SortStableFunc(days[d].posts, byTime)
		}
	}
	return days
}

// monthDraft returns a draft for the selected day of the month if that is to come.
func (m *Model) monthDraft() compose.Draft {
	d := compose.NewPost()
	if day := m.month.day; day.After(m.Now) {
		d.Time = day.Format("2006-01-02") + " 09:00"
	}
	return d
}
