package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

// Keys that are pressed fast arrive together and are handled one by one.
func TestFastKeysAreAllHandled(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("jj")
		d.sees("▌ 10:00 ○ Tomorrow's post")
		d.press("nHello")
		d.sees("New post", "Hello")
		d.press("ctrl+s")
		if p := f.post(t, "post_new0"); p.Content != "Hello" {
			t.Errorf("wrote %q", p.Content)
		}
	})
}

// Pasted text does not act as keys.
func TestPastedTextDoesNothingToPosts(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		paste := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("cyPyd\nq"), Paste: true}
		d.send(paste)
		if d.quit || f.called("Cancel")+f.called("Publish") > 0 {
			t.Errorf("it acted as keys: %v", f.calls)
		}
		d.press("n")
		d.send(paste)
		d.press("ctrl+s")
		if p := f.post(t, "post_new0"); p.Content != "cyPyd\nq" {
			t.Errorf("wrote %q", p.Content)
		}
	})
}

func TestMouse(t *testing.T) {
	flow(t, func(t *testing.T, _ *fake, d *driver) {
		click := func(x, y int) {
			d.send(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
		}
		click(10, 4)
		d.sees("▌ 15:00 ○ The second")
		click(10, 5) // nothing is there
		click(10, 20)
		d.sees("▌ 15:00 ○ The second")
		d.send(tea.MouseMsg{Button: tea.MouseButtonWheelDown})
		d.sees("▌ 12:00 ○ In a week")
		d.send(tea.MouseMsg{Button: tea.MouseButtonWheelUp})
		d.sees("▌ 12:00 ○ Good morning")
		click(10, 3)
		d.sees("Timeline")
		click(28, 0)
		d.sees("[4 Draft]", "An idea")
	})
}

func TestWithoutAnEditorOneWritesInPlace(t *testing.T) {
	flow(t, func(t *testing.T, _ *fake, d *driver) {
		d.press("e")
		d.sees("no editor is available", "Edit scheduled post")
	})
}

// An unsaved text is not lost when the browser is ended from outside.
func TestUnsavedText(t *testing.T) {
	flow(t, func(t *testing.T, _ *fake, d *driver) {
		d.press("i")
		if got := tui.UnsavedText(d.model); got != "" {
			t.Errorf("nothing was written, and %q is unsaved", got)
		}
		d.press("end", "!")
		if got := tui.UnsavedText(d.model); !strings.HasSuffix(got, "any line!") {
			t.Errorf("%q is unsaved", got)
		}
		d.press("tab", "o", "?")
		if got := tui.UnsavedText(d.model); !strings.HasSuffix(got, "any line!?") || strings.Count(got, "any line!") != 2 {
			t.Errorf("%q is unsaved", got)
		}
		d.press("ctrl+s")
		if got := tui.UnsavedText(d.model); got != "" {
			t.Errorf("it is saved, and %q is unsaved", got)
		}
	})
}

// The daemon sends no event for a failed attempt, so publishing posts are polled.
func TestPublishingPostsArePolled(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("P", "y")
		before := f.called("Post")
		d.send(tui.Tick(now.Add(6 * time.Second)))
		d.send(tui.Tick(now.Add(7 * time.Second)))
		if n := f.called("Post") - before; n != 1 {
			t.Errorf("it was read %d times within seconds", n)
		}
		d.press("enter")
		d.sees("Timeline")
		f.posts[0].Status = schedctl.Published
		d.send(tui.Tick(now.Add(12 * time.Second)))
		d.sees("the post is no longer in this view", "▌ 15:00 ○ The second")
		d.seesNot("Good morning", "Timeline")
	})
}

// Displayed deliveries are polled, too, from the first page.
func TestDeliveriesArePolled(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("8", "enter", "down")
		f.deliveries[1].Status, f.deliveries[1].Attempt = schedctl.DeliveryDelivered, 10
		d.send(tui.Tick(now.Add(6 * time.Second)))
		d.sees("▌ Nov 21 11:00  post.failed  10 attempts")
		d.seesNot("r sends it again")
	})
}

// Changes between the first page and the start of the stream are shown.
func TestTheStreamMayStartLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := world()
		d := &driver{t: t, model: tui.New(t.Context(), tui.Config{Client: f, Zone: zone, Now: func() time.Time { return now }})}
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.press("down")
		f.posts = append(f.posts, scheduled("post_z", "In between", time.Hour))
		d.seesNot("In between")
		d.send(tui.Opened())
		d.sees("In between", "▌ 15:00 ○ The second")
	})
}

// The selection stays on its post even if new posts push it to another page.
func TestTheSelectionStaysAcrossPages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := many(500)
		d := drive(t, f, 80, 24)
		for range 150 {
			d.press("down")
		}
		d.sees("▌ 14:31 ○ Post number 150 ")
		for i := range 90 {
			f.posts = append(f.posts, scheduled(fmt.Sprintf("post_z%d", i), "Earlier", 80*time.Minute))
		}
		d.press("R")
		d.sees("▌ 14:31 ○ Post number 150 ")
		for i := 149; i > 70; i-- {
			d.press("up")
			if i >= 80 {
				d.sees(fmt.Sprintf("○ Post number %d ", i))
			}
		}
		d.press("R", "home")
		d.sees("▌ 12:01 ○ Post number 0 ")
	})
}

// A week shows all of its days, even if they need several pages.
func TestAWeekOfManyPosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		for i := range 400 {
			f.posts = append(f.posts, scheduled(fmt.Sprintf("post_%03d", i), fmt.Sprintf("Post %d", i), time.Duration(i+1)*5*time.Minute))
		}
		d := drive(t, f, 80, 24)
		d.press("2")
		d.sees("143 posts", "257 posts", "▌ 12:05")
		for i := range 1000 {
			f.posts = append(f.posts, scheduled(fmt.Sprintf("post_x%03d", i), "Another", time.Minute))
		}
		d.press("R", "G", "G", "G", "G", "G", "G", "G", "G", "G")
		d.sees("843+ posts", "257 posts")
	})
}

// A search without a match on a page continues with the next, and does not report an
// empty result before the end.
func TestASearchContinues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, sparse{world()}, 80, 24)
		d.sees("Found at last")
		d.holds = func(tea.Msg) bool { return true }
		d.press("/", "x", "enter")
		d.sees("Loading …")
		d.release()
		d.sees("Found at last")
	})
}

// sparse is a daemon whose first pages are empty.
type sparse struct{ *fake }

func (sparse) Posts(_ context.Context, q screen.Query) (apiv1.PostList, error) {
	if len(q.Cursor) == 5 {
		return apiv1.PostList{Results: []apiv1.Post{scheduled("post_1", "Found at last", time.Hour)}}, nil
	}
	return apiv1.PostList{NextCursor: ptr(q.Cursor + "x")}, nil
}
