package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
)

const (
	// heartbeat is how often a stream says something when nothing happens, so
	// that proxies and readers can tell a quiet stream from a broken one.
	heartbeat = 15 * time.Second

	// writeTimeout is how long a write may take, that is for how long a reader
	// may take nothing.
	writeTimeout = 10 * time.Second

	// endTimeout is how long a stream that is to end may still write.
	endTimeout = time.Second

	// catchUpBatch is how many events a stream reads that is behind the ring.
	catchUpBatch = 256

	// writeSize is how much a reader has to take within readerPatience, at most,
	// in bytes.
	writeSize = 4 << 10
)

// stream is one client that follows the events.
type stream struct {
	hub          *hub
	key          schedctl.APIKey
	end          context.CancelCauseFunc // the cause is sent to the client; any goroutine may call it
	position     streamPosition          // after what was sent or passed over
	more         chan struct{}           // holds one wake-up, when there is more in the ring
	notifiedUpTo uint64                  // end of the ring at the last wake-up; the hub's mu guards it
	out          *streamWriter
}

// run sends events until ctx ends or the client takes no more.
func (s *stream) run(ctx context.Context, from streamStart) error {
	defer s.out.limitOnEnd(ctx)()
	s.out.text("retry: 2000\nid: " + from.position + "\n\n") // an id without data is where to resume, and no event
	if from.missing != "" {
		s.out.comment("there is no event " + from.missing + ", or not any more; those after it that are kept follow")
	}
	if err := s.out.flush(ctx); err != nil {
		return err
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		err := s.advance(ctx)
		if err != nil {
			return err
		}
		select {
		case <-s.more:
		case <-beat.C:
			s.out.comment("")
			err = s.out.flush(ctx)
		case <-ctx.Done():
			return s.out.sendEnd(context.Cause(ctx))
		}
		if err != nil {
			return err
		}
	}
}

// advance sends all there is.
func (s *stream) advance(ctx context.Context) (err error) {
	for inRing := false; !inRing; {
		var frames []frame
		at := s.position
		if frames, inRing = s.hub.framesFrom(at); !inRing {
			if frames, at, err = s.hub.catchUp(ctx, s); err != nil {
				return fmt.Errorf("read events after %s: %w", s.position.id, err)
			}
		} else if n := len(frames); n > 0 {
			at.id, at.next = frames[n-1].id, at.next+uint64(n)
		}
		if err := s.send(ctx, frames); err != nil {
			return err
		}
		s.position = at
	}
	return nil
}

// send writes the frames that the key may see.
func (s *stream) send(ctx context.Context, frames []frame) error {
	for i := range frames {
		if !frames[i].visibleTo(&s.key) {
			continue
		}
		s.out.buf = append(s.out.buf, frames[i].text...)
		if len(s.out.buf) >= writeSize {
			if err := s.out.flush(ctx); err != nil {
				return err
			}
		}
	}
	return s.out.flush(ctx)
}

// streamWriter writes a stream in chunks. The client must read each chunk within
// [writeTimeout].
type streamWriter struct {
	w    http.ResponseWriter
	conn *http.ResponseController
	buf  []byte
}

func newStreamWriter(w http.ResponseWriter) *streamWriter {
	return &streamWriter{w: w, conn: http.NewResponseController(w)}
}

// sendHeader sends the headers. The time that the server gives a request to be read
// is over for a stream, else it would end with that time. The connection is not
// used again, for it keeps the deadlines of the stream.
//
// They are sent from a goroutine of their own: net/http takes a large stack for
// that, which this one would keep for as long as the stream lasts.
func (o *streamWriter) sendHeader() {
	o.conn.SetReadDeadline(time.Time{})
	h := o.w.Header()
	h.Set("Content-Type", mediaEvents)
	h["Cache-Control"] = noStore
	h["X-Content-Type-Options"] = noSniff
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	h.Set("Connection", "close")
	o.w.WriteHeader(http.StatusOK)
	o.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		o.conn.Flush() // the first write will tell when it fails
	}()
	<-sent
}

// limitOnEnd lets a write that is under way when ctx ends take no longer than
// parting. The function it returns is to be called when nothing more is written.
func (o *streamWriter) limitOnEnd(ctx context.Context) func() {
	hurried := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		o.conn.SetWriteDeadline(time.Now().Add(endTimeout))
		close(hurried)
	})
	return func() {
		if !stop() {
			<-hurried
		}
		o.conn.SetWriteDeadline(time.Now().Add(endTimeout)) // net/http writes the end
	}
}

func (o *streamWriter) text(s string) { o.buf = append(o.buf, s...) }

// comment adds a line that readers pass over.
func (o *streamWriter) comment(s string) { o.text(": " + s + "\n\n") }

// flush sends what was added.
func (o *streamWriter) flush(ctx context.Context) error {
	if len(o.buf) == 0 {
		return nil
	}
	if err := o.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := ctx.Err(); err != nil { // now: the deadline that hurry sets must not be overwritten
		return err
	}
	return o.write()
}

// sendEnd sends the reason for the end of the stream to the client.
func (o *streamWriter) sendEnd(cause error) error {
	var e *schedctl.Error
	if errors.As(cause, &e) {
		o.comment(e.Message)
		o.conn.SetWriteDeadline(time.Now().Add(endTimeout))
		return errors.Join(cause, o.write())
	}
	return cause
}

func (o *streamWriter) write() error {
	_, err := o.w.Write(o.buf)
	o.buf = o.buf[:0]
	return errors.Join(err, o.conn.Flush())
}
