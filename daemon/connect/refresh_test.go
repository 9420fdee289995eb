package connect_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

func session(n string) publish.Credentials {
	return publish.Credentials{"password": password, "session": n, "renewal": "renewal-" + n}
}

// bubble runs a test in a synctest bubble.
func bubble(t *testing.T, test func(*rig)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(newRig(t)) })
}

// wantRefresh refreshes and checks the result.
func (r *rig) wantRefresh(a schedctl.Account, used, want publish.Credentials) {
	r.Helper()
	got, failure := r.Refresh(r.Context(), r.workspace, a.ID, used)
	if failure != nil {
		r.Fatalf("refresh: %v (%v)", failure, failure.Err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.Errorf("returned (-want +got):\n%s", diff)
	}
}

func (r *rig) wantHeld(a schedctl.Account, want publish.Credentials) {
	r.Helper()
	if diff := cmp.Diff(want, r.held(a.ID)); diff != "" {
		r.Errorf("stored (-want +got):\n%s", diff)
	}
}

func (r *rig) wantRefreshes(want int) {
	r.Helper()
	if _, got := r.network.counts(); got != want {
		r.Errorf("the network was asked for %d sessions, want %d", got, want)
	}
}

func TestRefreshIsStored(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.expire()
		r.wantRefresh(a, session("1"), session("2"))
		r.wantHeld(a, session("2"))
		r.wantRefresh(a, session("1"), session("2")) // it was late, and is given what there is
		r.wantRefreshes(1)
		r.wantDiscretion()
	})
}

func TestConcurrentCallersRefreshOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		a, other := r.account("me"), r.account("other")
		r.network.expire()
		began := time.Now()
		var callers sync.WaitGroup
		for range 50 {
			callers.Go(func() { r.wantRefresh(a, session("1"), session("2")) })
		}
		callers.Go(func() {
			if _, err := r.Verify(r.Context(), r.workspace, a.ID); err != nil {
				r.Error(err)
			}
		})
		callers.Go(func() { r.wantRefresh(other, session("1"), session("2")) })
		callers.Wait()
		r.wantRefreshes(2)
		if took := time.Since(began); took != time.Second {
			t.Errorf("two accounts took %s, each takes a second", took)
		}
	})
}

// If the first caller cancels, the waiting callers still get the session.
func TestRefreshOutlivesItsCaller(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.expire()
		ctx, cancel := context.WithCancel(r.Context())
		var callers sync.WaitGroup
		callers.Go(func() { r.Refresh(ctx, r.workspace, a.ID, session("1")) })
		synctest.Wait()
		callers.Go(func() { r.wantRefresh(a, session("1"), session("2")) })
		impatient, hurry := context.WithCancel(r.Context())
		callers.Go(func() {
			if _, failure := r.Refresh(impatient, r.workspace, a.ID, session("1")); failure == nil || failure.Kind != schedctl.KindNetwork {
				t.Errorf("a caller that does not wait: %+v", failure)
			}
		})
		synctest.Wait()
		cancel()
		hurry()
		callers.Wait()
		r.wantHeld(a, session("2"))
		r.wantRefreshes(1)
	})
}

// A session that expires while callers wait for it is renewed for them.
func TestWaitersWithANewerSession(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.expire()
		var callers sync.WaitGroup
		callers.Go(func() { r.wantRefresh(a, session("1"), session("2")) })
		synctest.Wait()
		callers.Go(func() { r.wantRefresh(a, session("2"), session("3")) })
		synctest.Wait()
		r.network.set(func(n *network) {
			answers := 1
			n.answer = func(c publish.Credentials) (publish.Credentials, error) { answers++; return n.with(c, answers), nil }
		})
		callers.Wait()
		r.wantHeld(a, session("3"))
		r.wantRefreshes(2)
	})
}

