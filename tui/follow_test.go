package tui_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
)

// moved returns the posts whose time is not that of the snapshot.
func (f *fake) moved(before map[string]apiv1.Post) (texts []string) {
	for text, p := range f.snapshot() {
		if b := before[text]; b.Status != p.Status || fmt.Sprint(b.PublishAt) != fmt.Sprint(p.PublishAt) {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	return texts
}

// full is a daemon with many scheduled posts, one every six hours.
func full(n int) *fake {
	f := newFake()
	for i := range n {
		f.posts = append(f.posts, apiv1.Post{
			ID: fmt.Sprintf("post_%04d", i), Content: fmt.Sprintf("Post number %d", i), Status: schedctl.Scheduled, Version: 1,
			SocialAccountIDs: []string{"acct_1"}, PublishAt: at(time.Duration(i+1) * 6 * time.Hour), CreatedAt: at(0),
		})
	}
	return f
}

// A key that is held moves one post alone, through weeks, pages and filters, however slow
// the terminal repeats it. Each press is saved before the next one here.
func TestAHeldKeyMovesOnePost(t *testing.T) {
	for _, view := range []struct {
		name  string
		first []string
	}{
		{"agenda", []string{"1"}}, {"week", []string{"2"}}, {"details", []string{"2", "enter"}}, {"latest first", []string{"1", "S", "home", "down"}},
	} {
		for _, key := range []string{"}", ">", "+"} {
			t.Run(view.name+" "+key, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := full(900)
					d := drive(t, f, 120, 40)
					d.press(view.first...)
					before := f.snapshot()
					for range 40 {
						d.press(key)
					}
					moved := f.moved(before)
					if len(moved) != 1 {
						t.Fatalf("the key moved %d posts: %v", len(moved), moved)
					}
					p := f.snapshot()[moved[0]]
					step := map[string]time.Duration{"}": 24 * time.Hour, ">": time.Hour, "+": 15 * time.Minute}[key]
					if got := p.PublishAt.Sub(before[moved[0]].PublishAt.Time); got != 40*step {
						t.Errorf("the post moved by %v instead of 40 times %v", got, step)
					}
					d.sees(moved[0])
				})
			})
		}
	}
}

// While a key is held, the week shows the post in the week of its new time before it is
// saved, and shows the old week again when the move is undone.
func TestTheWeekFollowsAMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(60)
		d := drive(t, f, 120, 40)
		d.press("2")
		before := f.snapshot()
		d.holds = tui.IsNudge
		for range 9 {
			d.press("}")
		}
		d.sees("Post number 0", "Mon 30")
		if moved := f.moved(before); len(moved) > 0 {
			t.Fatalf("moved %v before the key was released", moved)
		}
		d.press("u")
		d.sees("Post number 0", "Mon 16", "not moved")
		d.release()
		if moved := f.moved(before); len(moved) > 0 {
			t.Fatalf("moved %v although the move was dropped", moved)
		}
	})
}

// A key that takes a post out of the view does not act on the next one while it is held.
func TestAHeldKeyUnschedulesOnePost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(20)
		d := drive(t, f, 120, 40)
		d.holds = tui.IsSettled
		before := f.snapshot()
		for range 5 {
			d.press("U")
		}
		if moved := f.moved(before); len(moved) != 1 {
			t.Fatalf("the key unscheduled %v", moved)
		}
		d.sees("another post is selected now")
		d.press("down", "U")
		if moved := f.moved(before); len(moved) != 2 {
			t.Errorf("after another post was chosen, %v are drafts", moved)
		}
	})
}

// A refused move brings the selection back to where the post is.
func TestARefusedMoveIsFollowedBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(60)
		d := drive(t, f, 120, 40)
		d.press("2")
		f.fail("Edit", schedctl.Errorf(schedctl.VersionMismatch, "", "no"))
		for range 9 {
			d.press("}")
		}
		d.sees("Post number 0", "Mon 16")
	})
}

// A post that is moved far away in a list stays selected: the list reads on to its page.
func TestTheSelectionFollowsAFarMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(900)
		d := drive(t, f, 120, 40)
		d.press("s")
		d.typed("2027-05-01 12:00")
		d.press("enter")
		d.sees("▌ 12:00 ○ Post number 0 ", "Saturday 1 May 2027", "Post number 642")
		d.press("}")
		if got := f.snapshot()["Post number 0"].PublishAt.In(zone).Format("2 Jan"); got != "2 May" {
			t.Errorf("the next key moved the post to %s", got)
		}
	})
}

// Keys that are pressed while an earlier move of the same post is being saved count, too.
func TestKeysDuringASaveCount(t *testing.T) {
	for _, refused := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := full(60)
			d := drive(t, f, 120, 40)
			d.press("2")
			if refused {
				f.fail("Edit", schedctl.Errorf(schedctl.VersionMismatch, "", "no"))
			}
			before := f.snapshot()
			d.holds = tui.IsChanged
			d.press("}", "}", "}")
			d.press("}")
			d.release()
			days := 4
			if refused {
				days = 0
			}
			after := f.snapshot()["Post number 0"]
			if got := after.PublishAt.Sub(before["Post number 0"].PublishAt.Time); got != time.Duration(days)*24*time.Hour || len(f.moved(before)) > 1 {
				t.Errorf("refused %v: the post moved by %v, want %d days; moved: %v", refused, got, days, f.moved(before))
			}
			d.sees("Post number 0")
			if !refused {
				d.press("u", "u")
				if moved := f.moved(before); len(moved) > 0 {
					t.Errorf("after undo, %v are moved", moved)
				}
			}
		})
	}
}
