// Package clock says how far the wall clock can be believed.
//
// A clock that is wrong by years is mostly so for minutes: a battery is empty, a
// time server has a fault, somebody mistypes. What follows from it would stay:
// posts given up as missed, answers and events past keeping. So a clock that
// leaps far ahead is believed only after it has stood there for an hour, and what
// the leap alone made due, late or old waits that long. Everything else goes on.
//
// What a clock leaps is measured by the monotonic clock, and at the start by the
// latest time that was believed before. A machine that was suspended, or off, for less
// than [Far] does not leap, nor does a clock that was set back and returns.
//
// A clock is compared with itself alone. Daemons on one database have one each,
// which may differ: each believes its own, and what one of them has recorded may be
// some seconds ahead of another.
package clock

import (
	"log/slog"
	"sync"
	"time"
)

const (
	// Far is what is not believed at once. It is longer than a machine is often
	// off or suspended with posts to publish, and longer than anything is kept.
	Far = 100 * 24 * time.Hour

	// patience is how long a clock has to stand where it leapt to.
	patience = time.Hour

	// long is a jump ahead after which what was made before it is not old at once,
	// be it that the clock was behind, or is ahead now.
	long = 12 * time.Hour

	// doubts is how long it may take until it is known what came of a call.
	doubts = 3 * time.Hour

	// back is how far a clock has to be set back for that to be counted. Time
	// servers correct less all the time.
	back = time.Minute
)

// Clock watches the wall clock. Its methods may be called from any goroutine. A
// nil Clock believes everything.
type Clock struct {
	log  *slog.Logger
	read func() reading

	record record

	mu      sync.Mutex // mu guards what follows
	last    reading
	latest  reading // that was believed
	leap    Leap
	leapt   time.Duration // when, by the monotonic clock
	setBack int
	backBy  time.Duration // by the last set-backs
	backAt  time.Duration // when the last was, by the monotonic clock
	jump    Leap          // the last long one
	jumped  time.Duration // when, by the monotonic clock
}

// reading is what both clocks said at an instant.
type reading struct {
	wall      time.Time
	monotonic time.Duration
}

// Open is [New] with a file that keeps the latest time that was believed, so that
// a restart neither believes a leap nor takes a return for one. The file is made
// when there is none; one that cannot be used is logged and done without.
func Open(path string, youngest time.Time, log *slog.Logger) *Clock {
	record := record{path: path, log: log}
	if believed, ok := record.read(); ok {
		youngest = believed
	}
	c := New(youngest, log)
	c.record = record
	return c
}

// New returns a Clock that compares the first time it reads with that of the
// youngest record, or with nothing when that is the zero time.
func New(youngest time.Time, log *slog.Logger) *Clock {
	began := time.Now()
	c := &Clock{log: log, read: func() reading {
		now := time.Now()
		return reading{now.Round(0), now.Sub(began)}
	}}
	c.last = reading{wall: began.Round(0)}
	if c.latest.wall = youngest; youngest.IsZero() {
		c.latest = c.last
	} else if youngest.Before(began) {
		c.last = c.latest
	}
	return c
}

// Leap returns the leap of the wall clock that is not believed yet, or the zero
// Leap. It reads both clocks.
func (c *Clock) Leap() Leap {
	if c == nil {
		return Leap{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look(c.read())
	return c.leap
}

// SetBacks returns how often the wall clock was set back by more than a minute, as
// far as that was seen. It reads both clocks.
func (c *Clock) SetBacks() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look(c.read())
	return c.setBack
}

// Steady reports whether the clock has not jumped far ahead in the last hour. What
// removes what is old waits for that: the clock may be wrong, or have been.
func (c *Clock) Steady() bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look(c.read())
	return !c.jump.InDoubt()
}

// Age returns how long ago an instant was, at a time of the wall clock, without
// what was jumped over in the last hour.
func (c *Clock) Age(t, now time.Time) time.Duration {
	if c == nil {
		return Leap{}.Age(t, now)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look(c.read())
	return c.jump.Age(t, now)
}

// Earliest returns the earliest time, by the wall clock as it is now, of what was
// recorded as of t: earlier than t when the clock was set back since, as far as
// that is known, and the zero time when t is still to come.
func (c *Clock) Earliest(t time.Time) time.Time {
	if c == nil {
		return t
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.read()
	c.look(now)
	if t = t.Add(-c.backBy); t.After(now.wall) {
		return time.Time{}
	}
	return t
}

// look compares a reading with the last one.
func (c *Clock) look(now reading) {
	expected := c.last.after(now.monotonic)
	ahead := now.wall.Sub(expected)
	switch {
	case ahead > Far && now.wall.Sub(c.latest.after(now.monotonic)) > Far:
		c.began(Leap{from: expected, to: c.last.wall.Add(ahead)}, now)
	case ahead < -back:
		c.setBack++
		c.backBy, c.backAt = c.backBy-ahead, now.monotonic
		c.wentBack(now)
	}
	switch {
	case ahead > long:
		c.jump, c.jumped = Leap{from: expected, to: c.last.wall.Add(ahead), by: ahead}, now.monotonic
	case now.monotonic-c.jumped >= patience:
		c.jump = Leap{}
	}
	if now.monotonic-c.backAt >= doubts {
		c.backBy = 0
	}
	c.last = now
	if c.leap.InDoubt() && now.monotonic-c.leapt >= patience {
		c.log.Warn("the clock has stood for an hour where it leapt to, and is believed", "time", now.wall)
		c.leap = Leap{}
	}
	if !c.leap.InDoubt() && !now.wall.Before(c.latest.after(now.monotonic)) {
		c.latest = now
		c.record.keep(now.wall)
	}
}

// after returns what the wall clock says later, when it is not set.
func (r reading) after(monotonic time.Duration) time.Time {
	return r.wall.Add(monotonic - r.monotonic)
}

// began notes a leap. One after another is one from where the first began.
func (c *Clock) began(leap Leap, now reading) {
	if c.leap.InDoubt() {
		leap.from = c.leap.from.Add(now.monotonic - c.leapt)
	}
	leap.by = now.wall.Sub(leap.from)
	c.leap, c.leapt = leap, now.monotonic
	c.log.Warn("the clock has leapt far ahead; what that alone makes due, late or old waits until it is set right, or has stood there for an hour",
		"from", leap.from, "to", now.wall)
}

// wentBack ends a leap that was taken back.
func (c *Clock) wentBack(now reading) {
	if !c.leap.InDoubt() {
		c.log.Warn("the clock was set back", "to", now.wall)
		return
	}
	if by := now.wall.Sub(c.leap.from.Add(now.monotonic - c.leapt)); by > Far {
		c.leap.by = by
		return
	}
	c.leap = Leap{}
	c.log.Warn("the clock was set right", "to", now.wall)
}
