package mastodon

import (
	"net/http"
	"time"
)

const (
	// maxClockError is how far the clock that sets the times of statuses may differ
	// from the Date of responses, which may come from another machine.
	maxClockError = time.Minute

	// maxUnknownClockError replaces maxClockError for a server that sends no Date.
	maxUnknownClockError = 5 * time.Minute
)

// window is the time in which an attempt can have created a status, by the server's
// clock.
type window struct {
	possible time.Time // earliest possible time
	likely   time.Time // earliest time if the clock is right
}

// windowPosition is the position of a time relative to a window.
type windowPosition int

const (
	outside windowPosition = iota
	onEdge                 // inside only if the clock is wrong
	inside
)

// windowOf returns the window of an attempt that started at the given time, by the
// daemon's clock. date is the Date of a response that has just arrived. Some servers
// truncate the creation time of a status to whole seconds.
func windowOf(started, now time.Time, date string) window {
	serverTime, err := http.ParseTime(date)
	if err != nil {
		likely := started.Add(-2 * time.Second)
		return window{likely: likely, possible: likely.Add(-maxUnknownClockError)}
	}
	// The Date was written before the response arrived, so the server's clock is at
	// least this far ahead of the daemon's.
	likely := started.Add(serverTime.Sub(now)).Add(-time.Second)
	return window{likely: likely, possible: likely.Add(-maxClockError)}
}

// position returns the position of a creation time. A status without a time may be
// anywhere.
func (w window) position(created time.Time) windowPosition {
	switch {
	case created.IsZero():
		return onEdge
	case created.Before(w.possible):
		return outside
	case created.Before(w.likely):
		return onEdge
	}
	return inside
}
