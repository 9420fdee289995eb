package node_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/daemon/node"
	"github.com/schedctl/schedctl/storage"
)

func TestAMemberKeepsItsLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase()
		m := node.New(node.Config{Store: d, Name: "one", Version: "1.2.3", Logger: slog.New(slog.DiscardHandler)})
		if m.Holds(m.ID()) {
			t.Error("it holds a lease before it has joined")
		}
		if err := m.Join(t.Context()); err != nil {
			t.Fatal(err)
		}
		id := m.ID()
		m.SetLag(func() time.Duration { return 3 * time.Second })
		end := run(t, m)
		time.Sleep(time.Minute)
		synctest.Wait()
		if m.ID() != id || !m.Holds(id) || m.Holds("another") {
			t.Errorf("after a minute: id %s, before %s, holds %t", m.ID(), id, m.Holds(id))
		}
		want := []storage.Node{{
			ID: id, Name: "one", Version: "1.2.3", StartedAt: time.Now().Add(-time.Minute).UTC(), Lag: 3 * time.Second, HeartbeatAt: time.Now(), Alive: true,
		}}
		if diff := cmp.Diff(want, m.Nodes()); diff != "" {
			t.Error(diff)
		}
		end()
		if m.Holds(id) {
			t.Error("it holds a lease after it has left")
		}
		if d.alive(id) {
			t.Error("the database takes a node to be there that has left")
		}
	})
}

// TestALapsedMemberComesBackAsAnother guards that a member does not continue work that
// other nodes may have taken over after its lease expired.
func TestALapsedMemberComesBackAsAnother(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(*database){
		"refused":   func(d *database) { d.away = true },
		"no answer": func(d *database) { d.stuck = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDatabase()
				m := join(t, d, "one")
				defer run(t, m)()
				id := m.ID()
				time.Sleep(5*time.Second + 500*time.Millisecond) // a beat at 5 s is heard
				d.set(away)
				time.Sleep(node.Lease - 1500*time.Millisecond - 10*time.Millisecond) // 3.99 s after it, a margin is left
				if !m.Holds(id) {
					t.Error("the lease is over too early")
				}
				time.Sleep(20 * time.Millisecond)
				if m.Holds(id) {
					t.Error("the lease is not over")
				}
				if held, err := m.Hold(t.Context(), "x"); held || err != nil {
					t.Errorf("it holds a name: %t, %v", held, err)
				}
				time.Sleep(time.Minute)
				d.set(func(d *database) { d.away, d.stuck = false, false })
				if name == "no answer" {
					time.Sleep(3 * time.Second)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if m.Holds(id) || m.ID() == id || !m.Holds(m.ID()) {
					t.Errorf("after it came back: id %s, before %s, holds %t", m.ID(), id, m.Holds(m.ID()))
				}
			})
		})
	}
}

// TestABeatThatIsHeardTooLate guards that the response to a heartbeat does not revive a
// lease that expired during the request, because other nodes may have seen it expire.
func TestABeatThatIsHeardTooLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase()
		m := join(t, d, "one")
		defer run(t, m)()
		id := m.ID()
		time.Sleep(5*time.Second + 500*time.Millisecond) // a beat at 5 s is heard
		d.set(func(d *database) { d.away = true })
		time.Sleep(2*time.Second + 800*time.Millisecond)
		d.set(func(d *database) { d.away, d.slow = false, time.Second })
		time.Sleep(400 * time.Millisecond) // the next beat is under way
		if !m.Holds(id) {
			t.Fatal("the lease is over too early")
		}
		time.Sleep(time.Second) // and heard, half a second too late
		if m.Holds(id) {
			t.Error("the lease was revived")
		}
		d.set(func(d *database) { d.slow = 0 })
		time.Sleep(3 * time.Second)
		if m.ID() == id || !m.Holds(m.ID()) {
			t.Errorf("it did not come back as another: %s, before %s", m.ID(), id)
		}
	})
}

// TestALapsedMemberAsksWhetherItMayComeBack guards that a member does not return to a
// database that was moved in between.
func TestALapsedMemberAsksWhetherItMayComeBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase()
		var asked atomic.Int32
		var refused atomic.Bool
		m := node.New(node.Config{Store: d, Name: "one", Logger: slog.New(slog.DiscardHandler), Admit: func(context.Context) error {
			asked.Add(1)
			if refused.Load() {
				return errors.New("it was moved")
			}
			return nil
		}})
		if err := m.Join(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer run(t, m)()
		time.Sleep(time.Minute)
		if n := asked.Load(); n != 0 {
			t.Errorf("asked %d times without an absence", n)
		}
		d.set(func(d *database) { d.away = true })
		time.Sleep(time.Minute)
		refused.Store(true)
		d.set(func(d *database) { d.away = false })
		time.Sleep(time.Minute)
		if m.Alive() || asked.Load() == 0 {
			t.Errorf("it came back though it may not; asked %d times", asked.Load())
		}
		refused.Store(false)
		time.Sleep(time.Second)
		if synctest.Wait(); !m.Alive() {
			t.Error("it did not come back when it might")
		}
	})
}

