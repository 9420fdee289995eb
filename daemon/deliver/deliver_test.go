package deliver_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

func TestPublishesAtItsTimeWhatThePostHoldsThen(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", schedctl.Options{"visibility": "public"})
		r.start()
		p := r.schedule(72*time.Hour, a)
		r.after(time.Hour)
		edited := "edited meanwhile"
		r.change(p.ID, func(p *schedctl.Post) ([]schedctl.Event, error) {
			return p.Edit(schedctl.Edit{ContentChange: schedctl.ContentChange{Text: &edited}}, time.Now())
		})
		r.after(71*time.Hour - time.Millisecond)
		r.wantCalls(0)
		r.after(time.Millisecond)
		got := r.wantCalls(1)[0]
		want := publish.Request{
			TargetID: p.Targets[0].ID, PostID: p.ID, Content: edited, PublishAt: p.PublishAt,
			Attempt: 1, Key: p.Targets[0].ID, Account: a, Credentials: publish.Credentials{"token": token}, Kind: schedctl.PartPost,
		}
		want.Account.Credentials, got.Learn = nil, nil // a function is not compared
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
		target := r.wantStatus(p, schedctl.Published)
		if target.PlatformPostID == "" || target.PlatformPostURL == "" || !target.PublishedAt.Equal(p.PublishAt) || target.Attempts != 1 {
			t.Errorf("published target %+v", target)
		}
		if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{schedctl.OutcomePublished}) {
			t.Errorf("attempts %v", got)
		}
		wantEvents := []schedctl.EventType{
			schedctl.EventPostCreated, schedctl.EventPostScheduled, schedctl.EventPostQueued, schedctl.EventPostUpdated,
			schedctl.EventPostPublished, schedctl.EventPostCompleted,
		}
		if diff := cmp.Diff(wantEvents, r.events()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

func TestAttemptIsStoredBeforeTheCall(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		release := r.fake.Hold()
		r.start()
		p := r.publishNow(a)
		synctest.Wait()
		r.wantCalls(1)
		if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{schedctl.OutcomeRunning}) {
			t.Errorf("attempts during the call: %v", got)
		}
		release()
		synctest.Wait()
		r.wantStatus(p, schedctl.Published)
	})
}

func TestTargetsOfOnePostGoOutTogether(t *testing.T) {
	bubble(t, func(r *rig) {
		accounts := []schedctl.Account{r.account("a", nil), r.account("b", nil), r.account("c", nil)}
		r.fake.OnCall(func(_ context.Context, _ publish.Request) publishtest.Response {
			return publishtest.Response{After: time.Second}
		})
		r.start()
		p := r.publishNow(accounts...)
		r.after(time.Second)
		if got := r.post(p.ID); got.Status() != schedctl.Published {
			t.Fatalf("post is %s one second after its time; its accounts waited for each other", got.Status())
		}
	})
}

func TestOneAccountHasOneCallInFlightAndDelaysNoOther(t *testing.T) {
	bubble(t, func(r *rig) {
		slow, fast := r.account("slow", nil), r.account("fast", nil)
		r.fake.OnCall(func(_ context.Context, q publish.Request) publishtest.Response {
			if q.Account.Name == "slow" {
				return publishtest.Response{After: 20 * time.Second}
			}
			return publishtest.Response{}
		})
		r.start()
		for range 3 {
			r.publishNow(slow)
			r.publishNow(fast)
		}
		calls := func() map[string]int {
			synctest.Wait()
			n := map[string]int{}
			for _, q := range r.fake.Requests() {
				n[q.Account.Name]++
			}
			return n
		}
		if diff := cmp.Diff(map[string]int{"slow": 1, "fast": 3}, calls()); diff != "" {
			t.Errorf("calls at once (-want +got):\n%s", diff)
		}
		time.Sleep(40 * time.Second)
		if diff := cmp.Diff(map[string]int{"slow": 3, "fast": 3}, calls()); diff != "" {
			t.Errorf("calls after 40 s (-want +got):\n%s", diff)
		}
	})
}

