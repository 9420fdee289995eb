package deliver

import (
	"time"

	"github.com/schedctl/schedctl"
)

// Observation is what [Config.Observe] is told.
type Observation struct {
	Platform string // empty when the account is gone
	Attempt  bool   // an attempt has ended; else a target has failed without one
	Outcome  schedctl.Outcome
	Kind     schedctl.ErrorKind // empty when published

	// Lateness is how long after its time, or after a person last asked for it, a
	// target was published.
	Lateness time.Duration
}

// observation describes an end that was recorded at the given time.
func (e *attemptEnd) observation(now time.Time) Observation {
	o := Observation{Platform: e.call.account.Platform, Attempt: true, Outcome: e.decision.outcome}
	switch {
	case e.receipt != nil:
		o.Lateness = now.Sub(e.call.lateSince)
	case e.decision.result.Error != nil:
		o.Kind = e.decision.result.Error.Kind
	}
	return o
}
