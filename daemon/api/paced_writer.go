package api

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// A long response is cut off when the client reads nothing for [writeStall], or less
// than [writeRate] bytes a second on average.
const (
	writeStall = 30 * time.Second
	writeRate  = 64 << 10
)

// newPacedWriter returns a writer for the body of a response.
func newPacedWriter(w http.ResponseWriter) *pacedWriter {
	return &pacedWriter{to: w, control: http.NewResponseController(w), start: time.Now()}
}

// pacedWriter writes to a client and cuts it off if it reads more slowly than
// [writeRate], with a tolerance of [writeStall].
type pacedWriter struct {
	to      http.ResponseWriter
	control *http.ResponseController
	start   time.Time
	written int64
	started bool // at least one byte was passed to Write

	mu      sync.Mutex // mu guards the field below
	stopped error      // why writing was stopped, or nil
}

// writeChunk is the number of bytes with a common write deadline. It is the size in
// which net/http writes to a connection, so any progress extends the deadline.
const writeChunk = 4 << 10

// Write writes in small pieces, each with its own deadline.
func (s *pacedWriter) Write(b []byte) (n int, err error) {
	s.started = s.started || len(b) > 0
	for len(b) > 0 {
		if err := s.allowUntil(s.nextDeadline(time.Now())); err != nil {
			return n, err
		}
		part := b[:min(len(b), writeChunk)]
		m, err := s.to.Write(part)
		n, s.written = n+m, s.written+int64(m)
		if err != nil {
			return n, fmt.Errorf("send: %w", cmp.Or(s.stopReason(), err))
		}
		b = b[len(part):]
	}
	return n, nil
}

// nextDeadline returns the deadline of the next piece.
func (s *pacedWriter) nextDeadline(now time.Time) time.Time {
	onSchedule := s.start.Add(time.Duration(s.written) * time.Second / writeRate)
	if onSchedule.After(now) {
		onSchedule = now
	}
	return onSchedule.Add(writeStall)
}

// allowUntil sets the deadline of the next piece, unless writing was stopped.
func (s *pacedWriter) allowUntil(until time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped != nil {
		return s.stopped
	}
	return s.deadline(until)
}

// stop ends writing, including a Write that is blocked. Any goroutine may call it.
func (s *pacedWriter) stop(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = why
	s.deadline(time.Now())
}

// stopReason returns why writing was stopped, or nil.
func (s *pacedWriter) stopReason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// done removes the deadline, so that the connection can serve other requests.
func (s *pacedWriter) done() { s.deadline(time.Time{}) }

// deadline sets the write deadline, if the connection supports deadlines.
func (s *pacedWriter) deadline(at time.Time) error {
	if err := s.control.SetWriteDeadline(at); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("set deadline: %w", err)
	}
	return nil
}
