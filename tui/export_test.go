package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/compose"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/queues"
	"github.com/schedctl/schedctl/tui/screen"
)

// Helpers for the tests outside this package.

func Tick(t time.Time) tea.Msg       { return tickMsg(t) }
func Happened(e apiv1.Event) tea.Msg { return eventMsg{e} }
func Opened() tea.Msg                { return linkMsg{link: link{state: linkOpen}} }
func Broken(again time.Time) tea.Msg {
	return linkMsg{link: link{state: linkWaiting, again: again}, err: screen.ErrUnreachable}
}
func Again() tea.Msg                  { return retryMsg{} }
func IsTick(msg tea.Msg) bool         { _, is := msg.(tickMsg); return is }
func IsAgain(msg tea.Msg) bool        { _, is := msg.(retryMsg); return is }
func IsUploaded(msg tea.Msg) bool     { _, is := msg.(compose.UploadedMsg); return is }
func IsUploadTick(msg tea.Msg) bool   { _, is := msg.(compose.UploadTickMsg); return is }
func IsChanged(msg tea.Msg) bool      { _, is := msg.(changedMsg); return is }
func IsSettled(msg tea.Msg) bool      { _, is := msg.(settledMsg); return is }
func IsNudge(msg tea.Msg) bool        { _, is := msg.(nudgeMsg); return is }
func IsSnippets(msg tea.Msg) bool     { _, is := msg.(compose.SnippetsMsg); return is }
func IsPage(msg tea.Msg) bool         { _, is := msg.(pageMsg); return is }
func IsDrag(msg tea.Msg) bool         { _, is := msg.(queues.DragMsg); return is }
func Distance(d time.Duration) string { return screen.RelativeTime(d) }
func Clean(text string) string        { return screen.Clean(text) }

// UnsavedText returns the text that a model would leave unsaved.
func UnsavedText(m tea.Model) string { return m.(*Model).unsaved().Text }

// Kept returns the number of posts in memory.
func Kept(m tea.Model) (n int) {
	for f := range m.(*Model).feeds() {
		for range f.InMemory() {
			n++
		}
	}
	return n
}

// Rooms returns the screens of a model, by the names of their tabs.
func Rooms(m *Model) map[string]screen.Screen {
	rooms := map[string]screen.Screen{}
	for t, r := range m.rooms {
		rooms[tab(t).String()] = r
	}
	return rooms
}

// KeyNames returns the names of the keys of the list, including duplicates.
func KeyNames() (names []string) {
	k := screen.NewKeyMap()
	for _, g := range k.Browsing() {
		for _, b := range g.Keys {
			names = append(names, b.Keys()...)
		}
	}
	return names
}

// LinkStates follows a client and passes the messages as text to notify.
func LinkStates(ctx context.Context, c screen.Client, notify func(string)) {
	follow(ctx, c, time.Now, func(msg tea.Msg) {
		switch msg := msg.(type) {
		case eventMsg:
			notify("event " + msg.event.ID)
		case linkMsg:
			notify([...]string{"connecting", "open", "waiting", "refused"}[msg.state])
		}
	})
}

// Pictures returns the pictures of a post.
func Pictures(p apiv1.Post) []postlist.Picture { return postlist.Pictures(p) }

// QueueTimes describes the timetable of a queue.
func QueueTimes(q apiv1.Queue) string { return postlist.QueueTimes(q) }

// AccountTags returns the texts of account tags, by the id of the account.
func AccountTags(list []apiv1.Account) map[string]string {
	tags := map[string]string{}
	for id, tag := range screen.Tags(list) {
		tags[id] = tag.Text
	}
	return tags
}
