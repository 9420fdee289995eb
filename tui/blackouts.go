package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl/tui/screen"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// blackoutPause is how often the blackouts are read: the daemon sends no events for them.
const blackoutPause = time.Minute

// blackoutList is the blackouts of the workspace.
type blackoutList struct {
	list    []apiv1.Blackout
	loaded  bool
	loading bool
	err     error
	readAt  time.Time
}

// blackoutsMsg is the list of blackouts.
type blackoutsMsg struct {
	list []apiv1.Blackout
	err  error
}

func (m *Model) fillBlackouts() tea.Cmd {
	b, c := &m.blackouts, m.Client()
	if b.loaded || b.loading || b.err != nil {
		return nil
	}
	b.loading = true
	return m.Call(func(ctx context.Context) tea.Msg {
		list, err := c.Blackouts(ctx)
		return blackoutsMsg{list: list, err: screen.UnlessUnknown(err)}
	})
}

func (m *Model) takeBlackouts(msg blackoutsMsg) tea.Cmd {
	b := &m.blackouts
	b.loading = false
	if b.err = msg.err; msg.err != nil {
		return m.RetryLater(msg.err)
	}
	b.loaded, b.list, b.readAt = true, msg.list, m.Now
	return nil
}

// pollBlackouts makes old blackouts be read again.
func (m *Model) pollBlackouts() {
	if m.link.state == linkOpen && m.Now.Sub(m.blackouts.readAt) >= blackoutPause {
		m.blackouts.loaded = false
	}
}

// isHolding reports whether a blackout holds posts now. A hold ends when the posts that
// wait have new times.
func isHolding(b apiv1.Blackout, now time.Time) bool {
	return b.Mode == schedctl.BlackoutHold && b.SettledAt == nil && !now.Before(b.StartsAt.Time)
}

// holdText describes the accounts that are paused, or returns the empty string.
func (m *Model) holdText() string {
	s := m.scene()
	var parts []string
	for _, b := range m.blackouts.list {
		if !isHolding(b, m.Now) {
			continue
		}
		text := s.heldAccounts(b)
		if b.EndsAt != nil {
			text += " until " + b.EndsAt.In(m.Zone).Format("Mon 2 Jan 15:04")
		}
		if b.Reason != nil && *b.Reason != "" {
			text += " (" + screen.OneLine(*b.Reason) + ")"
		}
		parts = append(parts, text)
	}
	if parts == nil {
		return ""
	}
	return "paused: " + strings.Join(parts, ", ")
}

// heldAccounts returns the names of the accounts of a blackout.
func (s drawContext) heldAccounts(b apiv1.Blackout) string {
	switch {
	case b.Label != nil && len(b.SocialAccountIDs) == 0:
		return labelText(b)
	case b.Label != nil:
		return labelText(b) + " on " + s.AccountNames(b.SocialAccountIDs)
	case len(b.SocialAccountIDs) == 0:
		return "all accounts"
	}
	return s.AccountNames(b.SocialAccountIDs)
}

// labelText names the label of a hold.
func labelText(b apiv1.Blackout) string { return "label " + screen.OneLine(*b.Label) }

// shade is the part of a blackout that is on one day.
type shade struct {
	from, to time.Time // within the day
	allDay   bool
	hold     bool
	about    string // the reason and the accounts; may be empty
}

// shadesOf returns the blackouts of a day, for one account or for all if accountID is
// empty. A hold with an open end is shown up to the current day.
func (m *Model) shadesOf(day time.Time, accountID string) (list []shade) {
	next, s := day.AddDate(0, 0, 1), m.scene()
	for _, b := range m.blackouts.list {
		end := dayOf(m.Now, m.Zone).AddDate(0, 0, 1)
		if b.EndsAt != nil {
			end = b.EndsAt.Time
		}
		if b.SettledAt != nil && b.SettledAt.Before(end) {
			end = b.SettledAt.Time
		}
		if accountID != "" && len(b.SocialAccountIDs) > 0 && !slices.Contains(b.SocialAccountIDs, accountID) {
			continue
		}
		from, to := b.StartsAt.Time, end
		if from.Before(day) {
			from = day
		}
		if to.After(next) {
			to = next
		}
		if !from.Before(to) {
			continue
		}
		sh := shade{from: from.In(m.Zone), to: to.In(m.Zone), hold: b.Mode == schedctl.BlackoutHold}
		sh.allDay = from.Equal(day) && to.Equal(next)
		if b.Reason != nil {
			sh.about = screen.OneLine(*b.Reason)
		}
		if b.Label != nil {
			sh.about = strings.TrimSuffix(labelText(b)+", "+sh.about, ", ")
		}
		switch {
		case len(b.SocialAccountIDs) > 0 && sh.about != "":
			sh.about += ", " + s.AccountNames(b.SocialAccountIDs)
		case len(b.SocialAccountIDs) > 0:
			sh.about = s.AccountNames(b.SocialAccountIDs)
		}
		list = append(list, sh)
	}
	slices.SortStableFunc(list, func(a, b shade) int { return a.from.Compare(b.from) })
	return list
}

// hours describes the hours of a shade within its day. brief leaves out the minutes of
// full hours.
func (sh shade) hours(day time.Time, brief bool) string {
	clock := func(t time.Time) string {
		if brief && t.Minute() == 0 {
			return t.Format("15")
		}
		return t.Format("15:04")
	}
	switch next := day.AddDate(0, 0, 1); {
	case sh.allDay:
		return "all day"
	case sh.to.Equal(next):
		return "from " + clock(sh.from)
	case sh.from.Equal(day):
		return "to " + clock(sh.to)
	}
	return clock(sh.from) + "–" + clock(sh.to)
}

// kind names what a shade is.
func (sh shade) kind() string {
	if sh.hold {
		return "paused"
	}
	return "blackout"
}

// sentence describes a shade in words.
func (sh shade) sentence(day time.Time) string {
	text := sh.kind() + " " + strings.Replace(sh.hours(day, false), "–", " to ", 1)
	if sh.about != "" {
		text += ": " + sh.about
	}
	return text
}
