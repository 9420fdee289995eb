package deliver_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
)

// promptFake is a network that can be asked soon after a call, and may accept a request
// long after it was cut.
type promptFake struct{ publishtest.FindingFake }

func (promptFake) FindAfter() time.Duration { return 2 * time.Second }

func (r *rig) promptlyFindable() {
	r.registry["fake"] = promptFake{publishtest.FindingFake{Fake: r.fake}}
}

// acceptLater makes the network cut the next call, and accept its request after a while.
func (r *rig) acceptLater(in time.Duration) {
	first := true
	r.fake.OnCall(func(_ context.Context, q publish.Request) publishtest.Response {
		if !first {
			return publishtest.Response{}
		}
		first = false
		time.AfterFunc(in, func() { r.fake.Accept(q) })
		return noAnswer
	})
}

// TestCancelBeforeLateAcceptance guards that "the network does not have the post" is not
// the result of a canceled target while the network may still accept the request.
func TestCancelBeforeLateAcceptance(t *testing.T) {
	for _, test := range []struct {
		name     string
		canceled time.Duration // after the call
		accepted time.Duration
		restart  bool
		want     schedctl.Status
	}{
		{"accepted after the first question", time.Second, 10 * time.Second, false, schedctl.Published},
		{"accepted just in time", time.Second, 59 * time.Second, false, schedctl.Published},
		{"restarted in between", time.Second, 59 * time.Second, true, schedctl.Published},
		{"never accepted", time.Second, 0, false, schedctl.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				r.promptlyFindable()
				if test.accepted > 0 {
					r.acceptLater(test.accepted)
				} else {
					r.fake.Then(noAnswer)
				}
				r.start()
				p := r.publishNow(r.account("me", nil))
				synctest.Wait()
				r.after(test.canceled)
				r.cancel(p.ID)
				r.after(5 * time.Second)
				if got := r.attempts(p)[0]; got.Outcome != schedctl.OutcomeRunning {
					t.Errorf("after the first question the attempt is %s", got.Outcome)
				}
				if test.restart {
					r.kill()
					r.start()
				}
				r.after(5 * time.Minute)
				r.wantStatus(p, test.want)
				r.wantCalls(1)
			})
		})
	}
}

// TestEarlyAbsenceIsRepeated guards that a lost request is repeated at once, with the
// same key, and that the attempt stays unresolved if the repeat fails as well.
func TestEarlyAbsenceIsRepeated(t *testing.T) {
	for _, test := range []struct {
		name     string
		repeat   publishtest.Response
		within   time.Duration
		calls    int
		outcomes []schedctl.Outcome
	}{
		{"repeat publishes", publishtest.Response{}, 3 * time.Second, 2, []schedctl.Outcome{yes}},
		{"response to the repeat is lost", lostReply, 70 * time.Second, 2, []schedctl.Outcome{yes}},
		{"repeat is lost", noAnswer, 70 * time.Second, 3, []schedctl.Outcome{no, yes}},
		{"repeat gets no connection", netDown, 70 * time.Second, 3, []schedctl.Outcome{no, yes}},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				r.promptlyFindable()
				r.fake.Then(noAnswer, test.repeat)
				r.start()
				p := r.publishNow(r.account("me", nil))
				r.after(test.within)
				r.wantStatus(p, schedctl.Published)
				calls := r.wantCalls(test.calls)
				if calls[0].Key != calls[1].Key {
					t.Errorf("keys %s and %s", calls[0].Key, calls[1].Key)
				}
				if got := r.outcomes(p); !slices.Equal(got, test.outcomes) {
					t.Errorf("outcomes %v, want %v", got, test.outcomes)
				}
			})
		})
	}
}

// TestCancelDuringRepeat guards that a target canceled during the repeat stays
// unresolved until the first call can no longer publish.
func TestCancelDuringRepeat(t *testing.T) {
	bubble(t, func(r *rig) {
		r.promptlyFindable()
		r.acceptLater(40 * time.Second)
		r.start()
		p := r.publishNow(r.account("me", nil))
		synctest.Wait()
		refused := failing(schedctl.KindContent, no)
		refused.After = 2 * time.Second
		r.fake.Then(refused)
		r.after(3 * time.Second)
		r.wantCalls(2)
		r.cancel(p.ID)
		r.after(2 * time.Minute)
		r.wantStatus(p, schedctl.Published)
		r.wantCalls(2)
	})
}

// TestLateAcceptanceAfterRestart guards that a network that does not have the post of an
// interrupted call is asked again until the request of the ended process is over.
func TestLateAcceptanceAfterRestart(t *testing.T) {
	bubble(t, func(r *rig) {
		r.findable()
		r.fake.OnCall(func(_ context.Context, q publish.Request) publishtest.Response {
			time.AfterFunc(50*time.Second, func() { r.fake.Accept(q) }) // after the process has sent it
			return noAnswer
		})
		p := r.publishNow(r.account("me", nil))
		r.start()
		synctest.Wait()
		r.fake.OnCall(nil)
		r.kill()
		started := r.attempts(p)[0]
		started.StartedAt = started.StartedAt.Add(-55 * time.Second)
		started.Error = nil
		r.update(func(tx storage.Tx) error { return tx.PutAttempt(started) })
		r.start()
		r.after(10 * time.Second) // the network does not have it
		r.wantStatus(p, schedctl.Publishing)
		r.after(time.Minute)
		r.wantStatus(p, schedctl.Published)
		r.wantCalls(1)
	})
}
