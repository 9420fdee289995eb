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

// pacedWriter writes to a client that has to keep taking, at no less than
// [writeRate] but for a delay of [writeStall].
type pacedWriter struct {
	to      http.ResponseWriter
	control *http.ResponseController
	start   time.Time
	taken   int64
	begun   bool

	mu      sync.Mutex // mu guards what follows
	stopped error      // why nothing more is sent, or nil
}

// writeChunk is the number of bytes with a common write deadline. It is the size in
// which net/http writes to a connection, so any progress extends the deadline.
const writeChunk = 4 << 10

// Write writes in small pieces, each with a deadline of its own.
func (s *pacedWriter) Write(b []byte) (n int, err error) {
	s.begun = s.begun || len(b) > 0
	for len(b) > 0 {
		if err := s.allowUntil(s.nextDeadline(time.Now())); err != nil {
			return n, err
		}
		part := b[:min(len(b), writeChunk)]
		m, err := s.to.Write(part)
		n, s.taken = n+m, s.taken+int64(m)
		if err != nil {
			return n, fmt.Errorf("send: %w", cmp.Or(s.stopReason(), err))
		}
		b = b[len(part):]
	}
	return n, nil
}

// nextDeadline returns until when the next piece has to be taken.
func (s *pacedWriter) nextDeadline(now time.Time) time.Time {
	steadily := s.start.Add(time.Duration(s.taken) * time.Second / writeRate)
	if steadily.After(now) {
		steadily = now
	}
	return steadily.Add(writeStall)
}

// allowUntil lets the next piece be taken until a time, unless nothing more is sent.
func (s *pacedWriter) allowUntil(until time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped != nil {
		return s.stopped
	}
	return s.deadline(until)
}

// stop ends the copy, and a write that is under way. Any goroutine may call it.
func (s *pacedWriter) stop(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = why
	s.deadline(time.Now())
}

// stopReason returns why nothing more is sent, or nil.
func (s *pacedWriter) stopReason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// done lets the connection be used for other requests, at their own pace.
func (s *pacedWriter) done() { s.deadline(time.Time{}) }

// deadline sets a deadline where there is a connection to set it on.
func (s *pacedWriter) deadline(at time.Time) error {
	if err := s.control.SetWriteDeadline(at); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("set deadline: %w", err)
	}
	return nil
}
