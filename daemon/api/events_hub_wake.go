package api

import (
	"context"
	"slices"
	"time"
)

const (
	// wakeEvery is how often a stream is woken while event follows event.
	wakeEvery = 20 * time.Millisecond

	// wakeTogether is how many streams are woken at once then, and wakeGap how much
	// time there is at least for each: more than 400 streams are woken less often.
	wakeTogether = 16
	wakeGap      = 50 * time.Microsecond
)

// notify wakes those of some streams that were not woken since the ring has grown,
// and reports whether there were any.
func (h *hub) notify(some []*stream) (told bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range some {
		if s.notifiedUpTo == h.ring.end() {
			continue
		}
		s.notifiedUpTo, told = h.ring.end(), true
		select {
		case s.more <- struct{}{}:
		default:
		}
	}
	return told
}

// notifyInGroups wakes the streams in groups, evenly over wakeEvery or more, and
// reports whether there was something new for any.
func (h *hub) notifyInGroups(ctx context.Context) (told bool) {
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
		told = h.notify(group) || told
	}
	return told
}
