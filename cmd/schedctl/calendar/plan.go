package calendar

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// dateRange is a range of whole days in a time zone.
type dateRange struct {
	first time.Time // the first instant of the first day
	count int
	month bool // a month, else a week
}

// weekOf returns the week of a day, from Monday on.
func weekOf(day time.Time) dateRange {
	back := (int(day.Weekday()) + 6) % 7
	return dateRange{first: startOf(day.Year(), day.Month(), day.Day()-back, day.Location()), count: 7}
}

// monthOf returns the month of a day.
func monthOf(day time.Time) dateRange {
	last := time.Date(day.Year(), day.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return dateRange{first: startOf(day.Year(), day.Month(), 1, day.Location()), count: last, month: true}
}

// startOf returns the first instant of a day, which is not midnight where clocks
// change at midnight.
func startOf(year int, month time.Month, day int, loc *time.Location) time.Time {
	noon := time.Date(year, month, day, 12, 0, 0, 0, loc)
	start := time.Date(noon.Year(), noon.Month(), noon.Day(), 0, 0, 0, 0, loc)
	for start.In(loc).Day() != noon.Day() {
		start = start.Add(15 * time.Minute)
	}
	return start
}

// day returns the first instant of the day with this number, from 0 on.
func (d dateRange) day(i int) time.Time {
	return startOf(d.first.Year(), d.first.Month(), d.first.Day()+i, d.first.Location())
}

// end returns the first instant after the last day.
func (d dateRange) end() time.Time { return d.day(d.count) }

// plan has the posts of some days, as --json prints it.
type plan struct {
	From     string    `json:"from"` // the first day, 2026-11-23
	To       string    `json:"to"`   // the last day
	Timezone string    `json:"timezone"`
	Days     []dayPlan `json:"days"`

	span dateRange
	now  time.Time
}

// dayPlan is one day with all accounts, in the order of their names.
type dayPlan struct {
	Date     string        `json:"date"`
	Accounts []accountPlan `json:"accounts"`
}

// accountPlan has the posts of one account on one day. Gap reports that there are
// none and that no blackout is the reason, today or on a later day.
type accountPlan struct {
	SocialAccountID string  `json:"social_account_id"`
	Name            string  `json:"name"`
	Platform        string  `json:"platform"`
	Gap             bool    `json:"gap"`
	Posts           []entry `json:"posts"`

	FreeSlots []freeSlot    `json:"free_slots"`
	Blackouts []dayBlackout `json:"blackouts"`
}

// entry is one post to one account. Clash reports that another post to the account is
// too close in time, or that there are more posts than its network accepts in a period.
type entry struct {
	PostID   string          `json:"post_id"`
	TargetID string          `json:"target_id"`
	At       *apiv1.Time     `json:"at"`
	Status   schedctl.Status `json:"status"`
	Clash    bool            `json:"clash"`
	Content  string          `json:"content"`
	SeriesID *string         `json:"series_id"`

	day, account string
}

// newPlan puts posts into days. Posts to accounts that are not among the
// given ones are left out, unless no account is given.
func newPlan(span dateRange, posts []apiv1.Post, shown []apiv1.Account, times timetable, apart time.Duration, now time.Time) plan {
	shown = slices.SortedFunc(slices.Values(shown), func(a, b apiv1.Account) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Platform, b.Platform), strings.Compare(a.ID, b.ID))
	})
	c := plan{
		From: span.first.Format(time.DateOnly), To: span.day(span.count - 1).Format(time.DateOnly),
		Timezone: zoneOf(span.first), span: span, now: now,
	}
	byAccount, free := map[string][]entry{}, map[string][]freeSlot{}
	for _, acct := range shown {
		byAccount[acct.ID] = entriesOf(acct, posts, span, apart)
		free[acct.ID] = times.freeSlots(acct.ID, byAccount[acct.ID])
	}
	for i := range span.count {
		c.Days = append(c.Days, dayPlan{Date: span.day(i).Format(time.DateOnly)})
		day := &c.Days[i]
		for _, acct := range shown {
			line := accountPlan{SocialAccountID: acct.ID, Name: acct.Name, Platform: acct.Platform, Posts: []entry{}, FreeSlots: []freeSlot{}}
			for _, e := range byAccount[acct.ID] {
				if e.day == day.Date {
					line.Posts = append(line.Posts, e)
				}
			}
			for _, s := range free[acct.ID] {
				if s.At.In(span.first.Location()).Format(time.DateOnly) == day.Date {
					line.FreeSlots = append(line.FreeSlots, s)
				}
			}
			line.Blackouts = times.blackoutsOn(acct.ID, span.day(i), span.day(i+1), now)
			line.Gap = len(line.Posts) == 0 && len(line.Blackouts) == 0 && span.day(i+1).After(now)
			day.Accounts = append(day.Accounts, line)
		}
	}
	return c
}

// zoneOf returns the name of the zone of a time: for the local zone, its abbreviation.
func zoneOf(t time.Time) string {
	if name := t.Location().String(); name != "Local" {
		return name
	}
	name, _ := t.Zone()
	return name
}

// proposed is the status of drafts that wait for an approval, at the time that they propose.
const proposed schedctl.Status = "proposed"

// entriesOf returns the posts of one account in the order of time, with clashes
// marked.
func entriesOf(acct apiv1.Account, posts []apiv1.Post, span dateRange, apart time.Duration) (list []entry) {
	for _, p := range posts {
		for _, t := range p.Targets {
			at, status := t.PublishAt, t.Status
			switch {
			case p.Status == schedctl.Draft && p.ProposedAt != nil:
				at, status = apiv1.NewTime(p.ProposedAt.Time), proposed
			case at == nil:
				at = p.PublishAt
			}
			if t.SocialAccountID != acct.ID || at == nil || t.Status == schedctl.Canceled || at.Before(span.first) || !at.Before(span.end()) {
				continue
			}
			list = append(list, entry{
				PostID: p.ID, TargetID: t.ID, At: at, Status: status, Content: p.Content, SeriesID: p.SeriesID,
				day: at.In(span.first.Location()).Format(time.DateOnly), account: acct.Name,
			})
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int { return a.At.Compare(b.At.Time) })
	for i := 1; i < len(list); i++ {
		if list[i].At.Sub(list[i-1].At.Time) < apart {
			list[i-1].Clash, list[i].Clash = true, true
		}
	}
	markFullWindows(list, acct.Limits)
	return list
}

// markFullWindows marks the posts that the network does not accept at their time, because
// it accepts only some in a period.
func markFullWindows(list []entry, l apiv1.Limits) {
	if l.Posts == nil || l.WindowSeconds == nil {
		return
	}
	window := time.Duration(*l.WindowSeconds) * time.Second
	for i := *l.Posts; i < len(list); i++ {
		if list[i].At.Sub(list[i-*l.Posts].At.Time) < window {
			list[i].Clash = true
		}
	}
}

// entries returns the posts of all accounts in the order of time.
func (c plan) entries() (all []entry) {
	for _, day := range c.Days {
		for _, acct := range day.Accounts {
			all = append(all, acct.Posts...)
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return a.At.Compare(b.At.Time) })
	return all
}
