package page

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl"
)

// The lengths of the title and of the account of a post in a calendar, in code points.
const (
	maxDayTitle   = 32
	maxDayAccount = 24
)

// day is a day of a calendar.
type day struct {
	Name    string // such as "Tue 8 December", or "Tue 8" in its month
	Date    string
	Outside bool // of another month
	Posts   []dayEntry
	More    string // how many posts are not shown; empty for none
	All     string // the address of the page with all posts of the day
}

type dayEntry struct {
	Address, Title, About string
	Picture               string // the address of a thumbnail, or empty
}

// thumbnailBytes is how much of a page thumbnails may take.
const thumbnailBytes = 10 << 10

// link is a link to another view of a calendar.
type link struct {
	Name, Address string
	Current       bool
}

// Posts are the posts of a span, by their time, in ascending order.
type Posts struct {
	List []*schedctl.Post
	Next *Place // the last post of List, if the span has more posts; nil if it has none
}

// Calendar returns the page of a calendar. accounts are the names by id of those that the span
// can select; empty if it selects none.
func Calendar(f *Frame, span Span, posts Posts, names Names, accounts map[string]string) ([]byte, error) {
	c, pictures := f.clock(), &budget{left: thumbnailBytes}
	data := struct {
		top
		Lang   string // of dates; empty for English
		Layout View
		Days   []day
		Views  []link
		Moves  []link
		Pages  []link // to the other pages of a day
		Only   string
		Known  bool // there is an account Only
		All    string
		Cut    bool // there are more posts than the page can count
		None   string
	}{
		top: f.top(span.title(c.words), "style.css"), Lang: c.words.locale, Layout: span.View, Moves: []link{{"Earlier", span.move(-1).query(), false}, {"Later", span.move(1).query(), false}},
		Only: span.Account, Known: len(span.Accounts(accounts)) > 0, Cut: posts.Next != nil && span.View != Day, None: "No posts in these four weeks.",
	}
	if name := accounts[span.Account]; name != "" {
		data.Only = name
	}
	data.Wide = span.View == Month || span.View == Week
	if span.View == Day {
		data.Layout, data.Pages, data.None = Agenda, span.pages(posts.Next), "No posts on this day."
	}
	whole := span
	whole.After = nil
	for _, v := range views {
		to := whole
		to.View = v.View
		data.Views = append(data.Views, link{v.Name, to.query(), v.View == span.View})
	}
	whole.Account = ""
	data.All = whole.query()
	data.Days = f.days(span, posts.List, names, pictures)
	return render("calendar.html", data)
}

// pages returns the links to the other pages of a day.
func (s Span) pages(next *Place) (links []link) {
	if s.After != nil {
		first := s
		first.After = nil
		links = append(links, link{Name: "Start of the day", Address: first.query()})
	}
	if s.After = next; next != nil {
		links = append(links, link{Name: "More posts of this day", Address: s.query()})
	}
	return links
}

// days returns the days of a span with their posts. Views of lists leave out empty days.
func (f *Frame) days(span Span, posts []*schedctl.Post, names Names, pictures *budget) (days []day) {
	byDay := map[string][]*schedctl.Post{}
	for _, p := range posts {
		date := p.PlannedAt().In(f.clock().zone).Format(dateForm)
		byDay[date] = append(byDay[date], p)
	}
	first, n := span.days()
	for i := range n {
		date := first.AddDate(0, 0, i)
		on := byDay[date.Format(dateForm)]
		if len(on) == 0 && (span.View == Agenda || span.View == Day) {
			continue
		}
		d := f.day(date, span, on, names)
		for j := range d.Posts {
			if f.Thumbnail == nil {
				break
			}
			if at := f.Thumbnail(on[j]); at != "" && pictures.take(len(at)+len(`<img src="" alt="" loading="lazy">`)) {
				d.Posts[j].Picture = at
			}
		}
		days = append(days, d)
	}
	return days
}

// day returns a day with its posts. A day shows no more than the view has room for.
func (f *Frame) day(date time.Time, span Span, posts []*schedctl.Post, names Names) day {
	c, limit := f.clock(), maxDayTitle
	d := day{Date: date.Format(dateForm), Outside: span.View == Month && date.Month() != span.Date.Month()}
	d.Name = c.words.day(date, span.View != Month || d.Outside)
	if span.View == Day {
		limit = maxTitle
	}
	if more := len(posts) - span.View.perDay(); more > 0 {
		posts = posts[:len(posts)-more]
		d.More, d.All = c.words.number(more), Span{View: Day, Date: date, Account: span.Account}.query()
	}
	for _, p := range posts {
		about := c.words.clock(p.PlannedAt().In(c.zone)) + " · " + status(p, nil)
		if len(p.Targets) > 0 {
			about += " · " + firstLine(accountName(&p.Targets[0], names), maxDayAccount)
		}
		if n := len(p.Targets); n > 1 {
			about += fmt.Sprintf(" and %d more", n-1)
		}
		d.Posts = append(d.Posts, dayEntry{Address: f.Token + "/" + p.ID, Title: title(p, limit), About: about})
	}
	return d
}
