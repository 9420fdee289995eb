package tui_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
)

// timeOf returns the time of a post as text.
func (f *fake) timeOf(t *testing.T, id string) string {
	t.Helper()
	return f.post(t, id).PublishAt.In(zone).Format("Mon 2 Jan 15:04")
}

// A grabbed post moves on the screen only, until enter sends the move or esc puts it back.
func TestGrab(t *testing.T) {
	for _, view := range []struct {
		key, name       string
		moves           []string
		want, sees, far string
	}{
		{"1", "agenda", []string{"right", "down", "shift+up"}, "Sun 22 Nov 17:15", "“Post number 0”: Sat 21 Nov 18:00 → Sun 22 Nov 2026 17:15 CET", ""},
		{"2", "week", []string{"right", "right", "up"}, "Mon 23 Nov 17:45", "Mon 23", "» 17:45"},
		{"2", "week later", []string{"pgdown", "down"}, "Sat 28 Nov 18:15", "Mon 23", "» 18:15"},
		{"3", "month", []string{"down", "left", "shift+down"}, "Fri 27 Nov 18:15", "Friday 27 November 2026", "18:15 ○ Post number 0"},
		{"3", "next month", []string{"pgdown"}, "Sat 19 Dec 18:00", "December 2026", "18:00 ○ Post number 0"},
	} {
		t.Run(view.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := full(200)
				d := drive(t, f, 120, 40)
				d.press(view.key, "m")
				d.sees("Move “Post number 0” from Sat 21 Nov 18:00", "put back")
				d.press(view.moves...)
				d.sees(view.sees, view.far)
				d.press("esc")
				d.sees("not moved", "Post number 0")
				if f.called("Edit") > 0 {
					t.Fatal("the post was changed before enter")
				}
				d.press("m")
				d.press(view.moves...)
				d.press("enter")
				if got := f.timeOf(t, "post_0000"); got != view.want {
					t.Errorf("the post is at %s, want %s", got, view.want)
				}
				d.sees("Post number 0", "u move back to Sat 21 Nov 18:00")
				d.press("u")
				if got := f.timeOf(t, "post_0000"); got != "Sat 21 Nov 18:00" {
					t.Errorf("after the undo the post is at %s", got)
				}
			})
		})
	}
}

// While a post is grabbed, what is typed is a time: of the post, not of now.
func TestGrabWithAPhrase(t *testing.T) {
	for phrase, want := range map[string]string{
		"tomorrow 9am": "Sun 22 Nov 09:00", "friday": "Fri 27 Nov 18:00", "9pm": "Sat 21 Nov 21:00", "+2h": "Sat 21 Nov 20:00",
		"+1 week": "Sat 28 Nov 18:00", "-30m": "Sat 21 Nov 17:30", "24.12. 8:15": "Thu 24 Dec 08:15",
	} {
		synctest.Test(t, func(t *testing.T) {
			f := full(3)
			d := drive(t, f, 120, 40)
			d.press("2", "m")
			d.typed(phrase)
			d.press("enter")
			if got := f.timeOf(t, "post_0000"); got != want {
				t.Errorf("%q moved the post to %s, want %s", phrase, got, want)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := full(3)
		d := drive(t, f, 120, 40)
		d.press("2", "m")
		d.typed("someday")
		d.press("enter")
		d.sees(`"someday" is not a valid time`, "put back")
		d.press("ctrl+u")
		d.typed("8am")
		d.press("enter")
		d.sees("is in the past: move further, or press esc")
		if f.called("Edit") > 0 {
			t.Error("the post was moved")
		}
	})
}

// Where a grabbed post is shows what its new time means.
func TestWhatAMoveMeans(t *testing.T) {
	hold := blackout("blk_1", "server move", schedctl.BlackoutHold, now.Add(7*time.Hour), now.Add(9*time.Hour))
	for name, test := range map[string]struct {
		prepare func(f *fake, p *apiv1.Post)
		config  func(*tui.Config)
		moves   []string
		want    []string
	}{
		"clash": {moves: []string{"shift+down", "shift+down"}, want: []string{"clash with “Another” on me"}},
		"gaps":  {moves: []string{"shift+down"}, want: []string{"1h after “Before”, 1h before “Another”"}},
		"queue gap": {prepare: func(f *fake, _ *apiv1.Post) {
			f.plan.queues = []schedctl.Queue{{ID: "queue_1", Name: "daily", Timezone: "Europe/Berlin", Gap: 45 * time.Minute}}
		}, moves: []string{"shift+down", "down", "down"}, want: []string{"30m from “Another”: the gap of its queue is 45m"}},
		"blackout": {prepare: func(f *fake, _ *apiv1.Post) {
			b := hold
			b.Mode = schedctl.BlackoutAvoid
			f.plan.blackouts = []apiv1.Blackout{b}
		}, moves: []string{"shift+down", "shift+down", "shift+down"}, want: []string{"in a blackout (server move)"}},
		"hold": {prepare: func(f *fake, _ *apiv1.Post) { f.plan.blackouts = []apiv1.Blackout{hold} }, moves: []string{"shift+down", "shift+down", "shift+down"},
			want: []string{"held by a pause until Sat 21 Nov 21:00 (server move)"}},
		"clock change": {config: func(c *tui.Config) { c.Zone = berlin }, moves: []string{"2", "8", " ", "m", "a", "r", " ", "2", "0", "2", "7"},
			want: []string{"clock change in between, 16:00 CEST"}},
		"skipped time": {config: func(c *tui.Config) { c.Zone = berlin }, moves: []string{"2", "0", "2", "7", "-", "0", "3", "-", "2", "8", " ", "2", ":", "3", "0"},
			want: []string{"clock change in between, 03:00 CEST"}},
		"queue left": {prepare: func(_ *fake, p *apiv1.Post) {
			p.Slot, p.QueueID = &apiv1.Slot{Local: "2026-11-21T16:00", Timezone: "Europe/Berlin"}, ptr("queue_1")
		},
			moves: []string{"right"}, want: []string{"leaves its queue"}},
		"approval kept": {prepare: approved, moves: []string{"right"}, want: []string{"approval kept"}},
		"approval lost": {prepare: approved, config: func(c *tui.Config) { c.Key.Kind = apiv1.KeyAgent }, moves: []string{"right"},
			want: []string{"approval lost: this key cannot move an approved time"}},
		"past": {moves: []string{"left"}, want: []string{"in the past"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.posts = []apiv1.Post{scheduled("post_a", "The one", 4*time.Hour), scheduled("post_b", "Another", 6*time.Hour), scheduled("post_c", "Before", 4*time.Hour-time.Second)}
				f.posts[0].SocialAccountIDs, f.posts[2].SocialAccountIDs = []string{"acct_1"}, []string{"acct_1"}
				if test.prepare != nil {
					test.prepare(f, &f.posts[0])
				}
				d := drive(t, f, 160, 40, func(c *tui.Config) {
					if test.config != nil {
						test.config(c)
					}
				})
				d.press("2", "down", "m")
				d.press(test.moves...)
				d.sees(test.want...)
			})
		})
	}
}