func TestRefreshThatFails(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer func(publish.Credentials) (publish.Credentials, error)
		kind   schedctl.ErrorKind
	}{
		{"refused for good", func(publish.Credentials) (publish.Credentials, error) { return nil, revoked() }, schedctl.KindAuth},
		{"out of reach", func(publish.Credentials) (publish.Credentials, error) { return nil, down() }, schedctl.KindNetwork},
		{"unknown outcome", func(publish.Credentials) (publish.Credentials, error) {
			return nil, &publish.Error{Kind: schedctl.KindNetwork, Outcome: schedctl.OutcomeUnknown}
		}, schedctl.KindNetwork},
		{"not a publisher's error", func(publish.Credentials) (publish.Credentials, error) { return nil, errors.New("broken") }, schedctl.KindPlatform},
		{"about content", func(publish.Credentials) (publish.Credentials, error) { return nil, publish.Contentf("x", "y") }, schedctl.KindPlatform},
		{"empty", func(publish.Credentials) (publish.Credentials, error) { return publish.Credentials{}, nil }, schedctl.KindPlatform},
		{"nothing", func(publish.Credentials) (publish.Credentials, error) { return nil, nil }, schedctl.KindPlatform},
		{"without the password", func(publish.Credentials) (publish.Credentials, error) {
			return publish.Credentials{"session": "2", "renewal": "renewal-2"}, nil
		}, schedctl.KindPlatform},
		{"emptied renewal", func(publish.Credentials) (publish.Credentials, error) {
			return publish.Credentials{"password": password, "session": "2", "renewal": ""}, nil
		}, schedctl.KindPlatform},
		{"tampering", func(c publish.Credentials) (publish.Credentials, error) { clear(c); return nil, down() }, schedctl.KindNetwork},
		{"panic", func(c publish.Credentials) (publish.Credentials, error) { panic(c["password"]) }, schedctl.KindPlatform},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("me")
				r.network.answer = test.answer
				used := session("1")
				got, failure := r.Refresh(r.Context(), r.workspace, a.ID, used)
				if failure == nil || failure.Kind != test.kind || failure.Outcome != schedctl.OutcomeNotPublished {
					t.Errorf("got %v and %+v, want kind %s", got, failure, test.kind)
				}
				if diff := cmp.Diff(session("1"), used); diff != "" {
					t.Errorf("the caller's credentials changed:\n%s", diff)
				}
				if diff := cmp.Diff(a, r.read(a.ID)); diff != "" {
					t.Errorf("the account changed:\n%s", diff)
				}
				// The next session is requested again.
				r.network.set(func(n *network) { n.answer = nil; n.session = 2 })
				r.wantRefresh(a, session("1"), session("2"))
				r.wantDiscretion()
			})
		})
	}
}

func TestRefreshOfAnAccountThatIsGone(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		a.Status = schedctl.AccountDisconnected
		r.put(a, nil)
		for _, id := range []string{a.ID, schedctl.NewID(schedctl.AccountPrefix, time.Now())} {
			if _, failure := r.Refresh(r.Context(), r.workspace, id, session("1")); failure == nil || failure.Kind != schedctl.KindAuth {
				t.Errorf("got %+v", failure)
			}
		}
		r.wantRefreshes(0)
	})
}

func TestRefreshOnANetworkWithoutSessions(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		a.Platform = "plain"
		r.put(a, session("1"))
		if _, failure := r.Refresh(r.Context(), r.workspace, a.ID, session("1")); failure == nil || failure.Kind != schedctl.KindAuth {
			t.Errorf("got %+v", failure)
		}
	})
}

// Changes of the account during the request are kept.
func TestChangedDuringARefresh(t *testing.T) {
	for name, change := range map[string]func(*rig, schedctl.Account){
		"other credentials": func(r *rig, a schedctl.Account) { r.put(a, publish.Credentials{"password": "new"}) },
		"disconnected": func(r *rig, a schedctl.Account) {
			a.Status, a.Credentials = schedctl.AccountDisconnected, nil
			r.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
		},
		"disconnected, with its credentials": func(r *rig, a schedctl.Account) {
			a.Status = schedctl.AccountDisconnected
			r.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
		},
		"gone bad": func(r *rig, a schedctl.Account) {
			a.Credentials = []byte("nonsense")
			r.update(func(tx storage.Tx) error { return tx.PutAccount(a) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("me")
				r.network.expire()
				var caller sync.WaitGroup
				caller.Go(func() { r.wantRefresh(a, session("1"), session("2")) })
				synctest.Wait()
				change(r, a)
				changed := r.read(a.ID)
				caller.Wait()
				if diff := cmp.Diff(changed, r.read(a.ID)); diff != "" {
					t.Errorf("account (-changed +stored):\n%s", diff)
				}
			})
		})
	}
}

