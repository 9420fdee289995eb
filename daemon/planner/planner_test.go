package planner_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/planner"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// rig is a store with an account, in a bubble of package synctest. The time there starts
// at midnight of 2000-01-01, UTC.
type rig struct {
	*testing.T
	store   storage.Store
	ws      string
	account schedctl.Account
}

func inBubble(t *testing.T, test func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().UTC()
		r := &rig{T: t, store: storagetest.NewMemory(), ws: schedctl.NewID(schedctl.WorkspacePrefix, now)}
		r.store.Notify(func(storage.Commit) {})
		r.account = schedctl.Account{
			ID: schedctl.NewID(schedctl.AccountPrefix, now), WorkspaceID: r.ws, Platform: "fake", Name: "a", Status: schedctl.AccountConnected, CreatedAt: now, UpdatedAt: now,
		}
		r.update(func(tx storage.Tx) error {
			if err := tx.PutWorkspace(schedctl.Workspace{ID: r.ws, Name: "mine", CreatedAt: now}); err != nil {
				return err
			}
			return tx.PutAccount(r.account)
		})
		test(r)
	})
}

func (r *rig) update(fn func(storage.Tx) error) {
	r.Helper()
	if err := r.store.Update(context.WithoutCancel(r.Context()), fn); err != nil {
		r.Fatal(err)
	}
}

// series stores a daily series at 9:00 that is due for a sweep.
func (r *rig) series(change func(*schedctl.Series)) string {
	r.Helper()
	now := time.Now().UTC()
	template, err := schedctl.NewTemplate(schedctl.NewPost{WorkspaceID: r.ws, Content: schedctl.Content{Text: "text"}, Accounts: []schedctl.Account{r.account}}, now)
	if err != nil {
		r.Fatal(err)
	}
	s := schedctl.Series{
		ID: schedctl.NewID(schedctl.SeriesPrefix, now), WorkspaceID: r.ws, Name: "news", Template: template, Timezone: "UTC", Start: "1999-12-01T09:00",
		Rule: "FREQ=DAILY", AheadDays: 2, State: schedctl.SeriesActive, Cursor: "2000-01-01T00:00", SweepAt: now, CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	if change != nil {
		change(&s)
	}
	r.update(func(tx storage.Tx) error { return tx.PutSeries(s) })
	return s.ID
}

func (r *rig) posts() int {
	r.Helper()
	n := 0
	err := r.store.View(context.WithoutCancel(r.Context()), func(reader storage.Reader) error {
		page, err := reader.Posts(storage.PostQuery{WorkspaceID: r.ws, Limit: 10_000})
		n = len(page.Posts)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return n
}

// start runs a planner until stop is called.
func (r *rig) start(c planner.Config) (p *planner.Planner, stop func()) {
	r.Helper()
	c.Store, c.MaxLateness, c.Logger = r.store, 24*time.Hour, slog.New(slog.DiscardHandler)
	p = planner.New(c)
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	synctest.Wait()
	return p, func() {
		cancel()
		if err := <-done; err != nil {
			r.Error(err)
		}
	}
}

func TestPlannerSweepsAtStartAndWhenDue(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		r.series(nil)
		p, stop := r.start(planner.Config{})
		defer stop()
		if n := r.posts(); n != 2 {
			r.Fatalf("%d posts after the start, want 2", n)
		}
		if p.LastTick().IsZero() {
			r.Error("it has not ticked")
		}
		time.Sleep(9*time.Hour - time.Second) // before the window reaches the third
		if n := r.posts(); n != 2 {
			r.Errorf("%d posts before 9:00, want 2", n)
		}
		time.Sleep(31 * time.Second)
		if n := r.posts(); n != 3 {
			r.Errorf("%d posts after 9:00, want 3", n)
		}
		if age := time.Since(p.LastTick()); age > 30*time.Second {
			r.Errorf("the last tick is %s old", age)
		}
		time.Sleep(10 * 24 * time.Hour)
		if n := r.posts(); n != 13 {
			r.Errorf("%d posts after ten days, want 13", n)
		}
	})
}

// All series that are due are swept in one run, also many.
func TestPlannerSweepsManySeries(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		for n := range 250 {
			r.series(func(s *schedctl.Series) { s.Name = fmt.Sprint("series ", n); s.AheadDays = 1 })
		}
		_, stop := r.start(planner.Config{})
		defer stop()
		if n := r.posts(); n != 250 {
			r.Errorf("%d posts, want one for each of 250 series", n)
		}
	})
}

