package connect_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/connect"
)

// held are the names that nodes hold.
type held struct {
	mu    sync.Mutex // mu guards what follows
	names map[string]*member
	away  error
}

// member is one of two nodes on a store. Odd accounts belong to the first.
type member struct {
	*held
	odd bool
}

func (m *member) Mine(key string) bool { return (key[len(key)-1]%2 == 1) == m.odd }

func (m *member) Hold(_ context.Context, name string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away != nil {
		return false, m.away
	}
	if holder := m.names[name]; holder != nil && holder != m {
		return false, nil
	}
	m.names[name] = m
	return true, nil
}

func (m *member) Release(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.names[name] == m {
		delete(m.names, name)
	}
	return nil
}

// daemons returns two connectors on the store of a rig.
func (r *rig) daemons() (names *held, one, two *connect.Connector) {
	names = &held{names: map[string]*member{}}
	cfg := r.config
	cfg.Member = &member{names, false}
	one = connect.New(cfg)
	cfg.Member = &member{names, true}
	return names, one, connect.New(cfg)
}

// TestDaemonsRefreshOnce guards that one node renews an expired session and the others use
// its result, because networks accept a refresh token only once.
func TestDaemonsRefreshOnce(t *testing.T) {
	bubble(t, func(r *rig) {
		names, one, two := r.daemons()
		a := r.account("me")
		r.network.expire()
		var callers sync.WaitGroup
		for i := range 20 {
			c := []*connect.Connector{one, two}[i%2]
			callers.Go(func() {
				got, failure := c.Refresh(r.Context(), r.workspace, a.ID, session("1"))
				if failure != nil || got["session"] != "2" {
					t.Errorf("got session %q, %v", got["session"], failure)
				}
			})
		}
		callers.Wait()
		r.wantRefreshes(1)
		r.wantHeld(a, session("2"))
		if len(names.names) > 0 {
			t.Errorf("%d names are still held", len(names.names))
		}
	})
}

// A node that dies while it renews a session delays the others only until its lease ends.
func TestRefreshBehindADaemonThatIsGone(t *testing.T) {
	bubble(t, func(r *rig) {
		names, one, two := r.daemons()
		a := r.account("me")
		r.network.expire()
		gone := &member{names, false}
		gone.Hold(r.Context(), "session:"+a.ID)
		began := time.Now()
		if _, failure := one.Refresh(r.Context(), r.workspace, a.ID, session("1")); failure == nil || failure.Kind != schedctl.KindNetwork || failure.Outcome != schedctl.OutcomeNotPublished {
			t.Errorf("got %+v", failure)
		}
		if waited := time.Since(began); waited < 20*time.Second || waited > 30*time.Second {
			t.Errorf("it waited for %s", waited)
		}
		gone.Release(r.Context(), "session:"+a.ID)
		names.away = errors.New("the database is away")
		if _, failure := two.Refresh(r.Context(), r.workspace, a.ID, session("1")); failure == nil || !errors.Is(failure, names.away) {
			t.Errorf("got %+v", failure)
		}
		r.wantRefreshes(0)
	})
}

// TestDaemonsShareTheChecks guards that one node checks each account.
func TestDaemonsShareTheChecks(t *testing.T) {
	bubble(t, func(r *rig) {
		_, one, two := r.daemons()
		const accounts = 60
		for i := range accounts {
			r.account(fmt.Sprint("account ", i))
		}
		ctx, cancel := context.WithTimeout(r.Context(), 24*time.Hour+time.Second)
		defer cancel()
		var running sync.WaitGroup
		for _, c := range []*connect.Connector{one, two} {
			running.Go(func() {
				if err := c.Run(ctx); err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		asked := r.askedAbout()
		if len(asked) != accounts {
			t.Errorf("%d of %d accounts were checked", len(asked), accounts)
		}
		for name, n := range asked {
			if n != 1 || !strings.HasPrefix(name, "account ") {
				t.Errorf("%s was checked %d times", name, n)
			}
		}
	})
}
