package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// effect is what a move of a post means.
type effect struct {
	at   when.Result
	bad  []string // what is likely to be a mistake, in a few words each
	good []string // other consequences
	gaps string   // the distances to the posts before and after it on its accounts
}

// words returns the effect in a few words for a cell of a calendar.
func (e effect) words() string { return strings.Join(append(slices.Clone(e.bad), e.good...), ", ") }

// neighbor is a post on an account of a grabbed one.
type neighbor struct {
	at   time.Time
	post *apiv1.Post
}

// effectsOf returns what the move of each grabbed post means, as far as the loaded posts
// show.
func (m *Model) effectsOf(g *grab) []effect {
	near := map[string][]neighbor{} // by account, in order of time
	for _, p := range g.posts {
		for _, id := range p.SocialAccountIDs {
			near[id] = []neighbor{}
		}
	}
	first, last := g.at(g.posts[0], m.Zone).Time, g.at(g.posts[0], m.Zone).Time
	for _, p := range g.posts {
		at := g.at(p, m.Zone).Time
		if at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	first, last = first.Add(-gapReach), last.Add(gapReach)
	if f := m.Feed(); f != nil {
		for p := range f.InMemory() {
			addNeighbor(near, p, g, first, last)
		}
	}
	for i := range g.posts { // they also can get the same time
		p := &g.posts[i]
		at := g.at(*p, m.Zone).Time
		for _, id := range p.SocialAccountIDs {
			near[id] = append(near[id], neighbor{at, p})
		}
	}
	for id := range near {
		slices.SortStableFunc(near[id], func(a, b neighbor) int { return a.at.Compare(b.at) })
	}
	list := make([]effect, len(g.posts))
	for i, p := range g.posts {
		list[i] = m.effectOf(g, p, near)
	}
	return list
}

// gapReach is how far from the new time of a post its neighbors are.
const gapReach = 24 * time.Hour

// addNeighbor adds a post of a period to the lists of its accounts.
func addNeighbor(near map[string][]neighbor, p *apiv1.Post, g *grab, first, last time.Time) {
	at := p.PublishAt
	if p.Status == schedctl.Draft {
		at = postlist.Planned(*p)
	}
	if at == nil || at.Before(first) || at.After(last) || p.Status == schedctl.Canceled || p.Status == schedctl.Failed {
		return
	}
	for _, id := range p.SocialAccountIDs {
		if list, ok := near[id]; ok && !g.has(p.ID) {
			near[id] = append(list, neighbor{at.Time, p})
		}
	}
}

// effectOf returns what the move of a post means.
func (m *Model) effectOf(g *grab, p apiv1.Post, near map[string][]neighbor) effect {
	e := effect{at: g.at(p, m.Zone)}
	at, was := e.at.Time.In(m.Zone), postlist.Planned(p).In(m.Zone)
	if !at.After(m.Now) {
		e.bad = append(e.bad, "in the past")
	}
	before, after := m.nearest(&e, p, near)
	if held := m.blackoutAt(p, at); held != "" {
		e.bad = append(e.bad, held)
	}
	_, wasOffset := was.Zone()
	switch _, offset := at.Zone(); {
	case e.at.Note != "":
		e.good = append(e.good, e.at.Note)
	case offset != wasOffset:
		e.good = append(e.good, "clock change in between, "+at.Format("15:04 MST"))
	}
	if moved := g.days != 0 || g.by != 0; moved {
		if p.Slot != nil {
			e.good = append(e.good, "leaves its queue")
		}
		switch bound := m.cfg.Key.Kind == apiv1.KeyAgent || m.cfg.Key.Approval != nil; {
		case postlist.HasApproval(p, schedctl.ApprovalApproved) && bound:
			e.bad = append(e.bad, "approval lost: this key cannot move an approved time")
		case postlist.HasApproval(p, schedctl.ApprovalApproved):
			e.good = append(e.good, "approval kept")
		case postlist.IsPending(p):
			e.good = append(e.good, "still waits for approval")
		}
	}
	if p.ID == g.posts[0].ID { // the others have no line for it
		gaps := []string{gapText(e.at.Time, before), gapText(e.at.Time, after)}
		e.gaps = strings.Join(slices.DeleteFunc(gaps, func(s string) bool { return s == "" }), ", ")
	}
	return e
}

// nearest notes posts at the same time or closer than the gap of a queue, and returns the
// posts before and after on the accounts of a post, within a day.
func (m *Model) nearest(e *effect, p apiv1.Post, near map[string][]neighbor) (before, after *neighbor) {
	const reach = gapReach
	at, least := e.at.Time, m.gapOf(p)
	clash, tooClose := "", ""
	for _, id := range p.SocialAccountIDs {
		list := near[id]
		i, _ := slices.BinarySearchFunc(list, at.Add(-reach), func(n neighbor, t time.Time) int { return n.at.Compare(t) })
		for ; i < len(list) && list[i].at.Sub(at) <= reach; i++ {
			n := &list[i]
			if n.post.ID == p.ID {
				continue
			}
			d := n.at.Sub(at)
			switch away := d.Abs(); {
			case away < time.Minute && clash == "":
				clash = "clash with " + postlist.Quoted(*n.post) + " on " + m.PostScene().Name(id)
			case away < least && tooClose == "":
				tooClose = fmt.Sprintf("%s from %s: the gap of its queue is %s", when.DurationText(away), postlist.Quoted(*n.post), when.DurationText(least))
			}
			if d < 0 && (before == nil || n.at.After(before.at)) {
				before = n
			}
			if d > 0 && (after == nil || n.at.Before(after.at)) {
				after = n
			}
		}
	}
	for _, text := range []string{clash, tooClose} {
		if text != "" {
			e.bad = append(e.bad, text)
		}
	}
	return before, after
}

// gapText describes the distance of a time to a post before or after it, or returns the empty
// string without one.
func gapText(at time.Time, n *neighbor) string {
	switch {
	case n == nil:
		return ""
	case n.at.Before(at):
		return when.DurationText(at.Sub(n.at).Round(time.Minute)) + " after " + postlist.Quoted(*n.post)
	}
	return when.DurationText(n.at.Sub(at).Round(time.Minute)) + " before " + postlist.Quoted(*n.post)
}

// gapOf returns the largest gap of the queues that serve the accounts of a post.
func (m *Model) gapOf(p apiv1.Post) (gap time.Duration) {
	for _, q := range m.queueList.list {
		if d, err := time.ParseDuration(q.Gap); err == nil && (len(q.SocialAccountIDs) == 0 || postlist.ShareAccount(q.SocialAccountIDs, p.SocialAccountIDs)) {
			gap = max(gap, d)
		}
	}
	return gap
}

// blackoutAt describes the blackout that contains a time for an account of a post, or
// returns the empty string.
func (m *Model) blackoutAt(p apiv1.Post, at time.Time) string {
	for _, b := range m.blackouts.list {
		if b.SettledAt != nil || !postlist.Concerns(b, p) || !postlist.Contains(b, at) {
			continue
		}
		text := "in a blackout"
		if b.Mode == schedctl.BlackoutHold {
			text = "held by a pause"
			if b.EndsAt != nil {
				text += " until " + b.EndsAt.In(m.Zone).Format("Mon 2 Jan 15:04")
			}
		}
		if b.Reason != nil && *b.Reason != "" {
			text += " (" + screen.OneLine(*b.Reason) + ")"
		}
		return text
	}
	return ""
}

// Lines implements [screen.Dialog].
func (g *grab) Lines(f screen.Frame, width, _ int) []string {
	m := f.(*Model)
	t := m.Theme
	lead, e := g.posts[0], g.effects[0]
	what := postlist.Quoted(lead)
	if n := len(g.posts); n > 1 {
		what += " and " + screen.Plural(n-1, "other post")
	}
	from, to := postlist.Planned(lead).In(m.Zone).Format("Mon 2 Jan 15:04"), e.at.Time.In(m.Zone).Format("Mon 2 Jan 2006 15:04 MST")
	title := "Move " + what + " from " + from
	if g.days != 0 || g.by != 0 {
		title = "Move " + what + ": " + from + " → " + to
	}
	lines := []string{t.Title.Render(screen.Clip(title, width))}
	in := g.input
	in.Width = max(1, width-len("To: ")-2)
	lines = append(lines, "To: "+screen.Own(in.View()))
	add := func(draw func(...string) string, texts ...string) {
		texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
		if text := strings.Join(texts, ", "); text != "" {
			for _, l := range screen.Wrap(text, width) {
				lines = append(lines, draw(l))
			}
		}
	}
	if g.fault != "" {
		add(t.Bad.Render, g.fault)
		return append(lines, screen.ShortHelp(t, m.grabKeys(), width))
	}
	add(t.Warn.Render, append(slices.Clone(e.bad), g.others()...)...)
	add(plainText, append(slices.Clone(e.good), e.gaps)...)
	return append(lines, screen.ShortHelp(t, m.grabKeys(), width))
}

// others describes what the move means for the posts besides the first one.
func (g *grab) others() (words []string) {
	bad := 0
	for _, e := range g.effects[1:] {
		if len(e.bad) > 0 {
			bad++
		}
	}
	if bad > 0 {
		for i, e := range g.effects[1:] {
			if len(e.bad) > 0 {
				return []string{fmt.Sprintf("%d of the others: %s %s", bad, postlist.Quoted(g.posts[1+i]), e.bad[0])}
			}
		}
	}
	return nil
}

// grabKeys returns the keys that move grabbed posts.
func (m *Model) grabKeys() []key.Binding {
	k := m.Keys
	if m.stepsDays() {
		return []key.Binding{k.Drop, k.PutBack, k.Days, k.Rows}
	}
	return []key.Binding{k.Drop, k.PutBack, k.Days, k.Times}
}

// FootKeys implements [screen.FootKeys].
func (g *grab) FootKeys(f screen.Frame) []key.Binding { return f.(*Model).grabKeys() }

// plainText leaves a text as it is.
func plainText(text ...string) string { return strings.Join(text, " ") }
