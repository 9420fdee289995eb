package schedctl

import (
	"slices"
	"time"
)

// MaxResultPoints is how many readings of a target are kept besides the latest one.
const MaxResultPoints = 12

// Results are what became of a published target, as its network reported it. They are a record
// of their own, so that a reading changes neither the post nor its version.
type Results struct {
	TargetID    string
	WorkspaceID string
	PostID      string
	AccountID   string
	PublishedAt time.Time

	Latest Metrics
	ReadAt time.Time     // of Latest; zero before the first reading
	Points []ResultPoint // at most [MaxResultPoints], in order of time

	NextAt    time.Time     // when the target is read next; zero for never
	Reason    ResultsReason // why the last reading that was due brought no numbers; empty if it did
	MissedAt  time.Time     // when the network first did not have the post, until it is removed or found; otherwise zero
	RemovedAt time.Time     // when the network first did not have a post that it has no longer; zero otherwise
}

// ResultPoint is one reading.
type ResultPoint struct {
	At      time.Time
	Metrics Metrics
}

// ResultsReason says why a target has no new numbers.
type ResultsReason string

// The reasons. Only the first group is stored; the others follow from the account and its
// network.
const (
	ResultsRefused      ResultsReason = "refused"      // the network refused the reading, or its response was not usable
	ResultsRateLimited  ResultsReason = "rate_limited" // the network asked for fewer requests
	ResultsBudget       ResultsReason = "budget"       // the account has had its requests of this hour
	ResultsUnreachable  ResultsReason = "unreachable"  // no response
	ResultsMissingScope ResultsReason = "missing_scope"

	ResultsRemoved      ResultsReason = "removed"
	ResultsUnsupported  ResultsReason = "unsupported" // the network reports nothing
	ResultsTooOld       ResultsReason = "too_old"     // published before results were read, or too long ago for the network
	ResultsOff          ResultsReason = "off"         // the daemon reads no results
	ResultsDisconnected ResultsReason = "disconnected"
	ResultsPending      ResultsReason = "pending"  // not read yet
	ResultsComplete     ResultsReason = "complete" // all readings are done
)

// ResultsReasons lists the reasons.
func ResultsReasons() []ResultsReason {
	return []ResultsReason{
		ResultsRemoved, ResultsUnsupported, ResultsOff, ResultsTooOld, ResultsDisconnected, ResultsMissingScope, ResultsRefused,
		ResultsPending, ResultsRateLimited, ResultsBudget, ResultsUnreachable, ResultsComplete,
	}
}

// Add stores a reading: as the latest one, and as a point.
func (r *Results) Add(at time.Time, m Metrics) {
	r.Latest, r.ReadAt, r.Reason, r.MissedAt = m, at, "", time.Time{}
	r.Points = append(r.Points, ResultPoint{At: at, Metrics: m.Clone()})
	if extra := len(r.Points) - MaxResultPoints; extra > 0 {
		r.Points = slices.Delete(r.Points, 0, extra)
	}
}

// Miss stores that the network did not have the post. Only a second time, at least
// [ResultsMissAgain] later, removes it. It reports whether that was so.
func (r *Results) Miss(at time.Time) (removed bool) {
	if r.MissedAt.IsZero() {
		r.MissedAt = at
	}
	if at.Sub(r.MissedAt) < ResultsMissAgain {
		r.NextAt = r.MissedAt.Add(ResultsMissAgain)
		return false
	}
	r.RemovedAt, r.NextAt, r.Reason = r.MissedAt, time.Time{}, ""
	return true
}

// ResultsMissAgain is how far two readings that miss a post are apart at least.
const ResultsMissAgain = 10 * time.Minute

// GoneEvent returns the event that the network of a target no longer has it.
func (p *Post) GoneEvent(t *Target, now time.Time) Event {
	return p.targetEvent(EventPostRemoved, t, Millis(now))
}

// Clone returns a copy that shares no memory with r.
func (r *Results) Clone() Results {
	c := *r
	c.Latest, c.Points = r.Latest.Clone(), slices.Clone(r.Points)
	for i := range c.Points {
		c.Points[i].Metrics = c.Points[i].Metrics.Clone()
	}
	return c
}
