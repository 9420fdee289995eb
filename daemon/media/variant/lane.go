package variant

import (
	"context"
	"slices"
	"sync"
)

// Lane is a purpose for which pictures are converted.
type Lane int

// The lanes. A part of the memory is reserved for each, so that ordinary photos never wait
// for the pictures of another lane.
const (
	Publishing Lane = iota // files of posts
	Served                 // files for requests that need no key
	LinkCards              // pictures of foreign pages
	lanes
)

// reserved is the part of the budget that each lane keeps, in thousandths.
var reserved = [lanes]int64{Publishing: 150, Served: 25, LinkCards: 25}

// maxPassed is how many pictures may be converted before one that waits for more memory.
const maxPassed = 8

// Turn says for whom a picture is converted. Conversions with the same Turn run one after
// another. Those of the workspaces of a lane take turns, and run at the same time while
// the memory suffices.
type Turn struct {
	Lane      Lane
	Workspace string
}

// turns decides which conversions run.
type turns struct {
	budget  int64
	reserve [lanes]int64

	mu    sync.Mutex // mu guards what follows
	used  [lanes]int64
	lines map[Turn]*line
	ready [lanes][]*line // lines with waiters and no running conversion, in the order of their turns
}

// line is the conversions that one workspace waits for in a lane.
type line struct {
	turn    Turn
	running bool
	waiters []*waiter
}

// waiter is a conversion that waits.
type waiter struct {
	memory  int64
	passed  int // how many conversions began while this one was the next of its line
	granted chan struct{}
}

func newTurns(budget int64) *turns {
	t := &turns{budget: budget, lines: map[Turn]*line{}}
	for lane, part := range reserved {
		t.reserve[lane] = budget * part / 1000
	}
	return t
}

// most returns the memory that a conversion of a lane can get.
func (t *turns) most(lane Lane) int64 {
	most := t.budget
	for other, reserve := range t.reserve {
		if Lane(other) != lane {
			most -= reserve
		}
	}
	return most
}

// acquire waits for the turn of a conversion that needs memory bytes, at most
// [turns.most]. The caller calls release after the conversion, unless acquire returns the
// cause of a context that has ended.
func (t *turns) acquire(ctx context.Context, turn Turn, memory int64) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	w := &waiter{memory: memory, granted: make(chan struct{})}
	t.mu.Lock()
	l := t.lines[turn]
	if l == nil {
		l = &line{turn: turn}
		t.lines[turn] = l
	}
	if l.waiters = append(l.waiters, w); len(l.waiters) == 1 && !l.running {
		t.ready[turn.Lane] = append(t.ready[turn.Lane], l)
	}
	t.grant()
	t.mu.Unlock()
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
	}
	if t.abandon(l, w) {
		t.release(turn, memory) // it was granted at the same time
	}
	return context.Cause(ctx)
}

// abandon removes a waiter, and reports whether its conversion was granted before.
func (t *turns) abandon(l *line, w *waiter) (granted bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(l.waiters, w)
	if i < 0 {
		return true
	}
	l.waiters = slices.Delete(l.waiters, i, i+1)
	if len(l.waiters) == 0 && !l.running {
		t.forget(l)
	}
	t.grant() // it may have kept others from their turns
	return false
}

// forget removes a line without conversions.
func (t *turns) forget(l *line) {
	delete(t.lines, l.turn)
	ready := &t.ready[l.turn.Lane]
	*ready = slices.DeleteFunc(*ready, func(o *line) bool { return o == l })
}

// release ends the turn of a conversion.
func (t *turns) release(turn Turn, memory int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used[turn.Lane] -= memory
	l := t.lines[turn]
	if l.running = false; len(l.waiters) == 0 {
		t.forget(l)
	} else {
		t.ready[turn.Lane] = append(t.ready[turn.Lane], l) // after the other workspaces
	}
	t.grant()
}

// grant starts all conversions that may run. The caller holds mu.
func (t *turns) grant() {
	starved := false // a picture has waited long enough for memory
	for lane := range lanes {
		var waiting []*line
		for _, l := range t.ready[lane] {
			w := l.waiters[0]
			if !t.fits(lane, w.memory, starved) {
				starved = starved || w.passed >= maxPassed
				waiting = append(waiting, l)
				continue
			}
			l.waiters, l.running = l.waiters[1:], true
			t.used[lane] += w.memory
			t.pass(waiting, lane)
			close(w.granted)
		}
		t.ready[lane] = waiting
	}
}

// pass counts a conversion of a lane that begins before others that were first.
func (t *turns) pass(waiting []*line, lane Lane) {
	for _, l := range waiting {
		l.waiters[0].passed++
	}
	for _, before := range t.ready[:lane] {
		for _, l := range before {
			l.waiters[0].passed++
		}
	}
}

// fits reports whether a conversion may begin. While another one is starved, it gets no
// memory beyond the reserve of its lane.
func (t *turns) fits(lane Lane, memory int64, starved bool) bool {
	own := t.used[lane] + memory
	if starved && own > t.reserve[lane] {
		return false
	}
	total := own
	for other, used := range t.used {
		if Lane(other) != lane {
			total += max(used, t.reserve[other])
		}
	}
	return total <= t.budget
}
