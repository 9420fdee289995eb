package fetch

import (
	"net/http"
	"time"
)

// NewAt is [New] with a fixed time and another time limit.
func NewAt(client *http.Client, now time.Time, limit time.Duration) *Fetcher {
	f := New(client, "1.0", "https://plan.example")
	f.now, f.timeLimit = func() time.Time { return now }, limit
	return f
}

// Wait returns how long the headers of a response ask to wait.
func Wait(h http.Header, now time.Time) time.Duration {
	f := &Fetcher{now: func() time.Time { return now }}
	return f.wait(h)
}
