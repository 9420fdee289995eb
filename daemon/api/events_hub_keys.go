package api

import (
	"cmp"
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

const (
	// keyCheck is how often the hub looks whether the keys of streams are still
	// good, all of them in one read.
	keyCheck = 2 * time.Second

	// sharedCheck is the interval if several daemons share the store: notifications of
	// commits of other daemons can be lost.
	sharedCheck = 800 * time.Millisecond
)

// watch looks at the keys of streams, and for events, without being woken.
func (h *hub) watch(ctx context.Context) {
	ticker := time.NewTicker(h.check)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if h.hasStreams() {
			h.checkKeys(ctx)
			h.wakeUp()
		}
	}
}

// checkKeys ends the streams whose keys are no longer good.
func (h *hub) checkKeys(ctx context.Context) {
	h.mu.Lock()
	refused := map[[32]byte]error{}
	for _, s := range h.streams {
		refused[s.key.Hash] = nil
	}
	h.mu.Unlock()
	if len(refused) == 0 {
		return
	}
	now := time.Now()
	err := h.store.View(ctx, func(r storage.Reader) error {
		for hash := range refused {
			key, err := r.KeyByHash(hash)
			switch {
			case schedctl.CodeOf(err) == schedctl.NotFound:
				refused[hash] = errBadKey
			case err != nil:
				return err
			default:
				refused[hash] = cmp.Or(key.Check(now), authorize(&key, readsPosts))
			}
		}
		return nil
	})
	if err != nil {
		return // a store that cannot be read says nothing about keys
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.streams {
		if err := refused[s.key.Hash]; err != nil {
			s.end(err)
		}
	}
}
