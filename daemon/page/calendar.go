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
	More    int
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

// Calendar returns the page of a calendar: the posts of the span by their time, in ascending
// order. cut means that the span has more posts than these.
func Calendar(f *Frame, span Span, posts []schedctl.Post, names map[string]string, cut bool) ([]byte, error) {
	c, pictures := f.clock(), &budget{left: thumbnailBytes}
	data := struct {
		top
		Lang  string // of dates; empty for English
		View  View
		Days  []day
		Views []link
		Moves []link
		Only  string
		Known bool // there is an account Only
		All   string
		Cut   bool
	}{top: f.top(span.title(c.words), "style.css"), Lang: c.words.locale, View: span.View, Cut: cut, Only: span.Account, Known: len(span.Accounts(names)) > 0}
	if name := names[span.Account]; name != "" {
		data.Only = name
	}
	data.Wide = span.View != Agenda
	for _, v := range views {
		to := span
		to.View = v.View
		data.Views = append(data.Views, link{v.Name, to.query(), v.View == span.View})
	}
	data.Moves = []link{{"Earlier", span.move(-1).query(), false}, {"Later", span.move(1).query(), false}}
	all := span
	all.Account = ""
	data.All = all.query()
	first, n := span.days()
	byDay := map[string][]*schedctl.Post{}
	for i := range posts {
		date := posts[i].PlannedAt().In(c.zone).Format(dateForm)
		byDay[date] = append(byDay[date], &posts[i])
	}
	for i := range n {
		date := first.AddDate(0, 0, i)
		on := byDay[date.Format(dateForm)]
		if span.View == Agenda && len(on) == 0 {
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
		data.Days = append(data.Days, d)
	}
	return render("calendar.html", data)
}

// day returns a day with its posts. A day shows no more than the view has room for.
func (f *Frame) day(date time.Time, span Span, posts []*schedctl.Post, names map[string]string) day {
	d := day{
		Date: date.Format(dateForm), Outside: span.View == Month && date.Month() != span.Date.Month(),
		More: max(0, len(posts)-span.View.perDay()),
	}
	c := f.clock()
	d.Name = c.words.day(date, span.View != Month || d.Outside)
	for _, p := range posts[:len(posts)-d.More] {
		about := c.words.clock(p.PlannedAt().In(c.zone)) + " · " + status(p)
		if len(p.Targets) > 0 {
			about += " · " + firstLine(accountName(&p.Targets[0], names), maxDayAccount)
		}
		if n := len(p.Targets); n > 1 {
			about += fmt.Sprintf(" and %d more", n-1)
		}
		d.Posts = append(d.Posts, dayEntry{Address: f.Token + "/" + p.ID, Title: title(p, maxDayTitle), About: about})
	}
	return d
}
