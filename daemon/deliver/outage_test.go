package deliver_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// A network that is down for an hour delays only its own accounts and loses nothing.
// Within a minute of its return each account continues, in order.
func TestNetworkThatIsDownForAnHour(t *testing.T) {
	bubble(t, func(r *rig) {
		down := publishtest.NewFake("down")
		r.registry["down"] = down
		back := time.Now().Add(time.Hour)
		down.OnCall(func(_ context.Context, q publish.Request) publishtest.Response {
			if time.Now().Before(back) {
				return publishtest.Response{Err: netDown.Err, After: 10 * time.Second} // no connection is established
			}
			return publishtest.Response{}
		})
		var affected, others []schedctl.Post
		r.start()
		for i := range 20 {
			mine, other := r.accountOn("down", fmt.Sprint("affected ", i), nil), r.account(fmt.Sprint("other ", i), nil)
			for _, in := range []time.Duration{time.Minute, 30 * time.Minute, time.Hour - time.Minute, time.Hour + 10*time.Minute} {
				affected = append(affected, r.schedule(in, mine))
				others = append(others, r.schedule(in, other))
			}
		}
		r.after(4 * time.Hour)
		for _, p := range others {
			if got := r.wantStatus(p, schedctl.Published); got.PublishedAt.Sub(got.PublishAt) > time.Second || got.Attempts != 1 {
				t.Errorf("on the other network: due at %s, published at %s with attempt %d", got.PublishAt, got.PublishedAt, got.Attempts)
			}
		}
		for _, p := range affected {
			got := r.wantStatus(p, schedctl.Published)
			if late := got.PublishedAt.Sub(slices.MaxFunc([]time.Time{got.PublishAt, back}, time.Time.Compare)); late > time.Minute+20*time.Second {
				t.Errorf("due at %s, published %s after it could be", got.PublishAt, late)
			}
			if n := down.Posts()[p.Targets[0].ID]; n != 1 {
				t.Errorf("published %d times", n)
			}
		}
	})
}

// The same holds for a network whose gateway responds with 502 for an hour. The outcome
// of the first call is unknown, so the network is asked when it is back.
func TestNetworkThatIsDownForAnHourLeavesNothingUnresolved(t *testing.T) {
	bubble(t, func(r *rig) {
		f := r.findable()
		f.back = time.Now().Add(time.Hour)
		r.fake.Then(noAnswer)
		r.start()
		first := r.publishNow(r.account("me", nil))
		r.after(4 * time.Hour)
		if got := r.wantStatus(first, schedctl.Published); got.PublishedAt.Sub(f.back) > time.Minute {
			t.Errorf("published %s after the network was back", got.PublishedAt.Sub(f.back))
		}
		if n := r.fake.Posts()[first.Targets[0].ID]; n != 1 {
			t.Errorf("published %d times", n)
		}
	})
}

// If a network does not come back, the target fails when it is too late, with the outcome
// not published: a person can retry.
func TestNetworkThatStaysDown(t *testing.T) {
	bubble(t, func(r *rig) {
		down := publishtest.NewFake("down")
		r.registry["down"] = down
		down.OnCall(func(context.Context, publish.Request) publishtest.Response { return netDown })
		r.start()
		p := r.schedule(time.Minute, r.accountOn("down", "affected", nil))
		r.after(24 * time.Hour)
		r.wantStatus(p, schedctl.Publishing)
		r.after(2 * time.Minute)
		if e := r.wantStatus(p, schedctl.Failed).Error; e.Kind != schedctl.KindMissed || e.Outcome != no || !e.Retryable {
			t.Errorf("error %+v", e)
		}
		down.OnCall(nil)
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
		r.after(time.Minute)
		r.wantStatus(p, schedctl.Published)
		if n := down.Posts()[p.Targets[0].ID]; n != 1 {
			t.Errorf("published %d times", n)
		}
	})
}
