package connect_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
)

// run runs the checks for a while.
func (r *rig) run(d time.Duration) {
	r.Helper()
	ctx, cancel := context.WithTimeout(r.Context(), d)
	defer cancel()
	if err := r.Run(ctx); err != nil {
		r.Errorf("run: %v", err)
	}
	synctest.Wait()
}

// askedAbout returns how often the network was asked about each account.
func (r *rig) askedAbout() map[string]int {
	r.network.mu.Lock()
	defer r.network.mu.Unlock()
	asked := map[string]int{}
	for _, c := range r.network.connects {
		asked[c.Name]++
	}
	r.network.connects = nil
	return asked
}

func TestEachAccountIsCheckedOnceADay(t *testing.T) {
	bubble(t, func(r *rig) {
		const accounts = 300
		for i := range accounts {
			r.account(fmt.Sprint("account ", i))
		}
		r.run(24*time.Hour + time.Second)
		asked := r.askedAbout()
		if len(asked) != accounts {
			t.Errorf("%d of %d accounts were checked", len(asked), accounts)
		}
		for name, n := range asked {
			if n != 1 {
				t.Errorf("%s was checked %d times", name, n)
			}
		}
	})
}

// A daemon that is started every quarter of an hour does not ask more.
func TestRestartsBringNoCheckForward(t *testing.T) {
	bubble(t, func(r *rig) {
		const accounts = 300
		for i := range accounts {
			r.account(fmt.Sprint("account ", i))
		}
		most := 0
		for range 96 {
			r.run(15 * time.Minute)
			n := 0
			for name, times := range r.askedAbout() {
				if n += times; times > 1 {
					t.Errorf("%s was checked %d times in a quarter of an hour", name, times)
				}
			}
			most = max(most, n)
		}
		if most > accounts/10 {
			t.Errorf("%d of %d accounts were checked in the same quarter of an hour", most, accounts)
		}
	})
}

func TestRefusedAccountsHealByThemselves(t *testing.T) {
	bubble(t, func(r *rig) {
		a, gone := r.account("me"), r.account("gone")
		gone.Status, gone.Credentials = schedctl.AccountDisconnected, nil
		r.put(gone, nil)
		a.Status, a.Error = schedctl.AccountError, &schedctl.TargetError{Kind: schedctl.KindAuth}
		r.put(a, r.held(a.ID))
		r.network.set(func(n *network) { n.refuse = revoked() })
		r.run(3*time.Hour + time.Second)
		if asked := r.askedAbout(); asked["me"] != 3 || asked["gone"] != 0 {
			t.Errorf("asked %v in three hours", asked)
		}
		if got := r.read(a.ID); got.Status != schedctl.AccountError || len(r.events()) != 0 {
			t.Errorf("account is %s, %d events", got.Status, len(r.events()))
		}
		r.network.set(func(n *network) { n.refuse = nil })
		r.run(time.Hour + time.Second)
		if got := r.read(a.ID); got.Status != schedctl.AccountConnected || got.Error != nil {
			t.Errorf("account is %s, %+v", got.Status, got.Error)
		}
	})
}

// TestPaidChecksRunOnceADay checks that an account is checked once a day if its network
// charges for the check, whether the network accepts the account or not.
func TestPaidChecksRunOnceADay(t *testing.T) {
	bubble(t, func(r *rig) {
		r.account("connected")
		refused := r.account("refused")
		refused.Status, refused.Error = schedctl.AccountError, &schedctl.TargetError{Kind: schedctl.KindAuth}
		r.put(refused, r.held(refused.ID))
		r.network.set(func(n *network) { n.refuse, n.paid = revoked(), true })
		r.run(72*time.Hour + time.Second)
		if asked := r.askedAbout(); asked["refused"] != 3 || asked["connected"] != 3 {
			t.Errorf("asked %v in three days", asked)
		}
	})
}

