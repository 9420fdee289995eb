package deliver

import (
	"sync/atomic"
	"time"
)

// lag is by how much what waits is late. It belongs to the dispatcher, who is
// asked for it and not waited for.
type lag struct {
	nanos atomic.Int64
	asked atomic.Bool
}

// Lag returns by how much the latest of the targets is late that nothing but the
// deliverer itself keeps from going out, as it was when Lag was called before; 0
// when none waits. It never blocks and may be called from any goroutine.
func (d *Deliverer) Lag() time.Duration {
	if d.lag.asked.CompareAndSwap(false, true) {
		d.mail.report(func(x *dispatcher) {
			d.lag.nanos.Store(int64(x.queues.lateness(time.Now())))
			d.lag.asked.Store(false)
		})
	}
	return time.Duration(d.lag.nanos.Load())
}

// lateness returns by how much the oldest entry is late among those that are neither
// held nor paused.
func (s *queues) lateness(now time.Time) time.Duration {
	var most time.Duration
	for _, q := range s.byAccount {
		if q.waiting.len() > 0 && !q.blocked(now) {
			most = max(most, now.Sub(time.UnixMilli(q.waiting.head().At)))
		}
	}
	return most
}
