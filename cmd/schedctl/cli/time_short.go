package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/client/when"
)

// wideTerminal is the smallest width at which a list shows relative times.
const wideTerminal = 100

// ShortTime formats a time for a column.
func (a *App) ShortTime(t *apiv1.Time) string {
	if t == nil || !a.OutTerminal {
		return a.TimeText(t)
	}
	text := t.In(a.Local).Format("2006-01-02 15:04")
	if a.Width >= wideTerminal {
		text += " (" + ShortRelative(t.Sub(a.Now())) + ")"
	}
	return text
}

// ShortRelative formats the distance of an instant in the largest unit that fits.
func ShortRelative(d time.Duration) string {
	const day = 24 * time.Hour
	away, text := d.Abs().Round(time.Second), ""
	switch {
	case away == 0:
		return "now"
	case away < time.Minute:
		text = fmt.Sprintf("%ds", away/time.Second)
	case away < time.Hour:
		text = fmt.Sprintf("%dm", away/time.Minute)
	case away < day:
		text = fmt.Sprintf("%dh", away/time.Hour)
	default:
		text = fmt.Sprintf("%dd", away/day)
	}
	if d < 0 {
		return text + " ago"
	}
	return "in " + text
}

// DayHeading formats the day of a time for people, in the zone of both times.
func DayHeading(t, now time.Time) string {
	heading := t.Format("Mon 2 Jan 2006")
	midday := func(t time.Time) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, time.UTC)
	}
	switch d := midday(t).Sub(midday(now)); d {
	case 0:
		return heading + ", today"
	case 24 * time.Hour:
		return heading + ", tomorrow"
	default:
		return heading + ", " + strings.TrimSpace(when.Relative(midday(t), midday(now)))
	}
}

// LocalTimes returns a message of the daemon with its times for people, in their zone. It
// leaves them as they are for programs.
func (a *App) LocalTimes(message string) string {
	if !a.OutTerminal {
		return message
	}
	return apiv1.WithTimes(message, func(at time.Time) string { return at.In(a.Local).Format("Mon 2 Jan 2006 15:04 MST") })
}
