package deliver

import (
	"sync/atomic"
	"time"
)

// lag is how late the waiting targets are. The dispatcher computes it on request, and
// readers do not wait for it.
type lag struct {
	nanos     atomic.Int64
	requested atomic.Bool
}

// Lag returns how late the oldest waiting target is, without targets whose account is
// held or paused. It returns 0 if none waits. The value is as of the previous call of
// Lag. Lag never blocks and may be called from any goroutine.
func (d *Deliverer) Lag() time.Duration {
	if d.lag.requested.CompareAndSwap(false, true) {
		d.mail.report(func(x *dispatcher) {
			d.lag.nanos.Store(int64(x.queues.lateness(time.Now())))
			d.lag.requested.Store(false)
		})
	}
	return time.Duration(d.lag.nanos.Load())
}

// lateness returns how late the oldest entry is, without queues that are held or paused.
func (s *queues) lateness(now time.Time) time.Duration {
	var most time.Duration
	for _, q := range s.byAccount {
		if q.waiting.len() > 0 && !q.blocked(now) {
			most = max(most, now.Sub(time.UnixMilli(q.waiting.head().At)))
		}
	}
	return most
}
