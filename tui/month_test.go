package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
)

// Arrows move through the days of the month, and in a day through its posts. Keys act on the
// post that is marked below the month.
func TestTheMonth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(200)
		d := drive(t, f, 120, 40)
		d.press("3")
		d.sees("[3 Month]", "Today, Saturday 21 November 2026, 1 post", "▌ 18:00 ○ Post number 0")
		d.press("right")
		d.sees("Tomorrow, Sunday 22 November 2026, 4 posts", "▌ 00:00 ○ Post number 1 ")
		d.press("enter", "down", "down", "down", "down")
		d.sees("▌ 18:00 ○ Post number 4 ")
		d.press("enter")
		d.sees("Timeline", "Post number 4")
		d.press("esc", "esc", "down")
		d.sees("Sunday 29 November 2026, 4 posts", "▌ 00:00 ○ Post number 29 ")
		d.press("]")
		d.sees("December 2026", "Tuesday 29 December 2026, 4 posts")
		d.press("[", "[")
		d.sees("October 2026", "Thursday 29 October 2026, 0 posts")
		d.press("c")
		d.seesNot("Cancel this post?")
		d.press("t")
		d.sees("November 2026", "▌ 18:00 ○ Post number 0")
	})
}

// A date is typed as on the command line, and a text that is none is explained.
func TestGoToADate(t *testing.T) {
	for view, want := range map[string][]string{
		"2": {"week of 28 December 2026", "▌ 00:00", "Friday 00:00  ○ scheduled in 40d", "Post number 161"},
		"3": {"Friday 1 January 2027, 4 posts", "▌ 00:00 ○ Post number 161 "},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := drive(t, full(400), 120, 40)
			d.press(view, "g")
			d.typed("the day of wrath")
			d.press("enter")
			d.sees(`"the day of wrath" is not understood`)
			d.press("ctrl+u")
			d.typed("1 jan")
			d.sees("Friday 1 January 2027")
			d.press("enter")
			d.sees(want...)
			d.press("t")
			d.sees("▌ 18:00", "Post number 0")
		})
	}
}

// A post that is moved to another month is shown there, also while its page is loaded.
func TestTheMonthFollowsAMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(900)
		d := drive(t, f, 120, 40)
		d.press("3")
		before := f.snapshot()
		for range 40 {
			d.press("}")
		}
		d.sees("December 2026", "Thursday 31 December 2026", "Post number 0 ")
		if moved := f.moved(before); len(moved) != 1 || moved[0] != "Post number 0" {
			t.Errorf("the key moved %v", moved)
		}
	})
}

// A new post gets the selected day of the month, unless that is over.
func TestNewPostOnADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, full(10), 120, 40)
		d.press("3", "down", "n")
		d.sees("When 2026-11-28 09:00")
		d.press("esc", "left", "up", "n")
		d.seesNot("2026-11-2")
	})
}

// The cells of week and month have marks for the accounts of a post and for what it has
// besides a text. The week explains them.
func TestMarksInCalendars(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		p := scheduled("post_x", "All at once", 2*time.Hour)
		p.Media, p.Thread, p.SeriesID = []apiv1.PostMedia{{ID: "media_1"}}, []apiv1.Part{{Content: "x"}}, ptr("ser_1")
		p.Poll = &apiv1.Poll{Options: []string{"yes", "no"}, ExpiresInSeconds: 3600}
		proposal := draftPost("post_y", "Please")
		proposal.Approval, proposal.ProposedAt = &apiv1.Approval{State: schedctl.ApprovalPending}, proposed(now.Add(3*time.Hour))
		f.posts = []apiv1.Post{p, proposal}
		f.plan.blackouts = []apiv1.Blackout{{ID: "blk_1", Mode: schedctl.BlackoutHold, StartsAt: *at(time.Hour), SocialAccountIDs: []string{"acct_2"}}}
		d := drive(t, f, 160, 40)
		d.press("3")
		d.sees("14:00 me ▣≡☑‖ All a", "◌ 15:00 me ? Please")
		d.press("2")
		d.sees("14:00 me sk ▣≡☑‖↻", "◌ 15:00 me ?", "1 file, 2 parts, poll, repeats, held by a pause or blackout", "to me me, sk sky")
	})
}

