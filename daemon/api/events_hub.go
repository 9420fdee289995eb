package api

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

const (
	// ringSize is how many frames the hub keeps at least. A stream that is
	// further behind reads from the store.
	ringSize = 1024

	// hubBatch is how many events the hub reads at once.
	hubBatch = 512

	// keyCheck is how often the hub looks whether the keys of streams are still
	// good, all of them in one read.
	keyCheck = 2 * time.Second
)

// hub lets any number of streams follow the outbox at the price of one: after a
// commit it reads the new events once and wakes the streams, which take the
// frames from its ring. While there is no stream, it reads nothing.
type hub struct {
	store storage.Store
	log   *slog.Logger
	wake  chan struct{} // holds one wake-up

	mu      sync.Mutex // mu guards the fields below
	streams map[*stream]struct{}
	ended   bool

	// ring holds the frames of all events after floor and up to last. What it
	// has handed out stays as it is: it is appended to or replaced. grown is
	// closed, and replaced, when last moves.
	ring        []frame
	floor, last string
	grown       chan struct{}
}

func newHub(store storage.Store, log *slog.Logger) *hub {
	return &hub{
		store: store, log: log, wake: make(chan struct{}, 1),
		streams: make(map[*stream]struct{}), grown: make(chan struct{}),
	}
}

// committed tells of a commit. It does not block.
func (h *hub) committed(c storage.Commit) {
	if c.Events > 0 {
		h.rouse()
	}
}

func (h *hub) rouse() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// run reads events while there are streams, until ctx ends; the streams end with
// it.
func (h *hub) run(ctx context.Context) {
	ticker := time.NewTicker(keyCheck)
	defer ticker.Stop()
	for {
		var tick <-chan time.Time
		if h.followed() {
			tick = ticker.C
		}
		select {
		case <-ctx.Done():
			h.end()
			return
		case <-h.wake:
		case <-tick:
			h.checkKeys(ctx)
		}
		h.advance(ctx)
	}
}

// join adds a stream, unless the hub has ended. now is an id after all events
// that were committed when the stream began.
func (h *hub) join(s *stream, now string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return false
	}
	if len(h.streams) == 0 {
		h.ring, h.floor, h.last = nil, now, now
		h.rouse() // for what was committed since, and to watch its key
	}
	h.streams[s] = struct{}{}
	return true
}

func (h *hub) leave(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, s)
	if len(h.streams) == 0 {
		h.ring = nil
	}
}

func (h *hub) followed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.streams) > 0
}

// end ends all streams, and those that would join later.
func (h *hub) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	for s := range h.streams {
		s.end(errStopping)
	}
}

// after returns the frames after a position, the position behind them, and a
// channel that is closed when there may be more. Without a channel the position
// is further behind than the ring, and last is what is committed for certain.
func (h *hub) after(position string) (frames []frame, last string, grown <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if position < h.floor {
		return nil, h.last, nil
	}
	i, found := slices.BinarySearchFunc(h.ring, position, func(f frame, id string) int { return cmp.Compare(f.id, id) })
	if found {
		i++
	}
	return h.ring[i:], max(position, h.last), h.grown
}

// advance brings the ring up to what is committed. What it cannot read it reads
// at the next wake-up or check of keys.
func (h *hub) advance(ctx context.Context) {
	for h.followed() {
		h.mu.Lock()
		from := h.last
		h.mu.Unlock()
		b, err := readFrames(ctx, h.store, from, hubBatch, "")
		if err != nil {
			if ctx.Err() == nil {
				h.log.WarnContext(ctx, "event streams are held up", "error", err)
			}
			return
		}
		if h.add(from, b); !b.full {
			return
		}
	}
}

// add appends a batch that was read after the position from, unless the ring was
// begun anew meanwhile.
func (h *hub) add(from string, b batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last != from || b.last == from {
		return
	}
	h.ring, h.last = append(h.ring, b.frames...), b.last
	if len(h.ring) >= 2*ringSize {
		cut := len(h.ring) - ringSize
		h.floor = h.ring[cut-1].id
		h.ring = slices.Clone(h.ring[cut:])
	}
	close(h.grown)
	h.grown = make(chan struct{})
}

// checkKeys ends the streams whose keys are no longer good.
func (h *hub) checkKeys(ctx context.Context) {
	h.mu.Lock()
	refused := map[[32]byte]error{}
	for s := range h.streams {
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
	for s := range h.streams {
		if err := refused[s.key.Hash]; err != nil {
			s.end(err)
		}
	}
}
