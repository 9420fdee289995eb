package tui

import (
	"context"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// grab moves posts that the user has taken: arrows or a typed phrase move them on the
// screen, enter sends the move, and esc puts them back.
type grab struct {
	posts []apiv1.Post // before the move; the first one leads
	ids   map[string]struct{}
	days  int
	by    time.Duration // on the clock of the zone, besides days

	input textinput.Model
	fault string // what is wrong with the phrase

	effects []effect          // of posts, where they are now
	words   map[string]string // the effects for cells of calendars, by id
}

// grabPosts takes the marked posts, or the selected one. Posts that have no time stay where
// they are.
func (m *Model) grabPosts() tea.Cmd {
	cmd := m.sendNudge() // of another move by keys
	selected := m.selectedID()
	g := &grab{input: screen.NewInput(m.Theme, "or type a time: tomorrow 9am, friday, +2h")}
	left := 0
	for _, p := range m.chosen() {
		_, pending := m.busy[p.ID]
		switch {
		case postlist.Planned(p) == nil || p.Status != schedctl.Scheduled && !postlist.IsProposal(p), pending, m.nudge.id == p.ID:
			left++
		case p.ID == selected:
			g.posts = append([]apiv1.Post{p}, g.posts...)
		default:
			g.posts = append(g.posts, p)
		}
	}
	switch {
	case len(g.posts) == 0 && left > 0 && m.nudge.id != "":
		m.ShowNotice("the last change of this post is still being saved")
		return cmd
	case len(g.posts) == 0:
		m.ShowError("only scheduled posts and proposals can be moved: s schedules a draft")
		return cmd
	case left > 0:
		m.ShowNotice(screen.Plural(left, "marked post") + " without a time or with a change in progress stay where they are")
	}
	g.ids = make(map[string]struct{}, len(g.posts))
	for i := range g.posts {
		g.ids[g.posts[i].ID] = struct{}{}
	}
	m.dialog = g
	g.show(m)
	return cmd
}

// FullScreen implements [screen.Dialog].
func (g *grab) FullScreen() bool { return false }

// has reports whether a post is grabbed.
func (g *grab) has(id string) bool {
	_, ok := g.ids[id]
	return ok
}

// isGrabbed reports whether a post is grabbed.
func (m *Model) isGrabbed(id string) bool {
	g, ok := m.dialog.(*grab)
	return ok && g.has(id)
}

// at returns the new time of a post. Days keep the time of day across a clock change.
func (g *grab) at(p apiv1.Post, zone *time.Location) when.Result {
	at := when.Span{Days: g.days}.From(postlist.Planned(p).In(zone))
	return when.Span{Elapsed: g.by}.From(at.Time)
}

// placed returns a post at its new time.
func (g *grab) placed(p apiv1.Post, zone *time.Location) apiv1.Post {
	if g.days == 0 && g.by == 0 {
		return p
	}
	at := g.at(p, zone).Time
	if postlist.IsProposal(p) {
		p.ProposedAt = &apiv1.ProposedTime{Time: at}
		return p
	}
	p.PublishAt, p.Slot, p.QueueID = apiv1.NewTime(at), nil, nil
	return p
}

// show shows the posts at their new times. The view follows the first one.
func (g *grab) show(m *Model) {
	shown := make([]apiv1.Post, len(g.posts))
	for i, p := range g.posts {
		shown[i] = g.placed(p, m.Zone)
	}
	m.previewAll(shown)
	m.follow(shown[0])
	if f := m.Feed(); f != nil && len(f.Moved) > 0 {
		f.Moved = shown
	}
	g.effects, g.words = m.effectsOf(g), make(map[string]string, len(g.posts))
	for i, e := range g.effects {
		g.words[g.posts[i].ID] = e.words()
	}
}

// Key implements [screen.Dialog].
func (g *grab) Key(f screen.Frame, k tea.KeyMsg) tea.Cmd {
	m := f.(*Model)
	switch {
	case key.Matches(k, m.Keys.Kill):
		g.putBack(m)
		return m.quit()
	case k.Type == tea.KeyEsc:
		return g.putBack(m)
	case k.Type == tea.KeyEnter:
		return g.drop(m)
	}
	if days, by, ok := m.grabStep(k); ok {
		g.days, g.by, g.fault = g.days+days, g.by+by, ""
		g.input.SetValue("")
	} else {
		g.input, _ = g.input.Update(k)
		g.read(m)
	}
	g.show(m)
	return nil
}

// stepsDays reports whether arrows move grabbed posts by days only.
func (m *Model) stepsDays() bool {
	c, ok := m.room().(postlist.Calendar)
	return ok && c.StepsDays()
}

// grabStep returns how far an arrow moves grabbed posts: in a view of days by days and weeks,
// elsewhere by days and quarters of an hour.
func (m *Model) grabStep(k tea.KeyMsg) (days int, by time.Duration, ok bool) {
	const quarter = 15 * time.Minute
	week, small, large := 7, quarter, time.Hour
	if m.stepsDays() {
		switch k.Type {
		case tea.KeyUp:
			return -week, 0, true
		case tea.KeyDown:
			return week, 0, true
		}
		large, week = quarter, 4*week
	}
	switch k.Type {
	case tea.KeyLeft:
		return -1, 0, true
	case tea.KeyRight:
		return 1, 0, true
	case tea.KeyUp:
		return 0, -small, true
	case tea.KeyDown:
		return 0, small, true
	case tea.KeyShiftUp:
		return 0, -large, true
	case tea.KeyShiftDown:
		return 0, large, true
	case tea.KeyPgUp:
		return -week, 0, true
	case tea.KeyPgDown:
		return week, 0, true
	}
	return 0, 0, false
}

// read reads the typed phrase: a time, a day or a time of day, or a span with a sign.
// A phrase that cannot be read leaves the posts where they are.
func (g *grab) read(m *Model) {
	g.fault = ""
	text := strings.TrimSpace(g.input.Value())
	if text == "" {
		return
	}
	if text[0] == '+' || text[0] == '-' {
		s, err := when.ParseSpan(strings.TrimSpace(text[1:]))
		if err != nil {
			g.fault = err.Error()
			return
		}
		if text[0] == '-' {
			s = s.Negative()
		}
		g.moveTo(s.From(postlist.Planned(g.posts[0]).In(m.Zone)).Time)
		return
	}
	if h, minute, ok := when.ParseClock(text); ok {
		y, month, d := postlist.Planned(g.posts[0]).In(m.Zone).Date()
		g.moveTo(time.Date(y, month, d, h, minute, 0, 0, m.Zone))
		return
	}
	at, day, err := when.ParseBound(text, m.Now, m.Zone)
	if err != nil {
		g.fault = err.Error()
		return
	}
	to := at.Time.In(m.Zone)
	if day {
		h, minute, s := postlist.Planned(g.posts[0]).In(m.Zone).Clock()
		to = time.Date(to.Year(), to.Month(), to.Day(), h, minute, s, 0, m.Zone)
	}
	g.moveTo(to)
}

// moveTo moves the first post to a time, and the others by as many days and as much on the
// clock.
func (g *grab) moveTo(to time.Time) {
	from := postlist.Planned(g.posts[0]).In(to.Location())
	utc := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	}
	g.days = int(utc(to).Sub(utc(from)) / (24 * time.Hour))
	g.by = to.Sub(when.Span{Days: g.days}.From(from).Time)
}

