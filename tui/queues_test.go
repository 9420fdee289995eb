package tui_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/tui"
)

// plans runs a test in a synctest bubble, with a daemon that has queues, blackouts and a
// series.
func plans(t *testing.T, test func(t *testing.T, f *fake, d *driver)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := planned()
		test(t, f, drive(t, f, 80, 24))
	})
}

// The accounts that a queue names are selected for a post in its slot.
// If someone else takes the slot first, the daemon decides, and the screen shows it.
// A post that is written in an open queue gets its next slot.
// A slot that is free for the accounts of the post is a step, even if the queue has a
// post for other accounts there.
// Free slots may be far away.
// The keys for minutes, hours and days give a queued post a fixed time. Undo gives it its
// slot again.
func TestPostsAreDraggedInAQueue(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("J")
		d.sees("press 9")
		d.press("9", "enter")
		sends := false
		d.holds = func(msg tea.Msg) bool { return !sends && tui.IsDrag(msg) }
		d.press("J", "J", "J", "K")
		d.sees("▌ Mon 23 Nov 11:00!○ The first in the queue", "Sun 22 Nov 09:00 ○ The second in the queue", "saving…")
		d.press("c")
		d.sees("still being saved")
		sends = true
		d.release()
		if diff := cmp.Diff([][]string{{"post_q2", "post_q3", "post_q1", "post_q4"}}, f.plan.orders); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		d.sees("the order is changed   u put 4 posts back", "▌ Mon 23 Nov 11:00", "Sun 22 Nov 09:00 ○ The second in the queue")
		d.seesNot("saving…")
		d.press("u")
		d.sees("undone: the order is as before", "▌ Sun 22 Nov 09:00 ○ The first in the queue")
	})
}

// A post that leaves its queue is found in the agenda. No filter hides it.
func TestTheNoticeSaysWhereAPostIsThatLeavesItsQueue(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.send(tea.WindowSizeMsg{Width: 140, Height: 24})
		d.press("9", "enter", "}")
		d.sees("; it is in 1 Agenda")
	})
}

// Undoing an order keeps earlier changes undoable.
func TestAnOrderIsUndoneLikeOtherChanges(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("9", "enter", "i", "end", "!", "ctrl+s", "J", "u", "u")
		if p := f.post(t, "post_q1"); p.Content != "The first in the queue" || !p.PublishAt.Equal(day(22, "09:00")) {
			t.Errorf("the post is %q at %v:\n%s", p.Content, p.PublishAt, d.model.View())
		}
	})
}

func TestARefusedOrderIsReverted(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("9", "enter")
		f.fail("OrderQueue", schedctl.Errorf(schedctl.ValidationFailed, "post_ids", "post_q2 has no slot of the queue"))
		d.press("J")
		d.sees("not saved: post_q2 has no slot", "▌ Sun 22 Nov 09:00 ○ The first in the queue", "Mon 23 Nov 09:00 ○ The second")
		d.seesNot("saving…")
		d.holds = tui.IsDrag
		d.press("J", "u")
		d.sees("not moved", "▌ Sun 22 Nov 09:00 ○ The first in the queue")
		d.press("K")
		d.sees("there is no queued post to exchange the slot with")
	})
}

// Quitting waits for an order that was not sent yet.
func TestQuitSendsTheOrder(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("9", "enter")
		d.holds = tui.IsDrag
		d.press("J", "q")
		if !d.quit || len(f.plan.orders) != 1 {
			t.Errorf("left: %v, orders: %v", d.quit, f.plan.orders)
		}
	})
}

func TestDisplacedPostsGetNewSlots(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("F")
		d.sees("open a queue first")
		d.press("9", "enter")
		d.sees("1 post without a slot of the queue", "11:00!○ Displaced by new times")
		d.press("F")
		d.sees("Give 1 post of morning new slots?", "Mon 23 Nov 11:00 → Mon 23 Nov 17:00  Displaced by new times")
		d.press("n")
		if n := f.called("ReflowQueue"); n != 0 {
			t.Fatalf("%d reflows without a yes", n)
		}
		d.press("F")
		f.plan.queues[0].Version++
		d.press("y")
		if screen := columns(d.model.View()); !strings.Contains(screen, "the queue has changed since the preview, so no post was moved") {
			t.Errorf("the screen does not say so:\n%s", d.model.View())
		}
		d.press("F", "y")
		d.sees("1 post got new slots", "Mon 23 Nov 17:00 ○ Displaced by new times")
		d.seesNot("11:00", "without a slot")
		d.press("F")
		d.sees("nothing to move")
		d.press("u")
		d.sees("cannot be undone")
	})
}

