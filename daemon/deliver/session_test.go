package deliver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/deliver"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// sessions is a network whose credential "session" expires.
type sessions struct {
	publishtest.FindingFake
	faulty    *storagetest.Faulty // the store that the refresher uses
	connector *connect.Connector

	mu        sync.Mutex // mu guards the fields below
	good      string     // the valid session
	refreshes int
	refuse    []error                                       // of the next refreshes
	answer    func(publish.Credentials) publish.Credentials // the response to a refresh, instead of the valid session
}

func (s *sessions) Refresh(_ context.Context, c publish.Credentials) (publish.Credentials, error) {
	time.Sleep(time.Second) // others may join
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refreshes++
	if len(s.refuse) > 0 {
		err := s.refuse[0]
		s.refuse = s.refuse[1:]
		return nil, err
	}
	if s.answer != nil {
		return s.answer(c), nil
	}
	return publish.Credentials{"token": c["token"], "session": s.good}, nil
}

func (s *sessions) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	if s.expired(c.Credentials) {
		return publish.Profile{}, sessionExpired(c.Credentials)
	}
	return s.Fake.Connect(ctx, c)
}

func (s *sessions) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	if s.expired(r.Credentials) {
		return schedctl.Receipt{}, sessionExpired(r.Credentials)
	}
	return s.Fake.Publish(ctx, r)
}

func (s *sessions) Find(ctx context.Context, r publish.Request, since time.Time) (schedctl.Receipt, bool, error) {
	if s.expired(r.Credentials) {
		return schedctl.Receipt{}, false, sessionExpired(r.Credentials)
	}
	return s.FindingFake.Find(ctx, r, since)
}

// sessionExpired repeats the session that it was given, as networks do.
func sessionExpired(c publish.Credentials) error {
	return &publish.Error{
		Kind: schedctl.KindAuth, Code: publish.CodeSessionExpired, Message: "expired: " + c["session"], HTTPStatus: 400, Outcome: no,
	}
}

func (s *sessions) expired(c publish.Credentials) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c["session"] != s.good
}

func (s *sessions) set(change func(*sessions)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *sessions) expire() { s.set(func(s *sessions) { s.good = "another-session" }) }

func (s *sessions) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refreshes
}

const firstSession, secondSession = "the-first-session", "another-session"

// withSessions gives the platform "fake" sessions that a connector refreshes, as in a
// daemon.
func (r *rig) withSessions() *sessions {
	s := &sessions{FindingFake: publishtest.FindingFake{Fake: r.fake}, faulty: storagetest.NewFaulty(r.store), good: firstSession}
	r.registry["fake"] = s
	s.connector = connect.New(connect.Config{Store: s.faulty, Publishers: r.registry, Sealer: r.sealer, Logger: r.logger()})
	r.config = func(c *deliver.Config) { c.Sessions = s.connector }
	return s
}

// sessionAccount connects an account with the first session.
func (r *rig) sessionAccount(s *sessions, name string) schedctl.Account {
	r.Helper()
	a := r.account(name, nil)
	r.reseal(s, &a, publish.Credentials{"token": token, "session": firstSession})
	return a
}

func (r *rig) reseal(s *sessions, a *schedctl.Account, c publish.Credentials) {
	r.Helper()
	var err error
	if a.Credentials, err = s.connector.Seal(c, a.ID); err != nil {
		r.Fatal(err)
	}
	r.putAccount(*a)
}

func (r *rig) wantSession(s *sessions, a schedctl.Account, want string) {
	r.Helper()
	held, err := s.connector.Open(r.readAccount(a.ID))
	if diff := cmp.Diff(publish.Credentials{"token": token, "session": want}, held); diff != "" || err != nil {
		r.Errorf("stored credentials (-want +got): %v\n%s", err, diff)
	}
}

func TestExpiredSessionIsRefreshedWithinTheAttempt(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.withSessions()
		a := r.sessionAccount(s, "me")
		s.expire()
		r.start()
		p := r.publishNow(a)
		r.after(time.Second)
		r.wantStatus(p, schedctl.Published)
		if got := r.wantCalls(1)[0].Credentials["session"]; got != secondSession {
			t.Errorf("published with session %q", got)
		}
		if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{yes}) {
			t.Errorf("attempts %v", got)
		}
		r.wantSession(s, a, secondSession)
		later := r.publishNow(a)
		r.after(time.Minute)
		r.wantStatus(later, schedctl.Published)
		if s.asked() != 1 || slices.Contains(r.events(), schedctl.EventAccountError) {
			t.Errorf("%d refreshes, events %v", s.asked(), r.events())
		}
	})
}

