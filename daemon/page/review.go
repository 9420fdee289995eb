package page

import (
	"html/template"
	"net/url"
	"strconv"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/usecase"
)

// Limits of a list of posts, so that a page stays small.
const (
	maxListed = 25
	maxTitle  = 80 // code points of the title of a post in a list
)

// Proposal is a post, or a series, that a review is about.
type Proposal struct {
	Post   *schedctl.Post   // of a series, its template
	Series *schedctl.Series // nil for a post
}

// AskedAt returns when the approval was asked for, or when the post was made.
func (p *Proposal) AskedAt() time.Time {
	if a := p.Post.Approval; a != nil {
		return a.RequestedAt
	}
	return p.Post.CreatedAt
}

// entry is a post or a series in a list. Its texts are HTML, because calls of functions are most
// of what a template costs.
type entry struct {
	Address string // of its page
	Title   template.HTML
	About   template.HTML // its accounts, and where it stands
	When    template.HTML
	By      template.HTML // who asked for the approval, and when
}

// ParsePage reads the number of a page of a list from a query. Anything but a number above 1
// is the first page.
func ParsePage(q url.Values) int {
	n, err := strconv.Atoi(q.Get("page"))
	if err != nil || n < 1 || n > maxPages {
		return 1
	}
	return n
}

const maxPages = 100_000

// Review returns a page of a review, counted from 1: the proposals, in their order.
func Review(f *Frame, list []Proposal, names Names, number int) ([]byte, error) {
	c := f.clock().words
	data := struct {
		top
		Posts []entry
		Total string // how many there are
		Part  string // which of them the page shows; empty for all
		Pages []link
	}{top: f.top("Posts to review", "style.css"), Total: total(list, c)}
	number = min(number, max(1, (len(list)+maxListed-1)/maxListed))
	from := (number - 1) * maxListed
	to := min(from+maxListed, len(list))
	for i := range list[from:to] {
		data.Posts = append(data.Posts, f.entry(&list[from+i], names))
	}
	if len(list) > maxListed {
		data.Part = c.number(from+1) + " to " + c.number(to)
	}
	if number > 1 {
		data.Pages = append(data.Pages, link{Name: "Newer", Address: "?page=" + strconv.Itoa(number-1)})
	}
	if to < len(list) {
		data.Pages = append(data.Pages, link{Name: "Older", Address: "?page=" + strconv.Itoa(number+1)})
	}
	return render("review.html", data)
}

// total says how many posts and series a list has.
func total(list []Proposal, c calendarWords) string {
	series := 0
	for i := range list {
		if list[i].Series != nil {
			series++
		}
	}
	switch {
	case series == 0:
		return c.count(len(list), "post")
	case series == len(list):
		return c.number(series) + " series"
	}
	return c.count(len(list)-series, "post") + " and " + c.number(series) + " series"
}

// entry returns a proposal for a list. Its address is relative to the address of the share.
func (f *Frame) entry(of *Proposal, names Names) entry {
	p, address, heading := of.Post, of.Post.ID, ""
	var at dated
	if one := of.Series; one != nil {
		address, heading, at.Before = one.ID, firstLine(one.Name, maxTitle), f.repeats(one)
		if _, next := usecase.SeriesPlan(one, f.Now, 1); len(next) > 0 {
			at = f.date(at.Before+", next ", next[0], "")
		}
	} else {
		heading, at = title(p, maxTitle), f.when(p)
	}
	e := entry{Address: f.Token + "/" + address, Title: marked(heading), About: marked(accountsOf(p, names) + " · " + status(p, of.Series)), When: at.HTML()}
	if a := p.Approval; a != nil {
		e.By = marked("asked for by " + a.RequestedBy.String() + ", " + f.clock().distance(a.RequestedAt))
	}
	return e
}

// when says when a post is published.
func (f *Frame) when(p *schedctl.Post) dated {
	switch {
	case p.Status() == schedctl.Draft && p.Proposed.NextSlot:
		return dated{Before: "in the next free slot of the queue"}
	case p.PlannedAt().IsZero():
		return dated{Before: "no time yet"}
	}
	return f.date("", p.PlannedAt(), ", "+f.clock().distance(p.PlannedAt()))
}

// title returns the title of a post, or the start of its text.
func title(p *schedctl.Post, limit int) string {
	for _, text := range []string{p.Title, p.Text} {
		if t := firstLine(text, limit); t != "" {
			return t
		}
	}
	return "(no text)"
}

// Names returns the name of an account by its id, or an empty text for one that was removed.
type Names func(accountID string) string

// maxNamed is how many accounts a list names.
const maxNamed = 5

func accountsOf(p *schedctl.Post, names Names) (text string) {
	for i := range p.Targets {
		if i == maxNamed {
			return text + " and " + strconv.Itoa(len(p.Targets)-i) + " more"
		}
		if i > 0 {
			text += ", "
		}
		text += accountName(&p.Targets[i], names)
	}
	return text
}

func accountName(t *schedctl.Target, names Names) string {
	if name := names(t.AccountID); name != "" {
		return t.Platform + " " + name
	}
	return t.Platform + " (removed account)"
}

// status says in words where a post stands, or the series whose template it is.
func status(p *schedctl.Post, of *schedctl.Series) string {
	s := p.Status()
	if a := p.Approval; a != nil && s == schedctl.Draft {
		switch a.State {
		case schedctl.ApprovalPending:
			return "waiting for approval"
		case schedctl.ApprovalChangesRequested:
			return "changes requested"
		}
	}
	switch {
	case of == nil:
		return string(s)
	case of.State == schedctl.SeriesActive && p.Approval != nil:
		return "approved"
	}
	return string(of.State)
}
