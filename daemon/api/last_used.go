package api

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

// flushEvery is the minimum interval between writes of the times of last use.
const flushEvery = time.Minute

// flushGrace is the maximum duration of the last write when the server stops.
const flushGrace = 5 * time.Second

// lastUsed keeps the times of last use in memory until the next write, so that read
// requests cause no writes.
type lastUsed struct {
	mu sync.Mutex // mu guards at
	at map[[32]byte]time.Time
}

// record records a use of a key, and returns the rounded time.
func (u *lastUsed) record(hash [32]byte, now time.Time) time.Time {
	now = now.UTC().Truncate(time.Millisecond)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = make(map[[32]byte]time.Time)
	}
	if now.After(u.at[hash]) {
		u.at[hash] = now
	}
	return now
}

// update sets the time on keys whose records have an earlier one.
func (u *lastUsed) update(keys []schedctl.APIKey) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range keys {
		if at := u.at[keys[i].Hash]; at.After(keys[i].LastUsedAt) {
			keys[i].LastUsedAt = at
		}
	}
}

// pending returns the times that were not written yet.
func (u *lastUsed) pending() map[[32]byte]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.at)
}

// markWritten removes the written times, unless the key was used again since.
func (u *lastUsed) markWritten(written map[[32]byte]time.Time, hashes [][32]byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, hash := range hashes {
		if u.at[hash].Equal(written[hash]) {
			delete(u.at, hash)
		}
	}
}

// runLastUsed writes the times of last use, and the uses of shares, periodically, and once more when ctx
// ends. It retries failed writes the next time.
func (s *Server) runLastUsed(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.flushLastUsed(ctx)
			s.flushShareUses(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushGrace)
			defer cancel()
			s.flushLastUsed(last)
			s.flushShareUses(last)
			return
		}
	}
}

// flushBatch is the number of keys that one transaction writes.
const flushBatch = 200

// flushLastUsed writes the times of all used keys. All daemons write them in the
// same order to prevent deadlocks.
func (s *Server) flushLastUsed(ctx context.Context) {
	noted := s.used.pending()
	hashes := slices.SortedFunc(maps.Keys(noted), func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	for some := range slices.Chunk(hashes, flushBatch) {
		if !s.writeLastUsed(ctx, noted, some) {
			return
		}
	}
}

// writeLastUsed writes the times of some keys in one transaction. It reports
// whether this succeeded.
func (s *Server) writeLastUsed(ctx context.Context, noted map[[32]byte]time.Time, hashes [][32]byte) bool {
	err := s.store.Update(ctx, func(tx storage.Tx) error {
		for _, hash := range hashes {
			at := noted[hash]
			key, err := tx.KeyByHash(hash)
			if err != nil {
				return err
			}
			if !at.After(key.LastUsedAt) {
				continue
			}
			key.LastUsedAt = at
			if err := tx.PutKey(key); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case storage.IsFull(err):
		return false // the store logs it
	case err != nil:
		s.log.LogAttrs(ctx, slog.LevelWarn, "last use of API keys not written", slog.Any("error", err))
		return false
	}
	s.used.markWritten(noted, hashes)
	return true
}
