package deliver_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
)

// interrupt leaves a target's attempt unfinished, like a daemon that is killed during the
// call.
func (r *rig) interrupt(p schedctl.Post) {
	r.Helper()
	r.interruptAt(p, time.Now())
}

// interruptAt is interrupt for an attempt that started at the given time.
func (r *rig) interruptAt(p schedctl.Post, began time.Time) {
	r.Helper()
	r.update(func(tx storage.Tx) error {
		p, err := tx.Post(r.workspace, p.ID)
		if err != nil {
			return err
		}
		attempt, err := p.Begin(schedctl.Claim{TargetID: p.Targets[0].ID, Owner: "an earlier run", Lease: time.Minute, Key: p.Targets[0].ID}, began)
		if err != nil {
			return err
		}
		if err := tx.PutPost(p); err != nil {
			return err
		}
		return tx.PutAttempt(attempt)
	})
}

// onNetwork puts the post of a target on the network.
func (r *rig) onNetwork(p schedctl.Post, a schedctl.Account) {
	r.Helper()
	a.Credentials = nil
	_, err := r.fake.Publish(r.Context(), publish.Request{TargetID: p.Targets[0].ID, Key: p.Targets[0].ID, Account: a})
	if err != nil {
		r.Fatal(err)
	}
}

func TestInterruptedAttempt(t *testing.T) {
	for _, test := range []struct {
		name      string
		options   schedctl.Options
		findable  bool
		silent    int
		onNetwork bool
		canceled  bool

		status   schedctl.Status
		calls    int // in addition to the interrupted one
		outcomes []schedctl.Outcome
		error    schedctl.Outcome
	}{
		{name: "outcome unknown", status: schedctl.Failed, outcomes: []schedctl.Outcome{maybe}, error: maybe},
		{name: "outcome unknown, published", onNetwork: true, status: schedctl.Failed, outcomes: []schedctl.Outcome{maybe}, error: maybe},
		{name: "repeatable", options: schedctl.Options{"idempotent": true}, status: schedctl.Published, calls: 1, outcomes: []schedctl.Outcome{maybe, yes}},
		{name: "repeatable, published", options: schedctl.Options{"idempotent": true}, onNetwork: true, status: schedctl.Published, calls: 1, outcomes: []schedctl.Outcome{maybe, yes}},
		{name: "findable", findable: true, status: schedctl.Published, calls: 1, outcomes: []schedctl.Outcome{no, yes}},
		{name: "findable, published", findable: true, onNetwork: true, status: schedctl.Published, outcomes: []schedctl.Outcome{yes}},
		{name: "findable after a while", findable: true, silent: 3, onNetwork: true, status: schedctl.Published, outcomes: []schedctl.Outcome{yes}},
		{name: "cannot be asked", findable: true, silent: -1, status: schedctl.Failed, outcomes: []schedctl.Outcome{maybe}, error: maybe},
		{name: "canceled", canceled: true, status: schedctl.Canceled, outcomes: []schedctl.Outcome{maybe}, error: maybe},
		{name: "canceled, repeatable", canceled: true, options: schedctl.Options{"idempotent": true}, status: schedctl.Canceled, outcomes: []schedctl.Outcome{maybe}, error: maybe},
		{name: "canceled, findable", canceled: true, findable: true, status: schedctl.Canceled, outcomes: []schedctl.Outcome{no}},
		{name: "canceled, findable, published", canceled: true, findable: true, onNetwork: true, status: schedctl.Published, outcomes: []schedctl.Outcome{yes}},
		{name: "canceled, repeatable and findable, published", canceled: true, options: schedctl.Options{"idempotent": true}, findable: true, onNetwork: true, status: schedctl.Published, outcomes: []schedctl.Outcome{yes}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("me", test.options)
				p := r.publishNow(a)
				r.interrupt(p)
				began := 0
				if test.onNetwork {
					r.onNetwork(p, a)
					began++
				}
				if test.canceled {
					r.cancel(p.ID)
				}
				if test.findable {
					r.findable().silent = test.silent
				}
				time.Sleep(10 * time.Second)
				r.start()
				r.after(3 * time.Hour)
				if test.silent < 0 {
					r.after(22 * time.Hour) // until it is too late to ask
				}
				r.wantCalls(began + test.calls)
				got := r.wantStatus(p, test.status)
				if got := r.outcomes(p); !slices.Equal(got, test.outcomes) {
					t.Errorf("attempts %v, want %v", got, test.outcomes)
				}
				switch {
				case test.error == "" && got.Error != nil:
					t.Errorf("error %+v, want none", got.Error)
				case test.error != "" && (got.Error == nil || got.Error.Outcome != test.error || got.Error.Kind != schedctl.KindUnknown):
					t.Errorf("error %+v, want kind unknown with outcome %s", got.Error, test.error)
				case test.error != "" && !strings.Contains(got.Error.Message, "the daemon ended during the call"):
					t.Errorf("message %q", got.Error.Message)
				}
				if test.calls+began > 0 && test.status == schedctl.Published && r.fake.Posts()[p.Targets[0].ID] != 1 {
					t.Errorf("published %d times", r.fake.Posts()[p.Targets[0].ID])
				}
			})
		})
	}
}

