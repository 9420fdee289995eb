package page

import (
	"strconv"

	"github.com/schedctl/schedctl"
)

// Limits of a list of posts, so that a page stays small.
const (
	maxListed = 50
	maxTitle  = 80 // code points of the title of a post in a list
)

// entry is a post in a list.
type entry struct {
	Address  string // of its page
	Title    string
	Accounts string
	When     dated
	Status   string
	By       string // who asked for the approval, and when
}

// Review returns the page of a review: the posts, in their order. The names of accounts are
// by id.
func Review(f *Frame, posts []schedctl.Post, names map[string]string) ([]byte, error) {
	data := struct {
		top
		Posts []entry
		More  int
		Total string
	}{top: f.top("Posts to review", "style.css"), More: max(0, len(posts)-maxListed), Total: count(len(posts), "post")}
	for i := range posts[:min(len(posts), maxListed)] {
		data.Posts = append(data.Posts, f.entry(&posts[i], names))
	}
	return render("review.html", data)
}

// entry returns a post for a list. Its address is relative to the address of the share.
func (f *Frame) entry(p *schedctl.Post, names map[string]string) entry {
	e := entry{Address: f.Token + "/" + p.ID, Title: title(p, maxTitle), Accounts: accountsOf(p, names), Status: status(p), When: f.when(p)}
	if a := p.Approval; a != nil {
		e.By = "asked for by " + person(a.RequestedBy) + ", " + f.clock().distance(a.RequestedAt)
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

// maxNamed is how many accounts a list names.
const maxNamed = 5

func accountsOf(p *schedctl.Post, names map[string]string) (text string) {
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

func accountName(t *schedctl.Target, names map[string]string) string {
	if name := names[t.AccountID]; name != "" {
		return t.Platform + " " + name
	}
	return t.Platform + " (removed account)"
}

// status says in words where a post stands.
func status(p *schedctl.Post) string {
	s := p.Status()
	if a := p.Approval; a != nil && s == schedctl.Draft {
		switch a.State {
		case schedctl.ApprovalPending:
			return "waiting for approval"
		case schedctl.ApprovalChangesRequested:
			return "changes requested"
		}
	}
	return string(s)
}
