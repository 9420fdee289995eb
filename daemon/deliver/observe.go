package deliver

import (
	"time"

	"github.com/schedctl/schedctl"
)

// Observation describes an ended attempt, or a target that failed without one, for
// [Config.Observe].
type Observation struct {
	Platform string // empty if the account was deleted
	Attempt  bool   // whether an attempt ended; otherwise a target failed without one
	Outcome  schedctl.Outcome
	Kind     schedctl.ErrorKind // empty when published

	// Lateness is how long after its time, or after a person last requested it, a target
	// was published.
	Lateness time.Duration
}

// observation returns the observation of an end that was recorded at the given time.
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
