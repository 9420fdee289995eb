package tui

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// checkAfter is how long typing must pause before the daemon validates the text.
const checkAfter = 300 * time.Millisecond

// composeMsg is a message for a composer, which may be closed by now.
type composeMsg interface{ composer() string }

type (
	checkMsg struct {
		id  string
		seq int
	}
	checkedMsg struct {
		id     string
		seq    int
		result apiv1.Validation
		err    error
	}
	savedMsg struct {
		id     string
		post   apiv1.Post
		err    error
		theirs *apiv1.Post // the version of someone else, if err is a conflict
	}
	writtenMsg struct {
		id   string
		text string
		err  error
	}
)

func (m checkMsg) composer() string   { return m.id }
func (m checkedMsg) composer() string { return m.id }
func (m savedMsg) composer() string   { return m.id }
func (m writtenMsg) composer() string { return m.id }

// validation is the daemon's latest validation of the text.
type validation struct {
	seq       int // number of changes
	resultSeq int // the change to which result applies
	result    apiv1.Validation
}

// check validates the text as soon as typing pauses.
func (c *composer) check() tea.Cmd {
	c.validation.seq++
	msg := checkMsg{id: c.id, seq: c.validation.seq}
	return tea.Tick(checkAfter, func(time.Time) tea.Msg { return msg })
}

func (c *composer) handle(m *Model, msg composeMsg) tea.Cmd {
	switch msg := msg.(type) {
	case checkMsg:
		return c.validate(m, msg)
	case checkedMsg:
		if msg.err == nil && msg.seq == c.validation.seq {
			c.validation.result, c.validation.resultSeq = msg.result, msg.seq
		}
	case savedMsg:
		return c.handleSaved(m, msg)
	case uploadedMsg:
		return c.handleUploaded(msg)
	case uploadTickMsg:
		if c.uploading() {
			return c.tickUpload()
		}
	case completedMsg:
		c.handleCompleted(msg)
	case writtenMsg:
		if msg.err != nil {
			c.fault = "the editor: " + explain(msg.err)
		}
		if msg.text != "" && msg.text != c.currentText() {
			c.text.SetValue(msg.text)
			return c.check()
		}
	}
	return nil
}

func (c *composer) validate(m *Model, msg checkMsg) tea.Cmd {
	if msg.seq != c.validation.seq || c.commonText() == "" && len(c.mediaBody()) == 0 {
		return nil
	}
	cl, id, body := m.cfg.Client, c.draft.post.ID, c.body(nil)
	body.SocialAccountIDs = append([]string{}, c.accountIDs...)
	return m.call(func(ctx context.Context) tea.Msg {
		result, err := cl.Validate(ctx, id, body)
		return checkedMsg{id: msg.id, seq: msg.seq, result: result, err: err}
	})
}

// counter is the length of a text and an account's limit.
type counter struct {
	length, limit int // limit 0 for none
	unit          string
	exact         bool // counted by the daemon, not estimated
}

// counter returns the daemon's count of the text, or an estimate until the daemon
// has responded.
func (c *composer) counter(a apiv1.Account) counter {
	text := c.ownText(a.ID)
	if text == "" {
		text = c.commonText()
	}
	out := counter{length: estimateLength(text, a.Limits.Unit), unit: a.Limits.Unit}
	if a.Limits.MaxCharacters != nil {
		out.limit = *a.Limits.MaxCharacters
	}
	if c.validation.resultSeq != c.validation.seq {
		return out
	}
	for _, v := range c.validation.result.Accounts {
		if v.SocialAccountID == a.ID {
			out.length, out.exact = v.Length, true
		}
	}
	return out
}

// estimateLength estimates a length. Networks count links and mentions in other
// ways.
func estimateLength(text, unit string) (n int) {
	switch unit {
	case "bytes":
		return len(text)
	case "graphemes":
		for state := byte(0); text != ""; n++ {
			_, _, size, next := ansi.DecodeSequence(text, state, nil)
			text, state = text[size:], next
		}
		return n
	}
	return utf8.RuneCountInString(text)
}

// text formats a count.
func (n counter) text() string {
	about := "~"
	if n.exact {
		about = ""
	}
	if n.limit == 0 {
		return fmt.Sprintf("%s%d", about, n.length)
	}
	over := ""
	if n.length > n.limit {
		over = fmt.Sprintf(", %d too many", n.length-n.limit)
	}
	return fmt.Sprintf("%s%d/%d%s", about, n.length, n.limit, over)
}

// problems returns what the daemon would refuse and what it warns about.
func (c *composer) problems(s drawContext) (bad, warn []string) {
	if c.validation.resultSeq != c.validation.seq || c.validation.resultSeq == 0 {
		return nil, nil
	}
	r := c.validation.result
	for _, p := range r.Problems {
		if p.Code != string(schedctl.InvalidPublishAt) {
			bad = append(bad, p.Message)
		}
	}
	warn = append(warn, r.Warnings...)
	for _, a := range r.Accounts {
		for _, p := range a.Problems {
			bad = append(bad, s.name(a.SocialAccountID)+": "+p.Message)
		}
		for _, w := range a.Warnings {
			warn = append(warn, s.name(a.SocialAccountID)+": "+w)
		}
	}
	return bad, warn
}
