package main

import (
	"slices"
	"strings"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// exampleHolidays is a calendar with one day.
const exampleHolidays = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:example\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\n" +
	"SUMMARY:Holiday\r\nDTSTART;VALUE=DATE:20270101\r\nRRULE:FREQ=YEARLY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"

// makeQueue makes the queue main.
func (i *inhabitant) makeQueue() {
	if i.example.command == "queue create" || !strings.HasPrefix(i.example.command, "queue ") && !i.says("--queue", "--next-slot") {
		return
	}
	made, err := i.c.CreateQueue(i.t.Context(), apiv1.CreateQueue{
		Name: "main", Timezone: "UTC", Times: []apiv1.QueueTime{{Days: []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, At: "09:00"}},
	})
	i.ok(err)
	i.names = append(i.names, "que_01KAK3R9ZC4VBX1D2E3F4G5H6J", made.Queue.ID)
}

// makeSource makes the source blog.
func (i *inhabitant) makeSource() {
	if i.example.command == "source add" || !strings.HasPrefix(i.example.command, "source ") {
		return
	}
	made, err := i.c.CreateSource(i.t.Context(), apiv1.CreateSource{Name: "blog", URL: i.network + "/feed.xml", SocialAccountIDs: i.accounts})
	i.ok(err)
	i.names = append(i.names, "src_01KAK3R9ZC4VBX1D2E3F4G5H6J", made.Source.ID, "@last", made.Source.ID)
}

// makeBlackout makes the blackout holidays, and for resume a pause.
func (i *inhabitant) makeBlackout() {
	switch {
	case i.example.command == "resume":
		_, err := i.c.CreateBlackout(i.t.Context(), apiv1.CreateBlackout{
			From: "2026-01-01T00:00", Timezone: "UTC", Mode: schedctl.BlackoutHold, SocialAccountIDs: slices.Clone(i.accounts),
		})
		i.ok(err)
	case slices.Contains([]string{"blackout show", "blackout edit", "blackout remove"}, i.example.command):
		made, err := i.c.CreateBlackout(i.t.Context(), apiv1.CreateBlackout{
			From: "2027-12-24T00:00", To: ptr("2027-12-27T00:00"), Timezone: "UTC", Mode: schedctl.BlackoutAvoid, Reason: ptr("holidays"),
		})
		i.ok(err)
		i.names = append(i.names, "blk_01KAK3R9ZC4VBX1D2E3F4G5H6J", made.Blackout.ID)
	}
}

// makeCollection makes the collection website.
func (i *inhabitant) makeCollection() {
	if slices.Contains([]string{"collection show", "collection remove"}, i.example.command) {
		_, err := i.c.AdoptCollection(i.t.Context(), "website", apiv1.AdoptCollection{Source: "github.com/me/posts"})
		i.ok(err)
	}
}

// makeSeries makes the series questions in a state in which the command can do
// something.
func (i *inhabitant) makeSeries() {
	if i.example.command == "series create" || !strings.HasPrefix(i.example.command, "series ") && !i.says("--series ") {
		return
	}
	series := apiv1.CreateSeries{
		Name: "questions", Content: "Any questions?", SocialAccountIDs: i.accounts,
		Timezone: "UTC", Start: "2026-12-01T09:00", Rule: "FREQ=WEEKLY;BYDAY=TU,TH",
	}
	if i.says("--undo") {
		series.Exdates = []string{"2028-01-04T09:00"}
	}
	made, err := i.author.CreateSeries(i.t.Context(), series)
	i.ok(err)
	if slices.Contains([]string{"series approve", "series request-changes", "series withdraw"}, i.example.command) {
		_, err = i.author.SubmitSeries(i.t.Context(), made.ID, apiv1.SubmitSeries{})
		i.ok(err)
	}
	if i.example.command == "series resume" {
		_, err = i.c.PauseSeries(i.t.Context(), made.ID)
		i.ok(err)
	}
	i.names = append(i.names, "ser_01KAK3R9ZC4VBX1D2E3F4G5H6J", made.ID)
}

// makeFeed makes the calendar feed team.
func (i *inhabitant) makeFeed() {
	if i.example.command != "calendar feed revoke" {
		return
	}
	made, err := i.c.CreateCalendarFeed(i.t.Context(), apiv1.CreateCalendarFeed{Name: "team"})
	i.ok(err)
	i.names = append(i.names, "cal_01KAK3R9ZC4VBX1D2E3F4G5H6J", made.CalendarFeed.ID)
}

// makeShare makes the share of Dana.
func (i *inhabitant) makeShare() {
	if i.example.command != "share revoke" && i.example.command != "share show" {
		return
	}
	made, err := i.c.CreateShare(i.t.Context(), apiv1.CreateShare{Kind: "review", Name: "Dana"})
	i.ok(err)
	i.names = append(i.names, "shr_01KAK3R9ZC4VBX1D2E3F4G5H6N", made.Share.ID)
}

// lastCommand makes the post that @last names in an example of the order of a queue.
func lastCommand(e example) []string {
	if e.command != "queue move" || !slices.Contains(e.args, "@last") {
		return nil
	}
	return []string{"post", "create", "The last one", "--to", "demo", "--next-slot"}
}