func approved(_ *fake, p *apiv1.Post) {
	p.Approval = &apiv1.Approval{State: schedctl.ApprovalApproved, RequestedAt: at(-time.Hour)}
}

var berlin = func() *time.Location {
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return loc
}()

// In the cells of calendars, a grabbed post says what is wrong with its new time.
func TestTheCellOfAGrabbedPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.posts = []apiv1.Post{scheduled("post_a", "The one", 4*time.Hour), scheduled("post_b", "Another", 6*time.Hour)}
		d := drive(t, f, 200, 40)
		d.press("2", "m", "shift+down", "shift+down")
		d.sees("» 18:00 me sk", "clash with “Another”")
		d.press("esc", "3", "m", "left")
		d.sees("» 16:00 me sk in the past")
	})
}

// Marked posts move together, by as much as the selected one, and come back in one step.
func TestGrabSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(30)
		d := drive(t, f, 120, 40)
		before := f.snapshot()
		d.press("1", "down", "V", "down", "down", "V", "down", "down", " ")
		d.sees("4 posts marked")
		d.press("home", "m")
		d.sees("and 3 other posts")
		d.typed("+3 days")
		d.press("enter")
		d.sees("moved 4 posts", "u move 4 posts back")
		moved := f.moved(before)
		if fmt.Sprint(moved) != "[Post number 1 Post number 2 Post number 3 Post number 5]" {
			t.Fatalf("moved %v", moved)
		}
		for _, text := range moved {
			if by := f.snapshot()[text].PublishAt.Sub(before[text].PublishAt.Time); by != 72*time.Hour {
				t.Errorf("%s moved by %v", text, by)
			}
		}
		d.seesNot("marked")
		d.press("u")
		if moved := f.moved(before); len(moved) > 0 {
			t.Errorf("after one undo, %v are elsewhere", moved)
		}
		d.sees("undone: moved back 4 posts")
	})
}

