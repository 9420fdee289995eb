package api

import (
	"cmp"
	"context"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

const (
	// keyCheck is how often the hub checks whether the keys of streams are still
	// valid. It reads all keys at once.
	keyCheck = 2 * time.Second

	// sharedCheck is the interval when several daemons share the store:
	// notifications about commits of other daemons can be lost.
	sharedCheck = 800 * time.Millisecond
)

// watch checks the keys of streams, and polls for events.
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

// checkKeys ends the streams whose keys are no longer valid.
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
		return // a failed read says nothing about the keys
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.streams {
		if err := refused[s.key.Hash]; err != nil {
			s.end(err)
		}
	}
}
