package notify

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// The most characters of a text of a post in a message about one event and about several.
const (
	oneText  = 500
	someText = 150
)

// maxAccounts is how many accounts of a post a message names.
const maxAccounts = 5

// subject is the post or series of an event.
type subject struct {
	text     string // of all parts, or what there is instead
	accounts string // their names; empty for none
	planned  time.Time
	nextSlot bool // planned for the next free slot
}

// subjectID returns the id of the post or series that an event is about, or the empty string.
func subjectID(e *schedctl.Event) string {
	if e.PostID != "" {
		return e.PostID
	}
	return e.SeriesID
}

// readSubject reads the post or series of an event. It reports false if there is none.
func readSubject(r storage.Reader, e *schedctl.Event, accountName func(id string) (string, error)) (s subject, found bool, err error) {
	var p schedctl.Post
	switch {
	case e.PostID != "":
		p, err = r.Post(e.WorkspaceID, e.PostID)
		s.planned, s.nextSlot = p.PlannedAt(), p.Proposed.NextSlot && p.PublishAt.IsZero()
	case e.SeriesID != "":
		var one schedctl.Series
		one, err = r.Series(e.WorkspaceID, e.SeriesID)
		p, s.planned = one.Template, one.NextAt
	default:
		return s, false, nil
	}
	if schedctl.CodeOf(err) == schedctl.NotFound {
		return s, false, nil
	}
	if err != nil {
		return s, false, fmt.Errorf("read what event %s is about: %w", e.ID, err)
	}
	s.text = textOf(&p)
	var names []string
	for i := range p.Targets[:min(len(p.Targets), maxAccounts)] {
		name, err := accountName(p.Targets[i].AccountID)
		if err != nil {
			return s, false, err
		}
		names = append(names, fmt.Sprintf("%s (%s)", name, p.Targets[i].Platform))
	}
	if more := len(p.Targets) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	s.accounts = listed(names)
	return s, true, nil
}

// textOf returns the text of all parts of a post, or says that there is none.
func textOf(p *schedctl.Post) string {
	parts := []string{p.Text}
	for i := range p.Thread {
		parts = append(parts, p.Thread[i].Content)
	}
	if text := strings.TrimSpace(strings.Join(parts, "\n---\n")); text != "" {
		return text
	}
	return "(no text, " + counted(len(p.Media), [2]string{"file", "files"}) + ")"
}

// printable returns a text with its lines, and with nothing in them that is not printable.
func printable(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = oneLine(lines[i])
	}
	return strings.Join(lines, "\n")
}

// facts returns what a message about one event says about its post or series, each line
// ended by a newline. Only the messages of reviews have the accounts and the planned time.
func (n *names) facts(e *schedctl.Event) string {
	var b strings.Builder
	if link := n.links.line(e); link != "" {
		fmt.Fprintf(&b, "%s\n\n", link)
	}
	s, found := n.subjects[subjectID(e)]
	if !found {
		return b.String()
	}
	fmt.Fprintf(&b, "Text:\n%s\n\n", printable(clip(s.text, oneText)))
	if !schedctl.IsReviewEvent(e.Type) {
		return b.String()
	}
	if s.accounts != "" {
		fmt.Fprintf(&b, "Accounts: %s\n", s.accounts)
	}
	if planned := n.planned(&s); planned != "" {
		fmt.Fprintf(&b, "Planned for: %s\n", planned)
	}
	return b.String()
}

// shortFacts is facts in one line, for a message about several events.
func (n *names) shortFacts(e *schedctl.Event) string {
	link := ""
	if line := n.links.line(e); line != "" {
		link = "\n  " + line
	}
	s, found := n.subjects[subjectID(e)]
	if !found {
		return link
	}
	line := "Text: " + oneLine(clip(s.text, someText))
	if planned := n.planned(&s); planned != "" && schedctl.IsReviewEvent(e.Type) {
		line = "Planned for " + planned + ", for " + s.accounts + ". " + line
	}
	return link + "\n  " + line
}

// planned says when a post is planned, or nothing without a time.
func (n *names) planned(s *subject) string {
	switch {
	case s.nextSlot:
		return "the next free slot"
	case s.planned.IsZero():
		return ""
	}
	return n.clock(s.planned)
}

// clock returns a time in the zone of the workspace.
func (n *names) clock(t time.Time) string { return t.In(n.zone).Format("2006-01-02 15:04 MST") }
