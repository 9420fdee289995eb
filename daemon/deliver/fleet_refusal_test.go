package deliver_test

import (
	"context"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage/postgres/postgrestest"
)

// twoOnPostgres starts two daemons on one PostgreSQL, in real time.
func twoOnPostgres(t *testing.T) *fleet {
	t.Helper()
	s := server{t, postgrestest.Schema(t)}
	f := newFleet(newRig(t, s.Open()))
	f.database = s
	t.Cleanup(f.end)
	f.join()
	f.join()
	waitFor(t, "the daemons to know each other", func() bool {
		return len(f.nodes[0].member.Nodes()) == 2 && len(f.nodes[1].member.Nodes()) == 2
	})
	return f
}

// Three refused posts in a row hold the account, also if the third is refused to another
// daemon than the first two.
func TestDaemonsCountRefusalsTogether(t *testing.T) {
	t.Parallel()
	f := twoOnPostgres(t)
	f.fake.OnCall(func(context.Context, publish.Request) publishtest.Response { return refusedAlone })
	a := f.accountOf(f.nodes[0], "fake", nil)
	for range 2 {
		p := f.publishNow(a)
		waitFor(t, "the post to fail", func() bool { return f.target(p).Status == schedctl.Failed })
	}
	if got := f.readAccount(a.ID); got.Status != schedctl.AccountConnected {
		t.Fatalf("the account is held after two refusals: %+v", got.Error)
	}
	f.nodes[0].kill()
	f.nodes[0].done.Wait() // it may be claiming
	f.publishNow(a)
	waitFor(t, "the account to be held", func() bool { return f.readAccount(a.ID).Status == schedctl.AccountError })
	if got := f.readAccount(a.ID); got.Error.Code != string(publish.HoldBlocked) {
		t.Errorf("the account is held for %+v", got.Error)
	}
	if n := len(f.fake.Requests()); n != 3 {
		t.Errorf("%d posts were tried", n)
	}
}

// A target that has held its account on one daemon fails on another if it is refused for the
// same reason after a check of the account.
func TestDaemonsRememberWhatHeldAnAccount(t *testing.T) {
	t.Parallel()
	f := twoOnPostgres(t)
	f.fake.OnCall(func(context.Context, publish.Request) publishtest.Response {
		return publishtest.Response{Err: &publish.Error{Kind: schedctl.KindAuth, Code: string(publish.HoldScope), HTTPStatus: 403, Outcome: no, Message: "not allowed"}}
	})
	a := f.accountOf(f.nodes[0], "fake", nil)
	p := f.publishNow(a)
	waitFor(t, "the account to be held", func() bool { return f.readAccount(a.ID).Status == schedctl.AccountError })
	f.nodes[0].kill()
	f.nodes[0].done.Wait() // it may be claiming
	healed := f.readAccount(a.ID)
	healed.Accepted()
	f.putAccount(healed)
	waitFor(t, "the post to fail", func() bool { return f.target(p).Status == schedctl.Failed })
	if got := f.readAccount(a.ID); got.Status != schedctl.AccountConnected {
		t.Errorf("the account is held again for %+v", got.Error)
	}
	if n := len(f.fake.Requests()); n != 2 {
		t.Errorf("the post was tried %d times: %+v, outcomes %v", n, f.target(p).Error, f.outcomes(p))
	}
}
