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
	// tickInterval is how often the watcher looks without being woken.
	tickInterval = 15 * time.Second

	// stopGrace is how long calls in flight may go on when Run is to end.
	stopGrace = 5 * time.Second
)

// Config is what a [Dispatcher] works with. Store, Client, Sealer and Logger are
// required.
type Config struct {
	Store  storage.Store
	Client *http.Client // guarded, and follows no redirect, as those of package outbound
	Sealer *seal.Sealer
	Logger *slog.Logger

	// Notifier sends the messages of notifications; nil when there are none to send.
	Notifier Notifier

	// Member is this daemon among those that use the store; nil when it is alone.
	Member Member

	// Clock says how far the wall clock can be believed; nil to believe it.
	Clock *clock.Clock

	// Observe is told of each attempt that has ended, if it is not nil. It must
	// not block, and is called from several goroutines.
	Observe func(Attempt)

	Version string // of the daemon, for the User-Agent; may be empty
}

// The outcomes of an [Attempt].
const (
	Delivered = "delivered"
	Failed    = "failed"
)

// Attempt is one call of a webhook that has ended.
type Attempt struct {
	Outcome string // [Delivered] or [Failed]
	Took    time.Duration
}

// Dispatcher tells webhooks of events.
type Dispatcher struct {
	cfg  Config
	log  *slog.Logger
	mail mailbox
	tick atomic.Pointer[time.Time] // the last turn of the watcher

	mu      sync.Mutex         // mu guards workers
	workers map[string]*worker // by webhook; changed by the watcher only
}

// New returns a dispatcher that does nothing before [Dispatcher.Run].
func New(cfg Config) *Dispatcher {
	return &Dispatcher{cfg: cfg, log: cfg.Logger, mail: newMailbox(), workers: make(map[string]*worker)}
}

// Committed tells of a commit, so that its events are told at once. It never
// blocks and may be called from any goroutine, also before Run.
func (d *Dispatcher) Committed(c storage.Commit) {
	if c.Events > 0 || len(c.Webhooks) > 0 || c.Missed {
		d.mail.put(c.Webhooks, c.Missed)
	}
}

// LastTick returns when the dispatcher last looked for new events, or the zero
// time before it first did. A running one looks at least every 30 seconds. It
// has a monotonic reading.
func (d *Dispatcher) LastTick() time.Time {
	if at := d.tick.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// Run goes on where the last run stopped, and tells webhooks of events until ctx
// ends. Then it begins no more calls, gives those in flight 5 seconds to end and
// be recorded, and returns nil. Those that have not ended by then are made again
// by the next run. When ctx ends because of [storage.ErrBroken] nothing is given
// any time.
//
// A store that fails is tried again until it works. Run must be called once.
func (d *Dispatcher) Run(ctx context.Context) error {
	// Calls and their recording outlive ctx by the grace period.
	work, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	var lanes sync.WaitGroup
	newWatcher(d, func(w *worker, owner string) {
		stop := w.begin(ctx, owner)
		lanes.Go(func() { w.run(stop, work) })
	}).run(ctx)
	wait := stopGrace
	if errors.Is(context.Cause(ctx), storage.ErrBroken) {
		wait = 0
	}
	grace := time.AfterFunc(wait, abandon)
	defer grace.Stop()
	lanes.Wait()
	d.endWorkers()
	return nil
}

// endWorkers lets go of the contexts of workers whose lanes have ended.
func (d *Dispatcher) endWorkers() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.workers {
		w.end()
	}
}