// A network that takes credentials and no posts must not make its account's
// queue try in vain every hour.
func TestAccountThatIsRefusedAgainAndAgain(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		refuse := func() {
			a := r.read(a.ID)
			a.Status, a.Error = schedctl.AccountError, &schedctl.TargetError{Kind: schedctl.KindAuth}
			r.put(a, r.held(a.ID))
		}
		ctx, cancel := context.WithCancel(r.Context())
		done := make(chan error)
		go func() { done <- r.Run(ctx) }()
		healed := 0
		for range 48 {
			refuse()
			time.Sleep(time.Hour)
			if r.read(a.ID).Status == schedctl.AccountConnected {
				healed++
			}
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if healed < 2 || healed > 4 {
			t.Errorf("connected again %d times in two days", healed)
		}
	})
}

func TestChecksFindARevokedPassword(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.refuse = revoked()
		r.run(24*time.Hour + time.Second)
		if got := r.read(a.ID); got.Status != schedctl.AccountError || got.Error.Code != "revoked" {
			t.Errorf("account is %s, %+v", got.Status, got.Error)
		}
		if e := r.events(); len(e) != 1 || e[0].Type != schedctl.EventAccountError {
			t.Errorf("events %+v", e)
		}
	})
}

func TestChecksLeaveWhatIsOutOfReach(t *testing.T) {
	for name, err := range map[string]error{"network": down(), "not understood": publish.Contentf("host", "has moved")} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a, bad := r.account("me"), r.account("bad")
				bad.Status = schedctl.AccountError
				r.put(bad, r.held(bad.ID))
				r.network.refuse = err
				r.run(25 * time.Hour)
				if got := r.read(a.ID); got.Status != schedctl.AccountConnected || !got.UpdatedAt.Equal(a.UpdatedAt) {
					t.Errorf("account is %s, changed at %s", got.Status, got.UpdatedAt)
				}
				if got := r.read(bad.ID); got.Status != schedctl.AccountError {
					t.Errorf("refused account is %s", got.Status)
				}
			})
		})
	}
}

// No turn is missed for a store that could not be read for a while.
func TestChecksAfterTheStoreFailed(t *testing.T) {
	bubble(t, func(r *rig) {
		r.account("me")
		r.faulty.FailViews(12 * 23)
		r.run(24*time.Hour + time.Second)
		if n := r.askedAbout()["me"]; n != 1 || r.faulty.RemainingFailures() != 0 {
			t.Errorf("asked %d times, %d failures to come", n, r.faulty.RemainingFailures())
		}
	})
}

func TestAFewChecksAtATime(t *testing.T) {
	bubble(t, func(r *rig) {
		for i := range 40 {
			r.account(fmt.Sprint("account ", i))
		}
		r.network.expire() // each has to ask for a new session, which takes a second
		r.faulty.FailViews(12*24 - 1)
		r.run(24*time.Hour + time.Minute) // all have their turn at once at the end
		r.wantRefreshes(40)
		if r.network.most != 4 {
			t.Errorf("%d accounts were asked about at a time, want 4", r.network.most)
		}
	})
}

// The network has said when it takes posts again, and reading works before.
func TestDatedHoldIsNotHealedBefore(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		a.Status, a.Error = schedctl.AccountError, &schedctl.TargetError{Kind: schedctl.KindAuth, Code: string(publish.HoldCredits)}
		a.PausedUntil = schedctl.Millis(time.Now().Add(30 * time.Hour))
		r.put(a, r.held(a.ID))
		r.run(30*time.Hour - pollSlack)
		if asked := r.askedAbout(); len(asked) != 0 || r.read(a.ID).Status != schedctl.AccountError {
			t.Errorf("asked %v before the date", asked)
		}
		r.run(2 * time.Hour)
		if got := r.read(a.ID); got.Status != schedctl.AccountConnected || !got.PausedUntil.IsZero() {
			t.Errorf("the account is %s until %v after the date", got.Status, got.PausedUntil)
		}
		a.PausedUntil = schedctl.Millis(time.Now().Add(30 * time.Hour))
		r.put(a, r.held(a.ID))
		if got, err := r.Verify(t.Context(), r.workspace, a.ID); err != nil || got.Status != schedctl.AccountConnected || !got.PausedUntil.IsZero() {
			t.Errorf("verified by a person: %s until %v, %v", got.Status, got.PausedUntil, err)
		}
	})
}

