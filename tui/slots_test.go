package tui_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
	"github.com/schedctl/schedctl/tui/screen"
)

func TestAPostIsWrittenIntoASlot(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("2", "]", "down", "down")
		d.sees("+ free slot of morning", "n write a post here")
		d.press("nHello", "tab", " ", "tab")
		d.sees("When slot Mon 23 Nov 2026 17:00 in morning")
		d.press("ctrl+s")
		d.sees("saved: scheduled for Mon 23 Nov 2026 17:00 CET", "Monday 17:00  ○ scheduled")
		p := f.post(t, "post_new0")
		if c := f.lastCreate; !c.PublishAt.NextSlot || *c.QueueID != "que_1" || !c.NotBefore.Equal(day(23, "17:00")) {
			t.Errorf("sent %+v", c)
		}
		d.press("u")
		if p = f.post(t, "post_new0"); p.Status != schedctl.Draft || p.Slot != nil {
			t.Errorf("after undo: %+v", p)
		}
		d.press("down", "up")
		d.sees("+ 17:00")
	})
}

func TestASlotKnowsItsAccounts(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("2", "]", "right", "down", "enter")
		d.typed("News")
		d.press("ctrl+s")
		if p := f.post(t, "post_new0"); !slices.Equal(p.SocialAccountIDs, []string{"acct_2"}) || !p.PublishAt.Equal(day(24, "12:30")) {
			t.Errorf("created %+v", p)
		}
	})
}

func TestASlotIsTakenMeanwhile(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("2", "]", "down", "down", "nHello", "tab", " ")
		f.posts = append(f.posts, queued("post_t", "Faster", "que_1", day(23, "17:00")))
		d.press("ctrl+s")
		if screen := columns(d.model.View()); !strings.Contains(screen, "saved: the slot at Mon 23 Nov 17:00 is taken: scheduled for the next free one, Tue 24 Nov 2026 09:00 CET") {
			t.Errorf("the screen does not say so:\n%s", d.model.View())
		}
		if p := f.post(t, "post_new0"); !p.PublishAt.Equal(day(24, "09:00")) {
			t.Errorf("created %+v", p)
		}
	})
}

func TestNextSlotIsATime(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		f.posts = append(f.posts, draftPost("post_e", "An idea"))
		d.press("4", "s")
		d.typed("next slot in newz")
		d.press("enter")
		d.sees("there is no queue named newz")
		d.press("backspace", "s")
		d.sees("the next free slot of the queue news")
		d.press("enter")
		d.sees("scheduled for Tue 24 Nov 2026 12:30 CET")
		if p := f.post(t, "post_e"); *p.QueueID != "que_2" || p.Status != schedctl.Scheduled {
			t.Errorf("the draft is %+v", p)
		}
		d.press("nHello", "tab", " ", "tab")
		d.typed("next-slot")
		d.press("ctrl+s")
		d.sees("saved: scheduled for Mon 23 Nov 2026 17:00 CET")
		if c := f.lastCreate; !c.PublishAt.NextSlot || c.QueueID != nil || c.NotBefore != nil {
			t.Errorf("sent %+v", c)
		}
	})
}

func TestAPostIsWrittenInAQueue(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		f.plan.queues[1].Name = "daily-news  weekly"
		d.press("9", "down", "enter", "up", "/", "x", "enter", "nHello")
		d.sees("When next-slot in daily-news weekly", "[x] sky")
		d.press("ctrl+s")
		d.sees("saved: scheduled for Tue 24 Nov 2026 12:30 CET")
		if c := f.lastCreate; !c.PublishAt.NextSlot || *c.QueueID != "que_2" || c.NotBefore != nil {
			t.Errorf("sent %+v", c)
		}
	})
}

