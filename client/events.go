package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"mime"
	"net/http"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// streamIdleTimeout is the longest silence of a stream before the client reconnects. The
// daemon sends something every 15 seconds.
const streamIdleTimeout = 45 * time.Second

// The daemon names the pause between two connections. It doubles after each failed
// connection, up to maxStreamPause.
const (
	firstStreamPause = 2 * time.Second
	maxStreamPause   = 30 * time.Second
)

// Events streams events until ctx ends or the caller stops. It starts after the
// event lastID, or with new events when lastID is empty.
//
// When the stream ends or the connection is lost, Events reconnects after a pause
// and resumes: each event arrives once and in order, as long as the daemon keeps it
// (30 days). Once a connection has succeeded, it retries without limit. Before that,
// or when the daemon refuses the request (for example because the key was revoked),
// the last yielded value is the error. When ctx ends, the last yielded value is its
// error. If the daemon limits the first request, Events waits within
// [Config.MaxWait] and [Config.Timeout].
func (c *Client) Events(ctx context.Context, lastID string) iter.Seq2[apiv1.Event, error] {
	return c.Follow(ctx, lastID, func() {})
}

// Follow is Events for callers that must know when the stream is connected, because
// no later event is missed. It calls opened in the iterating goroutine for each
// successful connection, before its first event.
func (c *Client) Follow(ctx context.Context, lastID string, opened func()) iter.Seq2[apiv1.Event, error] {
	return func(yield func(apiv1.Event, error) bool) {
		f := eventFollower{client: c, position: lastID, retry: firstStreamPause, onOpen: opened, start: time.Now()}
		for try := 1; ; try++ {
			before := f.messages
			err := f.connection(ctx, yield)
			switch {
			case f.stopped:
				return
			case ctx.Err() != nil:
				yield(apiv1.Event{}, context.Cause(ctx))
				return
			}
			if f.messages > before {
				try = 1
			}
			pause, again := f.pause(err, try)
			c.log.DebugContext(ctx, "event stream ended", "error", err, "pause", pause, "again", again)
			if !again {
				yield(apiv1.Event{}, err)
				return
			}
			if !schedctl.Sleep(ctx, pause) {
				yield(apiv1.Event{}, context.Cause(ctx))
				return
			}
		}
	}
}

// EventStream is a single connection of [Client.Events], for callers that show the
// state of the connection. It calls onStart with the start position as soon as the
// daemon streams, and onEvent for each event in order. It does not reconnect. The
// returned error says why the connection ended and is never nil.
func (c *Client) EventStream(ctx context.Context, lastID string, onStart func(position string), onEvent func(apiv1.Event)) error {
	f := eventFollower{client: c, position: lastID, onStart: onStart, onOpen: func() {}, retry: firstStreamPause}
	err := f.connection(ctx, func(e apiv1.Event, _ error) bool {
		onEvent(e)
		return true
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// eventFollower is the state of a stream across its connections.
type eventFollower struct {
	client   *Client
	onStart  func(position string) // called with the start position of a connection; may be nil
	position string                // the id to resume after, or empty
	retry    time.Duration
	opened   bool // a connection has succeeded
	messages int  // number of messages received
	stopped  bool // the caller stopped the iteration
	start    time.Time
	onOpen   func() // called for each connection
}

// connection opens the stream and yields its events until it ends. It returns nil only
// if the caller stopped.
func (f *eventFollower) connection(ctx context.Context, yield func(apiv1.Event, error) bool) error {
	listening, hangUp := context.WithCancelCause(ctx)
	defer hangUp(nil)
	idle := time.AfterFunc(streamIdleTimeout, func() { hangUp(context.DeadlineExceeded) })
	defer idle.Stop()
	body, err := f.open(listening)
	if err != nil && listening.Err() != nil {
		return &UnreachableError{URL: f.client.url, Err: context.Cause(listening)}
	}
	if err != nil {
		return err
	}
	defer body.Close()
	f.opened = true
	f.onOpen()
	parser := newEventParser(&idleReader{from: body, idle: idle, timeout: streamIdleTimeout})
	for {
		m, err := parser.next()
		if err != nil {
			return &UnreachableError{URL: f.client.url, Err: err}
		}
		if err := f.handle(m, parser.retry, yield); err != nil || f.stopped {
			return err
		}
	}
}

// handle yields the event of a message, if it has one.
func (f *eventFollower) handle(m serverSentEvent, retry time.Duration, yield func(apiv1.Event, error) bool) error {
	if f.messages++; retry > 0 {
		f.retry = min(retry, maxStreamPause)
	}
	if m.data != nil {
		var e apiv1.Event
		if err := json.Unmarshal(m.data, &e); err != nil {
			return fmt.Errorf("read event %q of %s: %w", m.id, f.client.url, err)
		}
		f.stopped = !yield(e, nil)
	} else if m.id != "" && f.onStart != nil {
		f.onStart(m.id)
	}
	if m.id != "" {
		f.position = m.id
	}
	return nil
}

// open makes the request and returns the body of a stream.
func (f *eventFollower) open(ctx context.Context) (io.ReadCloser, error) {
	c := f.client
	req := c.resty.R().SetContext(ctx).SetHeader("Accept", "text/event-stream, application/json;q=0.5").SetDoNotParseResponse(true)
	if f.position != "" {
		req.SetHeader("Last-Event-ID", f.position)
	}
	resp, err := req.Execute(http.MethodGet, "/events")
	if err != nil {
		return nil, &UnreachableError{URL: c.url, Err: err}
	}
	body := resp.RawBody()
	media, _, _ := mime.ParseMediaType(resp.Header().Get("Content-Type"))
	if resp.StatusCode() == http.StatusOK && media == "text/event-stream" {
		return body, nil
	}
	defer body.Close()
	return nil, c.errorResponse(resp, body)
}

// pause returns the time until the next connection after err, and whether there is one.
func (f *eventFollower) pause(err error, try int) (pause time.Duration, again bool) {
	pause = min(f.retry<<min(try-1, 10), maxStreamPause)
	pause = pause/2 + rand.N(pause/2+1) // spreads the connections of many clients
	var unreachable *UnreachableError
	var refused *Error
	switch {
	case errors.As(err, &unreachable):
		return pause, f.opened && !errors.Is(err, errRedirect)
	case errors.As(err, &refused):
		later := refused.Status == http.StatusTooManyRequests || refused.Status >= http.StatusInternalServerError
		soon := refused.wantsRetry() && refused.RetryAfter <= f.client.maxWait && time.Since(f.start)+refused.RetryAfter < f.client.timeout
		return max(pause, refused.RetryAfter), f.opened && later || soon
	}
	return 0, false
}