// A refusal without a date ends an older pause: the account is checked every hour, and nothing
// says that it waits until the end of the pause.
func TestRefusalWithoutADateEndsAPause(t *testing.T) {
	for name, held := range map[string]bool{"connected and paused": false, "held until a date": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("me")
				if held {
					a.Status, a.Error = schedctl.AccountError, &schedctl.TargetError{Kind: schedctl.KindAuth, Code: string(publish.HoldCredits)}
				}
				a.PausedUntil = schedctl.Millis(time.Now().Add(20 * time.Hour))
				r.put(a, r.held(a.ID))
				r.network.set(func(n *network) { n.refuse = revoked() })
				if got, err := r.Verify(t.Context(), r.workspace, a.ID); err != nil || got.Status != schedctl.AccountError || !got.PausedUntil.IsZero() {
					t.Errorf("the account is %s until %v, %v", got.Status, got.PausedUntil, err)
				}
				r.network.set(func(n *network) { n.refuse = nil })
				r.run(time.Hour + pollSlack)
				if got := r.read(a.ID); got.Status != schedctl.AccountConnected {
					t.Errorf("after an hour the account is %s", got.Status)
				}
			})
		})
	}
}

// pollSlack is more than the time between two looks for accounts that are due.
const pollSlack = 10 * time.Minute

// A check that finds a limit with a date is the last one until then, also after a restart,
// and the hold ends at the date.
func TestCheckFindsADatedHold(t *testing.T) {
	for name, paid := range map[string]bool{"free checks": false, "paid checks": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("me")
				until := schedctl.Millis(time.Now().Add(75 * time.Hour))
				limit := &publish.Error{Kind: schedctl.KindAuth, Code: string(publish.HoldCredits), HTTPStatus: 403, Outcome: schedctl.OutcomeNotPublished, RetryAt: until}
				r.network.set(func(n *network) { n.refuse, n.paid = limit, paid })
				r.run(24*time.Hour + time.Second)
				if got := r.read(a.ID); got.Status != schedctl.AccountError || !got.PausedUntil.Equal(until) {
					t.Fatalf("the account is %s until %v, want %v", got.Status, got.PausedUntil, until)
				}
				r.network.set(func(n *network) { n.refuse = nil })
				r.askedAbout()
				r.run(time.Until(until) - time.Second)
				if asked := r.askedAbout(); len(asked) != 0 {
					t.Errorf("asked %v before the date", asked)
				}
				r.run(pollSlack)
				if got := r.read(a.ID); got.Status != schedctl.AccountConnected || !got.PausedUntil.IsZero() {
					t.Errorf("the account is %s until %v after the date", got.Status, got.PausedUntil)
				}
				if asked := r.askedAbout(); asked["me"] != 1 {
					t.Errorf("asked %v after the date", asked)
				}
			})
		})
	}
}

// The date of a hold that passes while the daemon is stopped is not missed, and its check is
// not repeated.
func TestHoldThatEndsWhileTheDaemonIsStopped(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		a.Status, a.Error = schedctl.AccountError, &schedctl.TargetError{Kind: schedctl.KindAuth, Code: string(publish.HoldCredits)}
		a.PausedUntil = schedctl.Millis(time.Now().Add(time.Minute))
		r.put(a, r.held(a.ID))
		r.network.set(func(n *network) { n.refuse, n.paid = revoked(), true })
		time.Sleep(time.Hour)
		for range 3 {
			r.run(pollSlack)
		}
		if asked := r.askedAbout(); asked["me"] != 1 {
			t.Errorf("asked %v after the date", asked)
		}
	})
}

// A network cannot hold an account for years.
func TestCheckBoundsTheDateOfAHold(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.refuse = &publish.Error{Kind: schedctl.KindAuth, Outcome: schedctl.OutcomeNotPublished, RetryAt: time.Now().AddDate(20, 0, 0)}
		got, err := r.Verify(t.Context(), r.workspace, a.ID)
		if days := time.Until(got.PausedUntil).Hours() / 24; err != nil || days < 31 || days > 62 {
			t.Errorf("held for %.0f days, %v", days, err)
		}
	})
}