// putBack shows the posts where they were.
func (g *grab) putBack(m *Model) tea.Cmd {
	m.dialog = nil
	var cmds []tea.Cmd
	m.previewAll(g.posts)
	for _, p := range g.posts {
		cmds = append(cmds, m.MarkStale(p.ID)) // show changes that were hidden meanwhile
	}
	m.follow(g.posts[0])
	for f := range m.feeds() {
		f.Moved = nil
	}
	m.ShowNotice("not moved")
	return tea.Batch(cmds...)
}

// drop sends the move.
func (g *grab) drop(m *Model) tea.Cmd {
	if g.fault != "" {
		return nil
	}
	if g.days == 0 && g.by == 0 {
		return g.putBack(m)
	}
	for _, p := range g.posts {
		if !g.at(p, m.Zone).Time.After(m.Now) {
			g.fault = "the new time of " + postlist.Quoted(p) + " is in the past: move further, or press esc to put back"
			return nil
		}
	}
	m.dialog = nil
	return m.sendMove(g, g.posts, false)
}

// sendMove sends the move of some of the grabbed posts.
func (m *Model) sendMove(g *grab, posts []apiv1.Post, allowBlackout bool) tea.Cmd {
	zone := m.Zone
	b := bulk{
		verb: "moved", backVerb: "moved back", backLabel: "move %s back", posts: posts,
		shown: func(p apiv1.Post) apiv1.Post { return g.placed(p, zone) },
		call: func(ctx context.Context, c screen.Client, p apiv1.Post) (apiv1.Post, error) {
			to := g.placed(p, zone)
			if postlist.IsProposal(p) {
				return c.Edit(ctx, postlist.VersionOf(p), apiv1.EditPost{ProposedAt: to.ProposedAt})
			}
			return c.Edit(ctx, postlist.VersionOf(p), apiv1.EditPost{PublishAt: apiv1.At(to.PublishAt.Time), AllowBlackout: allowBlackout})
		},
		back: func(ctx context.Context, c screen.Client, before, after apiv1.Post) (apiv1.Post, error) {
			return c.Edit(ctx, postlist.VersionOf(after), postlist.EditTo(before, after))
		},
	}
	if !allowBlackout {
		b.anyway = func(refused []apiv1.Post) tea.Cmd { return m.sendMove(g, refused, true) }
	}
	if len(posts) == 1 {
		return m.sendMoveOfOne(b, g)
	}
	return m.startBulk(b)
}

// sendMoveOfOne sends the move of one post, as the keys that move a post do.
func (m *Model) sendMoveOfOne(b bulk, g *grab) tea.Cmd {
	p := b.posts[0]
	c, to := m.Client(), b.shown(p)
	ch := postlist.Change{
		Post: p, Shown: to, Done: "moved to " + when.Format(postlist.Planned(to).In(m.Zone)),
		Call: func(ctx context.Context) (apiv1.Post, error) { return b.call(ctx, c, p) },
		Undo: func(after apiv1.Post) *postlist.Undo { return m.RestoreUndo(p, after) },
	}
	if b.anyway != nil {
		ch.Anyway = func() tea.Cmd { return b.anyway([]apiv1.Post{p}) }
	}
	m.marks.Drop(p.ID)
	return m.StartChange(ch)
}
