package deliver_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// A network that can be asked only for some accounts is not said to be asked for the
// others: their posts are reported at once.
func TestNetworkIsAskedOnlyForSomeAccounts(t *testing.T) {
	for name, want := range map[string]struct {
		status schedctl.Status
		asked  bool
	}{
		"linkedin, person":       {schedctl.Failed, false},
		"linkedin, organization": {schedctl.Publishing, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := &memoryNetwork{platform: platformOf(name), mishap: mishap{
					accepts: true, answer: func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) },
				}}
				wire := newWire(network)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				a := r.connect(network.platform, wire.client)
				r.start()
				p := r.publishNow(a)
				synctest.Wait()
				e := r.wantStatus(p, want.status).Error
				if e == nil || e.Outcome != maybe || strings.Contains(e.Message, "schedctl will ask the network") != want.asked {
					t.Errorf("error %+v", e)
				}
			})
		})
	}
}

// refusingFinder is a network that can be asked, and may refuse to look for posts.
type refusingFinder struct {
	publishtest.FindingFake
	refuse func() error
	asked  atomic.Int32
}

func (f *refusingFinder) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	f.asked.Add(1)
	if err := f.refuse(); err != nil {
		return schedctl.Receipt{}, false, err
	}
	return f.FindingFake.Find(ctx, r, since)
}

// A refusal of the account that the network gives to a look-up holds the account, whatever
// its status. The look-up is repeated when the account works again, or at the date.
func TestRefusedLookUpHolds(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		dated  bool
		asks   int32 // at most, within three hours
	}{
		{"401", 401, false, 4}, {"403", 403, false, 4}, {"403 with a date", 403, true, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				until := schedctl.Millis(time.Now().Add(5 * time.Hour))
				refusal := publish.Error{Kind: schedctl.KindAuth, Code: "SpendCapReached", Message: "no", HTTPStatus: test.status, Outcome: maybe}
				if test.dated {
					refusal.RetryAt = until
				}
				network := &refusingFinder{FindingFake: publishtest.FindingFake{Fake: r.fake}, refuse: func() error {
					if time.Now().Before(until) {
						return new(refusal)
					}
					return nil
				}}
				r.registry["fake"] = network
				r.fake.Then(lostReply)
				a := r.account("me", nil)
				r.start()
				p, next := r.publishNow(a), r.schedule(2*time.Minute, a)
				r.after(3 * time.Hour)
				got := r.readAccount(a.ID)
				if got.Status != schedctl.AccountError || got.Error.Code != "SpendCapReached" || test.dated && !got.PausedUntil.Equal(until) {
					t.Errorf("the account is %s for %+v until %v", got.Status, got.Error, got.PausedUntil)
				}
				r.wantStatus(p, schedctl.Publishing)
				if n := network.asked.Load(); n > test.asks {
					t.Errorf("asked %d times", n)
				}
				r.after(3 * time.Hour)
				r.wantStatus(p, schedctl.Published)
				r.reconnect(a.ID)
				tried := r.readAccount(a.ID)
				tried.PausedUntil = time.Time{}
				r.putAccount(tried)
				r.after(time.Minute)
				r.wantStatus(next, schedctl.Published)
				r.wantCalls(2)
			})
		})
	}
}
