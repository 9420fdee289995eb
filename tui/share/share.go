// Package share makes addresses at which people without a terminal see posts, and shows
// them, also as a QR code.
package share

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// Frame is what this package asks of the program around it.
type Frame interface {
	screen.Frame
	// CopyText returns a command that puts a text into the clipboard of the terminal and then
	// says that it is done; nil if there is no clipboard.
	CopyText(text, done string) tea.Cmd
	// IsOnThisMachine reports whether others cannot open an address.
	IsOnThisMachine(address string) bool
}

// The fields of the form, by their names in the API, except for the last one.
const (
	fieldName = iota
	fieldRight
	fieldEnd
	fieldPosts // only in the view of reviews, for a post
)

// The values of the field about posts.
const (
	thisPost = "this"
	allPosts = "all"
)

// Open opens the form for an address that shows a post. waiting is whether it may also show
// everything that waits for an approval; then p may be nil.
func Open(f Frame, p *apiv1.Post, waiting bool) tea.Cmd {
	t := f.Current().Theme
	if p != nil && postlist.IsSeries(*p) {
		p = nil
		if !waiting {
			f.ShowError("an address shows posts, and this is a series")
			return nil
		}
	}
	about := "it shows this post as it will be published"
	if p == nil {
		about = "it shows all posts that wait for an approval, also later ones"
	}
	name := screen.NewField(t, "name", "Person", "who gets the address; "+about, "")
	name.Required = true
	d := &screen.Form{Title: "An address for a person without a terminal", Fields: []screen.Field{
		fieldName:  name,
		fieldRight: screen.NewField(t, "can", "May", "←, → and space choose: "+strings.Join(rights(), ", "), string(schedctl.ShareView)),
		fieldEnd:   screen.NewField(t, "expires_at", "Ends", "after a time such as 2d, at most 90d, or at a time; empty is 7 days", ""),
	}}
	d.Fields[fieldRight].Choices = rights()
	d.Fields[fieldEnd].Check = func(text string) string { _, fault := end(f, text); return fault }
	if p != nil && waiting {
		d.Fields = append(d.Fields, screen.NewField(t, "", "Shows", "←, → and space choose: "+thisPost+", the selected post, or "+allPosts+", everything that waits for an approval, also later", thisPost))
		d.Fields[fieldPosts].Choices = []string{thisPost, allPosts}
	}
	d.Send = func() tea.Cmd { return send(f, d, p) }
	screen.OpenForm(f, d)
	return nil
}

// rights returns the values of the field about what the person may do.
func rights() (list []string) {
	for _, r := range schedctl.ShareRights() {
		list = append(list, string(r))
	}
	return list
}

// send sends the form.
func send(f Frame, d *screen.Form, p *apiv1.Post) tea.Cmd {
	can := d.Fields[fieldRight].Value()
	request := apiv1.CreateShare{Kind: string(schedctl.ShareReview), Name: d.Fields[fieldName].Value(), Can: &can}
	if p != nil {
		request.PostIDs = []string{p.ID}
	}
	if len(d.Fields) > fieldPosts && d.Fields[fieldPosts].Value() == allPosts {
		request.PostIDs = nil
	}
	if text := d.Fields[fieldEnd].Value(); text != "" {
		at, _ := end(f, text) // it was checked
		request.ExpiresAt = apiv1.NewTime(at)
	}
	c := f.Client()
	return f.Call(func(ctx context.Context) tea.Msg {
		made, err := c.CreateShare(ctx, request)
		return madeMsg{form: d, made: made, err: err}
	})
}

// end reads when an address ends. fault says what is wrong with the text, or nothing.
func end(f Frame, text string) (at time.Time, fault string) {
	s := f.Current()
	m, err := when.ParseEnd(text, s.Now, s.Zone)
	if err == nil {
		err = m.Check(s.Now)
	}
	switch {
	case err != nil:
		return at, err.Error()
	case m.Time.After(s.Now.AddDate(0, 0, schedctl.MaxShareDays)):
		return at, fmt.Sprintf("that is more than %d days ahead; use an earlier time", schedctl.MaxShareDays)
	}
	return m.Time, ""
}

// madeMsg is the new address, or why there is none.
type madeMsg struct {
	form *screen.Form
	made apiv1.ShareAddress
	err  error
}

// revokedMsg is the end of an address that was not shown.
type revokedMsg struct{ err error }

// Handle handles the messages of this package. It ignores others.
func Handle(f Frame, msg tea.Msg) tea.Cmd {
	if r, ok := msg.(revokedMsg); ok && r.err != nil {
		f.ShowError("the address that was not shown cannot be revoked: " + screen.Explain(r.err))
	}
	m, ok := msg.(madeMsg)
	switch {
	case !ok:
	case m.err != nil:
		m.form.Refuse(m.err)
		if !f.IsOpen(m.form) {
			f.ShowError(screen.Explain(m.err))
		}
	case f.IsOpen(m.form) || f.IsOpen(nil):
		f.Open(&shown{frame: f, made: m.made})
	default: // a person writes something else now, and no one has the address
		c, id := f.Client(), m.made.Share.ID
		f.ShowError("the address for " + screen.OneLine(m.made.Share.Name) + " was not shown, because you left the form; it is revoked")
		return f.Call(func(ctx context.Context) tea.Msg { return revokedMsg{c.RevokeShare(ctx, id)} })
	}
	return nil
}
