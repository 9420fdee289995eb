package api

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl/storage"
)

// hubBatch is the number of events that the hub reads at once.
const hubBatch = 512

// hub distributes the events of the outbox to any number of streams. After a commit
// it reads the new events once, adds them to its ring and wakes the streams.
// Without streams it reads nothing.
//
// The first event after a quiet time wakes all streams at once. While more events
// follow, streams are woken in groups, each at most once in [wakeEvery]: hundreds
// of streams that wake at every commit would delay requests.
//
// Ids of events are positions to continue from and are never compared: ids of
// several processes need not be in the order of the outbox.
type hub struct {
	store *storage.Readers
	scans *scans
	log   *slog.Logger
	check time.Duration // polling interval while there are streams
	wake  chan struct{} // holds one wake-up

	// reading is locked while reading events for the ring. Lock it before mu.
	reading sync.Mutex

	mu      sync.Mutex // mu guards the fields below
	streams []*stream
	perKey  map[string]int // number of streams by API key id
	ended   bool
	ring    ring
}

func newHub(store *storage.Readers, scans *scans, shared bool, log *slog.Logger) *hub {
	h := &hub{store: store, scans: scans, log: log, check: keyCheck, wake: make(chan struct{}, 1)}
	if shared {
		h.check = sharedCheck
	}
	return h
}

// committed wakes the hub after a commit with events. It does not block.
func (h *hub) committed(c storage.Commit) {
	if c.Events > 0 || c.Missed {
		h.wakeUp()
	}
}

func (h *hub) wakeUp() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// run reads events and wakes the streams until ctx ends. Then it ends the streams.
func (h *hub) run(ctx context.Context) {
	var watching sync.WaitGroup
	watching.Go(func() { h.watch(ctx) })
	defer watching.Wait()
	for {
		select {
		case <-ctx.Done():
			h.endStreams()
			return
		case <-h.wake:
		}
		h.advance(ctx)
		for woken := h.notify(h.allStreams()); woken; {
			woken = h.notifyInGroups(ctx)
		}
	}
}

// maxStreams is the maximum number of event streams of an API key.
const maxStreams = 1000

// join adds a stream. It returns an error when the hub has ended or the key has too
// many streams. now is a position of the outbox's end that was read when the stream
// started, or earlier.
func (h *hub) join(s *stream, now string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return errStopping
	}
	if h.perKey[s.key.ID] >= maxStreams {
		return errManyStreams
	}
	if h.perKey == nil {
		h.perKey = map[string]int{}
	}
	h.perKey[s.key.ID]++
	if len(h.streams) == 0 {
		h.ring.restart(now)
		s.position.inRing = s.position.id == now
		s.position.next = h.ring.end()
		h.wakeUp() // for events committed since, and to watch the key
	}
	s.notifiedUpTo = h.ring.end()
	h.streams = append(h.streams, s)
	return nil
}

func (h *hub) leave(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.streams, s); i >= 0 {
		h.streams = slices.Delete(h.streams, i, i+1)
		if h.perKey[s.key.ID]--; h.perKey[s.key.ID] == 0 {
			delete(h.perKey, s.key.ID)
		}
	}
	if len(h.streams) == 0 {
		h.ring.frames = nil
	}
}

func (h *hub) hasStreams() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams) > 0
}

func (h *hub) allStreams() []*stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.streams)
}

// endStreams ends all streams. Later calls of join fail.
func (h *hub) endStreams() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	for _, s := range h.streams {
		s.end(errStopping)
	}
}

// framesFrom returns the frames from a position on, or false when the ring no
// longer has them.
func (h *hub) framesFrom(p streamPosition) ([]frame, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ring.framesFrom(p)
}

// advance reads committed events into the ring. After an error, the next wake-up or
// key check tries again.
func (h *hub) advance(ctx context.Context) {
	h.reading.Lock()
	defer h.reading.Unlock()
	for h.hasStreams() {
		next := h.next()
		b, err := storage.Read(ctx, h.store.View, next.read)
		if err != nil {
			if ctx.Err() == nil {
				h.log.WarnContext(ctx, "cannot read events for streams", "error", err)
			}
			return
		}
		if h.add(next.after, b); !b.full {
			return
		}
		h.notify(h.allStreams()) // at once: the ring cannot keep more
	}
}

// next returns the query for the next frames of the ring. The caller holds reading,
// so that streams that join later do not receive frames that were read before.
func (h *hub) next() frameQuery {
	h.mu.Lock()
	defer h.mu.Unlock()
	q := frameQuery{after: h.ring.last, limit: hubBatch}
	for _, s := range h.streams {
		q.accounts = q.accounts || len(s.key.AccountIDs) > 0
	}
	return q
}

// add appends a batch that was read after the given id, unless the ring was
// restarted since. It returns the end of the ring.
func (h *hub) add(after string, b batch) (end uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ring.last == after && b.last != after {
		h.ring.add(b)
	}
	return h.ring.end()
}

// catchUp reads frames for a stream that is behind the ring, and returns its new
// position. Near the end it reads for the stream and for the ring in one snapshot.
// Both are then at the same position, and the stream can continue from the ring.
func (h *hub) catchUp(ctx context.Context, s *stream) (frames []frame, at streamPosition, err error) {
	its := frameQuery{after: s.position.id, limit: catchUpBatch, workspaceID: s.key.WorkspaceID, accounts: len(s.key.AccountIDs) > 0}
	end, err := h.scans.start(ctx, s.key.ID)
	if err != nil {
		return nil, streamPosition{}, err
	}
	found, err := storage.Read(ctx, h.store.View, its.read)
	end()
	if err != nil || found.full {
		return found.frames, streamPosition{id: found.last}, err
	}
	h.reading.Lock()
	defer h.reading.Unlock()
	for {
		var b batch
		next := h.next()
		err := h.store.View(ctx, func(r storage.Reader) (err error) {
			if b, err = next.read(r); err != nil || b.full {
				return err
			}
			found, err = its.read(r)
			return err
		})
		if err != nil {
			return nil, streamPosition{}, err
		}
		end := h.add(next.after, b)
		if len(b.frames) > 0 {
			h.wakeUp() // for the other streams
		}
		if !b.full {
			return found.frames, streamPosition{id: found.last, inRing: !found.full, next: end}, nil
		}
	}
}
