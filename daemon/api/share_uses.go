package api

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl/daemon/usecase"
	"github.com/schedctl/schedctl/storage"
)

// shareUse is how often the address of a share was opened since the last write, and when a
// page of it was last read.
type shareUse struct {
	opened int64
	last   time.Time
}

// newShareUse returns one use: of the address itself, or of a page behind it.
func newShareUse(opened bool, at time.Time) shareUse {
	if opened {
		return shareUse{1, at}
	}
	return shareUse{0, at}
}

// shareUses keeps the uses of shares in memory until the next write, by the hashes of their
// tokens, so that opening a page causes no write.
type shareUses struct {
	mu        sync.Mutex // mu guards unwritten
	unwritten map[[32]byte]shareUse
}

// add adds a use.
func (u *shareUses) add(hash [32]byte, use shareUse) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.unwritten == nil {
		u.unwritten = make(map[[32]byte]shareUse)
	}
	sum := u.unwritten[hash]
	sum.opened += use.opened
	if use.last.After(sum.last) {
		sum.last = use.last
	}
	u.unwritten[hash] = sum
}

// take returns the uses that were not written yet, and forgets them.
func (u *shareUses) take() map[[32]byte]shareUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.unwritten
	u.unwritten = nil
	return taken
}

// flushShareUses writes the uses of shares, in the same order in all daemons. What cannot be
// written is kept for the next time.
func (s *Server) flushShareUses(ctx context.Context) {
	taken := s.shareUses.take()
	hashes := slices.SortedFunc(maps.Keys(taken), func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	for some := range slices.Chunk(hashes, flushBatch) {
		err := s.store.Update(ctx, func(tx storage.Tx) error {
			for _, hash := range some {
				if err := usecase.UseShare(tx, hash, taken[hash].opened, taken[hash].last); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			continue
		}
		for _, hash := range some {
			s.shareUses.add(hash, taken[hash])
		}
		if !storage.IsFull(err) { // which the store logs
			s.log.LogAttrs(ctx, slog.LevelWarn, "uses of shares not written", slog.Any("error", err))
		}
	}
}
