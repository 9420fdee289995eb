package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
)

// What the tests outside of the package need of it.

func Tick(t time.Time) tea.Msg       { return tickMsg(t) }
func Happened(e apiv1.Event) tea.Msg { return eventMsg{e} }
func Opened() tea.Msg                { return linkMsg{link: link{state: linkOpen}} }
func Broken(again time.Time) tea.Msg {
	return linkMsg{link: link{state: linkWaiting, again: again}, err: ErrUnreachable}
}
func Again() tea.Msg                  { return retryMsg{} }
func IsTick(msg tea.Msg) bool         { _, is := msg.(tickMsg); return is }
func IsAgain(msg tea.Msg) bool        { _, is := msg.(retryMsg); return is }
func IsNudge(msg tea.Msg) bool        { _, is := msg.(nudgeMsg); return is }
func Distance(d time.Duration) string { return relativeTime(d) }
func Clean(text string) string        { return clean(text) }

// Unsaved returns what a model would leave unsaved.
func Unsaved(m tea.Model) string { return m.(Model).unsaved() }

// Kept returns how many posts a model has in memory.
func Kept(m tea.Model) (n int) {
	for _, f := range m.(Model).feeds {
		for _, p := range f.pages {
			n += len(p.posts)
		}
	}
	return n
}

// KeyNames returns the names of the keys of the list, with those that are there
// twice.
func KeyNames() (names []string) {
	k := newKeyMap()
	for _, g := range k.browsing() {
		for _, b := range g.keys {
			names = append(names, b.Keys()...)
		}
	}
	return names
}

// LinkStates follows a client and tells in words what is sent.
func LinkStates(ctx context.Context, c Client, told func(string)) {
	follow(ctx, c, time.Now, func(msg tea.Msg) {
		switch msg := msg.(type) {
		case eventMsg:
			told("event " + msg.event.ID)
		case linkMsg:
			told([...]string{"connecting", "open", "waiting", "refused"}[msg.state])
		}
	})
}