func TestAQueuedPostStepsThroughSlots(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		sends := false
		d.holds = func(msg tea.Msg) bool { return !sends && tui.IsNudge(msg) }
		d.press(">")
		d.sees("17:00 ○ The first in the queue")
		d.press(">", "<", ">")
		d.sees("09:00 ○ The first in the queue")
		if n := f.called("Edit"); n != 0 {
			t.Fatalf("%d changes were sent while keys are pressed", n)
		}
		sends = true
		d.release()
		d.sees("scheduled for Tue 24 Nov 2026 09:00 CET")
		if e := f.lastEdit; f.called("Edit") != 1 || !e.PublishAt.NextSlot || *e.QueueID != "que_1" || !e.NotBefore.Equal(day(24, "09:00")) {
			t.Errorf("sent %+v", e)
		}
		if n := f.called("QueueSlots"); n != 2 {
			t.Errorf("the slots were read %d times for 2 accounts", n)
		}
		d.press("u")
		d.sees("undone: scheduled for Sun 22 Nov 2026 09:00 CET")
		if p := f.post(t, "post_q1"); !p.PublishAt.Equal(day(22, "09:00")) || p.Slot == nil {
			t.Errorf("after undo: %+v", p)
		}
		d.press("<")
		d.sees("no earlier slot of the queue is free")
		if n := f.called("Edit"); n != 2 {
			t.Errorf("%d changes were sent", n)
		}
	})
}

func TestStepsAreThoseOfTheAccounts(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		f.posts[0].SocialAccountIDs = []string{"acct_1"}
		f.posts[1].SocialAccountIDs = []string{"acct_2"}
		d.press("R", ">")
		if e := f.lastEdit; e.NotBefore == nil || !e.NotBefore.Equal(day(23, "09:00")) {
			t.Errorf("sent %+v", e)
		}
	})
}

func TestStepsReadFurther(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		f.plan.blackouts = []apiv1.Blackout{blackout("blk_1", "", schedctl.BlackoutAvoid, day(22, "10:00"), day(22, "10:00").AddDate(0, 4, 0))}
		d.press(">")
		d.sees("scheduled for Mon 22 Mar 2027 17:00 CET")
		f.plan.blackouts[0].EndsAt = apiv1.NewTime(day(22, "10:00").AddDate(1, 0, 0))
		d.press("home", ">")
		d.sees("no later slot of the queue is free")
	})
}

func TestAFixedTimeLeavesTheQueue(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("+", ">")
		d.sees("10:15 ○ The first in the queue")
		if p := f.post(t, "post_q1"); p.Slot != nil || p.QueueID != nil || !p.PublishAt.Equal(day(22, "10:15")) {
			t.Errorf("the post is %+v", p)
		}
		d.press("u", "u")
		if p := f.post(t, "post_q1"); p.Slot == nil || *p.QueueID != "que_1" || !p.PublishAt.Equal(day(22, "09:00")) {
			t.Errorf("after undo: %+v", p)
		}
		d.press("c", "y", "u")
		if p := f.post(t, "post_new0"); p.Slot == nil || !p.PublishAt.Equal(day(22, "09:00")) {
			t.Errorf("the copy is %+v", p)
		}
	})
}

func TestSlotsAreReadLazily(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("down", "up", "enter", "esc")
		if n := f.called("QueueSlots"); n != 0 {
			t.Fatalf("the slots were read %d times for the agenda", n)
		}
		d.press("2", "]")
		before := f.called("QueueSlots")
		d.press("down", "down", "up", "right", "left")
		for i := range 30 {
			d.send(tui.Tick(now.Add(time.Duration(i) * time.Second)))
			d.model.View()
		}
		if n := f.called("QueueSlots") - before; n != 0 {
			t.Errorf("the slots were read %d times without a change", n)
		}
		f.posts = append(f.posts, queued("post_t", "By someone else", "que_1", day(23, "17:00")))
		for range 20 {
			d.send(tui.Happened(event("evt_1", "post_t")))
		}
		d.send(tui.Tick(now.Add(33 * time.Second)))
		d.sees("By")
		d.seesNot("+ 17:00")
		if n := f.called("QueueSlots") - before; n > 4 {
			t.Errorf("the slots of 2 queues were read %d times for a burst of events", n)
		}
		d.press("9", "enter", "end")
		for range 200 {
			d.press("down")
		}
		if n := f.called("QueueSlots"); n > 12 {
			t.Errorf("the slots were read %d times while scrolling", n)
		}
	})
}

