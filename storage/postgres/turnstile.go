package postgres

import "sync"

// turnstile brings what happens at once into an order: whoever takes a turn goes
// through after all who took one before.
type turnstile struct {
	mu   sync.Mutex // mu guards last
	last <-chan struct{}
}

// turn is a place in the order.
type turn struct {
	before <-chan struct{} // closed when those before have gone through
	gone   chan struct{}
}

// take returns the next turn. It must be passed.
func (t *turnstile) take() turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := turn{before: t.last, gone: make(chan struct{})}
	t.last = next.gone
	return next
}

// pass waits for those before, calls fn and lets the next one through.
func (t turn) pass(fn func()) {
	if t.before != nil {
		<-t.before
	}
	defer close(t.gone)
	fn()
}