// Changes that are not about credentials survive, and so does the session.
func TestRenamedDuringARefresh(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.expire()
		var caller sync.WaitGroup
		caller.Go(func() { r.wantRefresh(a, session("1"), session("2")) })
		synctest.Wait()
		a.Name = "renamed"
		r.put(a, r.held(a.ID)) // sealed again
		caller.Wait()
		r.wantHeld(a, session("2"))
		if got := r.read(a.ID); got.Name != "renamed" {
			t.Errorf("the account is called %q", got.Name)
		}
	})
}

func TestSessionThatCannotBeStored(t *testing.T) {
	for _, at := range []storagetest.FailurePoint{storagetest.BeforeFn, storagetest.BeforeDisk, storagetest.AfterCommit} {
		t.Run([]string{"before", "during", "after"}[at], func(t *testing.T) {
			bubble(t, func(r *rig) {
				a := r.account("me")
				r.network.expire()
				r.faulty.FailUpdates(2, at)
				r.wantRefresh(a, session("1"), session("2"))
				// The old session is in the store and expired, the new one is not lost.
				r.wantRefresh(a, session("1"), session("2"))
				r.wantRefresh(a, session("1"), session("2"))
				r.wantHeld(a, session("2"))
				r.wantRefreshes(1)
				r.network.expire()
				r.wantRefresh(a, session("2"), session("3"))
				r.wantHeld(a, session("3"))
				r.wantDiscretion()
			})
		})
	}
}

// TestRotatedSessionIsStoredFirst checks that nobody gets a session before it is stored if
// the network ends the token that renews the old one as soon as the new one is used.
func TestRotatedSessionIsStoredFirst(t *testing.T) {
	bubble(t, func(r *rig) {
		r.network.set(func(n *network) { n.rotating = true })
		a := r.account("me")
		r.network.expire()
		r.faulty.FailUpdates(2, storagetest.BeforeFn)
		for range 2 {
			if got, failure := r.Refresh(r.Context(), r.workspace, a.ID, session("1")); failure == nil || failure.Outcome != schedctl.OutcomeNotPublished || got != nil {
				t.Errorf("got %v, %+v", got, failure)
			}
		}
		r.wantRefresh(a, session("1"), session("2"))
		r.wantHeld(a, session("2"))
		r.wantRefreshes(1)
	})
}

// A session in memory that expires is replaced too.
func TestSessionInMemoryExpires(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.expire()
		r.faulty.FailUpdates(1, storagetest.BeforeFn)
		r.wantRefresh(a, session("1"), session("2"))
		r.network.expire()
		r.wantRefresh(a, session("2"), session("3"))
		r.wantHeld(a, session("3"))
	})
}

// New credentials from a user take precedence over a session in memory.
func TestReconnectedWhileASessionIsInMemory(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.expire()
		r.faulty.FailUpdates(1, storagetest.BeforeFn)
		r.wantRefresh(a, session("1"), session("2"))
		given := publish.Credentials{"password": "another", "session": "7", "renewal": "renewal-7"}
		r.put(a, given)
		r.wantRefresh(a, session("1"), given)
		r.wantHeld(a, given)
		r.wantRefreshes(1)
	})
}

func TestRefreshWhileTheStoreCannotBeRead(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.faulty.FailViews(1)
		if _, failure := r.Refresh(r.Context(), r.workspace, a.ID, session("1")); failure == nil || !failure.Kind.Retryable() {
			t.Errorf("got %+v", failure)
		}
		r.wantRefreshes(0)
	})
}

