package deliver_test

import (
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/storage"
)

// leapt begins a run that finds the clock years ahead of the youngest record.
func (r *rig) leapt(youngest time.Time) {
	r.config = func(c *deliver.Config) { c.Clock = clock.New(youngest, r.logger()) }
	time.Sleep(10 * 365 * 24 * time.Hour)
	r.start()
}

// What is due only because the clock has leapt is neither sent nor given up until
// the clock has stood for an hour; what was due before it is sent, and so is what
// is queued by the new time.
func TestALeapOfTheClockDecidesNothing(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("a", nil)
		before, next := r.schedule(time.Second, a), r.schedule(time.Hour, a)
		lately := r.schedule(10*365*24*time.Hour-time.Hour, a)
		time.Sleep(10 * time.Second)
		r.leapt(time.Now())
		now := r.publishNow(a)
		r.after(59 * time.Minute)
		r.wantStatus(before, schedctl.Published)
		r.wantStatus(now, schedctl.Published)
		r.wantStatus(next, schedctl.Scheduled)
		r.wantStatus(lately, schedctl.Scheduled)

		r.after(2 * time.Minute)
		if got := r.wantStatus(next, schedctl.Failed); got.Error.Kind != schedctl.KindMissed {
			t.Errorf("error %+v, want %s", got.Error, schedctl.KindMissed)
		}
		r.wantStatus(lately, schedctl.Published)
		r.wantCalls(3)
	})
}

// A retry that was planned while the clock was ahead is made after the wait that
// was meant.
func TestWaitsOfAClockThatWasSetBack(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("a", nil)
		r.fake.Then(failing(schedctl.KindNetwork, schedctl.OutcomeNotPublished))
		r.start()
		retried, far := r.publishNow(a), r.schedule(10*365*24*time.Hour, a)
		r.after(time.Second)
		r.kill()
		const ahead = 9 * 365 * 24 * time.Hour
		r.change(retried.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
			p.UpdatedAt = p.UpdatedAt.Add(ahead)
			p.Targets[0].NextAttemptAt = p.Targets[0].NextAttemptAt.Add(ahead)
			return nil, nil
		})
		r.start()
		r.after(5 * time.Second)
		r.wantStatus(retried, schedctl.Publishing)
		r.wantCalls(1)
		r.after(10 * time.Second)
		r.wantStatus(retried, schedctl.Published)
		r.wantStatus(far, schedctl.Scheduled)
	})
}

// A pause that a clock has planned which was ahead does not last for years.
func TestAPauseOfAClockThatWasSetBack(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("a", nil)
		a.PausedUntil = schedctl.Millis(time.Now().AddDate(9, 0, 0))
		r.putAccount(a)
		r.start()
		p := r.publishNow(a)
		r.after(time.Second)
		r.wantStatus(p, schedctl.Published)
	})
}

// The network is not asked what it has since a time that is still to come.
func TestAnAttemptOfAClockThatWasSetBackIsLookedFor(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("a", nil)
		p := r.publishNow(a)
		r.interrupt(p)
		r.onNetwork(p, a)
		network := r.findable()
		r.config = func(c *deliver.Config) { c.Clock = clock.New(time.Time{}, r.logger()) }
		r.update(func(tx storage.Tx) error {
			attempts, err := tx.Attempts(p.Targets[0].ID)
			if err != nil {
				return err
			}
			attempts[0].StartedAt = attempts[0].StartedAt.AddDate(10, 0, 0)
			return tx.PutAttempt(attempts[0])
		})
		r.start()
		r.after(2 * time.Minute)
		r.wantStatus(p, schedctl.Published)
		if asked := network.asked(); len(asked) != 1 || !asked[0].IsZero() {
			t.Errorf("asked since %v, want once without a time", asked)
		}
	})
}
