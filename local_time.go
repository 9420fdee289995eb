package schedctl

import (
	"time"
)

// LocalTime is a date and a time of day on the clocks of a time zone, without the zone,
// such as 2026-12-08T09:00. Local times sort by time as strings. The empty LocalTime is
// not set.
type LocalTime string

const localLayout = "2006-01-02T15:04"

// ParseLocalTime returns the local time that a text of the form 2026-12-08T09:00
// names, else an error with code [ValidationFailed] about a field.
func ParseLocalTime(field, text string) (LocalTime, error) {
	t, err := time.Parse(localLayout, text)
	if err != nil || t.Format(localLayout) != text {
		return "", Errorf(ValidationFailed, field, "%s must be a local time such as 2026-12-08T09:00, without a zone", field)
	}
	return LocalTime(text), nil
}

// LocalTimeOf returns the local time that t shows in its own location. It drops
// seconds.
func LocalTimeOf(t time.Time) LocalTime { return LocalTime(t.Format(localLayout)) }

// LocalPeriod returns the local times of the bounds of a period in a zone, or in UTC if one
// of them is in an hour that clocks show a second time: its local time in the zone would be
// an hour too early. It drops seconds. A zero bound gives an empty local time.
func LocalPeriod(from, to time.Time, loc *time.Location) (LocalTime, LocalTime, *time.Location) {
	var bounds [2]LocalTime
	for i, at := range []time.Time{from, to} {
		if at.IsZero() {
			continue
		}
		local := LocalTimeOf(at.In(loc))
		if read, _ := local.In(loc); loc != time.UTC && at.Sub(read) >= time.Minute {
			return LocalPeriod(from, to, time.UTC)
		}
		bounds[i] = local
	}
	return bounds[0], bounds[1], loc
}

// LastPassed returns the last local time of a zone that has passed at now: each local time
// at or before it has an instant that is not after now. It can be later than what the
// clocks show: while they show an hour again, all of that hour has passed.
func LastPassed(now time.Time, loc *time.Location) LocalTime {
	now = now.In(loc)
	shown := LocalTimeOf(now)
	change, _ := now.ZoneBounds()
	if change.IsZero() || change.After(now) {
		return shown
	}
	return max(shown, LocalTimeOf(change.Add(-time.Minute).In(loc)))
}

// Civil returns the local time as a time in UTC, for arithmetic with dates. It returns
// the zero time for a LocalTime that is not valid.
func (l LocalTime) Civil() time.Time {
	t, _ := time.Parse(localLayout, string(l))
	return t
}

// In returns the instant of the local time in a zone; see [ResolveLocal].
func (l LocalTime) In(loc *time.Location) (time.Time, LocalNote) {
	return ResolveLocal(l.Civil(), loc)
}

// Day returns the date of the local time, such as 2026-12-08.
func (l LocalTime) Day() string {
	const length = len("2006-01-02")
	return string(l[:min(length, len(l))])
}

// LocalNote says how a local time became an instant near a clock change. It is empty if
// the clocks show the local time once.
type LocalNote string

// The notes.
const (
	LocalSkipped  LocalNote = "skipped"  // the clocks skip it: the first instant after the gap
	LocalRepeated LocalNote = "repeated" // the clocks show it twice: the first of the two instants
)

// ResolveLocal returns the instant at which the clocks of a zone show a date and a time
// of day. wall is this date and time of day in UTC. Package time does not specify which
// instant it returns near a clock change. ResolveLocal returns the first of two
// instants, and the first instant after a gap.
func ResolveLocal(wall time.Time, loc *time.Location) (time.Time, LocalNote) {
	var found []time.Time
	var gapEnd time.Time
	// No offset exceeds 16 hours, so the instant is within about a day of the wall
	// clock read as UTC.
	const reach = 26 * time.Hour
	for t, last := wall.Add(-reach).In(loc), wall.Add(reach); ; {
		_, offset := t.Zone()
		end := ZoneEnd(t)
		candidate := wall.Add(-time.Duration(offset) * time.Second).In(loc)
		if _, o := candidate.Zone(); o == offset && !candidate.Before(t) && (end.IsZero() || candidate.Before(end)) {
			found = append(found, candidate)
		}
		if end.IsZero() || end.After(last) {
			break
		}
		if _, next := end.Zone(); gapEnd.IsZero() && skips(end, wall, offset, next) {
			gapEnd = end
		}
		t = end
	}
	switch {
	case len(found) == 0:
		return gapEnd, LocalSkipped
	case len(found) > 1:
		return found[0], LocalRepeated
	}
	return found[0], ""
}

// ZoneEnd returns a time after t until which the offset of its zone stays the same, or the
// zero time for ever. The offset need not change then. [time.Time.ZoneBounds] takes every year to have 365 days, so on
// December 31 of a leap year it can return an end that is not after t.
func ZoneEnd(t time.Time) time.Time {
	_, end := t.ZoneBounds()
	if !end.IsZero() && !end.After(t) {
		const step = 15 * time.Minute // all offsets change at multiples of it
		return t.Truncate(step).Add(step)
	}
	return end
}

// skips reports whether the wall clock falls into the gap of an offset change: at
// or after the time that the old offset shows at the change, and before the time
// that the new one shows.
func skips(change, wall time.Time, before, after int) bool {
	shown := func(offset int) time.Time { return change.UTC().Add(time.Duration(offset) * time.Second) }
	return !wall.Before(shown(before)) && wall.Before(shown(after))
}

// LoadZone returns the zone with an IANA name, else an error with code
// [ValidationFailed] about a field. It refuses the empty name and "Local".
func LoadZone(field, name string) (*time.Location, error) {
	if name == "" {
		return nil, Errorf(ValidationFailed, field, "%s is empty; give an IANA name such as Europe/Berlin, or UTC", field)
	}
	if name != "Local" {
		if loc, err := time.LoadLocation(name); err == nil {
			return loc, nil
		}
	}
	const longest = 64 // runes of the name in the message
	if runes := []rune(name[:min(len(name), 4*longest)]); len(runes) > longest {
		name = string(runes[:longest]) + "…"
	}
	return nil, Errorf(ValidationFailed, field, "%s %q is not a time zone; use an IANA name such as Europe/Berlin, or UTC", field, name)
}
