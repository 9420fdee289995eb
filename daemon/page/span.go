package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
)

// View is a form of the calendar.
type View string

// The views.
const (
	Month  View = "month"
	Week   View = "week"
	Agenda View = "agenda" // four weeks
	Day    View = "day"    // every post of a day, on as many pages as they need
)

// views are all views, with their names for people and how many posts of a day they show.
var views = []struct {
	View
	Name   string
	PerDay int
}{{Month, "Month", 3}, {Week, "Week", 12}, {Agenda, "Agenda", 4}, {Day, "Day", DayPosts}}

// DayPosts is how many posts a page of [Day] shows.
const DayPosts = 50

// perDay returns how many posts of a day the view shows.
func (v View) perDay() int {
	for _, known := range views {
		if known.View == v {
			return known.PerDay
		}
	}
	return 0
}

// Span is the part of a calendar that a page shows.
type Span struct {
	View    View
	Date    time.Time // in UTC, at 0:00; the page shows its month or week
	Account string    // the id or the name of the account to show; empty for all
	After   *Place    // of a [Day], the last post of the page before; nil on the first page
}

// Place is the place of a post in a calendar.
type Place struct {
	At     time.Time // when the post is published
	PostID string
}

func (p *Place) String() string { return strconv.FormatInt(p.At.UnixMilli(), 10) + "-" + p.PostID }

// parsePlace reads what [Place.String] has written; nil for anything else.
func parsePlace(text string) *Place {
	at, id, _ := strings.Cut(text, "-")
	ms, err := strconv.ParseInt(at, 10, 64)
	if _, ok := schedctl.ParseID(schedctl.PostPrefix, id); err != nil || !ok {
		return nil
	}
	return &Place{time.UnixMilli(ms).UTC(), id}
}

const dateForm = "2006-01-02"

// maxAccount is the longest name of an account in a query, in Unicode code points.
const maxAccount = 80

// ParseSpan reads a span from a query. What it does not understand has the default: the month
// of today in the zone, and all accounts.
func ParseSpan(q url.Values, now time.Time, zone string) Span {
	y, m, d := now.In(newClock(now, zone).zone).Date()
	s := Span{View: View(q.Get("view")), Date: time.Date(y, m, d, 0, 0, 0, 0, time.UTC), Account: q.Get("account")}
	if s.View.perDay() == 0 {
		s.View = Month
	}
	if date, err := time.Parse(dateForm, q.Get("date")); err == nil && date.Year() >= 1970 && date.Year() <= 9000 {
		s.Date = date
	}
	if !utf8.ValidString(s.Account) || utf8.RuneCountInString(s.Account) > maxAccount {
		s.Account = ""
	}
	if s.View == Day {
		s.After = parsePlace(q.Get("after"))
	}
	if from, to := s.Times(zone); s.After != nil && (s.After.At.Before(from) || !s.After.At.Before(to)) {
		s.After = nil
	}
	return s
}

// query returns the query of the span.
func (s Span) query() string {
	q := url.Values{"view": {string(s.View)}, "date": {s.Date.Format(dateForm)}}
	if s.Account != "" {
		q.Set("account", s.Account)
	}
	if s.After != nil {
		q.Set("after", s.After.String())
	}
	return "?" + q.Encode()
}

// days returns the first day of the span, and the number of its days. Weeks start on Monday.
func (s Span) days() (first time.Time, n int) {
	monday := func(t time.Time) time.Time { return t.AddDate(0, 0, -(int(t.Weekday())+6)%7) }
	switch s.View {
	case Week:
		return monday(s.Date), 7
	case Agenda:
		return s.Date, 28
	case Day:
		return s.Date, 1
	}
	first = monday(s.Date.AddDate(0, 0, 1-s.Date.Day()))
	last := s.Date.AddDate(0, 1, -s.Date.Day())
	return first, (int(last.Sub(first).Hours()/24)/7 + 1) * 7
}

// Times returns the first moment of the span in a zone, and the first one after it.
func (s Span) Times(zone string) (from, to time.Time) {
	loc := newClock(time.Time{}, zone).zone
	first, n := s.days()
	at := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, loc) }
	return at(first), at(first.AddDate(0, 0, n))
}

// move returns the span before or after s.
func (s Span) move(by int) Span {
	s.After = nil
	switch s.View {
	case Week:
		s.Date = s.Date.AddDate(0, 0, 7*by)
	case Agenda:
		s.Date = s.Date.AddDate(0, 0, 28*by)
	case Day:
		s.Date = s.Date.AddDate(0, 0, by)
	default:
		s.Date = s.Date.AddDate(0, by, 1-s.Date.Day())
	}
	return s
}

// title names the span, such as "December 2026".
func (s Span) title(c calendarWords) string {
	switch s.View {
	case Month:
		return c.month(s.Date)
	case Day:
		return c.date(s.Date)
	}
	first, n := s.days()
	return c.days(first, first.AddDate(0, 0, n-1))
}

// Accounts returns the ids of the accounts that the span selects by id or name, in ascending
// order. names are those of all accounts, by id; accounts of several networks can have one
// name.
func (s Span) Accounts(names map[string]string) (ids []string) {
	for id, name := range names {
		if id == s.Account || name == s.Account {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