func TestAnOccurrenceIsSkipped(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("x")
		d.sees("the post does not repeat")
		d.press("down", "down", "down", "x")
		d.sees("Skip this occurrence?")
		d.press("n")
		d.sees("↻ Office hours")
		d.press("enter", "x", "y")
		d.sees("skipped   u restore the occurrence")
		d.seesNot("↻")
		if diff := cmp.Diff([]string{"ser_1 2026-11-24T16:00"}, f.plan.skipped); diff != "" {
			t.Errorf("skipped (-want +got):\n%s", diff)
		}
		f.plan.series[0].Version++ // someone else changes the series
		d.press("u")
		d.sees("undone: scheduled for Tue 24 Nov 2026 16:00 CET", "▌ 16:00 ○ ↻ Office hours")
		if len(f.plan.series[0].Exdates) != 0 {
			t.Errorf("the exdates are %v", f.plan.series[0].Exdates)
		}
	})
}

func TestTheSeriesOfAPost(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		if n := f.called("Series"); n != 0 {
			t.Fatalf("the series was read %d times for a list", n)
		}
		d.press("down", "down", "down", "enter")
		d.sees("↻ Office hours: weekly on tuesday at 16:00 from 2026-11-10", "next: Tue 24 Nov 16:00, Tue 1 Dec 16:00", "x skip an occurrence")
		f.plan.series[0].State = schedctl.SeriesPaused
		d.send(tui.Happened(apiv1.Event{ID: "evt_1", Type: schedctl.EventSeriesSkipped, Data: apiv1.EventData{SeriesID: "ser_1"}}))
		d.sees("the series is paused")
		f.posts[f.index("post_s1")].Detached = true
		f.plan.series = nil
		d.press("R")
		d.sees("its series was deleted", "changed alone")
		if n := f.called("Series"); n != 3 {
			t.Errorf("the series was read %d times", n)
		}
	})
}

// Slots are read when a view needs them, and again after changes, but not for each key or
// frame.
// Only the slots for the account of a filter are shown.
func TestHeldAccountsAreShown(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.sees("paused: hook (server move)")
		f.plan.blackouts[2].SocialAccountIDs, f.plan.blackouts[2].EndsAt = nil, apiv1.NewTime(now.Add(time.Hour))
		d.send(tui.Tick(now.Add(2 * time.Minute)))
		d.sees("paused: all accounts until Sat 21 Nov 13:00 (server move)")
		f.plan.blackouts[2].Label = new("launch")
		d.send(tui.Tick(now.Add(4 * time.Minute)))
		d.sees("paused: label launch until Sat 21 Nov 13:00 (server move)")
		f.plan.blackouts[2].SettledAt = at(time.Hour)
		d.send(tui.Tick(now.Add(4*time.Minute + 30*time.Second)))
		d.sees("paused")
		d.send(tui.Tick(now.Add(6 * time.Minute)))
		d.seesNot("paused")
	})
}

// A daemon without queues is no error.
func TestADaemonWithoutQueues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := world()
		for _, method := range []string{"Queues", "Blackouts"} {
			f.fail(method, gone())
		}
		d := drive(t, f, 80, 24)
		d.press("9")
		d.sees("No queue yet. Create one with: schedctl queue create")
		d.seesNot("there is no such thing")
		d.press("enter", "2")
		d.sees("Good")
	})
}

func TestQueuesAreOpenedAndClosed(t *testing.T) {
	plans(t, func(t *testing.T, f *fake, d *driver) {
		d.press("9", "down", "enter")
		d.sees("news", "tue,thu 12:30", "▌ Tue 24 Nov 12:30 + free", "free slot of news")
		d.press("esc")
		d.sees("▌ news", "morning, default")
		d.press("up", "enter", "enter")
		d.sees("Timeline", "slot 2026-11-22 09:00 Europe/Berlin of queue morning")
		d.press("esc", "esc")
		d.sees("▌ morning, default")
		f.plan.queues = f.plan.queues[1:]
		d.press("enter", "R")
		d.sees("▌ news")
	})
}

// A slot that someone else takes loses the selection, and what is typed for it stays.
// A time in a blackout needs another yes.
func TestATimetableIsShort(t *testing.T) {
	t.Parallel()
	at := func(clock string, days ...string) apiv1.QueueTime { return apiv1.QueueTime{Days: days, At: clock} }
	workdays := []string{"mon", "tue", "wed", "thu", "fri"}
	for want, q := range map[string]apiv1.Queue{
		"daily 09:00, UTC":                              {Times: []apiv1.QueueTime{at("09:00", "mon", "tue", "wed", "thu", "fri", "sat", "sun")}, Timezone: "UTC", Gap: "0s"},
		"mon-fri 09:00 17:00, sat,sun 11:00, UTC":       {Times: []apiv1.QueueTime{at("09:00", workdays...), at("17:00", workdays...), at("11:00", "sat", "sun")}, Timezone: "UTC"},
		"mon,wed,fri 08:30, Europe/Berlin, gap 1h30m":   {Times: []apiv1.QueueTime{at("08:30", "mon", "wed", "fri")}, Timezone: "Europe/Berlin", Gap: "1h30m"},
		"fri-sun 20:00, tue 06:00, America/Los_Angeles": {Times: []apiv1.QueueTime{at("20:00", "fri", "sat", "sun"), at("06:00", "tue")}, Timezone: "America/Los_Angeles"},
	} {
		if got := tui.QueueTimes(q); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
