package cli

import (
	"fmt"
	"time"

	"github.com/schedctl/schedctl/client/apiv1"
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
