package deliver

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
)

func at(ms int64) entry { return entry{Due: schedctl.Due{At: ms}} }

func TestHeap(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var h heap[entry]
	var model []int64
	for step := range 20_000 {
		switch n := random.IntN(100); {
		case n < 55 || len(model) == 0:
			v := random.Int64N(1000)
			h.push(at(v))
			model = append(model, v)
		case n < 99:
			i := slices.Index(model, slices.Min(model))
			if got := h.pop().At; got != model[i] {
				t.Fatalf("step %d: popped %d, want %d", step, got, model[i])
			}
			model = slices.Delete(model, i, i+1)
		default:
			limit := random.Int64N(1000)
			removed := h.filter(func(e *entry) bool { return e.At > limit })
			before := len(model)
			model = slices.DeleteFunc(model, func(v int64) bool { return v <= limit })
			if len(removed) != before-len(model) {
				t.Fatalf("step %d: %d removed, want %d", step, len(removed), before-len(model))
			}
		}
		if h.len() != len(model) {
			t.Fatalf("step %d: %d items, want %d", step, h.len(), len(model))
		}
	}
}

func TestHeapGivesMemoryBack(t *testing.T) {
	t.Parallel()
	var h heap[entry]
	for i := range int64(100_000) {
		h.push(at(i))
	}
	for h.len() > 10 {
		h.pop()
	}
	if c := cap(h.items); c > 100 {
		t.Errorf("capacity %d for 10 items", c)
	}
}

// An alarm may be due for a queue that was removed, while the account has a new one.
func TestAlarmOfAForgottenQueue(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := queues{byAccount: map[string]*queue{}}
	old := s.queueFor("a", "w")
	old.notBefore = now.Add(time.Second)
	s.reschedule(old, now)
	delete(s.byAccount, "a")
	young := s.queueFor("a", "w")
	young.busy = true
	s.wake(now.Add(time.Minute))
	if s.byAccount["a"] != young {
		t.Error("the new queue was removed")
	}
}

func TestQueuesAreForgottenWhenTheyAreEmpty(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := queues{byAccount: map[string]*queue{}}
	q := s.queueFor("a", "w")
	s.push(q, at(now.UnixMilli()))
	s.reschedule(q, now)
	if s.firstReady() != q {
		t.Fatal("a queue with a target that is due is not ready")
	}
	s.popReady()
	if got := s.take(q, now, time.Hour, 10); len(got) != 1 || s.waiting != 0 {
		t.Fatalf("took %v, %d waiting", got, s.waiting)
	}
	q.nextOverdue = now.Add(time.Second)
	q.busy = false
	s.reschedule(q, now)
	if len(s.byAccount) != 1 {
		t.Error("the space after an overdue target was forgotten")
	}
	s.wake(now.Add(time.Second))
	if len(s.byAccount) != 0 {
		t.Errorf("%d queues left", len(s.byAccount))
	}
}

// A pause that is read repeatedly does not set an alarm each time.
func TestHoldSetsOneAlarm(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := queues{byAccount: map[string]*queue{}}
	q := s.queueFor("a", "w")
	s.push(q, at(now.UnixMilli()))
	end := now.Add(24 * time.Hour)
	for range 1000 {
		s.hold(q, now, end.Sub(now))
		s.reschedule(q, now)
		now = now.Add(30 * time.Second)
	}
	if n := s.alarms.len(); n != 1 {
		t.Errorf("%d alarms", n)
	}
	if s.held != 1 {
		t.Errorf("%d held, want 1", s.held)
	}
	s.wake(end)
	if s.held != 0 || s.firstReady() != q {
		t.Errorf("%d held after the pause", s.held)
	}
}

func TestMarksGiveMemoryBack(t *testing.T) {
	t.Parallel()
	x := newDispatcher(New(Config{}))
	var targets []schedctl.ULID
	for range 2 * maxResolve {
		targets = append(targets, schedctl.NewULID(time.Now()))
		x.setState(targets[len(targets)-1], stateQueued)
	}
	was := x.states
	for _, target := range targets {
		x.forget(target, time.Now())
	}
	x.setState(targets[0], stateQueued)
	if len(was) != 0 || len(x.states) != 1 {
		t.Error("the map of a burst is not released")
	}
}

// A target that is enqueued again while in flight keeps its state.
func TestTargetHandedOverInFlightIsDueAtItsTime(t *testing.T) {
	t.Parallel()
	x := newDispatcher(New(Config{}))
	target, at := schedctl.NewULID(time.Now()), time.Now().Add(-time.Hour)
	x.setState(target, stateInFlight)
	if fresh := x.newTargets([]schedctl.Due{{At: at.UnixMilli(), Target: target}}); len(fresh) != 0 {
		t.Errorf("treated as new: %v", fresh)
	}
	x.forget(target, at)
	if diff := cmp.Diff([]schedctl.Due{{At: at.UnixMilli(), Target: target}}, x.due); diff != "" {
		t.Errorf("to be resolved again (-want +got):\n%s", diff)
	}
}

func TestGroupIsolatesAFault(t *testing.T) {
	t.Parallel()
	now := time.Now()
	g := pacer{size: maxGroup}
	steps := 0
	for g.size > 1 {
		g.running = true
		if first := g.failed(g.size, errors.New("disk"), now); first != (steps == 0) {
			t.Errorf("failure %d: first %v", steps, first)
		}
		if g.mayStart(now) || !g.mayStart(now.Add(maxGroupBackoff)) {
			t.Error("the wait is missing or too long")
		}
		steps++
	}
	if steps != 5 {
		t.Errorf("%d failures until one is alone", steps)
	}
	if !g.succeeded() || g.succeeded() {
		t.Error("the first success after failures is not logged once")
	}
	for range 10 {
		g.succeeded()
	}
	if g.size != maxGroup {
		t.Errorf("size %d after successes", g.size)
	}
}
