package compose

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/fields"
	"github.com/schedctl/schedctl/client/repeat"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// seriesMadeMsg is the result of creating a series.
type seriesMadeMsg struct {
	id     string
	series apiv1.Series
	err    error
}

func (m seriesMadeMsg) composer() string { return m.id }

// repetition returns the repetition that is typed as the time of a new post. ok is false for
// a single time.
func (c *composer) repetition(f Frame) (r repeat.Repetition, ok bool) {
	text := strings.TrimSpace(c.timeInput.Value())
	if c.draft.post.ID != "" || c.draft.resends || text == "" {
		return r, false
	}
	if _, err := when.Parse(text, f.Current().Now, f.Current().Zone); err == nil {
		return r, false
	}
	r, err := repeat.Parse(text, f.Current().Now, f.Current().Zone)
	return r, err == nil
}

// repeatText describes a repetition.
func repeatText(r repeat.Repetition) string {
	return "a series: " + repeat.Words(&r.Rule, r.Start)
}

// createSeries sends the series of the post.
func (c *composer) createSeries(f Frame, r repeat.Repetition) tea.Cmd {
	zone := cmp.Or(f.ZoneName(), f.Current().Zone.String())
	switch {
	case zone == "Local":
		c.fault = "the name of your time zone is not known: start with --tz, such as --tz Europe/Berlin"
	case c.submits:
		c.fault = "save the series first; it waits for approval if the workspace wants that"
	case len(c.accountIDs) == 0:
		c.fault = "choose an account first"
	}
	if c.fault != "" {
		return nil
	}
	p := c.body(postlist.Booking{})
	s := apiv1.CreateSeries{Name: seriesName(p), Timezone: zone, Start: string(r.Start), Rule: r.Rule.String()}
	fields.Copy(&s, p)
	cl, id := f.Client(), c.id
	c.sending = true
	key := c.idempotencyKey(p) + "-series"
	return f.Call(func(ctx context.Context) tea.Msg {
		made, err := cl.CreateSeries(ctx, s, key)
		return seriesMadeMsg{id: id, series: made, err: err}
	})
}

// seriesName returns the name of the series of a post: its title, or the start of its text.
func seriesName(p apiv1.CreatePost) string {
	const most = 40 // characters
	name := screen.Excerpt(p.Content, most)
	if p.Title != nil && *p.Title != "" {
		name = screen.OneLine(*p.Title)
	}
	for utf8.RuneCountInString(name) > most {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name = strings.TrimSpace(name); name == "" {
		return "series"
	}
	return name
}

// takeSeriesMade closes the composer, or says why there is no series.
func (c *composer) takeSeriesMade(f Frame, msg seriesMadeMsg) tea.Cmd {
	c.sending = false
	switch {
	case screen.NoResponse(msg.err):
		c.fault = "no response; your text is kept. Save again when the daemon is back: " + screen.Explain(msg.err)
		return nil
	case msg.err != nil:
		c.fault = "not saved; your text is kept: " + screen.Explain(msg.err) + " (the name of the series is the title, in the settings)"
		return nil
	}
	f.Close()
	f.ShowNotice("saved: the series “" + screen.OneLine(msg.series.Name) + "”; its posts appear as their time comes near")
	f.OfferUndo(&postlist.Undo{Why: "the series “" + screen.OneLine(msg.series.Name) + "” was created: schedctl series end ends it"})
	return f.Reload()
}
