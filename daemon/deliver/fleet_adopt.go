package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

const (
	// adoptInterval is how often nodes check for attempts of dead nodes.
	adoptInterval = 500 * time.Millisecond

	// adoptGrace is how long such attempts are left to the node that is preferred for
	// their account.
	adoptGrace = 5 * time.Second
)

// orphans are unfinished attempts that no living node seems to work on.
type orphans struct {
	nextCheck time.Time
	since     map[string]time.Time // when each was first found, by attempt id
}

// adopt looks for attempts whose owners are dead, on a goroutine of its own, and
// adds them to this node's unresolved attempts.
func (f *fleet) adopt(ctx context.Context, x *dispatcher, now time.Time) {
	if x.stopping || now.Before(f.orphans.nextCheck) || !x.recovers.mayStart(now) {
		return
	}
	f.orphans.nextCheck = now.Add(adoptInterval)
	if !f.mayAdopt() {
		return
	}
	x.recovers.running = true
	x.jobs.Go(func() {
		found, err := f.findOrphans(ctx)
		x.d.mail.report(func(x *dispatcher) { f.orphansFound(ctx, x, found, err) })
	})
}

// mayAdopt reports whether this node is certainly alive, and owners that seem dead
// are not merely returning from a database outage with an outcome to record.
func (f *fleet) mayAdopt() bool { return f.member.Settled() }

// findOrphans returns the unfinished attempts of dead owners and those of this run.
// It reads the attempts before the nodes, so that the owner of each attempt was
// registered as a node before the nodes are read.
func (f *fleet) findOrphans(ctx context.Context) (found []schedctl.Attempt, err error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	running, err := storage.Read(ctx, f.store.View, storage.Reader.RunningAttempts)
	if err != nil || len(running) == 0 {
		return nil, err
	}
	nodes, err := f.store.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	living := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		living[n.ID] = n.Alive
	}
	for _, a := range running {
		if !living[a.Owner] || f.owns(a.Owner) {
			found = append(found, a)
		}
	}
	return found, nil
}

// orphansFound starts to adopt those of the attempts that this node may adopt.
func (f *fleet) orphansFound(ctx context.Context, x *dispatcher, found []schedctl.Attempt, err error) {
	now := time.Now()
	if err != nil {
		x.logStoreState(x.recovers.failed(1, err, now), "reading unfinished attempts", err)
		return
	}
	x.logStoreState(x.recovers.succeeded(), "reading unfinished attempts", nil)
	batch := f.adoptable(x, found, now)
	if len(batch) == 0 || x.stopping || !f.mayAdopt() {
		return
	}
	owner := f.currentOwner()
	for _, a := range batch {
		f.adoptedIDs.add(a.ID)
	}
	x.recovers.running = true
	x.jobs.Go(func() {
		adopted, err := f.adoptAll(ctx, owner, batch)
		x.d.mail.report(func(x *dispatcher) { f.adopted(x, batch, adopted, err) })
	})
}

// adoptable returns the attempts that this node adopts now. It leaves out those that
// this run has in hand, perhaps under an earlier id. Attempts of accounts that another
// node prefers are left to that node for the time of adoptGrace.
func (f *fleet) adoptable(x *dispatcher, found []schedctl.Attempt, now time.Time) (batch []schedctl.Attempt) {
	since := make(map[string]time.Time, len(found))
	for _, a := range found {
		if f.hasInHand(x, a) {
			continue
		}
		first, seen := f.orphans.since[a.ID]
		if !seen {
			first = now
		}
		since[a.ID] = first
		if len(batch) < maxGroup && (f.member.Mine(a.AccountID) || now.Sub(first) >= adoptGrace) {
			batch = append(batch, a)
		}
	}
	f.orphans.since = since
	return batch
}

// hasInHand reports whether this run is calling, settling or recording the attempt,
// or may have committed its claim and still has to make the call.
func (f *fleet) hasInHand(x *dispatcher, a schedctl.Attempt) bool {
	switch state := x.states[ulid(a.TargetID)]; {
	case f.inHand[a.ID]:
		return true
	case !f.owns(a.Owner):
		return false
	case state&stateInFlight != 0:
		return true
	default:
		return state&stateUncertain != 0 && !f.adoptedIDs.has(a.ID)
	}
}

// adoptAll changes the owner of the attempts that have not changed since they were
// read, and returns those. After an error it is unknown which ones were changed.
func (f *fleet) adoptAll(ctx context.Context, owner string, batch []schedctl.Attempt) (adopted []schedctl.Attempt, err error) {
	err = f.store.Update(ctx, func(tx storage.Tx) error {
		adopted = nil
		if err := prepare(tx, batch, func(a *schedctl.Attempt) string { return a.TargetID }); err != nil {
			return err
		}
		for _, was := range batch {
			a, err := storedAttempt(tx, was)
			if err != nil {
				return err
			}
			if a.Outcome != schedctl.OutcomeRunning || a.Owner != was.Owner {
				continue
			}
			a.Owner, a.LeaseUntil = owner, schedctl.Millis(time.Now().Add(attemptLease))
			if err := tx.PutAttempt(a); err != nil {
				return err
			}
			adopted = append(adopted, a)
		}
		return nil
	})
	return adopted, err
}

// adopted adds the attempts that now belong to this node to the unresolved attempts
// of their accounts.
func (f *fleet) adopted(x *dispatcher, batch, adopted []schedctl.Attempt, err error) {
	now := time.Now()
	if err != nil {
		x.logStoreState(x.recovers.failed(1, err, now), "adopting attempts", err)
		return
	}
	x.logStoreState(x.recovers.succeeded(), "adopting attempts", nil)
	for _, was := range batch {
		if !slices.ContainsFunc(adopted, func(a schedctl.Attempt) bool { return a.ID == was.ID }) {
			f.adoptedIDs.remove(was.ID) // it has ended, or its owner has changed
		}
	}
	for _, a := range adopted {
		x.d.log.Warn("adopted an unfinished attempt", "post", a.PostID, "target", a.TargetID, "account", a.AccountID, "attempt", a.ID)
		delete(f.orphans.since, a.ID)
		f.inHand[a.ID] = true
		q := x.addInterrupted(a, now)
		if q.held {
			x.queues.release(q, now) // an attempt is settled whether or not the account is held
		}
		x.queues.reschedule(q, now)
	}
}
