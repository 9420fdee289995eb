package postgres

import "sync"

// ticketQueue runs functions in the order in which their tickets were taken.
type ticketQueue struct {
	mu   sync.Mutex // mu guards last
	last <-chan struct{}
}

// ticket is a position in the queue.
type ticket struct {
	previous <-chan struct{} // closed when all earlier tickets are done
	done     chan struct{}
}

// take returns the next ticket. The caller must run it.
func (t *ticketQueue) take() ticket {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := ticket{previous: t.last, done: make(chan struct{})}
	t.last = next.done
	return next
}

// run waits for all earlier tickets, calls fn and releases the next ticket.
func (t ticket) run(fn func()) {
	if t.previous != nil {
		<-t.previous
	}
	defer close(t.done)
	fn()
}
