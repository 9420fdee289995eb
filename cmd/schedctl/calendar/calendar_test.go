package calendar

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
)

// noon is when the tests are.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with the file that keeps it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is stale: run go test ./cmd/schedctl/calendar -update and look at the difference, -kept +got:\n%s", path, diff)
	}
}

// planned returns a post to accounts, at a time in UTC.
func planned(id, at string, status schedctl.Status, content string, to ...string) apiv1.Post {
	t, err := time.Parse("2006-01-02 15:04", at)
	if err != nil {
		panic(err)
	}
	p := apiv1.Post{ID: id, Content: content, Status: status, PublishAt: apiv1.NewTime(t), SocialAccountIDs: to}
	for i, acct := range to {
		p.Targets = append(p.Targets, apiv1.Target{ID: fmt.Sprintf("%s_%d", id, i), SocialAccountID: acct, Status: status, PublishAt: p.PublishAt})
	}
	return p
}

var (
	blog = apiv1.Account{ID: "acct_blog", Name: "blog", Platform: "feed", Status: schedctl.AccountConnected}
	team = apiv1.Account{ID: "acct_team", Name: "team-announcements", Platform: "slack", Status: schedctl.AccountConnected}
	gone = apiv1.Account{ID: "acct_gone", Name: "gone", Platform: "feed", Status: schedctl.AccountDisconnected}
)

// plans are around noon, which is a Saturday.
var plans = []apiv1.Post{
	planned("post_1", "2026-11-16 08:00", schedctl.Published, "The week starts: 日本語のテキスト for everybody", blog.ID, team.ID),
	planned("post_2", "2026-11-18 15:30", schedctl.Failed, "Did not work", team.ID),
	planned("post_3", "2026-11-21 11:55", schedctl.Publishing, "Going out", blog.ID),
	planned("post_4", "2026-11-21 18:00", schedctl.Scheduled, "Version 1.0 is out,\nand here is what is new", blog.ID, team.ID),
	planned("post_5", "2026-11-21 18:10", schedctl.Scheduled, "Too close", blog.ID),
	planned("post_6", "2026-11-22 23:30", schedctl.Scheduled, "In Berlin this is the day after", blog.ID),
	planned("post_7", "2026-11-21 18:05", schedctl.Canceled, "Will not go out", blog.ID),
	planned("post_8", "2026-11-28 09:00", schedctl.Scheduled, "Later", team.ID),
	planned("post_9", "2026-11-28 09:00", schedctl.Scheduled, "To an account that is not shown", gone.ID),
}

// holidays has a queue with slots around noon for blog, one for all accounts, and
// blackouts.
var holidays = timetable{
	queues: []apiv1.Queue{
		{ID: "que_all", Name: "main", Gap: "0s", Default: true},
		{ID: "que_blog", Name: "blog", Gap: "30m", SocialAccountIDs: []string{blog.ID}},
	},
	slots: map[string][]apiv1.QueueSlot{
		"que_all":  {slotAt("2026-11-21 18:00", apiv1.SlotIsTaken), slotAt("2026-11-22 09:00", apiv1.SlotFree), slotAt("2026-11-28 09:00", apiv1.SlotIsTaken)},
		"que_blog": {slotAt("2026-11-21 18:20", apiv1.SlotIsTaken), slotAt("2026-11-21 19:00", apiv1.SlotFree), slotAt("2026-11-22 10:00", apiv1.SlotBlocked)},
	},
	blackouts: []apiv1.Blackout{
		{ID: "blk_1", Mode: schedctl.BlackoutAvoid, Reason: ptr("Thanksgiving"), StartsAt: utc("2026-11-21 23:00"), EndsAt: ptr(utc("2026-11-22 23:00")), SocialAccountIDs: []string{blog.ID}},
		{ID: "blk_2", Mode: schedctl.BlackoutHold, StartsAt: utc("2026-11-20 12:00"), SocialAccountIDs: []string{team.ID}},
	},
}

func ptr[T any](v T) *T { return &v }

func utc(text string) apiv1.Time {
	at, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		panic(err)
	}
	return apiv1.Time{Time: at}
}

func slotAt(text string, state apiv1.QueueSlotState) apiv1.QueueSlot {
	return apiv1.QueueSlot{At: utc(text), State: state}
}

// repeated returns the posts. Every second one is of a series.
func repeated(posts []apiv1.Post) []apiv1.Post {
	out := append([]apiv1.Post{}, posts...)
	for i := 0; i < len(out); i += 2 {
		out[i].SeriesID = ptr("ser_1")
	}
	return out
}

