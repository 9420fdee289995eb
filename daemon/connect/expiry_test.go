package connect_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/connect"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// tokenNetwork is a network whose tokens end after 60 days and can be renewed. If single is
// set, it accepts each token for that only once, and revokes the login otherwise.
type tokenNetwork struct {
	*publishtest.Fake
	single bool

	mu      sync.Mutex // mu guards what follows
	token   int        // the valid one
	ends    time.Time
	renewed int
	reused  int
	refuse  *publish.Error
	hook    func(at string) // before and after a token is accepted
}

func (n *tokenNetwork) Fields() []publish.Field {
	return []publish.Field{{Name: "access_token", Secret: true, Required: true, Help: "the token"}}
}

func (n *tokenNetwork) SingleUse(publish.Credentials) bool { return n.single }

func (n *tokenNetwork) expiry() publish.Expiry {
	return publish.Expiry{At: n.ends, RenewAt: n.ends.Add(-7 * 24 * time.Hour)}
}

func (n *tokenNetwork) Connect(_ context.Context, c publish.Connection) (publish.Profile, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.accepts(c.Credentials) || !time.Now().Before(n.ends) {
		return publish.Profile{}, expired()
	}
	return publish.Profile{Username: "someone", Expiry: n.expiry()}, nil
}

// accepts reports whether a token is valid. Replaced ones are, unless they are for a single
// use.
func (n *tokenNetwork) accepts(c publish.Credentials) bool {
	return c["access_token"] == n.current() || !n.single && strings.HasPrefix(c["access_token"], "renewal-")
}

func (n *tokenNetwork) current() string { return fmt.Sprint("renewal-", n.token) }

func (n *tokenNetwork) Renew(_ context.Context, c publish.Credentials) (publish.Credentials, publish.Expiry, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pass("sent")
	switch {
	case n.refuse != nil:
		return nil, publish.Expiry{}, n.refuse
	case !n.accepts(c):
		n.reused++
		n.token += 1000
		return nil, publish.Expiry{}, publish.Hold(publish.HoldRevoked, "tokens", 401, "")
	}
	n.renewed++
	n.token++
	n.ends = time.Now().Add(60 * 24 * time.Hour)
	fresh, expiry := publish.Credentials{"access_token": n.current()}, n.expiry()
	n.pass("accepted")
	return fresh, expiry, nil
}

func (n *tokenNetwork) Refresh(ctx context.Context, c publish.Credentials) (publish.Credentials, error) {
	fresh, _, err := n.Renew(ctx, c)
	return fresh, err
}

// pass calls the hook without the lock.
func (n *tokenNetwork) pass(at string) {
	hook := n.hook
	n.mu.Unlock()
	defer n.mu.Lock()
	if hook != nil {
		hook(at)
	}
}

// tokenRig is a rig with an account of a tokenNetwork whose token ends in some time.
type tokenRig struct {
	*rig
	tokens *tokenNetwork
	id     string
}

func tokenBubble(t *testing.T, single bool, in time.Duration, test func(tokenRig)) {
	t.Helper()
	bubble(t, func(r *rig) {
		n := &tokenNetwork{Fake: publishtest.NewFake("tokens"), single: single, ends: schedctl.Millis(time.Now().Add(in))}
		r.config.Publishers = publish.NewRegistry(n)
		r.Connector = connect.New(r.config)
		now := schedctl.Millis(time.Now())
		a := schedctl.Account{
			ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: r.workspace, Platform: "tokens", Name: "me",
			Status: schedctl.AccountConnected, CreatedAt: now, UpdatedAt: now,
		}
		connect.ApplyExpiry(&a, n.expiry(), true)
		r.put(a, publish.Credentials{"access_token": n.current()})
		test(tokenRig{r, n, a.ID})
	})
}

// works reports whether the stored token is the valid one.
func (r tokenRig) works() bool {
	r.tokens.mu.Lock()
	defer r.tokens.mu.Unlock()
	return r.tokens.accepts(r.held(r.id))
}

// expiring returns the messages of the events about credentials that end.
func (r tokenRig) expiring() (list []string) {
	for _, e := range r.events() {
		if e.Type == schedctl.EventAccountExpiring {
			list = append(list, e.Error.Message)
		}
	}
	return list
}

// Tokens are renewed again and again, without any event.
func TestTokensAreRenewedAhead(t *testing.T) {
	for _, single := range []bool{false, true} {
		t.Run(fmt.Sprint("single use ", single), func(t *testing.T) {
			tokenBubble(t, single, 10*24*time.Hour, func(r tokenRig) {
				r.run(365 * 24 * time.Hour)
				a := r.read(r.id)
				if n := r.tokens.renewed; n < 6 || n > 8 {
					t.Errorf("renewed %d times", n)
				}
				if a.Status != schedctl.AccountConnected || !r.works() || !a.Expiry.At.Equal(schedctl.Millis(r.tokens.ends)) || !a.Expiry.RenewingSince.IsZero() {
					t.Errorf("account %s, expiry %+v", a.Status, a.Expiry)
				}
				if list := r.expiring(); list != nil {
					t.Errorf("events %q", list)
				}
				r.wantDiscretion()
			})
		})
	}
}

