package clock

import "time"

// machine is what a Clock reads.
type machine struct {
	read          func() reading
	boot          string               // identifies the boot; empty when unknown
	countsSuspend bool                 // readings count the time in suspend
	synchronized  func(time.Time) bool // whether a time server keeps the wall clock that shows this time
}

// reading is what both clocks showed at an instant.
type reading struct {
	wall   time.Time
	uptime time.Duration // since some instant in this boot
}

// after returns what the wall clock shows later, when it is not set.
func (r reading) after(lived time.Duration) time.Time { return r.wall.Add(lived - r.uptime) }

// processClocks returns the clocks that every process can read. They may not count the
// time in suspend.
func processClocks() machine {
	began := time.Now()
	return machine{
		read: func() reading {
			now := time.Now()
			return reading{now.Round(0), now.Sub(began)}
		},
		synchronized: func(time.Time) bool { return false },
	}
}

// hostClocks returns the best clocks of this system.
func hostClocks() machine {
	m := processClocks()
	if _, ok := sinceBoot(); ok {
		m.boot, m.countsSuspend, m.synchronized = bootID(), true, synchronized
		m.read = func() reading {
			// The wall clock first: a suspend between the two must not look like a leap.
			wall := time.Now().Round(0)
			lived, _ := sinceBoot()
			return reading{wall, lived}
		}
	}
	return m
}