// Verifying may return a new session. Concurrent refreshes get that session.
func TestRefreshDuringAVerification(t *testing.T) {
	bubble(t, func(r *rig) {
		r.network.rotates, r.network.slow = true, true
		a := r.account("me")
		var callers sync.WaitGroup
		callers.Go(func() {
			if _, err := r.Verify(r.Context(), r.workspace, a.ID); err != nil {
				r.Error(err)
			}
		})
		synctest.Wait()
		for range 10 {
			callers.Go(func() { r.wantRefresh(a, session("1"), session("2")) })
		}
		callers.Wait()
		r.wantHeld(a, session("2"))
		r.wantRefreshes(0)
	})
}

// TestVerificationDuringARefresh verifies the new session, which is the reverse case.
func TestVerificationDuringARefresh(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.expire()
		r.network.rotates = true
		var callers sync.WaitGroup
		callers.Go(func() { r.wantRefresh(a, session("1"), session("2")) })
		synctest.Wait()
		verdict, failure := r.Check(r.Context(), a)
		if failure != nil {
			t.Fatal(failure)
		}
		callers.Wait()
		now := r.read(a.ID)
		verdict.Apply(&now, time.Now())
		r.update(func(tx storage.Tx) error { return tx.PutAccount(now) })
		r.wantHeld(a, session("3"))
		r.wantRefreshes(1)
	})
}

// The result is not stored, because the request failed. Its session is not lost.
func TestSessionOfAVerdictThatIsNotStored(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.rotates = true
		for range 2 {
			if _, failure := r.Check(r.Context(), a); failure != nil {
				t.Fatal(failure)
			}
		}
		r.wantHeld(a, session("1"))
		r.wantRefresh(a, session("1"), session("3"))
		r.wantHeld(a, session("3"))
		r.wantRefreshes(0)
	})
}

func TestVerificationThatDoesNotWait(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.expire()
		var caller sync.WaitGroup
		caller.Go(func() { r.wantRefresh(a, session("1"), session("2")) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(r.Context(), time.Millisecond)
		defer cancel()
		if _, failure := r.Check(ctx, a); failure == nil || failure.Kind != schedctl.KindNetwork {
			t.Errorf("got %+v", failure)
		}
		caller.Wait()
	})
}

// The result still applies if another caller stores the session of a verification first.
func TestVerdictOnASessionThatIsStoredAlready(t *testing.T) {
	bubble(t, func(r *rig) {
		r.network.rotates = true
		a := r.account("me")
		a.Username = "old"
		r.put(a, session("1"))
		verdict, failure := r.Check(r.Context(), a)
		if failure != nil {
			t.Fatal(failure)
		}
		r.wantRefresh(a, session("1"), session("2"))
		r.wantHeld(a, session("2"))
		now := r.read(a.ID)
		if verdict.Apply(&now, time.Now()); now.Username != "someone" {
			t.Errorf("the account is still called %q", now.Username)
		}
	})
}

// Sessions in memory replace only the credentials that they came from.
func TestSessionsOfTwoLogins(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		r.network.expire()
		r.faulty.FailUpdates(1, storagetest.BeforeFn)
		r.wantRefresh(a, session("1"), session("2"))
		other := publish.Credentials{"password": "another", "session": "7", "renewal": "renewal-7"}
		r.put(a, other)
		r.wantRefresh(a, other, publish.Credentials{"password": "another", "session": "2", "renewal": "renewal-2"})
		r.put(a, session("1")) // back again
		r.network.expire()
		r.wantRefresh(a, session("1"), session("3"))
	})
}

func TestNothingIsBegunForACallerThatHasGone(t *testing.T) {
	bubble(t, func(r *rig) {
		a := r.account("me")
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		if _, failure := r.Refresh(ctx, r.workspace, a.ID, session("1")); failure == nil || failure.Kind != schedctl.KindNetwork {
			t.Errorf("refresh: %+v", failure)
		}
		if _, failure := r.Check(ctx, a); failure == nil || failure.Kind != schedctl.KindNetwork {
			t.Errorf("check: %+v", failure)
		}
		if connects, refreshes := r.network.counts(); connects+refreshes != 0 {
			t.Errorf("%d connects, %d refreshes", connects, refreshes)
		}
	})
}
