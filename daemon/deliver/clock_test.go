package deliver_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
)

// startClockAhead starts the daemon with a clock that is ahead of the youngest record by
// the given time.
func (r *rig) startClockAhead(by time.Duration) {
	youngest := time.Now()
	r.config = func(c *deliver.Config) { c.Clock = clock.New(youngest, r.logger()) }
	time.Sleep(by)
	r.start()
}

// Targets that are due only because the clock has leapt are neither published nor failed
// until the clock is trusted. Targets that were due before are published, and so are
// targets that are scheduled by the new time.
func TestALeapOfTheClockDecidesNothing(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{3 * time.Hour, 39 * 24 * time.Hour, 10 * 365 * 24 * time.Hour} {
		t.Run(by.String(), func(t *testing.T) { decidesNothing(t, by) })
	}
}

func decidesNothing(t *testing.T, by time.Duration) {
	bubble(t, func(r *rig) {
		a := r.account("a", nil)
		before, next := r.schedule(time.Second, a), r.schedule(time.Hour, a)
		lately, soon := r.schedule(by-20*time.Minute, a), r.schedule(by+time.Minute, a)
		time.Sleep(10 * time.Second)
		r.startClockAhead(by)
		now := r.publishNow(a)
		later := r.schedule(time.Minute, a)
		r.after(4 * time.Minute)
		r.wantStatus(before, schedctl.Published)
		r.wantStatus(now, schedctl.Published)
		r.wantStatus(later, schedctl.Published)
		r.wantStatus(next, schedctl.Scheduled)
		r.wantStatus(lately, schedctl.Scheduled)
		r.wantStatus(soon, schedctl.Scheduled)
		r.wantCalls(3)

		r.after(2 * time.Minute)
		r.wantStatus(lately, schedctl.Published)
		r.wantStatus(soon, schedctl.Published)
		if by < 24*time.Hour {
			r.wantStatus(next, schedctl.Published)
			return
		}
		if got := r.wantStatus(next, schedctl.Failed); got.Error.Kind != schedctl.KindMissed {
			t.Errorf("error %+v, want %s", got.Error, schedctl.KindMissed)
		}
	})
}

// A retry that was planned while the clock was ahead is made after the intended wait.
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

// A pause that was planned while the clock was ahead does not last for years.
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

// The network is not asked for posts since a time in the future.
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

// A node whose clock has leapt leaves its accounts to a node with a correct clock.
func TestFleetWithOneUntrustedClock(t *testing.T) {
	fleetBubble(t, 1, func(f *fleet) {
		var posts []schedctl.Post
		for i := range 20 {
			posts = append(posts, f.schedule(time.Minute, f.account(fmt.Sprint(i), nil)))
		}
		time.Sleep(time.Second)
		doubted := clock.New(time.Now().Add(-time.Hour), f.logger())
		f.config = func(c *deliver.Config) { c.Clock = doubted }
		leapt := f.join()
		f.acquaint()
		mine := 0
		for _, p := range posts {
			if leapt.member.Mine(p.Targets[0].AccountID) {
				mine++
			}
		}
		if mine == 0 {
			t.Error("no account prefers the node whose clock has leapt")
		}
		f.beforeCall(func(p *peer, _ publish.Request) {
			if p == leapt {
				t.Error("a node publishes a target that is due only by its own clock")
			}
		})
		f.after(time.Minute)
		for _, p := range posts {
			f.wantPublished(p, 2*time.Second)
		}
	})
}
