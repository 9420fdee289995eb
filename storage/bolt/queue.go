package bolt

import (
	"sync"
	"sync/atomic"

	"github.com/schedctl/schedctl/storage"
)

// request is a waiting Update or UpdateFromReserve.
type request struct {
	fn          func(storage.Tx) error
	fromReserve bool       // may use the disk reserve
	done        chan error // receives the result once
	state       atomic.Int32

	err    error // the result; only for the writer
	failed bool  // fn failed and does not run again; only for the writer
}

// The states of a request.
const (
	waiting int32 = iota
	begun
	abandoned
)

// begin marks the request as running and reports whether that succeeded. If so, the
// request can no longer be abandoned.
func (r *request) begin() bool {
	return r.state.CompareAndSwap(waiting, begun) || r.state.Load() == begun
}

// abandon cancels a request that has not started, and reports whether it did.
func (r *request) abandon() bool { return r.state.CompareAndSwap(waiting, abandoned) }

// queue holds requests until the writer takes them.
type queue struct {
	wake chan struct{} // has one token after a change

	mu     sync.Mutex // mu guards the rest
	list   []*request
	closed bool
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// push adds a request and reports whether the queue takes any.
func (q *queue) push(r *request) bool {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return false
	}
	q.list = append(q.list, r)
	q.mu.Unlock()
	q.signal()
	return true
}

// take waits for requests and returns up to limit of them in dst, in order of
// arrival, or none when the queue is closed.
func (q *queue) take(dst []*request, limit int) []*request {
	for {
		q.mu.Lock()
		n := min(limit, len(q.list))
		dst = append(dst, q.list[:n]...)
		rest := copy(q.list, q.list[n:])
		clear(q.list[rest:])
		q.list = q.list[:rest]
		closed := q.closed
		q.mu.Unlock()
		if n > 0 || closed {
			return dst
		}
		<-q.wake
	}
}

// close refuses all further requests and ends the waiting ones with an error.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	list := q.list
	q.list = nil
	q.mu.Unlock()
	for _, r := range list {
		r.done <- storage.ErrClosed
	}
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
