package compose

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/threadtext"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
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

// Handle implements [screen.Handler].
func (c *composer) Handle(msg tea.Msg) tea.Cmd {
	if own, ok := msg.(composeMsg); !ok || own.composer() != c.id {
		return nil
	}
	f := c.frame
	switch msg := msg.(type) {
	case checkMsg:
		return c.validate(f, msg)
	case checkedMsg:
		if msg.err == nil && msg.seq == c.validation.seq {
			c.validation.result, c.validation.resultSeq = msg.result, msg.seq
		}
	case seriesMadeMsg:
		return c.takeSeriesMade(f, msg)
	case SnippetsMsg:
		c.takeSnippets(msg)
	case savedMsg:
		return c.handleSaved(f, msg)
	case UploadedMsg:
		return c.handleUploaded(msg)
	case UploadTickMsg:
		if c.uploading() {
			return c.tickUpload()
		}
	case completedMsg:
		c.handleCompleted(msg)
	case writtenMsg:
		if msg.err != nil {
			c.fault = "the editor: " + screen.Explain(msg.err)
		}
		if msg.text != "" && msg.text != c.currentText() {
			return c.changeText(func() { c.text.SetValue(msg.text) })
		}
	}
	return nil
}

func (c *composer) validate(f Frame, msg checkMsg) tea.Cmd {
	if msg.seq != c.validation.seq || c.isEmpty() || c.emptyPart() != "" {
		return nil
	}
	cl, id, body := f.Client(), c.draft.post.ID, c.body(postlist.Booking{})
	body.SocialAccountIDs = append([]string{}, c.accountIDs...)
	return f.Call(func(ctx context.Context) tea.Msg {
		result, err := cl.Validate(ctx, id, body)
		return checkedMsg{id: msg.id, seq: msg.seq, result: result, err: err}
	})
}

// counter is the length of a part and an account's limit.
type counter struct {
	part          string // the name of the part
	length, limit int    // limit 0 for none
	exact         bool   // counted by the daemon, not estimated
}

// counters returns the daemon's counts of the parts that an account gets, or estimates
// until the daemon has responded.
func (c *composer) counters(a apiv1.Account) (list []counter) {
	limit := threadtext.LimitOf(&a)
	for i, text := range c.partsFor(a.ID) {
		list = append(list, counter{part: postlist.PartName(i), length: limit.Length(text), limit: limit.Max})
	}
	if c.hasComment() {
		list = append(list, counter{part: postlist.PartName(postlist.CommentPart), length: limit.Length(c.comment()), limit: limit.Max})
	}
	if c.validation.resultSeq != c.validation.seq {
		return list
	}
	for _, v := range c.validation.result.Accounts {
		if v.SocialAccountID != a.ID || len(v.Parts) != len(list) {
			continue
		}
		for i, part := range v.Parts {
			list[i].length, list[i].exact, list[i].limit = part.Length, true, 0
			if part.Limit != nil {
				list[i].limit = *part.Limit
			}
		}
	}
	return list
}

// over returns by how much a part is too long. It is negative for a part that fits.
func (n counter) over() int {
	if n.limit == 0 {
		return math.MinInt
	}
	return n.length - n.limit
}

// drawClosest formats the count that is closest to its limit.
func drawClosest(t screen.Theme, list []counter) string {
	n := slices.MaxFunc(list, func(a, b counter) int { return cmp.Compare(a.over(), b.over()) })
	switch {
	case len(list) == 1:
		return n.draw(t)
	case n.limit == 0:
		return screen.Plural(len(list), "part") + ", no limit"
	}
	return n.part + ": " + n.draw(t)
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

// draw formats a count, in color if the text is too long.
func (n counter) draw(t screen.Theme) string {
	if n.over() > 0 {
		return t.Bad.Render(n.text())
	}
	return n.text()
}

// problems returns what the daemon would refuse and what it warns about.
func (c *composer) problems(s postlist.Scene) (bad, warn []string) {
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
			bad = append(bad, s.Name(a.SocialAccountID)+": "+p.Message)
		}
		for _, w := range a.Warnings {
			warn = append(warn, s.Name(a.SocialAccountID)+": "+w)
		}
	}
	return bad, append(warn, c.droppedFiles(s)...)
}
