package deliver

import (
	"context"
	"sync"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// Member is this daemon as one of the nodes that use a [storage.Shared]. Its
// methods do not block and may be called from any goroutine.
type Member interface {
	// ID returns the owner of attempts that start now. It changes when the lease of
	// the node lapsed for so long that other nodes may have adopted its attempts.
	ID() string

	// Holds reports whether id is the node's own and its lease is certainly valid: no
	// other node considers the owner of this id dead.
	Holds(id string) bool

	// Settled reports whether the node's lease is valid, and other nodes that lost
	// their leases at the same time have had time to return.
	Settled() bool

	// Mine reports whether this node is the preferred one of the living nodes for a key.
	Mine(key string) bool

	// Preferred returns the id of the node for which Mine is true.
	Preferred(key string) string
}

const (
	// readLimit bounds reads on the goroutines of jobs, so that an unreachable server
	// does not keep the dispatcher from stopping.
	readLimit = 10 * time.Second

	// rejoinPause is how soon a lapsed lease is checked again.
	rejoinPause = 250 * time.Millisecond

	// sharedPace bounds the time between the starts of two transactions of one kind
	// while at least crowdedAccounts accounts are busy. The time is sharedFactor times
	// the duration of the earlier transaction, so that later work shares the next one. A
	// transaction costs the server and both ways to it a millisecond of processor time
	// before its first target.
	sharedPace      = 10 * time.Millisecond
	sharedFactor    = 4
	crowdedAccounts = 8
)

// fleet is the [coordinator] of one of several nodes on a shared store. It adopts
// the attempts of dead nodes and stands by for accounts that other nodes prefer.
type fleet struct {
	member Member
	store  storage.Shared

	// These may be used from any goroutine: all ids that this run has used, and the
	// attempts it has adopted, or may have adopted.
	ownIDs, adoptedIDs idSet

	// The rest belongs to the dispatcher's goroutine.
	inHand        map[string]bool // attempts to be called, settled or recorded, by id
	orphans       orphans
	standbyQueues []*queue // to be included in the next standby check
	standbyChecks pacer
	peers         map[string]*peer // preferred nodes, by id
	checkingHeld  bool             // held accounts are being read
}

func newFleet(m Member, store storage.Shared) *fleet {
	return &fleet{member: m, store: store, inHand: map[string]bool{}, peers: map[string]*peer{}, standbyChecks: pacer{size: 1}}
}

func (f *fleet) currentOwner() string { return f.ownIDs.add(f.member.ID()) }

// owns reports whether this run has started or adopted attempts under an id.
func (f *fleet) owns(owner string) bool { return f.ownIDs.has(owner) }

func (f *fleet) startedHere(a schedctl.Attempt) bool {
	return f.owns(a.Owner) && !f.adoptedIDs.has(a.ID)
}

func (f *fleet) mayCall(owner string) bool { return f.member.Holds(owner) }

func (f *fleet) withLeaseGuard(ctx context.Context, owner string) context.Context {
	return publish.WithGuard(ctx, func() bool { return f.member.Holds(owner) })
}

// renew updates the owner, because the node's id may have changed, and the start,
// from which the network is given time to complete the request.
func (f *fleet) renew(c *claimTx, a *schedctl.Attempt) {
	a.Owner, a.StartedAt, a.LeaseUntil = c.owner, schedctl.Millis(c.now), schedctl.Millis(c.now.Add(attemptLease))
	c.edits.attempts = append(c.edits.attempts, *a)
}

// isOpen reports whether the attempt still has the owner that made the request, and
// no end.
func (f *fleet) isOpen(r *recordTx, e *attemptEnd) (bool, error) {
	owner := e.call.attempt.Owner
	a, err := storedAttempt(r.edits.tx, e.call.attempt)
	switch {
	case err != nil:
		return false, err
	case a.Outcome == schedctl.OutcomeRunning && a.Owner == owner:
		return true, nil
	case a.ID != "" && !(e.uncertain && a.Owner == owner): // otherwise it was deleted, or recorded before
		r.lost = append(r.lost, e)
	}
	return false, nil
}

// mayRebase allows for another node whose clock is ahead having changed the post.
func (f *fleet) mayRebase(p *schedctl.Post, now time.Time) bool {
	return p.UpdatedAt.Sub(now) >= maxClockSkew
}

// ready is always true: unfinished attempts are adopted while targets are delivered.
func (f *fleet) ready(_ context.Context, x *dispatcher, _ time.Time) bool {
	x.recovered = true
	return true
}

// mayClaim is false while the node has no valid lease. The dispatcher then checks
// again soon.
func (f *fleet) mayClaim(x *dispatcher, now time.Time) bool {
	if f.member.Holds(f.member.ID()) {
		return true
	}
	x.claims.notBefore = now.Add(rejoinPause)
	return false
}

// claimsNext is false: nodes first check whether another node calls the network for
// the account.
func (f *fleet) claimsNext() bool { return false }

func (f *fleet) callStarted(attemptID string) { f.inHand[attemptID] = true }

func (f *fleet) callRecorded(attemptID string) {
	delete(f.inHand, attemptID)
	f.adoptedIDs.remove(attemptID)
}

func (f *fleet) pace(x *dispatcher) time.Duration {
	if x.inFlight < crowdedAccounts {
		return 0
	}
	return sharedPace
}

func (f *fleet) wakeTimes(x *dispatcher, until func(time.Time)) {
	if x.stopping {
		return
	}
	if !x.recovers.running {
		until(laterOf(f.orphans.nextCheck, x.recovers.notBefore))
	}
	if len(f.standbyQueues) > 0 && !f.standbyChecks.running {
		until(f.standbyChecks.notBefore)
	}
}

// idSet is a set of ids that the dispatcher and its jobs share.
type idSet struct {
	mu  sync.Mutex // mu guards ids
	ids map[string]bool
}

// add adds an id and returns it.
func (s *idSet) add(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[id] = true
	return id
}

func (s *idSet) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ids, id)
}

func (s *idSet) has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids[id]
}
