package notify

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
)

// Message is a text for people. The subject is one line.
type Message struct{ Subject, Text string }

// The most characters of a reason in a message about one event and about several.
const (
	oneReason  = 400
	someReason = 120
)

// names are what people call the objects of a workspace.
type names struct {
	workspace string
	zone      *time.Location     // of the workspace
	accounts  map[string]string  // by id
	subjects  map[string]subject // by the id of the post or series
	hidden    bool               // texts and notes are left out
	links     reviewLinks
}

// account returns what people call the account of an event.
func (n *names) account(e *schedctl.Event) string {
	if name := n.accounts[e.AccountID]; name != "" {
		return fmt.Sprintf("%s (%s)", name, e.Platform)
	}
	return "an account of " + e.Platform
}

// compose returns the message about a digest that is not empty.
func compose(d *Digest, n *names) Message {
	if d.Len() == 1 {
		return composeOne(&d.First[0], n)
	}
	subject := d.summary()
	var b strings.Builder
	fmt.Fprintf(&b, "%s since %s:\n", subject, n.clock(d.First[0].CreatedAt))
	for i := range d.First {
		e := &d.First[i]
		fmt.Fprintf(&b, "\n- %s.%s%s\n  %s\n", title(e, n), n.reason(e, someReason), n.shortFacts(e), command(e))
	}
	if more := d.Len() - len(d.First); more > 0 {
		fmt.Fprintf(&b, "\n%d more are not shown.%s\n", more, d.lists())
	}
	fmt.Fprintf(&b, "\nWorkspace: %s", n.workspace)
	return Message{subject, b.String()}
}

func composeOne(e *schedctl.Event, n *names) Message {
	t := title(e, n)
	return Message{t, fmt.Sprintf("%s.%s\n\n%sTime: %s\nWorkspace: %s\nDetails: %s", t, n.reason(e, oneReason), n.facts(e), n.clock(e.CreatedAt), n.workspace, command(e))}
}

// composeTest returns the message that tests a notification.
func composeTest(hook *schedctl.Webhook, n *names) Message {
	what := make([]string, len(hook.EventTypes))
	for i, t := range hook.EventTypes {
		what[i] = kinds[t][1]
	}
	return Message{
		Subject: "Test of a notification",
		Text: fmt.Sprintf("This is a test. schedctl will notify you here of %s in the workspace %s.\n\nDetails: schedctl notify show %s",
			listed(what), n.workspace, schedctl.NotificationID(hook.ID)),
	}
}

// title says in one line what happened.
func title(e *schedctl.Event, n *names) string {
	switch {
	case schedctl.IsReviewEvent(e.Type):
		return stepTitle(e)
	case e.Type == schedctl.EventPostFailed && e.Error != nil && e.Error.Outcome == schedctl.OutcomeUnknown:
		return "A post failed on " + n.account(e) + ", but it may have been published"
	case e.Type == schedctl.EventPostFailed:
		return "A post was not published on " + n.account(e)
	case e.Type == schedctl.EventPostCommentFailed && e.Error != nil && e.Error.Outcome == schedctl.OutcomeUnknown:
		return "A first comment failed on " + n.account(e) + ", but it may have been published"
	case e.Type == schedctl.EventPostCommentFailed:
		return "A post was published on " + n.account(e) + ", but not its first comment"
	case e.Type == schedctl.EventPostUnconfirmed:
		return "A post may or may not have been published on " + n.account(e) + "; schedctl is checking"
	case e.Type == schedctl.EventAccountError:
		return fmt.Sprintf("%s refused the login of %s; posts to it are waiting", e.Platform, n.account(e))
	case e.Type == schedctl.EventAccountExpiring:
		return fmt.Sprintf("The credentials of %s end soon", n.account(e))
	case e.Type == schedctl.EventForecastAppeared && e.AccountID != "":
		return "Planned posts will fail or be late on " + n.account(e)
	case e.Type == schedctl.EventForecastAppeared:
		return "A planned post will fail or be late"
	case e.Type == schedctl.EventSourceHeld:
		return "A source makes no posts until a person decides"
	case e.Type == schedctl.EventSourceFailed:
		return "The feed of a source could not be read for a day"
	case e.Type == schedctl.EventWebhookDisabled:
		return "A webhook was disabled because its deliveries failed for three days"
	}
	return "Event " + string(e.Type)
}

// reason returns why it happened as a sentence after a space, of at most limit
// characters, or the empty string.
func (n *names) reason(e *schedctl.Event, limit int) string {
	if schedctl.IsReviewEvent(e.Type) && n.hidden {
		return ""
	}
	if schedctl.IsReviewEvent(e.Type) {
		return stepNote(e, limit)
	}
	if e.Error == nil || e.Error.Message == "" {
		return ""
	}
	return " Reason: " + strings.TrimSuffix(clip(oneLine(e.Error.Message), limit), ".") + "."
}

// command returns the command that shows more.
func command(e *schedctl.Event) string {
	switch e.Type {
	case schedctl.EventAccountError, schedctl.EventAccountExpiring:
		return "schedctl account show " + e.AccountID
	case schedctl.EventWebhookDisabled:
		return "schedctl webhook show " + e.WebhookID
	case schedctl.EventForecastAppeared:
		return "schedctl forecast"
	case schedctl.EventSourceHeld, schedctl.EventSourceFailed:
		return "schedctl source show " + e.SourceID
	case schedctl.EventPostSubmitted:
		return "schedctl review " + e.PostID
	}
	if e.PostID == "" {
		return "schedctl series show " + e.SeriesID
	}
	return "schedctl post show " + e.PostID
}

func counted(n int, kind [2]string) string {
	if n == 1 {
		return "1 " + kind[0]
	}
	return strconv.Itoa(n) + " " + kind[1]
}

// oneLine replaces what is not printable and joins runs of white space.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

// clip returns the beginning of s, of at most limit characters. It does not cut a link.
func clip(s string, limit int) string {
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	start, rest := string(runes[:limit-1]), string(runes[limit-1:])
	if word := start[strings.LastIndexFunc(start, unicode.IsSpace)+1:]; strings.Contains(word, "://") && strings.IndexFunc(rest, unicode.IsSpace) != 0 {
		start = strings.TrimSuffix(start, word)
	}
	return strings.TrimSpace(start) + "…"
}

// fit returns as many of the lines of a text as have at most limit characters together with
// a line that says how many are left out.
func fit(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	lines := strings.Split(text, "\n")
	left := 0
	for n := len(lines) - 1; n > 0; n-- {
		if strings.TrimSpace(lines[n]) != "" {
			left++
		}
		kept := strings.TrimRightFunc(strings.Join(lines[:n], "\n"), unicode.IsSpace) + "\n\n" + counted(left, [2]string{"more line is", "more lines are"}) + " not shown."
		if utf8.RuneCountInString(kept) <= limit {
			return kept
		}
	}
	return clip(text, limit)
}
