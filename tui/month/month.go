// Package month is the screen of a month: its days, and the posts of one.
package month

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// maxWeeks is the number of weeks that a month shows: a month touches at most six.
const maxWeeks = 6

// Screen is the month. It is a [postlist.Calendar].
type Screen struct {
	postlist.List
	frame postlist.Frame
	first time.Time // the first day of the month
	day   time.Time // the selected day
	inDay bool      // arrows move through the posts of the day
}

// New returns the month of today, with today selected.
func New(f postlist.Frame) *Screen {
	now, zone := f.Current().Now, f.Current().Zone
	first := postlist.MonthOf(now, zone)
	q := screen.Query{Statuses: postlist.Dated, Proposed: true}
	q.After, q.Before = period(first)
	return &Screen{frame: f, first: first, day: postlist.DayOf(now, zone), List: postlist.NewList(f, postlist.Traits{
		Query: q, Sorts: []string{"publish_at"}, Wide: true, Plans: true,
	})}
}

// Arrive implements [screen.Screen].
func (s *Screen) Arrive() {
	s.List.Arrive()
	s.inDay = false
}

// period returns the days that are shown with the month of a day: whole weeks.
func period(first time.Time) (after, before time.Time) {
	after = postlist.WeekOf(postlist.MonthOf(first, first.Location()), first.Location())
	return after, after.AddDate(0, 0, 7*maxWeeks)
}

// CurrentPost implements [postlist.Holder]. It is a post of the selected day.
func (s *Screen) CurrentPost() (apiv1.Post, bool) {
	if p, ok := s.Posts.Current(); ok && s.has(p) {
		return p, true
	}
	return apiv1.Post{}, false
}

// UnderSelection returns all posts of the selected day, unless arrows move through them.
func (s *Screen) UnderSelection() (list []apiv1.Post) {
	if s.inDay {
		if p, ok := s.CurrentPost(); ok {
			list = append(list, p)
		}
		return list
	}
	for p := range s.Posts.InMemory() {
		if s.has(*p) {
			list = append(list, *p)
		}
	}
	return list
}

// MarkNext implements [postlist.Holder].
func (s *Screen) MarkNext() {
	if s.inDay {
		s.stepRow(1)
		return
	}
	s.stepDay(1)
}

// Move moves by one week, or by one post of the day.
func (s *Screen) Move(by int) { s.stepRow(cmp.Compare(by, 0)) }

// Start returns a time on the selected day if that is to come.
func (s *Screen) Start() postlist.Start {
	if !s.day.After(s.frame.Current().Now) {
		return postlist.Start{}
	}
	return postlist.Start{Time: s.day.Format("2006-01-02") + " 09:00"}
}

// Summary implements [postlist.Holder].
func (s *Screen) Summary() []string { return []string{s.first.Format("January 2006")} }

// StepsDays implements [postlist.Calendar].
func (s *Screen) StepsDays() bool { return true }

// GoTo implements [postlist.Calendar]. It also selects the day of the time. Days of other
// months, which are shown as well, do not count as shown.
func (s *Screen) GoTo(t time.Time) {
	s.frame.EndNotice()
	s.Detail().Close()
	zone := s.frame.Current().Zone
	s.day, s.inDay = postlist.DayOf(t, zone), false
	first := postlist.MonthOf(t, zone)
	if first.Equal(s.first) {
		s.SelectPost()
		s.Posts.SelectFrom(s.day)
		return
	}
	s.first = first
	after, before := period(first)
	s.ShowPeriod(after, before, s.day)
}

// Follow implements [postlist.Holder].
func (s *Screen) Follow(p apiv1.Post) {
	at := postlist.Planned(p)
	if at == nil {
		s.List.Follow(p)
		return
	}
	zone := s.frame.Current().Zone
	first := postlist.MonthOf(at.Time, zone)
	after, before := period(first)
	if s.FollowTo(p, after, before, first.Equal(s.first)) {
		s.first, s.day = first, postlist.DayOf(at.Time, zone)
	}
}

// has reports whether the selected day is that of a post.
func (s *Screen) has(p apiv1.Post) bool {
	return postlist.Planned(p) != nil && postlist.DayOf(postlist.Planned(p).Time, s.frame.Current().Zone).Equal(s.day)
}

// PeriodKey implements [postlist.Calendar].
func (s *Screen) PeriodKey(k tea.KeyMsg) bool {
	switch keys := &s.frame.Current().Keys; {
	case key.Matches(k, keys.Left):
		s.stepDay(-1)
	case key.Matches(k, keys.Right):
		s.stepDay(1)
	case key.Matches(k, keys.Up):
		s.stepRow(-1)
	case key.Matches(k, keys.Down):
		s.stepRow(1)
	case key.Matches(k, keys.WeekSooner, keys.PageUp):
		s.stepMonth(-1)
	case key.Matches(k, keys.WeekLater, keys.PageDown):
		s.stepMonth(1)
	case key.Matches(k, keys.Top):
		s.GoTo(s.first)
	case key.Matches(k, keys.End):
		s.GoTo(s.first.AddDate(0, 1, -1))
	case key.Matches(k, keys.Open) && !s.inDay:
		_, s.inDay = s.CurrentPost()
	case key.Matches(k, keys.Back) && s.inDay:
		s.GoTo(s.day)
	default:
		return false
	}
	return true
}

// Keys returns the most important keys for the last line.
func (s *Screen) Keys() []key.Binding {
	k := &s.frame.Current().Keys
	if s.inDay {
		return []key.Binding{k.Help, k.CloseDay, k.Open, k.Grab, k.Edit, k.Schedule, k.Quit}
	}
	return []key.Binding{k.Help, k.OpenDay, k.New, k.Grab, k.Months, k.GoToDate, k.Today, k.Schedule, k.Quit}
}

// stepDay selects the day that is a number of days later.
func (s *Screen) stepDay(by int) { s.GoTo(s.day.AddDate(0, 0, by)) }

// stepRow moves to the same weekday of another week, or to another post of the day.
func (s *Screen) stepRow(by int) {
	if !s.inDay {
		s.stepDay(7 * by)
		return
	}
	f := &s.Posts
	if p, ok := f.At(f.Selected + by); ok && s.has(p) {
		f.Move(by)
	}
}

// stepMonth shows another month, and the same day in it or its last one.
func (s *Screen) stepMonth(by int) {
	first, day := s.first.AddDate(0, by, 0), s.day.Day()
	last := first.AddDate(0, 1, -1)
	s.GoTo(first.AddDate(0, 0, min(day, last.Day())-1))
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
