package webhook

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/storage"
)

const (
	// tickInterval is how often the watcher reads the outbox without being woken.
	tickInterval = 15 * time.Second

	// StopGrace is how long calls in progress may continue after Run is canceled. A call
	// that has not ended by then is repeated after the next start.
	StopGrace = time.Second
)

// Config configures a [Dispatcher]. Store, Client, Sealer and Logger are required.
type Config struct {
	Store  storage.Store
	Client *http.Client // from package outbound: checks addresses and does not follow redirects
	Sealer *seal.Sealer
	Logger *slog.Logger

	// Notifier sends the messages of notifications; nil to send none.
	Notifier Notifier

	// Member is this node among those that share the store; nil for a store that only
	// this daemon uses.
	Member Member

	// Clock reports how far the wall clock can be trusted; nil to trust it.
	Clock *clock.Clock

	// Observe, if not nil, is called after each attempt. It must not block and is called
	// from several goroutines.
	Observe func(Attempt)

	Version string // of the daemon, for the User-Agent; may be empty
}

// The outcomes of an [Attempt].
const (
	Delivered = "delivered"
	Failed    = "failed"
)

// Attempt is a completed call of a webhook.
type Attempt struct {
	Outcome string // [Delivered] or [Failed]
	Took    time.Duration
}

// Dispatcher sends events to webhooks.
type Dispatcher struct {
	cfg    Config
	member Member // never nil
	mode   storeMode
	log    *slog.Logger
	mail   mailbox
	tick   atomic.Pointer[time.Time] // when the watcher last read the outbox

	mu      sync.Mutex         // mu guards workers
	workers map[string]*worker // by webhook; changed by the watcher only
}

// New returns a dispatcher. [Dispatcher.Run] starts it.
func New(cfg Config) *Dispatcher {
	member, mode := newMember(cfg.Member)
	return &Dispatcher{cfg: cfg, member: member, mode: mode, log: cfg.Logger, mail: newMailbox(), workers: make(map[string]*worker)}
}

// Committed wakes the dispatcher after a commit, so that its events are sent at once.
// It never blocks and may be called from any goroutine, also before Run.
func (d *Dispatcher) Committed(c storage.Commit) {
	if c.Events > 0 || len(c.Webhooks) > 0 || c.Missed {
		d.mail.put(c.Webhooks, c.Missed)
	}
}

// LastTick returns when the dispatcher last read new events, or the zero time before
// the first time. A running dispatcher reads them at least every 30 seconds. The time
// has a monotonic clock reading.
func (d *Dispatcher) LastTick() time.Time {
	if at := d.tick.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// Run continues where the last run stopped, and sends events until ctx ends. Then it
// starts no more calls, gives calls in progress 5 seconds to end and be recorded, and
// returns nil. The next run repeats calls that did not end in time. If the cause of the
// cancellation is [storage.ErrBroken], Run does not wait.
//
// Run retries failed store operations until they succeed. It must be called once.
func (d *Dispatcher) Run(ctx context.Context) error {
	// work outlives ctx by the grace period.
	work, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	var lanes sync.WaitGroup
	newWatcher(d, func(w *worker, owner string) {
		stop := w.begin(ctx, owner)
		lanes.Go(func() { w.run(stop, work) })
	}).run(ctx)
	wait := StopGrace
	if errors.Is(context.Cause(ctx), storage.ErrBroken) {
		wait = 0
	}
	grace := time.AfterFunc(wait, abandon)
	defer grace.Stop()
	lanes.Wait()
	d.endWorkers()
	return nil
}

// endWorkers releases the contexts of the workers. Their lanes have ended.
func (d *Dispatcher) endWorkers() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.workers {
		w.end()
	}
}