// Two nodes that both plan, because one has just lost its hold, make each post once.
func TestTwoPlanners(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		for n := range 20 {
			r.series(func(s *schedctl.Series) { s.Name = fmt.Sprint("series ", n) })
		}
		_, stopFirst := r.start(planner.Config{})
		_, stopSecond := r.start(planner.Config{})
		defer stopFirst()
		defer stopSecond()
		time.Sleep(5 * 24 * time.Hour)
		if n := r.posts(); n != 20*7 {
			r.Errorf("%d posts, want %d", n, 20*7)
		}
	})
}

// holder is held by one node, or by none.
type holder struct {
	mu   sync.Mutex // mu guards held and names
	held bool
	asks int
}

func (h *holder) Hold(context.Context, string) (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asks++
	return h.held, nil
}

func TestOnlyTheHolderPlans(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		r.series(nil)
		h := &holder{}
		_, stop := r.start(planner.Config{Member: h})
		defer stop()
		time.Sleep(time.Hour)
		if n := r.posts(); n != 0 {
			r.Errorf("a node that does not hold the name makes %d posts", n)
		}
		h.mu.Lock()
		h.held, h.asks = true, 0
		h.mu.Unlock()
		time.Sleep(time.Minute)
		if n := r.posts(); n != 2 {
			r.Errorf("%d posts, want 2", n)
		}
		h.mu.Lock()
		h.asks = 0
		h.mu.Unlock()
		time.Sleep(time.Hour)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.asks != 0 {
			r.Errorf("without due work, it asked %d times for the name", h.asks)
		}
	})
}

// Occurrences do not become due right after the clock leaps by weeks.
func TestPlannerWaitsForAClockThatLeapt(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		r.series(nil)
		made := time.Now()
		time.Sleep(30 * 24 * time.Hour)
		_, stop := r.start(planner.Config{Clock: clock.New(made, slog.New(slog.DiscardHandler))})
		defer stop()
		time.Sleep(59 * time.Minute)
		if n := r.posts(); n != 0 {
			r.Errorf("%d posts in the first hour", n)
		}
		time.Sleep(10 * time.Minute)
		if n := r.posts(); n != 3 {
			r.Errorf("%d posts then, want the late one and two ahead", n)
		}
	})
}

// The clock was weeks ahead when the daemon planned, and is right at its next start.
func TestPlannerAfterAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		id := r.series(func(s *schedctl.Series) {
			s.Cursor, s.SweepAt = "2000-03-03T09:00", time.Date(2000, 3, 2, 9, 0, 0, 0, time.UTC)
		})
		ahead := schedctl.SeriesEvent(schedctl.EventSeriesEnded, &schedctl.Series{ID: id, WorkspaceID: r.ws}, nil, time.Date(2000, 3, 1, 0, 0, 0, 0, time.UTC))
		r.update(func(tx storage.Tx) error { return tx.AddEvents(ahead) })
		_, stop := r.start(planner.Config{})
		defer stop()
		if n := r.posts(); n != 2 {
			r.Errorf("%d posts, want those of the next two days", n)
		}
	})
}

// A series whose zone is unknown does not keep the others from being swept.
func TestPlannerPostponesBrokenSeries(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		id := r.series(func(s *schedctl.Series) { s.Timezone = "Europe/Nowhere"; s.Name = "broken" })
		r.series(nil)
		_, stop := r.start(planner.Config{})
		defer stop()
		if n := r.posts(); n != 2 {
			r.Errorf("%d posts, want 2", n)
		}
		s, err := storage.Read(r.Context(), r.store.View, func(reader storage.Reader) (schedctl.Series, error) { return reader.Series(r.ws, id) })
		if err != nil || time.Until(s.SweepAt) < 59*time.Minute {
			r.Errorf("it is swept again at %s, %v", s.SweepAt, err)
		}
	})
}

func TestPlannerSettlesBlackouts(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		now := time.Now().UTC()
		b := schedctl.Blackout{
			ID: schedctl.NewID(schedctl.BlackoutPrefix, now), WorkspaceID: r.ws, From: "2000-01-01T00:00", To: "2000-01-01T06:00", Timezone: "UTC", Mode: schedctl.BlackoutHold,
			CreatedAt: now, UpdatedAt: now, Version: 1,
		}
		if err := b.Resolve(); err != nil {
			r.Fatal(err)
		}
		r.account.SetBlackout(&b)
		r.update(func(tx storage.Tx) error {
			if err := tx.PutAccount(r.account); err != nil {
				return err
			}
			return tx.PutBlackout(b)
		})
		_, stop := r.start(planner.Config{})
		defer stop()
		copies := func() int {
			a, err := storage.Read(r.Context(), r.store.View, func(reader storage.Reader) (schedctl.Account, error) { return reader.Account(r.ws, r.account.ID) })
			if err != nil {
				r.Fatal(err)
			}
			return len(a.Blackouts)
		}
		time.Sleep(6*time.Hour - time.Second)
		if copies() != 1 {
			r.Error("the blackout left the account before its end")
		}
		time.Sleep(31 * time.Second)
		if copies() != 0 {
			r.Error("the blackout has not left the account 30 s after its end")
		}
	})
}

