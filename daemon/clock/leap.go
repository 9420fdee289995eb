package clock

import "time"

// Leap is a jump of the wall clock ahead that is not believed yet. The zero Leap
// is none.
type Leap struct {
	// It happened at some instant between two readings: from is the latest time
	// it began at, and to the earliest it led to, so that what is queued right
	// before and after it is in time.
	from, to time.Time
	by       time.Duration
}

// InDoubt reports whether there is a leap.
func (l Leap) InDoubt() bool { return !l.to.IsZero() }

// Over reports whether the clock has leapt over an instant: nobody knows whether
// it has come.
func (l Leap) Over(t time.Time) bool { return t.After(l.from) && t.Before(l.to) }

// Age returns how long ago an instant was, at a time of the wall clock, without
// what was leapt over since.
func (l Leap) Age(t, now time.Time) time.Duration {
	age := now.Sub(t)
	switch {
	case !t.Before(l.to): // after the leap, or there is none
		return age
	case l.Over(t):
		return now.Sub(l.to)
	}
	return age - l.by
}