func TestSlotsOfAnAccount(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("2", "]", "f", "down", "down", "down", "down", "down", "down", "enter") // account me
		if q := f.plan.queries[len(f.plan.queries)-1]; q.AccountID != "acct_1" {
			t.Errorf("asked for %+v", q)
		}
		d.sees("+ 09:00")
		d.seesNot("+ 12:30")
		d.press("/", "Q", "enter")
		d.seesNot("+ 09:00")
	})
}

func TestAClickSelectsASlot(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		click := func(y int) {
			d.send(tea.MouseMsg{X: 10, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
		}
		d.press("9", "enter")
		click(9)
		d.sees("▌ Mon 23 Nov 17:00 + free")
		click(13) // taken by a post at a fixed time
		d.sees("▌ Mon 23 Nov 17:00 + free")
		click(6)
		d.sees("▌ Sun 22 Nov 09:00 ○ The first")
		click(6)
		d.sees("Timeline")
	})
}

func TestASelectedSlotGoesAway(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("9", "enter", "down", "down", "down")
		d.sees("▌ Mon 23 Nov 17:00 + free")
		if _, err := f.Edit(context.Background(), screen.Version{ID: "post_q3"}, apiv1.EditPost{PublishAt: apiv1.NextSlot(), QueueID: ptr("que_1"), NotBefore: apiv1.NewTime(day(23, "17:00"))}); err != nil {
			t.Fatal(err)
		}
		d.send(tui.Happened(event("evt_1", "post_q3")))
		d.send(tui.Tick(now.Add(3 * time.Second)))
		d.sees("▌ Mon 23 Nov 17:00 ○ Displaced by new times")
		d.seesNot("17:00 + free\n  Tue 24 Nov 09:00", "without a slot")
	})
}

func TestATimeInABlackout(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		inBlackout := schedctl.Errorf(schedctl.InBlackout, "publish_at", "Thu 26 Nov 09:00 is in Offsite, which me avoids; send allow_blackout: true")
		f.fail("Edit", inBlackout)
		d.press("s")
		d.typed("26 Nov 9am")
		d.press("enter")
		d.sees("Use this time in spite of a blackout?", "Thu 26 Nov 09:00 is in Offsite, which me avoids", "09:00 ○ The first")
		d.seesNot("allow_blackout")
		f.fail("Edit", nil)
		d.press("n", "y")
		if n := f.called("Edit"); n != 1 {
			t.Fatalf("%d changes were sent without a yes", n)
		}
		f.fail("Edit", inBlackout)
		d.press("}")
		f.fail("Edit", nil)
		d.press("y")
		if e := f.lastEdit; !e.AllowBlackout || !e.PublishAt.Time.Equal(day(23, "09:00")) {
			t.Errorf("sent %+v", e)
		}
		f.fail("Create", inBlackout)
		d.press("nHello", "tab", " ", "tab")
		d.typed("26 Nov 9am")
		d.press("ctrl+s")
		if c := f.lastCreate; c.AllowBlackout {
			t.Errorf("sent %+v", c)
		}
		if screen := columns(d.model.View()); !strings.Contains(screen, "which me avoids: save again to use this time anyway") {
			t.Errorf("the screen does not say so:\n%s", d.model.View())
		}
		f.fail("Create", nil)
		d.press("ctrl+s")
		if c := f.lastCreate; !c.AllowBlackout {
			t.Errorf("sent %+v", c)
		}
	})
}
