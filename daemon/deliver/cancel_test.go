package deliver_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

func TestTruthWinsOverCancel(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer publishtest.Response
		target schedctl.Status
		error  schedctl.Outcome // of the target's error; empty for none
	}{
		{"published all the same", publishtest.Response{}, schedctl.Published, ""},
		{"not published", netDown, schedctl.Canceled, ""},
		{"outcome unknown", noAnswer, schedctl.Canceled, maybe},
		{"account refused", refused, schedctl.Canceled, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				release := r.fake.Hold()
				r.fake.Then(test.answer)
				r.start()
				p := r.publishNow(r.account("me", nil))
				synctest.Wait()
				r.wantCalls(1)
				r.cancel(p.ID)
				release()
				r.after(time.Hour)
				r.wantCalls(1)
				got := r.wantStatus(p, test.target)
				switch {
				case test.error == "" && got.Error != nil:
					t.Errorf("error %+v, want none", got.Error)
				case test.error != "" && (got.Error == nil || got.Error.Outcome != test.error):
					t.Errorf("error %+v, want one with outcome %s", got.Error, test.error)
				}
				if got := r.post(p.ID); got.Status() != schedctl.Canceled {
					t.Errorf("post is %s", got.Status())
				}
			})
		})
	}
}

func TestCanceledInFlightIsAskedFor(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer publishtest.Response
		want   schedctl.Status
	}{
		{"the network has it", lostReply, schedctl.Published},
		{"the network does not have it", noAnswer, schedctl.Canceled},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				r.findable()
				slow := test.answer
				slow.After = time.Second
				r.fake.Then(slow)
				r.start()
				p := r.publishNow(r.account("me", nil))
				synctest.Wait()
				r.cancel(p.ID)
				r.after(time.Hour)
				r.wantCalls(1)
				if got := r.wantStatus(p, test.want); got.Error != nil {
					t.Errorf("error %+v", got.Error)
				}
			})
		})
	}
}

func TestCanceledBetweenTwoTries(t *testing.T) {
	bubble(t, func(r *rig) {
		r.fake.Then(netDown)
		r.start()
		p := r.publishNow(r.account("me", nil))
		synctest.Wait()
		r.cancel(p.ID)
		r.after(time.Hour)
		r.wantCalls(1)
		r.wantStatus(p, schedctl.Canceled)
	})
}

func TestMovedAgainAndAgain(t *testing.T) {
	bubble(t, func(r *rig) {
		r.start()
		p := r.schedule(time.Hour, r.account("me", nil))
		for range 50 {
			r.reschedule(p.ID, 10*time.Second)
			r.after(9 * time.Second)
		}
		r.wantCalls(0)
		r.after(time.Second)
		r.wantCalls(1)
		r.after(2 * time.Hour)
		r.wantCalls(1)
		if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{yes}) {
			t.Errorf("attempts %v", got)
		}
	})
}
