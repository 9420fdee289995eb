package api

import (
	"context"
	"slices"
	"time"
)

const (
	// wakeEvery is the minimum interval at which a stream is woken while events
	// keep coming.
	wakeEvery = 20 * time.Millisecond

	// wakeTogether is the size of a group of streams that are woken at once.
	// wakeGap is the minimum time for each stream, so more than 400 streams are
	// woken less often.
	wakeTogether = 16
	wakeGap      = 50 * time.Microsecond
)

// notify wakes those of the given streams that were not woken since the ring grew.
// It reports whether it woke any.
func (h *hub) notify(some []*stream) (woken bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range some {
		if s.notifiedUpTo == h.ring.end() {
			continue
		}
		s.notifiedUpTo, woken = h.ring.end(), true
		select {
		case s.more <- struct{}{}:
		default:
		}
	}
	return woken
}

// notifyInGroups wakes the streams in groups, spread over wakeEvery or longer. It
// reports whether it woke any.
func (h *hub) notifyInGroups(ctx context.Context) (woken bool) {
	all := h.allStreams()
	for group := range slices.Chunk(all, wakeTogether) {
		each := max(wakeEvery/time.Duration(len(all)), wakeGap)
		if pause(ctx, each*time.Duration(len(group))); ctx.Err() != nil {
			return false
		}
		select {
		case <-h.wake:
			h.advance(ctx)
		default:
		}
		woken = h.notify(group) || woken
	}
	return woken
}
