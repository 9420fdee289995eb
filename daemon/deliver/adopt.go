package deliver

import (
	"context"
	"slices"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/storage"
)

const (
	// adoptInterval is how often members look for attempts of those that are gone.
	adoptInterval = 500 * time.Millisecond

	// adoptGrace is how long such attempts are left to the member that is preferred
	// for their account.
	adoptGrace = 5 * time.Second
)

// orphans are attempts without an end that nobody works on, as far as is known.
type orphans struct {
	next  time.Time
	since map[string]time.Time // by attempt, when it was first seen as one
}

// adopt looks for attempts whose owners are dead, on a goroutine of its own, and
// makes them doubts of this member.
func (x *dispatcher) adopt(ctx context.Context, now time.Time) {
	if x.cfg.Member == nil || x.stopping || now.Before(x.orphans.next) || !x.recovers.mayStart(now) {
		return
	}
	x.orphans.next = now.Add(adoptInterval)
	if !x.mayAdopt() {
		return
	}
	x.recovers.running = true
	x.jobs.Go(func() {
		found, err := x.Deliverer.abandoned(ctx)
		x.mail.report(func(x *dispatcher) { x.orphansFound(ctx, found, err) })
	})
}

// mayAdopt reports whether what is adopted now would have an owner that lives, and
// whoever has begun it is dead, and not on the way back from an outage of the
// database with an outcome to record.
func (x *dispatcher) mayAdopt() bool { return x.cfg.Member.Settled() }

// abandoned returns the attempts without an end whose owners do not live, and those
// of this run. The attempts are read before the nodes: whoever had begun one of
// them was a node by then.
func (d *Deliverer) abandoned(ctx context.Context) (found []schedctl.Attempt, err error) {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	var running []schedctl.Attempt
	err = d.cfg.Store.View(ctx, func(r storage.Reader) (err error) {
		running, err = r.RunningAttempts()
		return err
	})
	if err != nil || len(running) == 0 {
		return nil, err
	}
	nodes, err := d.shared.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	living := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		living[n.ID] = n.Alive
	}
	for _, a := range running {
		if !living[a.Owner] || d.owns(a.Owner) {
			found = append(found, a)
		}
	}
	return found, nil
}

// orphansFound adopts what is nobody's.
func (x *dispatcher) orphansFound(ctx context.Context, found []schedctl.Attempt, err error) {
	now := time.Now()
	if err != nil {
		x.logStoreState(x.recovers.failed(1, err, now), "reading unfinished attempts", err)
		return
	}
	x.logStoreState(x.recovers.succeeded(), "reading unfinished attempts", nil)
	batch := x.adoptable(found, now)
	if len(batch) == 0 || x.stopping || !x.mayAdopt() {
		return
	}
	owner := x.currentOwner()
	for _, a := range batch {
		x.adoptedIDs.add(a.ID)
	}
	x.recovers.running = true
	x.jobs.Go(func() {
		adopted, err := x.Deliverer.adoptAll(ctx, owner, batch)
		x.mail.report(func(x *dispatcher) { x.adopted(batch, adopted, err) })
	})
}

// adoptable returns the attempts that this member is to adopt now: none that it has
// in hand itself, perhaps under an earlier name, and at first none of an account
// that is another's.
func (x *dispatcher) adoptable(found []schedctl.Attempt, now time.Time) (batch []schedctl.Attempt) {
	since := make(map[string]time.Time, len(found))
	for _, a := range found {
		if x.hasInHand(a) {
			continue
		}
		first, seen := x.orphans.since[a.ID]
		if !seen {
			first = now
		}
		since[a.ID] = first
		if len(batch) < maxGroup && (x.cfg.Member.Mine(a.AccountID) || now.Sub(first) >= adoptGrace) {
			batch = append(batch, a)
		}
	}
	x.orphans.since = since
	return batch
}

// hasInHand reports whether a call of the attempt is under way here, to be settled
// or to be recorded, or whether its claim may be on disk and its call is still to be
// made.
func (x *dispatcher) hasInHand(a schedctl.Attempt) bool {
	switch m := x.states[ulid(a.TargetID)]; {
	case x.inHand[a.ID]:
		return true
	case !x.owns(a.Owner):
		return false
	case m&stateInFlight != 0:
		return true
	default:
		return m&stateUncertain != 0 && !x.adoptedIDs.has(a.ID)
	}
}

// adoptAll makes the owner that of the attempts that are still as they were read,
// and returns those. With an error it is not known which they are.
func (d *Deliverer) adoptAll(ctx context.Context, owner string, batch []schedctl.Attempt) (adopted []schedctl.Attempt, err error) {
	err = d.cfg.Store.Update(ctx, func(tx storage.Tx) error {
		adopted = nil
		if err := prepare(d, tx, batch, func(a *schedctl.Attempt) string { return a.TargetID }); err != nil {
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

// storedAttempt returns an attempt as it is stored now, the zero value when it is
// gone.
func storedAttempt(r storage.Reader, was schedctl.Attempt) (schedctl.Attempt, error) {
	attempts, err := r.Attempts(was.TargetID)
	if notFound(err) {
		return schedctl.Attempt{}, nil
	}
	for i := range attempts {
		if attempts[i].ID == was.ID {
			return attempts[i], err
		}
	}
	return schedctl.Attempt{}, err
}

// adopted puts the attempts of the batch that are this member's now into the queues
// of their accounts, as doubts.
func (x *dispatcher) adopted(batch, adopted []schedctl.Attempt, err error) {
	now := time.Now()
	if err != nil {
		x.logStoreState(x.recovers.failed(1, err, now), "adopting attempts", err)
		return
	}
	x.logStoreState(x.recovers.succeeded(), "adopting attempts", nil)
	for _, was := range batch {
		if !slices.ContainsFunc(adopted, func(a schedctl.Attempt) bool { return a.ID == was.ID }) {
			x.adoptedIDs.remove(was.ID) // it has an end, or another owner
		}
	}
	for _, a := range adopted {
		x.log.Warn("attempt of another run has no end", "post", a.PostID, "target", a.TargetID, "account", a.AccountID, "attempt", a.ID)
		delete(x.orphans.since, a.ID)
		x.inHand[a.ID] = true
		q := x.addInterrupted(a, now)
		if q.held {
			x.queues.release(q) // a doubt is settled however the account is
		}
		x.queues.reschedule(q, now)
	}
}
