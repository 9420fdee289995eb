package postgres

import "sync"

// ticketQueue brings what happens at once into an order: whoever takes a turn goes
// through after all who took one before.
type ticketQueue struct {
	mu   sync.Mutex // mu guards last
	last <-chan struct{}
}

// ticket is a place in the order.
type ticket struct {
	previous <-chan struct{} // closed when those before have gone through
	done     chan struct{}
}

// take returns the next turn. It must be passed.
func (t *ticketQueue) take() ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := ticket{previous: t.last, done: make(chan struct{})}
	t.last = next.done
	return next
}

// run waits for those before, calls fn and lets the next one through.
func (t ticket) run(fn func()) {
	if t.previous != nil {
		<-t.previous
	}
	defer close(t.done)
	fn()
}