// When the rules of a zone have changed, posts that were not moved by hand get the
// instants that their local times have now.
func TestPlannerFollowsChangesOfZones(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		r.series(func(s *schedctl.Series) { s.Timezone = "Europe/Berlin" })
		_, stop := r.start(planner.Config{})
		stop()
		var moved, byHand schedctl.Post
		r.update(func(tx storage.Tx) error {
			page, err := tx.Posts(storage.PostQuery{WorkspaceID: r.ws, Sort: storage.PublishAscending, Limit: 10})
			if err != nil {
				return err
			}
			// The posts were made when Berlin was an hour behind.
			for i := range page.Posts {
				p := &page.Posts[i]
				at := p.PublishAt.Add(time.Hour)
				if _, err := p.Edit(schedctl.Edit{PublishAt: at, BySeries: i == 0}, time.Now()); err != nil {
					return err
				}
				if err := tx.PutPost(*p); err != nil {
					return err
				}
			}
			moved, byHand = page.Posts[0], page.Posts[1]
			return nil
		})
		read := func(id string) schedctl.Post {
			p, err := storage.Read(r.Context(), r.store.View, func(reader storage.Reader) (schedctl.Post, error) { return reader.Post(r.ws, id) })
			if err != nil {
				r.Fatal(err)
			}
			return p
		}
		_, stop = r.start(planner.Config{})
		stop()
		if p := read(moved.ID); !p.PublishAt.Equal(moved.PublishAt) {
			r.Errorf("without a change of zones, a post moved to %s", p.PublishAt)
		}
		r.update(func(tx storage.Tx) error { return tx.PutMetadata("zone digest", []byte("of an older database")) })
		_, stop = r.start(planner.Config{})
		stop()
		if p := read(moved.ID); !p.PublishAt.Equal(moved.PublishAt.Add(-time.Hour)) || p.Detached {
			r.Errorf("the post is at %s, want %s", p.PublishAt, moved.PublishAt.Add(-time.Hour))
		}
		if p := read(byHand.ID); !p.PublishAt.Equal(byHand.PublishAt) {
			r.Errorf("a post that was moved by hand moved to %s", p.PublishAt)
		}
	})
}

// TestPlannerWarnsOfOverdueSweeps guards that a planner whose work fails, or that another
// node should do, reports it after an hour and not before.
func TestPlannerWarnsOfOverdueSweeps(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		r.series(nil)
		h := &holder{}
		p, stop := r.start(planner.Config{Member: h})
		defer stop()
		time.Sleep(time.Hour)
		if w := p.Warning(r.Context()); w != "" {
			r.Errorf("after an hour: %q", w)
		}
		time.Sleep(time.Minute)
		if w := p.Warning(r.Context()); w != "posts of series should have been made since 2000-01-01T00:00:00Z; look at the log of the daemon for the cause" {
			r.Errorf("after more than an hour: %q", w)
		}
		h.mu.Lock()
		h.held = true
		h.mu.Unlock()
		time.Sleep(time.Minute)
		if w := p.Warning(r.Context()); w != "" {
			r.Errorf("after the sweep: %q", w)
		}
	})
}

// TestPlannerObservesSweeps guards that each sweep is observed, with its failure.
func TestPlannerObservesSweeps(t *testing.T) {
	t.Parallel()
	inBubble(t, func(r *rig) {
		r.series(nil)
		r.series(func(s *schedctl.Series) { s.Timezone, s.Name = "Europe/Nowhere", "broken" })
		var mu sync.Mutex
		sweeps := map[bool]int{}
		_, stop := r.start(planner.Config{Observe: func(o planner.Observation) {
			mu.Lock()
			defer mu.Unlock()
			sweeps[o.Failed]++
		}})
		defer stop()
		mu.Lock()
		defer mu.Unlock()
		if sweeps[false] != 1 || sweeps[true] != 1 {
			r.Errorf("%d sweeps and %d failed ones, want one each", sweeps[false], sweeps[true])
		}
	})
}