// Account tags are unique, also for many similar names.
func TestAccountTags(t *testing.T) {
	var list []apiv1.Account
	for i := range 60 {
		list = append(list, apiv1.Account{ID: fmt.Sprint(i), Name: fmt.Sprintf("brand-%02d", i)})
	}
	for i, name := range []string{"", "漢字", "a", "a", "é", "\x1b[31m"} {
		list = append(list, apiv1.Account{ID: fmt.Sprint(100 + i), Name: name})
	}
	seen := map[string]string{}
	for id, tag := range tui.AccountTags(list) {
		if other := seen[tag]; other != "" {
			t.Errorf("%s and %s have the tag %q", id, other, tag)
		}
		if seen[tag] = id; len([]rune(tag)) != 2 {
			t.Errorf("the tag of %s is %q", id, tag)
		}
	}
}

// From 120 columns on, each post of the week has a line for its text, also on a full day.
func TestTheWeekIsReadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		for i := range 50 {
			f.posts = append(f.posts, scheduled(fmt.Sprintf("post_%02d", i), fmt.Sprintf("Words of %d", i), time.Duration(i+1)*10*time.Minute))
		}
		d := drive(t, f, 120, 40)
		d.press("2")
		if n := strings.Count(d.model.View(), "Words of"); n < 10 {
			t.Errorf("%d texts are readable:\n%s", n, d.model.View())
		}
	})
}

// A key in a calendar of 10,000 posts and 50 accounts is visible within a frame.
func BenchmarkCalendarKey(b *testing.B) {
	for _, view := range []string{"2", "3"} {
		b.Run(view, func(b *testing.B) {
			d := wide(b, lean{crowded(10_000)})
			d.press(view)
			i := 0
			for b.Loop() {
				d.model, _ = d.model.Update(press([]string{"right", "down", "left", "up"}[i%4]))
				if i++; d.model.View() == "" {
					b.Fatal("nothing is drawn")
				}
			}
			if mean := b.Elapsed() / time.Duration(b.N); mean > frame {
				b.Errorf("%v for a key, want at most a frame (%v)", mean, frame)
			}
		})
	}
}

// crowded is a daemon with 50 accounts and posts within four weeks.
func crowded(n int) *fake {
	f := newFake()
	f.accounts = nil
	for i := range 50 {
		f.accounts = append(f.accounts, apiv1.Account{ID: fmt.Sprintf("acct_%d", i), Name: fmt.Sprintf("brand-%02d", i), Status: schedctl.AccountConnected})
	}
	for i := range n {
		p := scheduled(fmt.Sprintf("post_%05d", i), fmt.Sprintf("Post number %d", i), time.Minute+time.Duration(i)*28*24*time.Hour/time.Duration(n))
		p.SocialAccountIDs = []string{f.accounts[i%50].ID, f.accounts[i*7%50].ID}
		f.posts = append(f.posts, p)
	}
	return f
}

// What the week shows does not change the day of the month.
func TestWeekAndMonthAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, full(400), 120, 40)
		d.press("2", "g")
		d.typed("1 feb")
		d.press("enter", "3")
		d.sees("Today, Saturday 21 November 2026, 1 post")
		d.press("2")
		d.sees("Mon  1")
		d.press("}", "3")
		d.sees("Today, Saturday 21 November 2026, 1 post")
	})
}

// A key that moves 500 grabbed posts among 10,000 is visible within a frame.
func BenchmarkGrabKey(b *testing.B) {
	d := wide(b, lean{crowded(10_000)})
	d.press("3", ":", "m", "a", "r", "k", "enter", "m")
	i := 0
	for b.Loop() {
		d.model, _ = d.model.Update(press([]string{"right", "left"}[i%2]))
		if i++; d.model.View() == "" {
			b.Fatal("nothing is drawn")
		}
	}
	if mean := b.Elapsed() / time.Duration(b.N); mean > frame {
		b.Errorf("%v for a key, want at most a frame (%v)", mean, frame)
	}
}
