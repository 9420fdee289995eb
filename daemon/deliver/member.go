package deliver

import (
	"context"
	"sync"
	"time"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// Member is a daemon as one of those that use a [storage.Shared] at once. Its
// methods may be called from any goroutine and do not block.
type Member interface {
	// ID returns what attempts are begun under now. It changes when the member was
	// not heard of for so long that others may have taken over from it.
	ID() string

	// Holds reports whether an id is that of the member, and its lease runs for
	// certain: nobody else takes the owner of this id for dead.
	Holds(id string) bool

	// Settled reports whether the lease of the member runs, and others that had lost
	// theirs together with it have had the time to come back.
	Settled() bool

	// Mine reports whether this is the one of the living members that is to do
	// what is to be done for a key.
	Mine(key string) bool

	// Preferred returns the id of the member that Mine holds for.
	Preferred(key string) string
}

const (
	// readLimit bounds what is read beside the dispatcher, so that a server that is
	// away does not keep it from ending.
	readLimit = 10 * time.Second

	// rejoinPause is how soon a member is looked at again whose lease has lapsed.
	rejoinPause = 250 * time.Millisecond
)

// idSet is a set of ids that the dispatcher and its jobs share.
type idSet struct {
	mu  sync.Mutex // mu guards all
	ids map[string]bool
}

// add adds an id and returns it.
func (n *idSet) add(id string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ids == nil {
		n.ids = map[string]bool{}
	}
	n.ids[id] = true
	return id
}

func (n *idSet) remove(id string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.ids, id)
}

func (n *idSet) has(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ids[id]
}

// currentOwner returns what attempts are begun under now.
func (d *Deliverer) currentOwner() string {
	if d.cfg.Member == nil {
		return d.cfg.Owner
	}
	return d.ownIDs.add(d.cfg.Member.ID())
}

// owns reports whether an attempt is one that this run has begun or adopted.
func (d *Deliverer) owns(owner string) bool {
	if d.cfg.Member == nil {
		return owner == d.cfg.Owner
	}
	return d.ownIDs.has(owner)
}

// mayCall reports whether a call may still be made under the name of its attempt.
func (d *Deliverer) mayCall(owner string) bool {
	return d.cfg.Member == nil || d.cfg.Member.Holds(owner)
}

// withLeaseGuard returns the context of a call of which nothing may leave once it may be
// another's.
func (d *Deliverer) withLeaseGuard(ctx context.Context, owner string) context.Context {
	if d.cfg.Member == nil {
		return ctx
	}
	return publish.WithGuard(ctx, func() bool { return d.cfg.Member.Holds(owner) })
}

// prepare reads at once what a transaction needs of the targets of a batch.
func prepare[T any](d *Deliverer, r storage.Reader, batch []T, target func(*T) string) error {
	return prepareBy(storage.Prepare, d, r, batch, target)
}

func prepareBy[T any](by func(storage.Reader, []string) error, d *Deliverer, r storage.Reader, batch []T, target func(*T) string) error {
	if d.cfg.Member == nil {
		return nil
	}
	ids := make([]string, len(batch))
	for i := range batch {
		ids[i] = target(&batch[i])
	}
	return by(r, ids)
}

// mayClaim reports whether attempts can be begun: a member without a lease has
// nothing of its own, and looks again soon.
func (x *dispatcher) mayClaim(now time.Time) bool {
	if m := x.cfg.Member; m == nil || m.Holds(m.ID()) {
		return true
	}
	x.claims.notBefore = now.Add(rejoinPause)
	return false
}