func TestWorkersBoundTheCallsInFlight(t *testing.T) {
	bubble(t, func(r *rig) {
		r.config = func(c *deliver.Config) { c.Workers = 2 }
		release := r.fake.Hold()
		x := r.start()
		for _, name := range []string{"a", "b", "c"} {
			r.publishNow(r.account(name, nil))
		}
		synctest.Wait()
		r.wantCalls(2)
		if got, want := x.Stats(), (deliver.Stats{InFlight: 2, Queued: 1}); got != want {
			t.Errorf("stats %+v, want %+v", got, want)
		}
		release()
		synctest.Wait()
		r.wantCalls(3)
		if got := x.Stats(); got != (deliver.Stats{}) {
			t.Errorf("stats at the end %+v", got)
		}
	})
}

func TestOldestFirst(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		var want []string
		for _, in := range []time.Duration{3, 1, 2} {
			want = append(want, r.schedule(in*time.Hour, a).ID)
		}
		want = []string{want[1], want[2], want[0]}
		time.Sleep(5 * time.Hour) // no daemon runs
		r.start()
		r.after(time.Minute)
		var got []string
		for _, q := range r.wantCalls(3) {
			got = append(got, q.PostID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

func TestStaleEntriesAreDropped(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		x := r.start()
		canceled, moved := r.schedule(time.Hour, a), r.schedule(time.Hour, a)
		r.after(time.Minute)
		r.cancel(canceled.ID)
		r.reschedule(moved.ID, 2*time.Hour)
		unknown := schedctl.Due{At: time.Now().UnixMilli(), Target: schedctl.NewULID(time.Now())}
		x.Enqueue([]schedctl.Due{unknown})
		r.after(time.Hour)
		r.wantCalls(0)
		r.wantStatus(canceled, schedctl.Canceled)
		r.wantStatus(moved, schedctl.Scheduled)
		r.after(time.Hour)
		r.wantCalls(1)
		r.wantStatus(moved, schedctl.Published)
		if got := x.Stats(); got != (deliver.Stats{}) {
			t.Errorf("work left: %+v", got)
		}
	})
}

// A schedule passes a target on once. If the clock is set back before the claim, only
// the deliverer still has the target.
func TestHandedOverBeforeItsTime(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		x := r.start()
		synctest.Wait()
		r.deafen()
		p := r.schedule(time.Hour, a)
		id, _ := schedctl.ParseID(schedctl.TargetPrefix, p.Targets[0].ID)
		x.Enqueue([]schedctl.Due{{At: time.Now().UnixMilli(), Target: id}})
		r.after(time.Hour - time.Millisecond)
		r.wantCalls(0)
		r.after(time.Millisecond)
		r.wantStatus(p, schedctl.Published)
		r.wantCalls(1)
		x.stop()
	})
}

func TestHandedOverManyTimes(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		r.fake.OnCall(func(context.Context, publish.Request) publishtest.Response {
			return publishtest.Response{After: time.Second}
		})
		x := r.start()
		p := r.publishNow(a)
		id, _ := schedctl.ParseID(schedctl.TargetPrefix, p.Targets[0].ID)
		due := schedctl.Due{At: time.Now().UnixMilli(), Target: id}
		for range 5 {
			x.Enqueue([]schedctl.Due{due, due, due})
			r.after(300 * time.Millisecond)
		}
		r.wantCalls(1)
		r.wantStatus(p, schedctl.Published)
	})
}

func TestTooLateIsMissed(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		r.config = func(c *deliver.Config) { c.MaxLateness = time.Hour }
		missed, justInTime := r.schedule(time.Minute, a), r.schedule(2*time.Minute, a)
		time.Sleep(time.Hour + 90*time.Second)
		r.start()
		synctest.Wait()
		r.wantStatus(justInTime, schedctl.Published)
		r.wantCalls(1)
		got := r.wantStatus(missed, schedctl.Failed).Error
		want := &schedctl.TargetError{
			Kind: schedctl.KindMissed, Code: "missed", Retryable: true, Outcome: schedctl.OutcomeNotPublished,
			Message: "found 1h0m30s after its time, and 1h0m0s is the limit; retry it to publish it now",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
		if got := r.outcomes(missed); len(got) != 0 {
			t.Errorf("a missed target has attempts: %v", got)
		}
		r.change(missed.ID, func(p *schedctl.Post) ([]schedctl.Event, error) { return p.Retry(schedctl.Retry{}, time.Now()) })
		synctest.Wait()
		r.wantStatus(missed, schedctl.Published)
	})
}