// A delivery and verifications of the account find the expired session at the same time.
func TestConcurrentCallsRefreshOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.withSessions()
		a := r.sessionAccount(s, "me")
		s.expire()
		first := r.publishNow(a)
		r.start()
		var verifying sync.WaitGroup
		for range 3 {
			verifying.Go(func() {
				if got, err := s.connector.Verify(r.Context(), r.workspace, a.ID); err != nil || got.Status != schedctl.AccountConnected {
					t.Errorf("verify: %s, %v", got.Status, err)
				}
			})
		}
		verifying.Wait()
		r.after(time.Minute)
		r.wantStatus(first, schedctl.Published)
		r.wantSession(s, a, secondSession)
		if s.asked() != 1 {
			t.Errorf("%d refreshes", s.asked())
		}
	})
}

func TestRefusedRefreshHoldsTheAccount(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.withSessions()
		a := r.sessionAccount(s, "me")
		s.expire()
		s.refuse = []error{refused.Err}
		r.start()
		p := r.publishNow(a)
		r.after(12 * time.Hour)
		r.wantCalls(0)
		if e := r.wantStatus(p, schedctl.Publishing).Error; e == nil || e.Kind != schedctl.KindAuth || e.Outcome != no {
			t.Errorf("error %+v", e)
		}
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountError || s.asked() != 1 {
			t.Errorf("account is %s after %d refreshes", got.Status, s.asked())
		}
		if n := count(r.events(), schedctl.EventAccountError); n != 1 {
			t.Errorf("%d account events", n)
		}
		r.wantSession(s, a, firstSession)
		a = r.readAccount(a.ID)
		a.Status, a.Error = schedctl.AccountConnected, nil
		r.reseal(s, &a, publish.Credentials{"token": "new", "session": secondSession})
		r.after(time.Second)
		r.wantStatus(p, schedctl.Published)
	})
}

func TestUnreachableRefreshIsTriedLater(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.withSessions()
		a := r.sessionAccount(s, "me")
		s.expire()
		s.refuse = []error{netDown.Err, &publish.Error{Kind: schedctl.KindNetwork, Outcome: maybe}}
		r.start()
		p := r.publishNow(a)
		r.after(2 * time.Minute)
		r.wantStatus(p, schedctl.Published)
		r.wantCalls(1)
		if got := r.outcomes(p); !slices.Equal(got, []schedctl.Outcome{no, no, yes}) {
			t.Errorf("attempts %v", got)
		}
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
			t.Errorf("account is %s", got.Status)
		}
	})
}

func TestIncompleteSessionOverwritesNothing(t *testing.T) {
	for name, answer := range map[string]publish.Credentials{
		"nothing": nil, "empty": {}, "no token": {"session": secondSession}, "empty token": {"token": "", "session": secondSession},
		"empty session": {"token": token, "session": ""},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.withSessions()
				a := r.sessionAccount(s, "me")
				s.expire()
				s.answer = func(publish.Credentials) publish.Credentials { return answer }
				r.start()
				p := r.publishNow(a)
				r.after(3 * time.Hour)
				r.wantCalls(0)
				if e := r.wantStatus(p, schedctl.Failed).Error; e.Kind != schedctl.KindPlatform || e.Outcome != no || !e.Retryable {
					t.Errorf("error %+v", e)
				}
				r.wantSession(s, a, firstSession)
			})
		})
	}
}

func TestPublishesWithASessionThatCannotBeStored(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.withSessions()
		a := r.sessionAccount(s, "me")
		s.expire()
		s.faulty.FailUpdates(1, storagetest.BeforeDisk)
		r.start()
		p := r.publishNow(a)
		r.after(time.Second)
		r.wantStatus(p, schedctl.Published)
		r.wantSession(s, a, firstSession)
		later := r.publishNow(a)
		r.after(time.Second)
		r.wantStatus(later, schedctl.Published)
		r.wantSession(s, a, secondSession)
		if s.asked() != 1 {
			t.Errorf("%d refreshes", s.asked())
		}
	})
}