// A heartbeat that is late by less than the lease has no effect.
func TestAShortAbsenceChangesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase()
		m := join(t, d, "one")
		defer run(t, m)()
		id := m.ID()
		for range 5 {
			d.set(func(d *database) { d.away = true })
			time.Sleep(2500 * time.Millisecond)
			if !m.Holds(id) {
				t.Fatal("the lease is over too early")
			}
			d.set(func(d *database) { d.away = false })
			time.Sleep(3 * time.Second)
		}
	})
}

// TestTheLeaseRunsFromBeforeTheBeat guards against slow responses: the database counts
// the lease from before the response.
func TestTheLeaseRunsFromBeforeTheBeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase()
		d.slow = 1200 * time.Millisecond
		m := join(t, d, "one")
		time.Sleep(node.Lease - time.Second - d.slow - time.Millisecond)
		if !m.Holds(m.ID()) {
			t.Error("the lease is over too early")
		}
		time.Sleep(time.Millisecond)
		if m.Holds(m.ID()) {
			t.Error("the lease starts with the response")
		}
	})
}

// TestEitherClockEndsTheLease guards against suspends, which stop the monotonic clock,
// and against wall clocks that are set back, which would extend the lease.
func TestEitherClockEndsTheLease(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what       string
		slept, set time.Duration
		holds      bool
	}{
		{"nothing", 0, 0, true},
		{"the machine slept", 10 * time.Second, 0, false},
		{"the clock was set back", 0, -time.Hour, false},
		{"the clock was set back and the machine slept a little", time.Second, -time.Hour, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				machine := &clocks{start: time.Now()}
				d := newDatabase()
				m := node.New(node.Config{Store: d, Logger: slog.New(slog.DiscardHandler), Wall: machine.wall, Uptime: machine.uptime})
				if err := m.Join(t.Context()); err != nil {
					t.Fatal(err)
				}
				id := m.ID()
				passes := 10 * time.Second
				if c.holds {
					passes = 2 * time.Second
				}
				machine.mu.Lock()
				machine.slept, machine.set = c.slept, c.set
				machine.mu.Unlock()
				time.Sleep(passes) // which is when the machine slept
				if m.Holds(id) != c.holds {
					t.Errorf("holds %t after %s, want %t", m.Holds(id), passes, c.holds)
				}
				defer run(t, m)()
				time.Sleep(3 * time.Second)
				if same := m.ID() == id; same != c.holds || !m.Holds(m.ID()) {
					t.Errorf("same id %t, want %t", same, c.holds)
				}
			})
		})
	}
}

func TestJoinSaysWhyNot(t *testing.T) {
	t.Parallel()
	d := newDatabase()
	d.away = true
	m := node.New(node.Config{Store: d, Logger: slog.New(slog.DiscardHandler)})
	if err := m.Join(t.Context()); !errors.Is(err, errAway) {
		t.Errorf("got %v", err)
	}
	if m.Holds(m.ID()) || !m.Mine("key") {
		t.Error("it is a member of something")
	}
}

// TestNamesAreHeldByOne guards that a name becomes free when its holder releases it,
// leaves or loses its lease.
func TestNamesAreHeldByOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase()
		one, two := join(t, d, "one"), join(t, d, "two")
		endTwo := run(t, two)
		want := func(m *node.Member, held bool) {
			t.Helper()
			if got, err := m.Hold(t.Context(), "the bell"); err != nil || got != held {
				t.Errorf("held %t, %v, want %t", got, err, held)
			}
		}
		want(one, true)
		want(one, true)
		want(two, false)
		if err := two.Release(t.Context(), "the bell"); err != nil {
			t.Error(err)
		}
		want(two, false)
		time.Sleep(node.Lease) // one does not beat
		want(one, false)
		want(two, true)
		endOne := run(t, one)
		defer endOne()
		time.Sleep(3 * time.Second)
		want(one, false) // under its new id
		if err := two.Release(t.Context(), "the bell"); err != nil {
			t.Error(err)
		}
		want(one, true)
		if err := one.Release(t.Context(), "the bell"); err != nil {
			t.Error(err)
		}
		want(two, true)
		endTwo()
		want(one, true)
	})
}

// A daemon stops even if its database does not respond.
func TestLeaveDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase()
		m := join(t, d, "one")
		ctx, cancel := context.WithCancel(t.Context())
		d.set(func(d *database) { d.stuck = true })
		cancel()
		began := time.Now()
		if err := m.Run(ctx); err != nil || time.Since(began) > 3*time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

// TestSettledAfterAnOutage makes a database unreachable for longer than the lease. A
// member that rejoins waits until the others can rejoin too. A new member does not wait.
func TestSettledAfterAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDatabase()
		m := join(t, d, "one")
		defer run(t, m)()
		if !m.Settled() {
			t.Error("a member that has joined is not settled")
		}
		d.set(func(d *database) { d.away = true })
		time.Sleep(time.Minute)
		if m.Settled() {
			t.Error("a member without a lease is settled")
		}
		d.set(func(d *database) { d.away = false })
		time.Sleep(node.Lease - time.Second)
		if m.Settled() || !m.Alive() {
			t.Errorf("soon after it came back: settled %t, alive %t", m.Settled(), m.Alive())
		}
		time.Sleep(2 * time.Second)
		if !m.Settled() {
			t.Error("it is not settled a lease after it came back")
		}
	})
}