// Many targets that are certainly too late do not cost a transaction each.
func TestThousandsTooLate(t *testing.T) {
	if testing.Short() {
		t.Skip("it counts transactions")
	}
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		counted := &countingStore{Store: r.store}
		r.store = counted
		for i := range 1000 {
			r.schedule(time.Duration(i+1)*time.Millisecond, a)
		}
		time.Sleep(48 * time.Hour)
		before := counted.updates.Load()
		x := r.start()
		synctest.Wait()
		if n := counted.updates.Load() - before; n > 100 {
			t.Errorf("%d transactions for 1000 missed targets", n)
		}
		r.wantCalls(0)
		if got := x.Stats(); got != (deliver.Stats{}) {
			t.Errorf("work left: %+v", got)
		}
	})
}

func TestOverdueTargetsAreSpaced(t *testing.T) {
	for _, test := range []struct {
		name    string
		options schedctl.Options
		pacer   time.Duration // of the publisher; 0 for a publisher without a pacing
		want    time.Duration
	}{
		{name: "default", want: time.Second},
		{name: "publisher", pacer: 3 * time.Second, want: 3 * time.Second},
		{name: "account", options: schedctl.Options{"pacing": "5s"}, pacer: 3 * time.Second, want: 5 * time.Second},
		{name: "none", options: schedctl.Options{"pacing": "0s"}, want: 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				answered := make(chan time.Time, 10)
				r.fake.OnCall(func(context.Context, publish.Request) publishtest.Response {
					answered <- time.Now()
					return publishtest.Response{}
				})
				if test.pacer > 0 {
					r.registry["fake"] = pacedFake{r.fake, test.pacer}
				}
				a := r.account("me", test.options)
				for range 4 {
					r.schedule(time.Minute, a)
				}
				onTime := r.schedule(2*time.Hour, a)
				time.Sleep(time.Hour)
				r.start()
				r.after(time.Minute)
				r.wantCalls(4)
				for last, i := <-answered, 2; i <= 4; i++ {
					next := <-answered
					if got := next.Sub(last); got != test.want {
						t.Errorf("space before call %d is %s, want %s", i, got, test.want)
					}
					last = next
				}
				r.after(time.Until(onTime.PublishAt))
				r.wantStatus(onTime, schedctl.Published)
			})
		})
	}
}

// Waiting costs no transactions: each target costs those of its claim and its end.
func TestSpacingCostsNoTransactions(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		const n = 50
		for range n {
			r.schedule(time.Minute, a)
		}
		time.Sleep(time.Hour)
		counted := &countingStore{Store: r.store}
		r.config = func(c *deliver.Config) { c.Store = counted }
		r.start()
		r.after(time.Minute)
		r.wantCalls(n)
		if got := counted.updates.Load(); got > 2*n {
			t.Errorf("%d transactions for %d targets", got, n)
		}
	})
}

type pacedFake struct {
	*publishtest.Fake
	pacing time.Duration
}

func (f pacedFake) Pacing() time.Duration { return f.pacing }

func TestDisconnectedAccount(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me", nil)
		p := r.schedule(time.Hour, a)
		a.Status, a.Credentials = schedctl.AccountDisconnected, nil
		r.putAccount(a)
		r.start()
		r.after(time.Hour)
		r.wantCalls(0)
		if e := r.wantStatus(p, schedctl.Failed).Error; e.Kind != schedctl.KindAuth || e.Retryable || e.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("error %+v", e)
		}
	})
}

func TestUnknownPlatform(t *testing.T) {
	bubble(t, func(r *rig) {
		p := r.publishNow(r.accountOn("gone", "me", nil))
		r.start()
		synctest.Wait()
		e := r.wantStatus(p, schedctl.Failed).Error
		if e.Kind != schedctl.KindPlatform || e.Outcome != schedctl.OutcomeNotPublished || e.Code != "unknown_platform" {
			t.Errorf("error %+v", e)
		}
	})
}

func TestLastTick(t *testing.T) {
	bubble(t, func(r *rig) {
		x := r.start()
		synctest.Wait()
		for range 10 {
			r.after(29 * time.Second)
			if age := time.Since(x.LastTick()); age > 30*time.Second {
				t.Fatalf("last tick %s ago, on an idle deliverer", age)
			}
		}
		if !deliver.New(deliver.Config{}).LastTick().IsZero() {
			t.Error("a deliverer that never ran has ticked")
		}
	})
}
