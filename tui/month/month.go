// Package month is the screen of a month: its days, and the posts of one.
package month

import (
	"slices"
	"sort"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
)

// maxWeeks is the number of weeks that a month shows: a month touches at most six.
const maxWeeks = 6

// Frame is what the month asks of the program around it.
type Frame interface {
	postlist.Frame
	// Feed returns the posts of the month while it is shown.
	Feed() *postlist.Feed
	// CurrentPost returns the selected post.
	CurrentPost() (p apiv1.Post, ok bool)
	// GoTo shows the month of a time and selects its day.
	GoTo(t time.Time)
}

// Screen is the month. Its posts are in a feed of the frame.
type Screen struct {
	frame Frame
	State
}

// State is what is selected in the month.
type State struct {
	First time.Time // the first day of the month
	Day   time.Time // the selected day
	InDay bool      // arrows move through the posts of the day
}

// New returns the month of a time, with its day selected.
func New(f Frame, t time.Time) *Screen {
	zone := f.Current().Zone
	return &Screen{frame: f, State: State{First: postlist.MonthOf(t, zone), Day: postlist.DayOf(t, zone)}}
}

// Period returns the days that are shown with the month of a day: whole weeks.
func Period(first time.Time) (after, before time.Time) {
	after = postlist.WeekOf(postlist.MonthOf(first, first.Location()), first.Location())
	return after, after.AddDate(0, 0, 7*maxWeeks)
}

// Select selects a day.
func (s *Screen) Select(day time.Time) { s.Day, s.InDay = day, false }

// Has reports whether the selected day is that of a post.
func (s *Screen) Has(p apiv1.Post) bool {
	return postlist.Planned(p) != nil && postlist.DayOf(postlist.Planned(p).Time, s.frame.Current().Zone).Equal(s.Day)
}

// Key handles a key that moves through the days and their posts, and reports whether it was
// one.
func (s *Screen) Key(k tea.KeyMsg) bool {
	switch keys := &s.frame.Current().Keys; {
	case key.Matches(k, keys.Left):
		s.StepDay(-1)
	case key.Matches(k, keys.Right):
		s.StepDay(1)
	case key.Matches(k, keys.Up):
		s.StepRow(-1)
	case key.Matches(k, keys.Down):
		s.StepRow(1)
	case key.Matches(k, keys.WeekSooner, keys.PageUp):
		s.stepMonth(-1)
	case key.Matches(k, keys.WeekLater, keys.PageDown):
		s.stepMonth(1)
	case key.Matches(k, keys.Top):
		s.frame.GoTo(s.First)
	case key.Matches(k, keys.End):
		s.frame.GoTo(s.First.AddDate(0, 1, -1))
	case key.Matches(k, keys.Open) && !s.InDay:
		_, s.InDay = s.frame.CurrentPost()
	case key.Matches(k, keys.Back) && s.InDay:
		s.frame.GoTo(s.Day)
	default:
		return false
	}
	return true
}

// Keys returns the most important keys for the last line.
func (s *Screen) Keys() []key.Binding {
	k := &s.frame.Current().Keys
	if s.InDay {
		return []key.Binding{k.Help, k.CloseDay, k.Open, k.Grab, k.Edit, k.Schedule, k.Quit}
	}
	return []key.Binding{k.Help, k.OpenDay, k.New, k.Grab, k.Months, k.GoToDate, k.Today, k.Schedule, k.Quit}
}

// StepDay selects the day that is a number of days later.
func (s *Screen) StepDay(by int) { s.frame.GoTo(s.Day.AddDate(0, 0, by)) }

// StepRow moves to the same weekday of another week, or to another post of the day.
func (s *Screen) StepRow(by int) {
	if !s.InDay {
		s.StepDay(7 * by)
		return
	}
	f := s.frame.Feed()
	if p, ok := f.At(f.Selected + by); ok && s.Has(p) {
		f.Move(by)
	}
}

// stepMonth shows another month, and the same day in it or its last one.
func (s *Screen) stepMonth(by int) {
	first, day := s.First.AddDate(0, by, 0), s.Day.Day()
	last := first.AddDate(0, 1, -1)
	s.frame.GoTo(first.AddDate(0, 0, min(day, last.Day())-1))
}

// dayList is the posts of a day.
type dayList struct {
	posts []dayPost
	more  bool // some posts are not loaded
}

// dayPost is a post and its position in the feed.
type dayPost struct {
	*apiv1.Post
	index int
}

// postsByDay returns the posts of each day from start on. The posts of the feed are in order
// of time, except those that are being moved.
func postsByDay(f *postlist.Feed, start time.Time) (days [7 * maxWeeks]dayList) {
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
			days[its].posts = append(days[its].posts, dayPost{p, index + j})
		}
		index += pg.Count
	}
	for gap = gap || f.Next != "" || !f.Loaded; gap && d < len(days); d++ {
		days[d].more = true
	}
	for d := range days {
		byTime := func(a, b dayPost) int { return postlist.Planned(*a.Post).Compare(postlist.Planned(*b.Post).Time) }
		if !slices.IsSortedFunc(days[d].posts, byTime) {
			slices.SortStableFunc(days[d].posts, byTime)
		}
	}
	return days
}
