package when

import (
	"fmt"
	"time"
)

var offsetName = lazily(`^(?:(?:utc|gmt) ?([+-])(\d{1,2})(?::?(\d{2}))?|([+-])(\d{2}):?(\d{2}))$`)

// isOffset reports whether the lower-case name of a zone is an offset, such as "+05:30",
// "+0100" or "gmt+2".
func isOffset(name string) bool { return offsetName().MatchString(name) }

// offsetZone returns a zone that has an offset all year, under its IANA name if there is
// one. In "gmt+2", as people write it, clocks are two hours ahead.
func offsetZone(name string) (*time.Location, error) {
	m := offsetName().FindStringSubmatch(name)
	sign, hours, minutes := m[1]+m[4], number(m[2]+m[5]), number(m[3]+m[6])
	if hours > 23 || minutes > 59 {
		return nil, &Error{Reason: Unreadable, Text: name, Message: fmt.Sprintf("%q is not a valid offset", name), Hint: "offsets are hours and minutes, such as +01:00"}
	}
	text := fmt.Sprintf("%s%02d:%02d", sign, hours, minutes)
	iana := offsetZones[text]
	switch reverse := map[string]string{"+": "-", "-": "+"}[sign]; {
	case hours == 0 && minutes == 0:
		return time.UTC, nil
	case minutes == 0:
		iana = fmt.Sprintf("Etc/GMT%s%d", reverse, hours) // POSIX counts west of Greenwich
	}
	if iana != "" {
		if loc, err := time.LoadLocation(iana); err == nil {
			return loc, nil
		}
	}
	seconds := (hours*60 + minutes) * 60
	if sign == "-" {
		seconds = -seconds
	}
	return time.FixedZone("UTC"+text, seconds), nil
}
