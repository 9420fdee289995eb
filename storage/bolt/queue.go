package bolt

import (
	"sync"
	"sync/atomic"

	"github.com/schedctl/schedctl/storage"
)

// request is an Update or a Record that waits.
type request struct {
	fn          func(storage.Tx) error
	fromReserve bool       // may take of the room that is reserved
	done        chan error // gets the one answer
	state       atomic.Int32

	err    error // what to answer; the writer's alone
	failed bool  // fn has failed and is not run again; the writer's alone
}

// The states of a request.
const (
	waiting int32 = iota
	begun
	abandoned
)

// begin reports whether the request is to be run, and keeps it from being
// abandoned.
func (r *request) begin() bool {
	return r.state.CompareAndSwap(waiting, begun) || r.state.Load() == begun
}

// abandon reports whether the request was given up before it had begun.
func (r *request) abandon() bool { return r.state.CompareAndSwap(waiting, abandoned) }

// queue holds requests until the writer takes them.
type queue struct {
	wake chan struct{} // holds one token when there is something to look at

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

// close refuses all further requests and answers those that wait.
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