// slowFinder responds slowly.
type slowFinder struct {
	publishtest.FindingFake
	takes time.Duration
}

func (f slowFinder) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	time.Sleep(f.takes)
	return f.FindingFake.Find(ctx, r, since)
}

func TestAccountUnderRecoveryPublishesNothingElseAndBlocksNoOther(t *testing.T) {
	bubble(t, func(r *rig) {
		r.registry["fake"] = slowFinder{publishtest.FindingFake{Fake: r.fake}, 20 * time.Second}
		a, other := r.account("me", nil), r.account("other", nil)
		p := r.publishNow(a)
		r.interrupt(p)
		r.onNetwork(p, a)
		next, elsewhere := r.publishNow(a), r.publishNow(other)
		r.start()
		r.after(time.Minute + 20*time.Second - time.Millisecond)
		r.wantStatus(elsewhere, schedctl.Published)
		r.wantStatus(next, schedctl.Publishing)
		r.wantCalls(2)
		r.after(time.Millisecond)
		r.wantStatus(p, schedctl.Published)
		r.wantStatus(next, schedctl.Published)
		r.wantCalls(3)
	})
}

// The clock was ahead when the attempt started. The question does not wait until the clock
// reaches that time again.
func TestInterruptedInTheFuture(t *testing.T) {
	bubble(t, func(r *rig) {
		f := r.findable()
		p := r.publishNow(r.account("me", nil))
		r.interruptAt(p, time.Now().Add(24*time.Hour))
		r.start()
		r.after(time.Minute - time.Millisecond)
		if len(f.asked()) != 0 {
			t.Error("asked at once")
		}
		r.after(time.Millisecond)
		r.wantStatus(p, schedctl.Published)
	})
}

func TestRecoveryOfManyAttemptsOfAnAccount(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", schedctl.Options{"idempotent": true})
		var posts []schedctl.Post
		for range 20 {
			p := r.publishNow(a)
			r.interrupt(p)
			posts = append(posts, p)
		}
		r.start()
		r.after(time.Minute)
		for _, p := range posts {
			r.wantStatus(p, schedctl.Published)
		}
		r.wantCalls(20)
	})
}

// An interrupted call that may have published does not become "not published" because it
// is too late to repeat.
func TestInterruptedLongAgo(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.publishNow(r.account("me", schedctl.Options{"idempotent": true}))
		r.interrupt(p)
		time.Sleep(72 * time.Hour)
		r.start()
		r.after(time.Hour)
		r.wantCalls(0)
		if e := r.wantStatus(p, schedctl.Failed).Error; e.Kind != schedctl.KindMissed || e.Outcome != maybe || e.Retryable {
			t.Errorf("error %+v", e)
		}
	})
}

// If the network does not have the post of the interrupted attempt, it may still have that
// of an earlier attempt.
func TestInterruptedAfterAnUnknownOutcome(t *testing.T) {
	bubble(t, func(r *rig) {
		r.findable()
		a := r.account("me", schedctl.Options{"idempotent": true})
		r.fake.Then(noAnswer, noAnswer)
		r.start()
		p := r.publishNow(a)
		synctest.Wait()
		r.kill()
		time.Sleep(time.Minute)
		r.interrupt(p)
		a.Options = nil
		r.putAccount(a)
		r.start()
		r.after(time.Hour)
		r.wantCalls(2)
		if e := r.wantStatus(p, schedctl.Failed).Error; e.Outcome != maybe {
			t.Errorf("error %+v", e)
		}
	})
}

func TestStopWaitsForCallsInFlight(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fake.Then(publishtest.Response{After: 6 * time.Second})
		r.start()
		a := r.account("me", nil)
		p, waiting := r.publishNow(a), r.publishNow(a)
		synctest.Wait()
		began := time.Now()
		r.kill()
		if took := time.Since(began); took != 6*time.Second {
			t.Errorf("stopping took %s, the call 6s", took)
		}
		r.wantStatus(p, schedctl.Published)
		r.wantStatus(waiting, schedctl.Publishing)
		r.wantCalls(1)
		r.start()
		synctest.Wait()
		r.wantStatus(waiting, schedctl.Published)
	})
}

func TestStopAbandonsCallsAfterTheGracePeriod(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fake.Then(publishtest.Response{After: 25 * time.Second, Accepted: true})
		r.start()
		p := r.publishNow(r.account("me", nil))
		synctest.Wait()
		began := time.Now()
		r.kill()
		if took := time.Since(began); took != deliver.StopGrace {
			t.Errorf("stopping took %s", took)
		}
		synctest.Wait()
		if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{schedctl.OutcomeRunning}) {
			t.Errorf("attempts %v, want one that the next run settles", got)
		}
		r.start()
		synctest.Wait()
		r.wantCalls(1)
		if e := r.wantStatus(p, schedctl.Failed).Error; e.Outcome != maybe {
			t.Errorf("error %+v", e)
		}
	})
}

func TestStopOfAnIdleDelivererIsImmediate(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		r.fake.Then(refused)
		r.start()
		r.publishNow(a)
		r.schedule(time.Hour, a)
		r.after(time.Minute)
		began := time.Now()
		r.kill()
		if took := time.Since(began); took != 0 {
			t.Errorf("stopping took %s", took)
		}
	})
}
