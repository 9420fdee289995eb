package schedctl

import (
	"slices"
	"time"
)

// DroppedMetricAge is how long an account remembers that its network no longer has a metric.
const DroppedMetricAge = 7 * 24 * time.Hour

// AccountResults are what the readings of an account cost, and what its posts gained. They are
// a record of their own, so that a reading does not change the account.
type AccountResults struct {
	AccountID   string
	WorkspaceID string

	ReadAt   time.Time      // the last reading with numbers; zero for none
	Requests []HourRequests // of the last 24 hours, in order of time, without empty hours

	Month time.Time // the month of Spent: its beginning in UTC
	Spent int64     // in this month, in millionths of a US dollar, with what running readings may cost

	Reason ResultsReason // why the last reading brought no numbers; empty if it did
	Lacks  []string      // permissions that the credentials lacked at the last reading

	Dropped []DroppedMetric // that the network refused by name lately

	Gains []byte // [GainHours.Pack]
}

// HourRequests are the requests of readings in an hour.
type HourRequests struct {
	Hour time.Time // its beginning
	N    int
}

// DroppedMetric is a metric that a network refused by its name.
type DroppedMetric struct {
	Name string // of the network
	At   time.Time
}

// maxDroppedMetrics bounds the dropped metrics of an account.
const maxDroppedMetrics = 16

// CountRequests adds requests of readings.
func (a *AccountResults) CountRequests(n int, now time.Time) {
	a.Requests = slices.DeleteFunc(slices.Clone(a.Requests), func(h HourRequests) bool { return now.Sub(h.Hour) >= 25*time.Hour })
	hour := now.UTC().Truncate(time.Hour)
	if last := len(a.Requests) - 1; last >= 0 && a.Requests[last].Hour.Equal(hour) {
		a.Requests[last].N += n
	} else if n > 0 {
		a.Requests = append(a.Requests, HourRequests{hour, n})
	}
}

// RequestsSince returns the requests of the hours that began at a time or later.
func (a *AccountResults) RequestsSince(since time.Time) (n int) {
	for _, h := range a.Requests {
		if !h.Hour.Before(since) {
			n += h.N
		}
	}
	return n
}

// MonthOf returns the beginning of the month of a time, in UTC.
func MonthOf(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// SpentIn returns what readings cost in the month of a time, in millionths of a US dollar.
func (a *AccountResults) SpentIn(now time.Time) int64 {
	if !a.Month.Equal(MonthOf(now)) {
		return 0
	}
	return a.Spent
}

// Spend adds a cost of the month of a time. A negative cost returns what was reserved. It does
// nothing if a later month has begun by now.
func (a *AccountResults) Spend(cost int64, now time.Time) {
	if cost == 0 || a.Month.After(MonthOf(now)) {
		return
	}
	a.Month, a.Spent = MonthOf(now), max(0, a.SpentIn(now)+cost)
}

// Drop remembers that the network no longer has metrics, the latest ones, and forgets those
// of long ago.
func (a *AccountResults) Drop(names []string, now time.Time) {
	list := slices.DeleteFunc(slices.Clone(a.Dropped), func(d DroppedMetric) bool {
		return now.Sub(d.At) >= DroppedMetricAge || slices.Contains(names, d.Name)
	})
	for _, name := range names {
		list = append(list, DroppedMetric{name, Millis(now)})
	}
	if extra := len(list) - maxDroppedMetrics; extra > 0 {
		list = list[extra:]
	}
	a.Dropped = slices.Clip(list)
	if len(list) == 0 {
		a.Dropped = nil
	}
}

// DroppedAt returns the names of the metrics that count as dropped at a time.
func (a *AccountResults) DroppedAt(now time.Time) (names []string) {
	for _, d := range a.Dropped {
		if now.Sub(d.At) < DroppedMetricAge {
			names = append(names, d.Name)
		}
	}
	return names
}

// Gain adds what a target gained until its latest reading. Gains that cannot be read are
// replaced.
func (a *AccountResults) Gain(r *Results, now time.Time) {
	g, err := UnpackGains(a.Gains)
	if err != nil {
		g = nil
	}
	g.AddReading(r)
	g.Keep(now)
	a.Gains = g.Pack()
}

// Clone returns a copy that shares no memory with a.
func (a *AccountResults) Clone() AccountResults {
	c := *a
	c.Requests, c.Dropped, c.Gains = slices.Clone(a.Requests), slices.Clone(a.Dropped), slices.Clone(a.Gains)
	c.Lacks = slices.Clone(a.Lacks)
	return c
}