// If renewing fails, or only a person can renew, the end is announced once for each
// threshold, and not again after a restart.
func TestTheEndIsAnnounced(t *testing.T) {
	for name, renews := range map[string]bool{"renewal fails": true, "no renewal": false} {
		t.Run(name, func(t *testing.T) {
			tokenBubble(t, false, 30*24*time.Hour, func(r tokenRig) {
				r.tokens.refuse = &publish.Error{Kind: schedctl.KindPlatform, Message: "down", Outcome: schedctl.OutcomeNotPublished}
				if !renews {
					r.config.Publishers = publish.NewRegistry(withoutRenewal{r.tokens})
					a := r.read(r.id)
					a.Expiry.RenewAt = time.Time{}
					r.put(a, r.held(a.ID))
				}
				for range 29 {
					r.Connector = connect.New(r.config)
					r.run(24*time.Hour + time.Minute)
				}
				list := r.expiring()
				if len(list) != 3 || !strings.Contains(list[0], "schedctl account reconnect") {
					t.Errorf("events %q, want 3", list)
				}
				if a := r.read(r.id); a.Expiry.Announced != 1 {
					t.Errorf("expiry %+v", a.Expiry)
				}
			})
		})
	}
}

// withoutRenewal is a network whose tokens only a person can renew.
type withoutRenewal struct{ network *tokenNetwork }

func (w withoutRenewal) Platform() string        { return w.network.Platform() }
func (w withoutRenewal) Fields() []publish.Field { return w.network.Fields() }
func (w withoutRenewal) Check(a schedctl.Account, c publish.Content) publish.Check {
	return w.network.Check(a, c)
}
func (w withoutRenewal) Publish(ctx context.Context, r publish.Request) (schedctl.Receipt, error) {
	return w.network.Publish(ctx, r)
}
func (w withoutRenewal) Connect(ctx context.Context, c publish.Connection) (publish.Profile, error) {
	p, err := w.network.Connect(ctx, c)
	p.Expiry.RenewAt = time.Time{}
	return p, err
}

// TestKillsDuringARenewal ends the process at each step of a renewal. A token for a single
// use is never sent twice, and the account then says what to do. Other tokens are not lost.
func TestKillsDuringARenewal(t *testing.T) {
	for _, single := range []bool{false, true} {
		for _, step := range []string{"intent not stored", "sent", "accepted", "not stored"} {
			t.Run(fmt.Sprint(step, ", single use ", single), func(t *testing.T) {
				tokenBubble(t, single, 6*24*time.Hour, func(r tokenRig) {
					switch step {
					case "intent not stored":
						r.faulty.FailUpdates(1, storagetest.BeforeDisk)
					case "not stored":
						r.tokens.hook = func(at string) {
							if at == "accepted" {
								r.faulty.FailUpdates(1000, storagetest.BeforeDisk)
							}
						}
					default:
						r.tokens.hook = func(at string) {
							if at == step {
								runtime.Goexit() // a dead process does nothing more
							}
						}
					}
					done := make(chan struct{})
					go func() {
						defer close(done)
						r.Verify(r.Context(), r.workspace, r.id)
					}()
					<-done
					r.restart()
					r.checkAfterKill(single && (step == "accepted" || step == "not stored"))
				})
			})
		}
	}
}

// restart replaces the connector by that of a new process.
func (r *tokenRig) restart() {
	r.tokens.set(func(n *tokenNetwork) { n.hook = nil })
	r.faulty.FailUpdates(0, storagetest.BeforeDisk)
	r.Connector = connect.New(r.config)
}

// checkAfterKill checks an account after 100 days, and that it can be reconnected. lost
// says whether only the dead process has received the new token.
func (r tokenRig) checkAfterKill(lost bool) {
	r.Helper()
	r.run(100 * 24 * time.Hour)
	a := r.read(r.id)
	if r.tokens.reused > 0 {
		r.Errorf("a token was sent twice")
	}
	interrupted := !a.Expiry.RenewingSince.IsZero()
	if works := r.works(); works == lost {
		r.Errorf("the token works: %v; account %s, %+v", works, a.Status, a.Error)
	}
	if lost || interrupted {
		if a.Status != schedctl.AccountError || a.Error.Code != string(publish.HoldExpired) || !strings.Contains(a.Error.Message, "account reconnect") {
			r.Errorf("account %s, error %+v", a.Status, a.Error)
		}
	}
	a.Expiry = schedctl.Expiry{}
	r.tokens.set(func(n *tokenNetwork) { n.ends = time.Now().Add(60 * 24 * time.Hour) })
	r.put(a, publish.Credentials{"access_token": r.tokens.current()})
	if _, err := r.Verify(r.Context(), r.workspace, r.id); err != nil || r.read(r.id).Status != schedctl.AccountConnected {
		r.Errorf("the account cannot be reconnected: %v", err)
	}
}

func (n *tokenNetwork) set(change func(*tokenNetwork)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(n)
}

// Two nodes renew a token for a single use once.
func TestOneNodeRenews(t *testing.T) {
	tokenBubble(t, true, 6*24*time.Hour, func(r tokenRig) {
		_, one, two := r.daemons()
		r.tokens.hook = func(string) { time.Sleep(time.Second) }
		var nodes sync.WaitGroup
		for _, c := range []*connect.Connector{one, two, one, two} {
			nodes.Go(func() { c.Verify(r.Context(), r.workspace, r.id) })
		}
		nodes.Wait()
		if a := r.read(r.id); r.tokens.renewed != 1 || r.tokens.reused != 0 || !r.works() || a.Status != schedctl.AccountConnected {
			t.Errorf("renewed %d times, account %s %+v", r.tokens.renewed, a.Status, a.Error)
		}
	})
}
