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
	Parts  []PartResults // of a thread: the further parts, at the latest reading, as far as the network reports them

	Estimated bool // the network or the reader has estimated Latest

	NextAt    time.Time     // when the target is read next; zero for never
	Reason    ResultsReason // why the last reading that was due brought no numbers; empty if it did
	MissedAt  time.Time     // when the network first did not have the post, until it is removed or found; otherwise zero
	RemovedAt time.Time     // when the network first did not have a post that it has no longer; zero otherwise

	// Reported are numbers that a client has given, such as those of a link shortener. They
	// count where the network gives none; see [Results.Known].
	Reported   Metrics
	ReportedAt time.Time // zero for never
}

// Known returns the latest numbers of the network, and those that clients reported where it
// gives none.
func (r *Results) Known() Metrics {
	known, reported := r.Latest.Clone(), r.Reported.Clone()
	given := reported.Named()
	for i, n := range known.Named() {
		if *n.Value == nil {
			*n.Value = *given[i].Value
		}
	}
	for name, value := range reported.Other {
		if known.Other == nil {
			known.Other = map[string]int64{}
		}
		if _, told := known.Other[name]; !told {
			known.Other[name] = value
		}
	}
	return known
}

// Report sets numbers that a client gives, and keeps the other ones that clients have given.
func (r *Results) Report(at time.Time, m Metrics) {
	given := m.Named()
	for i, n := range r.Reported.Named() {
		if *given[i].Value != nil {
			*n.Value = new(**given[i].Value)
		}
	}
	r.ReportedAt = at
}

// Ask lets the network be asked as soon as possible, also for a post that was removed, or whose
// readings are all done.
func (r *Results) Ask(now time.Time) { r.NextAt, r.MissedAt = Millis(now), time.Time{} }

// ResultPoint is one reading.
type ResultPoint struct {
	At      time.Time
	Metrics Metrics
}

// PartResults are the numbers of a further part of a thread.
type PartResults struct {
	Index   int    // of the part; that of the post itself is 0
	ID      string // of the network
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

// Add stores a reading: as the latest one, and as a point. A post that was removed is there again.
func (r *Results) Add(at time.Time, m Metrics) {
	r.Latest, r.ReadAt, r.Reason, r.MissedAt, r.RemovedAt = m, at, "", time.Time{}, time.Time{}
	r.Points = append(r.Points, ResultPoint{At: at, Metrics: m.Clone()})
	if extra := len(r.Points) - MaxResultPoints; extra > 0 {
		r.Points = slices.Delete(r.Points, 0, extra)
	}
}

// Miss stores that the network did not have the post. Only a second time, at least
// [ResultsMissAgain] later, removes it. It reports whether that was so.
func (r *Results) Miss(at time.Time) (removed bool) {
	if !r.RemovedAt.IsZero() { // and it still is
		r.NextAt, r.MissedAt = time.Time{}, time.Time{}
		return false
	}
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
	c.Latest, c.Points, c.Reported = r.Latest.Clone(), slices.Clone(r.Points), r.Reported.Clone()
	for i := range c.Points {
		c.Points[i].Metrics = c.Points[i].Metrics.Clone()
	}
	c.Parts = slices.Clone(r.Parts)
	for i := range c.Parts {
		c.Parts[i].Metrics = c.Parts[i].Metrics.Clone()
	}
	return c
}
