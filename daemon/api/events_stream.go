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
	// heartbeat is how often an idle stream sends a comment, so that proxies and
	// clients can distinguish an idle stream from a broken one.
	heartbeat = 15 * time.Second

	// writeTimeout is the maximum duration of a write, and so how long a client may
	// read nothing.
	writeTimeout = 10 * time.Second

	// endTimeout is how long an ending stream may still write.
	endTimeout = time.Second

	// catchUpBatch is the number of events that a stream behind the ring reads at
	// once.
	catchUpBatch = 256

	// writeSize is the maximum number of bytes that a client must read within
	// writeTimeout.
	writeSize = 4 << 10
)

// stream is one client that follows the events.
type stream struct {
	hub          *hub
	key          schedctl.APIKey
	end          context.CancelCauseFunc // the cause is sent to the client; any goroutine may call it
	position     streamPosition          // after the last event that was sent or skipped
	more         chan struct{}           // holds one wake-up when the ring has more
	notifiedUpTo uint64                  // end of the ring at the last wake-up; the hub's mu guards it
	out          *streamWriter
}

// run sends events until ctx ends or a write fails.
func (s *stream) run(ctx context.Context, from streamStart) error {
	defer s.out.limitOnEnd(ctx)()
	s.out.text("retry: 2000\nid: " + from.position + "\n\n") // an id without data sets the resume position and is not an event
	if from.missing != "" {
		s.out.comment("there is no event " + from.missing + ": it was pruned or never existed; the stream continues with the events after it")
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

// advance sends all available events.
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

// sendHeader sends the headers. It clears the read deadline of the request, which
// would otherwise end the stream. The connection is not used again, because it
// keeps the deadlines of the stream.
//
// A separate goroutine sends them: net/http needs a large stack for that, which
// this goroutine would keep for as long as the stream lasts.
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
		o.conn.Flush() // the first write reports the error
	}()
	<-sent
}

// limitOnEnd limits a write that is in progress when ctx ends to endTimeout. Call
// the returned function after the last write.
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

// comment adds a comment, which clients ignore.
func (o *streamWriter) comment(s string) { o.text(": " + s + "\n\n") }

// flush sends the buffered text.
func (o *streamWriter) flush(ctx context.Context) error {
	if len(o.buf) == 0 {
		return nil
	}
	if err := o.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := ctx.Err(); err != nil { // after SetWriteDeadline: limitOnEnd may set a shorter one
		return err
	}
	return o.write()
}

// sendEnd sends the reason for the end of the stream to the client.
func (o *streamWriter) sendEnd(cause error) error {
	if e, ok := errors.AsType[*schedctl.Error](cause); ok {
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
