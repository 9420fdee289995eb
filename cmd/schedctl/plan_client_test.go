package main

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// everyDay has all weekdays.
var everyDay = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// The Go client and the daemon agree on queues, slots and their order.
func TestClientUsesQueues(t *testing.T) {
	t.Parallel()
	d := startExampleDaemon(t)
	c := d.client(t, d.key)
	account, err := c.AddAccount(t.Context(), apiv1.AddAccount{Platform: "feed", Name: "demo"})
	fatal(t, err)
	made, err := c.CreateQueue(t.Context(), apiv1.CreateQueue{Name: "main", Timezone: "Europe/Berlin", Times: []apiv1.QueueTime{{Days: everyDay, At: "09:00"}}})
	fatal(t, err)
	queue := made.Queue
	if !queue.Default || queue.Gap != "0s" || len(made.Displaced) != 0 {
		t.Errorf("created %+v", made)
	}
	var ids []string
	for _, text := range []string{"One", "Two", "Three"} {
		p, err := c.CreatePost(t.Context(), apiv1.CreatePost{Content: text, SocialAccountIDs: []string{account.ID}, PublishAt: apiv1.NextSlot(), QueueID: &queue.ID})
		fatal(t, err)
		if p.QueueID == nil || *p.QueueID != queue.ID || p.Slot == nil || p.Slot.Timezone != "Europe/Berlin" {
			t.Errorf("%s is in slot %+v of %v", text, p.Slot, p.QueueID)
		}
		ids = append(ids, p.ID)
	}
	slots, err := c.QueueSlots(t.Context(), queue.ID, client.SlotQuery{AccountID: account.ID, Limit: 4})
	fatal(t, err)
	var states []apiv1.QueueSlotState
	for _, s := range slots {
		states = append(states, s.State)
	}
	if want := []apiv1.QueueSlotState{apiv1.SlotIsTaken, apiv1.SlotIsTaken, apiv1.SlotIsTaken, apiv1.SlotFree}; !slices.Equal(states, want) {
		t.Errorf("the slots are %v, want %v", states, want)
	}
	moves, err := c.OrderQueue(t.Context(), queue.ID, []string{ids[2], ids[0], ids[1]})
	fatal(t, err)
	if len(moves.Moves) != 3 {
		t.Errorf("the order moved %+v", moves.Moves)
	}
	if got, want := queued(t, c, queue.ID), []string{ids[2], ids[0], ids[1]}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
	edited, err := c.EditQueue(t.Context(), queue.ID, apiv1.EditQueue{Times: &[]apiv1.QueueTime{{Days: everyDay, At: "10:00"}}})
	fatal(t, err)
	if len(edited.Displaced) != 3 {
		t.Errorf("displaced %v", edited.Displaced)
	}
	preview, err := c.PreviewReflow(t.Context(), queue.ID)
	fatal(t, err)
	if _, err := c.ReflowQueue(t.Context(), queue.ID, "00"); schedctl.CodeOf(err) != schedctl.VersionMismatch {
		t.Errorf("a stale digest: %v", err)
	}
	done, err := c.ReflowQueue(t.Context(), queue.ID, preview.Digest)
	fatal(t, err)
	if diff := cmp.Diff(preview.Moves, done.Moves); diff != "" || len(done.Moves) != 3 {
		t.Errorf("-preview +moves:\n%s", diff)
	}
	fatal(t, c.DeleteQueue(t.Context(), queue.ID))
	if _, err := c.Queue(t.Context(), queue.ID); schedctl.CodeOf(err) != schedctl.NotFound {
		t.Errorf("the deleted queue: %v", err)
	}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// queued returns the scheduled posts of a queue in the order of their times.
func queued(t *testing.T, c *client.Client, queueID string) (ids []string) {
	t.Helper()
	for p, err := range c.EachPost(t.Context(), client.PostQuery{QueueID: queueID, Sort: "publish_at", Limit: 2}) {
		fatal(t, err)
		ids = append(ids, p.ID)
	}
	return ids
}

// The Go client and the daemon agree on blackouts, series and calendar feeds.
func TestClientUsesSeries(t *testing.T) {
	t.Parallel()
	d := startExampleDaemon(t)
	c := d.client(t, d.key)
	account, err := c.AddAccount(t.Context(), apiv1.AddAccount{Platform: "feed", Name: "demo"})
	fatal(t, err)
	blackout, err := c.CreateBlackout(t.Context(), apiv1.CreateBlackout{From: "2098-01-04T00:00", To: ptr("2098-01-05T00:00"), Timezone: "UTC", Mode: schedctl.BlackoutAvoid})
	fatal(t, err)
	edited, err := c.EditBlackout(t.Context(), blackout.Blackout.ID, apiv1.EditBlackout{Reason: ptr("holiday")})
	fatal(t, err)
	if edited.Blackout.Version != 2 || *edited.Blackout.Reason != "holiday" {
		t.Errorf("edited %+v", edited.Blackout)
	}
	s, err := c.CreateSeries(t.Context(), apiv1.CreateSeries{
		Name: "tips", Content: "A tip", SocialAccountIDs: []string{account.ID}, Timezone: "UTC", Start: "2098-01-01T09:00", Rule: "freq=daily", ExternalID: ptr("site/tips"),
	})
	fatal(t, err)
	byExternalID, err := c.SeriesList(t.Context(), client.SeriesQuery{ExternalID: "site/tips"})
	fatal(t, err)
	if len(byExternalID.Results) != 1 || byExternalID.Results[0].ID != s.ID || s.Rule != "FREQ=DAILY" {
		t.Errorf("found %+v", byExternalID)
	}
	_, err = c.SkipOccurrence(t.Context(), s.ID, "2098-01-03T09:00")
	fatal(t, err)
	want := []string{"2098-01-02T09:00 planned", "2098-01-03T09:00 skipped", "2098-01-04T09:00 blocked", "2098-01-05T09:00 planned"}
	q := client.OccurrenceQuery{After: time.Date(2098, 1, 2, 0, 0, 0, 0, time.UTC), Before: time.Date(2098, 1, 6, 0, 0, 0, 0, time.UTC), Limit: 3}
	var got []string
	for o, err := range c.EachOccurrence(t.Context(), s.ID, q) {
		fatal(t, err)
		got = append(got, o.Occurrence+" "+string(o.State))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the occurrences: -want +got:\n%s", diff)
	}
	after, err := c.EditSeriesFrom(t.Context(), s.ID, "2098-01-10T09:00", apiv1.EditSeries{Name: ptr("later tips")})
	fatal(t, err)
	if after.Previous == nil || after.Previous.ID != s.ID || after.Series.ID == s.ID || after.Series.Start != "2098-01-10T09:00" {
		t.Errorf("after an edit from an occurrence on: %+v", after)
	}
	for action, call := range map[schedctl.SeriesState]func() (apiv1.SeriesEnvelope, error){
		schedctl.SeriesPaused: func() (apiv1.SeriesEnvelope, error) { return c.PauseSeries(t.Context(), s.ID) },
		schedctl.SeriesEnded:  func() (apiv1.SeriesEnvelope, error) { return c.EndSeries(t.Context(), after.Series.ID) },
	} {
		if e, err := call(); err != nil || e.Series.State != action {
			t.Errorf("%s: %+v, %v", action, e.Series, err)
		}
	}
	if e, err := c.ResumeSeries(t.Context(), s.ID); err != nil || e.Series.State != schedctl.SeriesActive {
		t.Errorf("resumed: %+v, %v", e.Series, err)
	}
	preview, err := c.PreviewSeries(t.Context(), apiv1.PreviewSeries{Timezone: "Europe/Berlin", Start: "2027-03-27T02:30", Rule: "FREQ=DAILY"})
	fatal(t, err)
	if len(preview.Results) != 10 || preview.Results[1].Note != schedctl.LocalSkipped {
		t.Errorf("the preview: %+v", preview)
	}
	fatal(t, c.DeleteSeries(t.Context(), s.ID))
	fatal(t, c.DeleteBlackout(t.Context(), blackout.Blackout.ID))
	feed, err := c.CreateCalendarFeed(t.Context(), apiv1.CreateCalendarFeed{Name: "team"})
	fatal(t, err)
	fatal(t, c.DeleteCalendarFeed(t.Context(), feed.CalendarFeed.ID))
	if feeds, err := c.CalendarFeeds(t.Context()); err != nil || len(feeds) != 0 {
		t.Errorf("after the revocation: %v, %v", feeds, err)
	}
}
