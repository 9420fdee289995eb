package when

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// unknownZone is the start of the name of the zone of [LocalZone] for an unknown TZ.
const unknownZone = "unknown time zone "

// LocalZone returns the local zone for the value of the environment variable TZ, or
// [time.Local] if it is not set. Unlike package time, it reads the POSIX rules that the
// IANA database has, such as "CET-1CEST". For an unknown zone it returns UTC under a
// name by which [Parse] refuses local times, and [CheckZone] returns an error.
func LocalZone(tz string) *time.Location {
	name := strings.TrimPrefix(tz, ":")
	switch {
	case name == "" || name == "UTC":
		return time.Local
	case strings.HasPrefix(name, "/"):
		if _, iana, found := strings.Cut(name, "zoneinfo/"); found {
			if loc, err := time.LoadLocation(iana); err == nil {
				return loc
			}
		}
		if data, err := os.ReadFile(name); err == nil {
			if _, err := time.LoadLocationFromTZData("", data); err == nil {
				return time.Local
			}
		}
		return time.FixedZone(unknownZone+tz, 0)
	}
	if _, err := time.LoadLocation(name); err == nil {
		return time.Local
	}
	if zone := posixZone(name); zone != nil {
		return zone
	}
	return time.FixedZone(unknownZone+tz, 0)
}

// posixZone returns the zone of a POSIX rule, or nil if the IANA database does not have
// the rule. A rule without the changes of a year has those of the database.
func posixZone(rule string) *time.Location {
	names, changes, given := strings.Cut(rule, ",")
	known, found := posixZones[names]
	if !found || given && strings.ReplaceAll(changes+",", "/2,", ",") != known.changes+"," {
		return nil
	}
	zone, err := time.LoadLocation(known.zone)
	if err != nil {
		return nil
	}
	return zone
}

// CheckZone returns an [*Error] for a local zone that is not known.
func CheckZone(loc *time.Location) error {
	name, unknown := strings.CutPrefix(loc.String(), unknownZone)
	if !unknown {
		return nil
	}
	hint := "set TZ to an IANA name such as Europe/Berlin, or name the zone, such as \"tomorrow 9am Berlin\" or --tz Berlin"
	if near := similarZone(name); near != "" {
		hint = fmt.Sprintf("did you mean TZ=%s? A time can also name its zone, such as \"tomorrow 9am Berlin\"", near)
	}
	return &Error{Reason: Unreadable, Text: name, Message: fmt.Sprintf("the local time zone is unknown: TZ is %q", clip(name)), Hint: hint}
}

// clip shortens a name for a message.
func clip(name string) string {
	if runes := []rune(name[:min(len(name), 4*maxZone)]); len(runes) > maxZone {
		return string(runes[:maxZone]) + "…"
	}
	return name
}

// maxZone is longer than any name in the IANA database.
const maxZone = 64
