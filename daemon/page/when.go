package page

import "time"

// clock shows times in the zone of a workspace.
type clock struct {
	now  time.Time
	zone *time.Location

	words calendarWords
}

// newClock returns a clock of an IANA zone. An unknown one is UTC.
func newClock(now time.Time, zone string) clock {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		loc = time.UTC
	}
	return clock{now: now, zone: loc}
}

// at returns a time such as "Tuesday 8 December 2026, 09:00 CET".
func (c clock) at(t time.Time) string { return c.words.full(t.In(c.zone)) }

// distance counts days as a calendar does: a time of tomorrow is "tomorrow" from 23:00 on,
// and from 0:00 on.
func (c clock) distance(t time.Time) string {
	days := c.day(t) - c.day(c.now)
	switch d := t.Sub(c.now); {
	case days == 1:
		return "tomorrow"
	case days == -1:
		return "yesterday"
	case days > 1:
		return "in " + c.words.count(days, "day")
	case days < -1:
		return c.words.count(-days, "day") + " ago"
	case d >= time.Hour:
		return "in " + c.words.count(int(d.Hours()), "hour")
	case d >= time.Minute:
		return "in " + c.words.count(int(d.Minutes()), "minute")
	case d > -time.Minute:
		return "now"
	case d > -time.Hour:
		return c.words.count(int(-d.Minutes()), "minute") + " ago"
	default:
		return c.words.count(int(-d.Hours()), "hour") + " ago"
	}
}

// day returns the number of the day of a time.
func (c clock) day(t time.Time) int {
	y, m, d := t.In(c.zone).Date()
	return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}
