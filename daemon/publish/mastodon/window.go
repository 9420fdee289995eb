package mastodon

import (
	"net/http"
	"time"
)

const (
	// maxClockError is how far the clock of a server may be from what it says in its
	// answers: those may come from another machine in front of it.
	maxClockError = time.Minute

	// maxUnknownClockError is the same for a server that does not say.
	maxUnknownClockError = 5 * time.Minute
)

// window is when a status of an attempt can have been made, by the server's
// clock.
type window struct {
	possible time.Time // not before
	likely   time.Time // not before, unless the clock is wrong
}

// windowPosition is where an instant is in a window.
type windowPosition int

const (
	outside windowPosition = iota
	onEdge                 // outside, unless the clock is wrong
	inside
)

// windowOf returns the window of an attempt that began at an instant of our
// clock, from the Date of an answer that has just come. A status has the time of
// its making in whole seconds on some servers.
func windowOf(began, now time.Time, date string) window {
	said, err := http.ParseTime(date)
	if err != nil {
		likely := began.Add(-2 * time.Second)
		return window{likely: likely, possible: likely.Add(-maxUnknownClockError)}
	}
	// The Date was written before the answer came, so the server's clock is at
	// least so far ahead of ours.
	likely := began.Add(said.Sub(now)).Add(-time.Second)
	return window{likely: likely, possible: likely.Add(-maxClockError)}
}

// position tells where a status made at an instant is. One without a time may be
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