// A refusal after a refresh is a refusal of the account. The call is not repeated
// endlessly.
func TestRefusedWithANewSession(t *testing.T) {
	for name, storeFails := range map[string]int{"stored": 0, "in memory": 1} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(r *rig) {
				s := r.withSessions()
				a := r.sessionAccount(s, "me")
				s.expire()
				s.faulty.FailUpdates(storeFails, storagetest.BeforeDisk)
				r.fake.Then(refused)
				r.start()
				p := r.publishNow(a)
				r.after(time.Hour)
				r.wantCalls(1)
				r.wantStatus(p, schedctl.Publishing)
				if got := r.readAccount(a.ID); got.Status != schedctl.AccountError {
					t.Errorf("account is %s", got.Status)
				}
			})
		})
	}
}

func TestSessionsThatExpireAtOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.withSessions()
		a := r.sessionAccount(s, "me")
		s.expire()
		s.answer = func(c publish.Credentials) publish.Credentials {
			return publish.Credentials{"token": c["token"], "session": fmt.Sprint("stale-session-", s.refreshes)}
		}
		r.start()
		p := r.publishNow(a)
		r.after(time.Hour)
		r.wantCalls(0)
		r.wantStatus(p, schedctl.Publishing)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountError || s.asked() != 1 {
			t.Errorf("account is %s after %d refreshes", got.Status, s.asked())
		}
		if log := r.logs.String(); strings.Contains(log, "stale-session") || strings.Contains(log, firstSession) {
			t.Errorf("the log contains a session:\n%s", log)
		}
		if e := r.target(p).Error; e.Message != "expired: [hidden]" {
			t.Errorf("message %q", e.Message)
		}
	})
}

func TestWithoutSessionsAnExpiredOneIsARefusal(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.withSessions()
		a := r.sessionAccount(s, "me")
		s.expire()
		r.config = nil
		r.start()
		r.publishNow(a)
		r.after(time.Hour)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountError || s.asked() != 0 {
			t.Errorf("account is %s after %d refreshes", got.Status, s.asked())
		}
	})
}

// The session expires between the call and the question about it.
func TestNetworkIsAskedWithANewSession(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.withSessions()
		a := r.sessionAccount(s, "me")
		r.fake.Then(lostReply)
		r.start()
		p := r.publishNow(a)
		r.after(time.Second)
		s.expire()
		r.after(2 * time.Minute)
		r.wantStatus(p, schedctl.Published)
		r.wantCalls(1)
		if s.asked() != 1 {
			t.Errorf("%d refreshes", s.asked())
		}
	})
}

// The account is disconnected while its session is refreshed. The call continues, and
// does not restore the credentials.
func TestDisconnectedDuringARefresh(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.withSessions()
		a := r.sessionAccount(s, "me")
		s.expire()
		r.start()
		p := r.publishNow(a)
		r.after(time.Second / 2)
		r.update(func(tx storage.Tx) error {
			a, err := tx.Account(r.workspace, a.ID)
			a.Status, a.Credentials = schedctl.AccountDisconnected, nil
			if err != nil {
				return err
			}
			return tx.PutAccount(a)
		})
		synctest.Wait()
		r.after(time.Second)
		r.wantStatus(p, schedctl.Published)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountDisconnected || got.Credentials != nil {
			t.Errorf("account is %s with %d bytes of credentials", got.Status, len(got.Credentials))
		}
	})
}

// A call that may have published is not repeated with a new session.
func TestExpiredSessionOfACallThatMayHavePublished(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.withSessions()
		a := r.sessionAccount(s, "me")
		r.fake.Then(publishtest.Response{Accepted: true, Err: &publish.Error{
			Kind: schedctl.KindAuth, Code: publish.CodeSessionExpired, Outcome: maybe,
		}})
		r.start()
		p := r.publishNow(a)
		r.after(2 * time.Minute)
		r.wantStatus(p, schedctl.Published)
		r.wantCalls(1)
		if s.asked() != 0 {
			t.Errorf("%d refreshes", s.asked())
		}
	})
}

// The refusal of an old password does not apply to a password that was stored during the
// call.
func TestAnotherPasswordDuringTheCall(t *testing.T) {
	bubble(t, func(r *rig) {
		s := r.withSessions()
		a := r.sessionAccount(s, "me")
		slow := refused
		slow.After = 10 * time.Second
		r.fake.Then(slow)
		r.start()
		p := r.publishNow(a)
		r.after(time.Second)
		r.reseal(s, &a, publish.Credentials{"token": "another-token", "session": firstSession})
		r.after(10 * time.Second)
		r.wantStatus(p, schedctl.Published)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
			t.Errorf("account is %s", got.Status)
		}
	})
}
