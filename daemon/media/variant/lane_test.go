package variant_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/schedctl/schedctl/daemon/media/variant"
)

// lanes are the turns of a test with the conversions that run.
type lanes struct {
	*variant.Turns
	mu    sync.Mutex // mu guards what follows
	began []string   // the names of the conversions, in the order in which they began
	end   map[string]func()
}

func newLanes(budget int64) *lanes {
	return &lanes{Turns: variant.NewTurns(budget), end: map[string]func(){}}
}

// convert starts a conversion and waits until it runs or waits for its turn.
func (l *lanes) convert(ctx context.Context, name string, lane variant.Lane, workspace string, memory int64) {
	turn := variant.Turn{Lane: lane, Workspace: workspace}
	go func() {
		err := l.Acquire(ctx, turn, memory)
		l.mu.Lock()
		defer l.mu.Unlock()
		if err != nil {
			l.began = append(l.began, name+": "+err.Error())
			return
		}
		l.began = append(l.began, name)
		l.end[name] = func() { l.Release(turn, memory) }
	}()
	synctest.Wait()
}

// finish ends a conversion.
func (l *lanes) finish(name string) {
	l.mu.Lock()
	end := l.end[name]
	l.mu.Unlock()
	end()
	synctest.Wait()
}

// names returns the conversions that have started.
func (l *lanes) names() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.began)
}

func (l *lanes) check(t *testing.T, want ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.began, want) {
		t.Errorf("began %q, want %q", l.began, want)
	}
}

// A workspace converts one picture at a time, and delays no other one while memory is left.
func TestOneConversionOfAWorkspace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes(1000)
		l.convert(t.Context(), "a1", variant.Publishing, "a", 10)
		l.convert(t.Context(), "a2", variant.Publishing, "a", 10)
		l.convert(t.Context(), "a3", variant.Publishing, "a", 10)
		l.convert(t.Context(), "b1", variant.Publishing, "b", 10)
		l.convert(t.Context(), "served", variant.Served, "a", 10)
		l.convert(t.Context(), "card", variant.LinkCards, "a", 10)
		l.check(t, "a1", "b1", "served", "card")
		l.finish("a1")
		l.finish("a2")
		l.check(t, "a1", "b1", "served", "card", "a2", "a3")
	})
}

// Workspaces that wait for memory take turns, however many pictures one of them has.
func TestWorkspacesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes(1000)
		for _, name := range []string{"a1", "a2", "a3"} {
			l.convert(t.Context(), name, variant.Publishing, "a", 900)
		}
		l.convert(t.Context(), "b1", variant.Publishing, "b", 900)
		l.convert(t.Context(), "c1", variant.Publishing, "c", 900)
		l.convert(t.Context(), "b2", variant.Publishing, "b", 900)
		for _, name := range []string{"a1", "b1", "c1", "a2", "b2", "a3"} {
			l.finish(name)
		}
		l.check(t, "a1", "b1", "c1", "a2", "b2", "a3")
	})
}

// The largest picture of any lane leaves each other lane memory for ordinary photos.
func TestLanesDoNotWaitForEachOther(t *testing.T) {
	all := []variant.Lane{variant.Publishing, variant.Served, variant.LinkCards}
	for _, large := range all {
		synctest.Test(t, func(t *testing.T) {
			l := newLanes(1000)
			l.convert(t.Context(), "large", large, "a", l.Most(large))
			want := []string{"large"}
			for i, name := range []string{"publishing", "served", "card"} {
				if all[i] != large {
					l.convert(t.Context(), name, all[i], "b", 25)
					want = append(want, name)
				}
			}
			l.check(t, want...)
		})
	}
}

// A large picture gets its memory although small ones never stop.
func TestLargePictureIsNotStarved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes(1000)
		l.convert(t.Context(), "s0", variant.Served, "a", 100)
		l.convert(t.Context(), "large", variant.Publishing, "b", 900)
		for i := range 2 * variant.MaxPassed {
			// At every moment, one small picture of each workspace runs or waits.
			l.convert(t.Context(), string(rune('A'+i)), variant.Served, string(rune('A'+i%2)), 100)
			if began := l.names(); began[len(began)-1] != "large" && i > 0 {
				l.finish(began[len(began)-2])
			}
			if slices.Contains(l.names(), "large") {
				return
			}
		}
		t.Errorf("the large picture still waits after %q", l.began)
	})
}

// A conversion that is canceled while it waits fails at once, and lets others proceed.
func TestCanceledWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes(1000)
		ctx, cancel := context.WithCancelCause(t.Context())
		l.convert(t.Context(), "a1", variant.Publishing, "a", 900)
		l.convert(ctx, "b1", variant.Publishing, "b", 900)
		l.convert(t.Context(), "b2", variant.Publishing, "b", 50)
		cancel(errors.New("canceled"))
		synctest.Wait()
		l.check(t, "a1", "b1: canceled", "b2")
		l.finish("b2")
		l.convert(t.Context(), "b3", variant.Publishing, "b", 50)
		l.check(t, "a1", "b1: canceled", "b2", "b3")
	})
}