// A slot is free for an account if no post of it is closer than the gap, although it is
// taken for another account, and no blackout of the account has it.
func TestFreeSlotsOfAccounts(t *testing.T) {
	t.Parallel()
	c := newPlan(weekOf(noon), plans, []apiv1.Account{blog, team}, holidays, time.Minute, noon)
	got := map[string][]string{}
	for _, day := range c.Days {
		for _, acct := range day.Accounts {
			for _, s := range acct.FreeSlots {
				got[acct.Name] = append(got[acct.Name], s.Queue+" "+s.At.String())
			}
		}
	}
	want := map[string][]string{
		"blog":               {"blog 2026-11-21T19:00:00Z"}, // 18:20 is within the gap, and 22 Nov in a blackout
		"team-announcements": {"main 2026-11-22T09:00:00Z"}, // a hold without an end blocks no slot
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDrawnCalendars(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	busy := append([]apiv1.Post{}, plans...)
	for i := range 9 {
		busy = append(busy, planned(fmt.Sprintf("post_b%d", i), fmt.Sprintf("2026-11-19 %02d:00", 8+i), schedctl.Scheduled, "Hourly 👩‍👩‍👧", blog.ID))
	}
	for name, c := range map[string]plan{
		"week":        newPlan(weekOf(noon.In(berlin)), busy, []apiv1.Account{team, blog}, timetable{}, 15*time.Minute, noon),
		"month":       newPlan(monthOf(noon.In(berlin)), busy, []apiv1.Account{team, blog}, timetable{}, 15*time.Minute, noon),
		"slots_week":  newPlan(weekOf(noon.In(berlin)), repeated(plans), []apiv1.Account{team, blog}, holidays, 15*time.Minute, noon),
		"slots_month": newPlan(monthOf(noon.In(berlin)), repeated(plans), []apiv1.Account{team, blog}, holidays, 15*time.Minute, noon),
		"empty":       newPlan(weekOf(noon.AddDate(0, 0, 35)), nil, nil, timetable{}, 15*time.Minute, noon),
	} {
		for _, columns := range []int{40, 80, 120} {
			d := drawing{width: columns, apart: cli.DurationFlag(15 * time.Minute), paint: func(_, text string) string { return text }}
			got := d.draw(c)
			golden(t, fmt.Sprintf("%s_%d.txt", name, columns), got)
			for _, line := range strings.Split(got, "\n") {
				if w := ansi.StringWidth(line); w > columns {
					t.Errorf("%s: %d columns on a terminal with %d: %s", name, w, columns, line)
				}
				if strings.HasSuffix(line, " ") {
					t.Errorf("%s: spaces at the end of %q", name, line)
				}
			}
			d.paint = func(sgr, text string) string { return "\x1b[" + sgr + "m" + text + "\x1b[0m" }
			if plain := ansi.Strip(d.draw(c)); strings.ReplaceAll(plain, " ", "") != strings.ReplaceAll(got, " ", "") {
				t.Errorf("%s in %d columns looks different with colors:\n%s", name, columns, plain)
			}
		}
	}
}

// However narrow a terminal is, drawing ends.
func TestCalendarsOnOddTerminals(t *testing.T) {
	t.Parallel()
	for columns := range 50 {
		d := drawing{width: columns, paint: func(_, text string) string { return text }}
		for _, span := range []dateRange{weekOf(noon), monthOf(noon)} {
			if d.draw(newPlan(span, plans, []apiv1.Account{blog, team}, holidays, time.Hour, noon)) == "" {
				t.Errorf("the drawing is empty in %d columns", columns)
			}
		}
	}
}

func TestDaysOfCalendars(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		zone, day           string
		month               bool
		firstNonEmpty, last string
		hours               float64
	}{
		{"UTC", "2026-11-21", false, "2026-11-16 00:00 UTC", "2026-11-22 00:00 UTC", 7 * 24},
		{"UTC", "2026-11-16", false, "2026-11-16 00:00 UTC", "2026-11-22 00:00 UTC", 7 * 24},
		{"UTC", "2027-01-03", false, "2026-12-28 00:00 UTC", "2027-01-03 00:00 UTC", 7 * 24},
		{"UTC", "2028-02-29", true, "2028-02-01 00:00 UTC", "2028-02-29 00:00 UTC", 29 * 24},
		{"Europe/Berlin", "2026-10-25", false, "2026-10-19 00:00 CEST", "2026-10-25 00:00 CEST", 7*24 + 1},
		{"Europe/Berlin", "2027-03-15", true, "2027-03-01 00:00 CET", "2027-03-31 00:00 CEST", 31*24 - 1},
		{"America/Santiago", "2026-09-06", false, "2026-08-31 00:00 -04", "2026-09-06 01:00 -03", 7*24 - 1}, // clocks skip midnight
	} {
		loc, err := time.LoadLocation(tc.zone)
		if err != nil {
			t.Fatal(err)
		}
		day, err := time.ParseInLocation(time.DateOnly+" 15:04", tc.day+" 12:00", loc)
		if err != nil {
			t.Fatal(err)
		}
		span := weekOf(day)
		if tc.month {
			span = monthOf(day)
		}
		got := []string{span.first.Format("2006-01-02 15:04 MST"), span.day(span.count - 1).Format("2006-01-02 15:04 MST"), fmt.Sprint(span.end().Sub(span.first).Hours())}
		if diff := cmp.Diff([]string{tc.firstNonEmpty, tc.last, fmt.Sprint(tc.hours)}, got); diff != "" {
			t.Errorf("%s in %s: -want +got:\n%s", tc.day, tc.zone, diff)
		}
	}
}

// A draft that waits for an approval is shown at the time that it proposes, and is no
// publication yet.
func TestProposalsInCalendars(t *testing.T) {
	t.Parallel()
	p := planned("post_p", "2026-11-20 10:00", schedctl.Draft, "Waits for an approval", blog.ID)
	p.PublishAt, p.ProposedAt = nil, &apiv1.ProposedTime{Time: utc("2026-11-20 10:00").Time}
	for i := range p.Targets {
		p.Targets[i].PublishAt = nil
	}
	c := newPlan(weekOf(noon), append([]apiv1.Post{p}, plans[3]), []apiv1.Account{blog, team}, holidays, 15*time.Minute, noon)
	if got := c.rows()[0]; got[3] != "proposed" || got[5] != "post_p" {
		t.Errorf("the first row is %q", got)
	}
	for _, columns := range []int{80, 120} {
		d := drawing{width: columns, apart: cli.DurationFlag(15 * time.Minute), paint: func(_, text string) string { return text }}
		if got := d.draw(c); !strings.Contains(got, "? 1 proposal, not approved yet") || !strings.Contains(got, "2 publications") || !strings.Contains(got, "10:00  ? Waits") && !strings.Contains(got, "? W") {
			t.Errorf("%d columns:\n%s", columns, got)
		}
	}
}
