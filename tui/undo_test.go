package tui_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

// Twelve changes of several kinds are undone, latest first, long after they were
// made. Changes of one post are undone one by one.
func TestUndoIsAStack(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		before := f.snapshot()
		d.press("down")
		for range 7 {
			d.press(">")
		}
		d.press("i", "end", "!", "ctrl+s") // an edit
		d.press("U")                       // unscheduled
		d.press("4", "end", "s")           // a draft is scheduled
		d.typed("in 2h")
		d.press("enter", "d", "y") // another draft is deleted
		d.press("1", "home", "down")
		for range 6 {
			d.press("+")
			d.press("down")
			d.press("up")
		}
		d.send(tui.Tick(now.Add(10 * time.Minute)))
		d.seesNot("u move back")
		for i := range 20 {
			if d.press("u"); d.shows("nothing to undo") {
				if i < 10 {
					t.Errorf("only %d changes were undone", i)
				}
				break
			}
		}
		if diff := f.differences(before); len(diff) > 0 {
			t.Errorf("after everything is undone:\n%v", diff)
		}
	})
}

// snapshot returns the posts by text.
func (f *fake) snapshot() map[string]apiv1.Post {
	f.mu.Lock()
	defer f.mu.Unlock()
	posts := map[string]apiv1.Post{}
	for _, p := range f.posts {
		posts[p.Content] = p
	}
	return posts
}

// differences describes how the visible state of the posts differs from a snapshot.
func (f *fake) differences(before map[string]apiv1.Post) (list []string) {
	after := f.snapshot()
	if len(after) != len(before) {
		list = append(list, fmt.Sprintf("%d posts instead of %d", len(after), len(before)))
	}
	for text, p := range before {
		q := after[text]
		if q.Status != p.Status || fmt.Sprint(q.PublishAt) != fmt.Sprint(p.PublishAt) {
			list = append(list, fmt.Sprintf("%q is %s at %v instead of %s at %v", text, q.Status, q.PublishAt, p.Status, p.PublishAt))
		}
	}
	return list
}

// Changes of a draft that was deleted and restored are undone in the new post.
func TestUndoContinuesInARestoredPost(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("4", "i", "end", "!", "ctrl+s", "d", "y")
		d.press("u")
		d.sees("undone: created a copy, draft", "An idea!")
		d.press("u")
		if p := f.post(t, "post_new0"); p.Content != "An idea" {
			t.Errorf("the copy is %q", p.Content)
		}
	})
}

func TestAnUnscheduledPostIsScheduledAgain(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down", "U")
		d.sees("changed to a draft; it is in 4 Drafts   u reschedule for Sat 21 Nov 15:00")
		if p := f.post(t, "post_b"); p.Status != schedctl.Draft || p.PublishAt != nil {
			t.Fatalf("the post is %s at %v", p.Status, p.PublishAt)
		}
		d.press("u")
		if p := f.post(t, "post_b"); p.Status != schedctl.Scheduled || !p.PublishAt.Equal(now.Add(3*time.Hour)) {
			t.Errorf("the post is %s at %v", p.Status, p.PublishAt)
		}
		d.press("4", "U")
		d.sees("the post is already a draft")
	})
}

// Undoing a save with a time makes the new post a draft and keeps its text.
func TestANewPostIsUnscheduled(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("n")
		d.typed("Brand new")
		d.press("tab", " ", "tab")
		d.typed("in 5h")
		d.press("ctrl+s")
		d.sees("u unschedule “Brand new”")
		d.press("u")
		if p := f.post(t, "post_new0"); p.Status != schedctl.Draft || p.Content != "Brand new" {
			t.Errorf("the post is %s: %q", p.Status, p.Content)
		}
	})
}

func TestWhyAChangeCannotBeUndone(t *testing.T) {
	const nothing = "nothing to undo"
	changed := func(f *fake, d *driver) {
		f.Edit(context.Background(), screen.Version{ID: "post_b"}, apiv1.EditPost{Content: ptr("theirs")})
	}
	for name, tc := range map[string]struct {
		keys  []string
		since func(f *fake, d *driver)
		want  string
		then  string // when u is pressed again
	}{
		"changed since": {[]string{"+"}, changed, "cannot move back to Sat 21 Nov 15:00 “The second post of the …”: it has been changed since", nothing},
		"published since": {[]string{"+"}, func(f *fake, d *driver) {
			f.Publish(context.Background(), screen.Version{ID: "post_b"})
			d.press("R")
		}, "it is publishing now", nothing},
		"deleted since": {[]string{"U"}, func(f *fake, d *driver) { f.Delete(context.Background(), "post_b") }, "it has been deleted since", nothing},
		"its time has passed": {[]string{"i", "end", "!", "ctrl+s", ">"}, func(f *fake, d *driver) {
			d.send(tui.Tick(now.Add(4 * time.Hour)))
		}, "that time has passed", "undone: scheduled for"},
		"published": {[]string{"P", "y"}, func(*fake, *driver) {}, "“The second post of the …” was published: that cannot be undone", nothing},
	} {
		t.Run(name, func(t *testing.T) {
			flow(t, func(t *testing.T, f *fake, d *driver) {
				d.press("down")
				d.press(tc.keys...)
				tc.since(f, d)
				d.press("u")
				if screen := strings.Join(strings.Fields(d.model.View()), " "); !strings.Contains(screen, tc.want) {
					t.Errorf("the screen does not show %q:\n%s", tc.want, d.model.View())
				}
				d.press("u")
				d.sees(tc.then)
			})
		})
	}
}

// A move by keys that was not sent yet is undone without a request.
func TestAMoveThatWasNotSentIsUndone(t *testing.T) {
	flow(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down")
		d.holds = tui.IsNudge
		d.press("+", "+")
		d.sees("15:30 ○ The second")
		d.press("u")
		d.sees("15:00 ○ The second", "not moved")
		d.release()
		if n := f.called("Edit"); n != 0 {
			t.Errorf("%d changes were sent", n)
		}
	})
}