// If some of the posts cannot be moved, the others are, the message says which, and these
// stay marked.
func TestSomeGrabbedPostsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(30)
		d := drive(t, f, 120, 40)
		before := f.snapshot()
		d.press("1", "down", " ", " ", " ")
		f.changeOf("post_0002", func(*apiv1.Post) {})
		d.press("m", "right", "enter")
		d.sees("moved 2 of 3 posts; “Post number 2”: someone else has changed this post")
		if moved := f.moved(before); fmt.Sprint(moved) != "[Post number 1 Post number 3]" {
			t.Errorf("moved %v", moved)
		}
		d.press("u")
		if moved := f.moved(before); len(moved) > 0 {
			t.Errorf("after the undo, %v are elsewhere", moved)
		}
	})
}

// A marked post has a sign, and esc ends the marks before it ends a filter.
func TestMarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, full(30), 120, 40)
		d.press("/")
		d.typed("number 1")
		d.press("enter", " ", " ")
		d.sees(" ◆00:00", " ◆06:00", "▌ 12:00", "2 posts marked")
		d.press("up", " ")
		d.sees("1 post marked")
		d.press("esc")
		d.sees("no longer marked")
		d.seesNot("Post number 2 ")
		d.seesNot("◆")
		d.press("V", "down", "down", "up")
		d.sees("2 posts marked, a range")
		d.press("esc", "3", " ")
		d.sees("1 post marked", "Tomorrow, Sunday 22 November 2026")
		d.press(" ")
		d.sees("5 posts marked")
	})
}

// Proposals move in time as scheduled posts do; drafts without a time do not.
func TestGrabAProposal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		p := draftPost("post_y", "Please")
		p.Approval, p.ProposedAt = &apiv1.Approval{State: schedctl.ApprovalPending}, proposed(now.Add(3*time.Hour))
		f.posts = []apiv1.Post{p, draftPost("post_z", "Later")}
		d := drive(t, f, 120, 40)
		d.press("2", "m", "right")
		d.sees("still waits for approval")
		d.press("enter")
		if got := f.post(t, "post_y").ProposedAt.Time.In(zone).Format("2 Jan 15:04"); got != "22 Nov 15:04"[:6]+" 15:00" {
			t.Errorf("the proposed time is %s", got)
		}
		d.press("u")
		if got := f.post(t, "post_y").ProposedAt.Time; !got.Equal(now.Add(3 * time.Hour)) {
			t.Errorf("after the undo the proposed time is %v", got)
		}
		d.press("4", "end", "m")
		d.sees("only scheduled posts and proposals can be moved")
	})
}

// A post that is dragged to another day of the week is taken there.
func TestAPostIsDragged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(30)
		d := drive(t, f, 140, 40)
		d.press("2")
		mouse := func(x, y int, action tea.MouseAction) {
			d.send(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: action})
		}
		mouse(125, 6, tea.MouseActionPress) // Sunday, the second post
		mouse(125, 6, tea.MouseActionRelease)
		d.sees("▌ 06:00 me", "Sunday 06:00")
		mouse(125, 6, tea.MouseActionPress)
		mouse(105, 12, tea.MouseActionRelease)
		d.sees("Move “Post number 2”: Sun 22 Nov 06:00 → Sat 21 Nov 2026 06:00", "in the past")
		mouse(14, 39, tea.MouseActionPress)
		d.sees("not moved")
		mouse(125, 6, tea.MouseActionPress)
		mouse(125, 6, tea.MouseActionRelease)
		d.sees("Timeline")
		d.press("esc")
		mouse(125, 38, tea.MouseActionPress)
		mouse(3, 38, tea.MouseActionRelease)
		d.sees("▌ 06:00 me")
	})
}

// An event about a grabbed post does not move it on the screen.
func TestEventsWhilePostsAreGrabbed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := full(30)
		d := drive(t, f, 120, 40)
		d.press("2", "m", "down")
		d.send(tui.Happened(apiv1.Event{ID: "evt_1", Type: schedctl.EventPostUpdated, Data: apiv1.EventData{PostID: "post_0000"}}))
		d.sees("» 18:15")
		d.press("pgdown", "pgup")
		d.sees("» 18:15")
		d.press("esc")
		d.sees("▌ 18:00")
	})
}

// Keys that arrive before the posts of another week are loaded move the post further.
func TestKeysBeforeTheWeekIsLoaded(t *testing.T) {
	for _, keys := range [][]string{{"m", "right", "right", "down", "left", "right", "enter"}, {"}", "}", "}"}} {
		for _, view := range []string{"2", "3"} {
			synctest.Test(t, func(t *testing.T) {
				f := full(60)
				d := drive(t, f, 80, 24)
				d.press(view)
				d.holds = tui.IsPage
				for range 3 { // to another month
					d.press(keys...)
				}
				d.release()
				d.release()
				if got := f.post(t, "post_0000").PublishAt; !got.After(now.Add(48 * time.Hour)) {
					t.Errorf("%s %v: the post is at %v", view, keys, got)
				}
				d.sees("Post number 0")
			})
		}
	}
}
