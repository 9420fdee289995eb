// Package postlisttest has a frame for tests of single screens with posts, without the program
// around them.
package postlisttest

import (
	"context"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui/postlist"
	"github.com/schedctl/schedctl/tui/screen"
)

// The size of the terminal.
const (
	Width  = 80
	Height = 20
)

// Zone is the zone of the frame.
var Zone = time.FixedZone("CET", 3600)

// Now is the time of the frame, a Saturday.
var Now = time.Date(2026, 11, 21, 12, 0, 0, 0, Zone)

// Frame is a frame without a program. It has what screens with posts ask while they are
// shown; other methods of its interface panic.
type Frame struct {
	postlist.Frame
	scene    screen.Scene
	marks    postlist.Marks
	requests int

	Queues []apiv1.Queue
	API    screen.Client // may be nil
}

// New returns a frame in Zone at Now, without colors.
func New() *Frame {
	return &Frame{scene: screen.Scene{Theme: screen.NewTheme(nil, false, nil), Keys: screen.NewKeyMap(), Zone: Zone, Now: Now}}
}

// Current implements [screen.Frame].
func (f *Frame) Current() *screen.Scene { return &f.scene }

// PostScene implements [postlist.Frame].
func (f *Frame) PostScene() postlist.Scene {
	return postlist.Scene{Scene: &f.scene, Marks: &f.marks, Queues: f.Queues}
}

// Size implements [postlist.Frame].
func (f *Frame) Size() (width, height int) { return Width, Height }

// QueuesRead implements [postlist.Frame].
func (f *Frame) QueuesRead() (loaded bool, err error) { return true, nil }

// RequestNumber implements [postlist.Frame].
func (f *Frame) RequestNumber() int {
	f.requests++
	return f.requests
}

// EndNotice implements [postlist.Frame].
func (f *Frame) EndNotice() {}

// ClearNotice implements [screen.Frame].
func (f *Frame) ClearNotice() {}

// RetryLater implements [screen.Frame].
func (f *Frame) RetryLater(error) tea.Cmd { return nil }

// Client implements [screen.Frame].
func (f *Frame) Client() screen.Client { return f.API }

// Call implements [screen.Frame].
func (f *Frame) Call(do func(ctx context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg { return do(context.Background()) }
}

// Post returns a scheduled post.
func Post(id string, at time.Time) apiv1.Post {
	return apiv1.Post{ID: id, Content: "text of " + id, Status: schedctl.Scheduled, Version: 1, PublishAt: apiv1.NewTime(at), CreatedAt: apiv1.NewTime(Now)}
}

// Give passes a page with posts to a screen that has asked for its first one.
func Give(t testing.TB, h postlist.Holder, posts ...apiv1.Post) {
	t.Helper()
	request, ok := h.Feed().NextRequest(Height)
	if !ok {
		t.Fatal("the screen needs no posts")
	}
	h.Feed().Receive(request, apiv1.PostList{Results: posts, Count: len(posts)}, nil)
}

// Press passes a key to a calendar, and reports an error if it ignores the key.
func Press(t testing.TB, c postlist.Calendar, k tea.KeyMsg) {
	t.Helper()
	if !c.PeriodKey(k) {
		t.Errorf("%q is no key of the calendar", k)
	}
}

// Selects reports an error unless a post is the selected one. An empty id stands for none.
func Selects(t testing.TB, h postlist.Holder, id string) {
	t.Helper()
	if p, _ := h.CurrentPost(); p.ID != id {
		t.Errorf("the selected post is %q, want %q", p.ID, id)
	}
}
