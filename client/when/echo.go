package when

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Echo says the moment back: in its own zone, in loc when that shows another
// time, in UTC, and seen from now.
//
//	Tue 8 Dec 2026 09:00 CET (08:00 UTC, in 17 days)
//	Tue 8 Dec 2026 09:00 CET (03:00 EST, 08:00 UTC, in 17 days)
func (m Result) Echo(now time.Time, loc *time.Location) string {
	var also []string
	shown := []time.Time{m.Time}
	for _, t := range []time.Time{m.Time.In(loc), m.Time.UTC()} {
		if !sameClock(shown, t) {
			also = append(also, formatNextTo(t, m.Time, loc))
			shown = append(shown, t)
		}
	}
	also = append(also, Relative(m.Time, now))
	return FormatFor(m.Time, loc) + " (" + strings.Join(also, ", ") + ")"
}

func sameClock(shown []time.Time, t time.Time) bool {
	_, offset := t.Zone()
	for _, s := range shown {
		if _, o := s.Zone(); o == offset && zoneName(s, s.Location()) == zoneName(t, t.Location()) {
			return true
		}
	}
	return false
}

// Format returns the instant in its own location, such as "Tue 8 Dec 2026 09:00
// CET", for a reader in this zone. It shows seconds only when they are not zero.
func Format(t time.Time) string { return FormatFor(t, t.Location()) }

// FormatFor returns the instant in its own location, as [Parse] reads it where local is the
// local zone: with the abbreviation of its zone, or with its offset.
func FormatFor(t time.Time, local *time.Location) string {
	return t.Format("Mon 2 Jan 2006 ") + formatClock(t, local)
}

// formatNextTo formats t without its day when other is on the same day.
func formatNextTo(t, other time.Time, local *time.Location) string {
	if dateOf(t) == dateOf(other) {
		return formatClock(t, local)
	}
	return t.Format("Mon 2 Jan ") + formatClock(t, local)
}

func formatClock(t time.Time, local *time.Location) string {
	layout := "15:04"
	if t.Second() != 0 || t.Nanosecond() != 0 {
		layout = "15:04:05"
	}
	return t.Format(layout) + " " + zoneName(t, local)
}

// zoneName returns the zone's abbreviation, or the offset if it has no abbreviation or if [Parse]
// would not read it as this offset in a local zone.
func zoneName(t time.Time, local *time.Location) string {
	name, offset := t.Zone()
	switch {
	case strings.HasPrefix(name, unknownZone):
		return "UTC"
	case name == "" || name[0] == '+' || name[0] == '-':
		return t.Format("UTC-07:00")
	}
	if name == "UTC" || name == "GMT" {
		return name
	}
	if here := t.In(local); usesAbbreviation(here, name) {
		if n, o := here.Zone(); n == name && o == offset {
			return name
		}
		return t.Format("UTC-07:00")
	}
	if means := abbreviated(name); means != nil {
		if n, o := t.In(means).Zone(); n == name && o == offset {
			return name
		}
	}
	return t.Format("UTC-07:00")
}

// abbreviated returns the zone that an abbreviation means everywhere, or nil.
func abbreviated(name string) *time.Location {
	if loc, found := abbreviatedZones.Load(name); found {
		return loc.(*time.Location)
	}
	var loc *time.Location
	if known := namedZones[strings.ToLower(name)]; known != "" {
		loc, _ = time.LoadLocation(known)
	}
	abbreviatedZones.Store(name, loc)
	return loc
}

// abbreviatedZones has the zones that [abbreviated] has loaded: times are formatted often.
var abbreviatedZones sync.Map

const (
	secondsPerDay = 24 * 60 * 60
	spanDays      = 100_000 // 273 years; the limit of time.Duration is 292
)

// Relative returns the distance from now: "in 17 days", "in 2 hours 5 minutes", "3
// minutes ago", "now". It rounds more for longer distances.
func Relative(t, now time.Time) string {
	d := t.Sub(now).Round(time.Second)
	if far := (t.Unix() - now.Unix()) / secondsPerDay; far > spanDays { // beyond the range of time.Duration
		return "in " + plural(int(far), "day")
	} else if far < -spanDays {
		return plural(int(-far), "day") + " ago"
	}
	if d == 0 {
		return "now"
	}
	if d < 0 {
		return length(-d) + " ago"
	}
	return "in " + length(d)
}

// length formats a duration of a second or more in one or two units.
func length(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return plural(int(d/time.Second), "second")
	case d < 10*time.Minute:
		return twoUnits(d, time.Minute, "minute", time.Second, "second")
	}
	switch d = d.Round(time.Minute); {
	case d < time.Hour:
		return plural(int(d/time.Minute), "minute")
	case d < day:
		return twoUnits(d, time.Hour, "hour", time.Minute, "minute")
	}
	if d = d.Round(time.Hour); d < 3*day {
		return twoUnits(d, day, "day", time.Hour, "hour")
	}
	return plural(int(d.Round(day)/day), "day")
}

func twoUnits(d, long time.Duration, longName string, short time.Duration, shortName string) string {
	out := plural(int(d/long), longName)
	if rest := int(d % long / short); rest > 0 {
		out += " " + plural(rest, shortName)
	}
	return out
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
