package clock

import (
	"fmt"
	"time"
)

// Leap is a step of the wall clock ahead that is not believed yet. The zero Leap
// is none.
type Leap struct {
	// It happened at some instant between two readings: from is the latest time
	// it began at, and to the earliest it led to, so that what is queued right
	// before and after it is in time.
	from, to time.Time
	by       time.Duration
	measured bool // the machine is known not to have lived through it
}

// InDoubt reports whether there is a leap.
func (l Leap) InDoubt() bool { return !l.to.IsZero() }

// Holds reports whether nobody knows if a time has come. It has not been reached
// without the leap, and the clock either has leapt over it, or the time was set
// before the leap, by another reckoning than what the clock shows now.
func (l Leap) Holds(due, set time.Time) bool {
	return l.InDoubt() && due.After(l.from) && (due.Before(l.to) || set.Before(l.to))
}

// Age returns how long ago an instant was, at a time of the wall clock, without
// what was leapt over since.
func (l Leap) Age(t, now time.Time) time.Duration {
	age := now.Sub(t)
	switch {
	case !t.Before(l.to): // after the leap, or there is none
		return age
	case t.After(l.from): // leapt over
		return now.Sub(l.to)
	}
	return age - l.by
}

// warning returns a sentence about the leap. The clock is confirmed at the given
// time if nothing else happens.
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
