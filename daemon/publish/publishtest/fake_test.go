package publishtest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var (
	_ publish.Publisher  = (*publishtest.Fake)(nil)
	_ publish.Idempotent = (*publishtest.Fake)(nil)
	_ publish.Publisher  = publishtest.FindingFake{}
	_ publish.Finder     = publishtest.FindingFake{}
)

func TestFakeRespondsAsScripted(t *testing.T) {
	t.Parallel()
	refused, lost := errors.New("refused"), errors.New("lost")
	f := publishtest.NewFake("fake")
	f.Then(publishtest.Response{Err: refused}, publishtest.Response{Err: lost, Accepted: true})
	r := publish.Request{TargetID: "pt_1", Key: "pt_1"}

	for i, want := range []error{refused, lost, nil} {
		if _, err := f.Publish(t.Context(), r); err != want {
			t.Errorf("call %d: got %v, want %v", i, err, want)
		}
	}
	if diff := cmp.Diff(map[string]int{"pt_1": 2}, f.Posts()); diff != "" {
		t.Errorf("posts (-want +got):\n%s", diff)
	}
	if n := len(f.Requests()); n != 3 {
		t.Errorf("%d calls recorded, want 3", n)
	}
}

func TestFakeRecognizesKeysOfIdempotentAccounts(t *testing.T) {
	t.Parallel()
	f := publishtest.NewFake("fake")
	r := publish.Request{TargetID: "pt_1", Key: "pt_1", Account: schedctl.Account{Options: schedctl.Options{"idempotent": true}}}
	for range 2 {
		if _, err := f.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]int{"pt_1": 1}, f.Posts()); diff != "" {
		t.Errorf("posts (-want +got):\n%s", diff)
	}
}

func TestFakeHoldsCallsUntilReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := publishtest.NewFake("fake")
		release := f.Hold()
		done := make(chan error, 1)
		go func() {
			_, err := f.Publish(t.Context(), publish.Request{TargetID: "pt_1", Key: "pt_1"})
			done <- err
		}()
		synctest.Wait()
		if len(f.Requests()) != 1 || len(f.Posts()) != 0 {
			t.Fatalf("held call: %d requests, %d posts; want 1 and 0", len(f.Requests()), len(f.Posts()))
		}
		release()
		release()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}

func TestFakeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := publishtest.FindingFake{Fake: publishtest.NewFake("fake")}
		f.Then(publishtest.Response{After: time.Hour, Accepted: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r := publish.Request{TargetID: "pt_1", Key: "pt_1"}
		_, err := f.Publish(ctx, r)
		if got := publish.AsError(err); got.Outcome != schedctl.OutcomeUnknown || got.Kind != schedctl.KindNetwork {
			t.Errorf("got %+v, want an unknown outcome of kind network", got)
		}
		if _, found, _ := f.Find(t.Context(), r, time.Now()); !found {
			t.Error("the network has the post, but Find does not see it")
		}
	})
}

func TestFakeCallsItsFunction(t *testing.T) {
	t.Parallel()
	slow := errors.New("slow")
	f := publishtest.NewFake("fake")
	f.OnCall(func(_ context.Context, r publish.Request) publishtest.Response {
		if r.Account.ID == "acct_slow" {
			return publishtest.Response{Err: slow}
		}
		return publishtest.Response{}
	})
	if _, err := f.Publish(t.Context(), publish.Request{Account: schedctl.Account{ID: "acct_slow"}}); err != slow {
		t.Errorf("got %v, want %v", err, slow)
	}
	if _, err := f.Publish(t.Context(), publish.Request{}); err != nil {
		t.Error(err)
	}
}
