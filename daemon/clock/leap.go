package clock

import (
	"fmt"
	"time"
)

// Leap is a step of the wall clock ahead that is not trusted yet. The zero value means
// that there is no leap.
type Leap struct {
	// The leap happened between two readings. from is the latest time before it and to
	// the earliest time after it, so that posts due right before and after are on time.
	from, to time.Time
	by       time.Duration
	measured bool // the machine was not running or suspended during it
}

// InDoubt reports whether there is a leap.
func (l Leap) InDoubt() bool { return !l.to.IsZero() }

// Holds reports whether it is uncertain that a due time has been reached: it lies after
// the start of the leap, and either the clock leapt over it or it was set before the leap.
func (l Leap) Holds(due, set time.Time) bool {
	return l.InDoubt() && due.After(l.from) && (due.Before(l.to) || set.Before(l.to))
}

// Age returns the time from t to now, without the part that the clock leapt over.
func (l Leap) Age(t, now time.Time) time.Duration {
	age := now.Sub(t)
	switch {
	case !t.Before(l.to): // after the leap, or without one
		return age
	case t.After(l.from): // leapt over
		return now.Sub(l.to)
	}
	return age - l.by
}

// warning returns a sentence about the leap. The clock is confirmed at until, unless it
// is changed before.
func (l Leap) warning(until time.Time) string {
	cause := "and this machine has not been running or suspended for that long"
	if !l.measured {
		cause = "and no time server has confirmed it since schedctl last ran"
	}
	return fmt.Sprintf("the clock went from %s to %s, %s. Posts that were scheduled before and are due after %s wait until %s. "+
		"If the clock is wrong, set it right. If it is right, let a time server synchronize it, or publish a post with schedctl post publish.",
		formatTime(l.from), formatTime(l.to), cause, formatTime(l.from), formatTime(until))
}

func formatTime(t time.Time) string { return t.UTC().Truncate(time.Second).Format(time.RFC3339) }
