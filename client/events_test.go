package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// connection is what a daemon does with one request for events.
type connection struct {
	status int    // 200 when 0
	media  string // of events when empty
	text   string
	header map[string]string
	err    error         // instead of a response
	then   error         // after the text; io.EOF when nil
	hold   time.Duration // before the end
}

// streams is a network in which each request meets the next connection; the
// last one is repeated.
type streams struct {
	connections []connection

	mu     sync.Mutex // mu guards what follows
	resume []string   // Last-Event-ID of each request
	at     []time.Time
}

func (s *streams) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resume = append(s.resume, r.Header.Get("Last-Event-ID"))
	s.at = append(s.at, time.Now())
	c := s.connections[min(len(s.resume), len(s.connections))-1]
	if c.err != nil {
		return nil, c.err
	}
	if c.status == 0 {
		c.status = http.StatusOK
	}
	h := http.Header{"Content-Type": {"text/event-stream"}}
	if c.media != "" {
		h.Set("Content-Type", c.media)
	}
	for k, v := range c.header {
		h.Set(k, v)
	}
	return &http.Response{StatusCode: c.status, Header: h, Body: &streamBody{ctx: r.Context(), text: strings.NewReader(c.text), c: c}, Request: r}, nil
}

// streamBody gives its text, holds the line for a while, and ends.
type streamBody struct {
	ctx  context.Context
	text io.Reader
	c    connection
}

func (b *streamBody) Read(p []byte) (int, error) {
	if n, err := b.text.Read(p); err == nil {
		return n, nil
	}
	select {
	case <-time.After(b.c.hold):
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
	if b.c.then != nil {
		return 0, b.c.then
	}
	return 0, io.EOF
}

func (b *streamBody) Close() error { return nil }

// eventStream returns the text of a stream with these events.
func eventStream(ids ...string) string {
	var b strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&b, "id: %s\nevent: post.created\ndata: {\"id\":%q,\"type\":\"post.created\"}\n\n", id, id)
	}
	return b.String()
}

// read collects up to n events of a client in a bubble.
func read(t *testing.T, s *streams, lastID string, n int) (ids []string, err error) {
	t.Helper()
	c := newClient(t, client.Config{URL: "http://daemon", Key: secret, Transport: s})
	for e, err := range c.Events(t.Context(), lastID) {
		if err != nil {
			return ids, err
		}
		if ids = append(ids, e.ID); len(ids) == n {
			break
		}
	}
	return ids, nil
}

func TestEventsResume(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("reset by peer")
		s := &streams{connections: []connection{
			{text: "retry: 5000\nid: start\n\n: heartbeat\n\n"},
			{text: eventStream("a", "b")},
			{text: eventStream("c") + "id: d\ndata: {\"id\":", then: broken},
			{err: broken},
			{status: http.StatusServiceUnavailable, media: "application/json", text: `{"error":{"code":"UNAVAILABLE","message":"x"}}`, header: map[string]string{"Retry-After": "20"}},
			{text: eventStream("d", "e")},
		}}
		ids, err := read(t, s, "", 5)
		if err != nil || strings.Join(ids, "") != "abcde" {
			t.Errorf("got %v and %v", ids, err)
		}
		if diff := cmp.Diff([]string{"", "start", "b", "c", "c", "c"}, s.resume); diff != "" {
			t.Errorf("Last-Event-ID, -want +got:\n%s", diff)
		}
		for i, bounds := range [][2]float64{{2.5, 5}, {2.5, 5}, {2.5, 5}, {5, 10}, {20, 20}} {
			if pause := s.at[i+1].Sub(s.at[i]).Seconds(); pause < bounds[0] || pause > bounds[1] {
				t.Errorf("pause %d takes %v s, want %v", i+1, pause, bounds)
			}
		}
	})
}

// The first request waits for a daemon that limits it, but no longer than others.
func TestEventsWaitForALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy := func(after string) connection {
			return connection{status: http.StatusTooManyRequests, media: "application/json", text: `{"error":{"code":"RATE_LIMITED","message":"x"}}`, header: map[string]string{"Retry-After": after}}
		}
		s := &streams{connections: []connection{busy("3"), busy("3"), {text: eventStream("a")}}}
		if ids, err := read(t, s, "", 1); err != nil || len(ids) != 1 {
			t.Errorf("got %v and %v", ids, err)
		}
		s = &streams{connections: []connection{busy("3"), busy("4")}}
		if _, err := read(t, s, "", 1); schedctl.CodeOf(err) != schedctl.RateLimited || len(s.at) != 2 {
			t.Errorf("got %v after %d requests, want the refusal that asks for too long a wait", err, len(s.at))
		}
	})
}

// One connection reports its start position, yields events, and ends.
func TestEventStreamIsOneConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("reset by peer")
		s := &streams{connections: []connection{{text: "id: start\n\n" + eventStream("a", "b"), then: broken}}}
		c := newClient(t, client.Config{URL: "http://daemon", Key: secret, Transport: s})
		var seen []string
		err := c.EventStream(t.Context(), "before", func(position string) { seen = append(seen, "from "+position) },
			func(e apiv1.Event) { seen = append(seen, e.ID) })
		if diff := cmp.Diff([]string{"from start", "a", "b"}, seen); diff != "" {
			t.Errorf("events, -want +got:\n%s", diff)
		}
		if diff := cmp.Diff([]string{"before"}, s.resume); diff != "" {
			t.Errorf("Last-Event-ID, -want +got:\n%s", diff)
		}
		var unreachable *client.UnreachableError
		if !errors.As(err, &unreachable) || !errors.Is(err, broken) {
			t.Errorf("it ended with %v", err)
		}
		ctx, stop := context.WithCancel(t.Context())
		s.connections = []connection{{text: "id: start\n\n", hold: time.Hour}}
		if err := c.EventStream(ctx, "", func(string) { stop() }, func(apiv1.Event) {}); !errors.Is(err, context.Canceled) {
			t.Errorf("after cancellation it ended with %v", err)
		}
	})
}

func TestEventsBeginWhereTheCallerWas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &streams{connections: []connection{{text: eventStream("b")}}}
		if ids, err := read(t, s, "a", 1); err != nil || len(ids) != 1 || s.resume[0] != "a" || len(s.resume) != 1 {
			t.Errorf("got %v and %v after %v", ids, err, s.resume)
		}
	})
}

func TestSilentStreamIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &streams{connections: []connection{{text: eventStream("a"), hold: time.Hour}, {text: eventStream("b")}}}
		ids, err := read(t, s, "", 2)
		if err != nil || strings.Join(ids, "") != "ab" || s.resume[1] != "a" {
			t.Errorf("got %v and %v after %v", ids, err, s.resume)
		}
		if waited := s.at[1].Sub(s.at[0]); waited < 45*time.Second || waited > 50*time.Second {
			t.Errorf("given up after %s", waited)
		}
	})
}

func TestEventsEndWithARefusal(t *testing.T) {
	t.Parallel()
	refused := connection{status: 401, media: "application/json", text: `{"error":{"code":"API_KEY_REVOKED","message":"no"}}`}
	busy := connection{status: 503, media: "application/json", text: `{"error":{"code":"UNAVAILABLE","message":"no"}}`}
	for name, tt := range map[string]struct {
		connections []connection
		code        schedctl.Code
		requests    int
	}{
		"at once":             {[]connection{refused}, schedctl.APIKeyRevoked, 1},
		"later":               {[]connection{{text: eventStream("a")}, refused}, schedctl.APIKeyRevoked, 2},
		"busy from the start": {[]connection{busy}, schedctl.Unavailable, 1},
		"something else":      {[]connection{{media: "text/html", text: "<html>"}}, schedctl.Internal, 1},
		"broken data":         {[]connection{{text: "data: {\n\n"}}, schedctl.Internal, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &streams{connections: tt.connections}
				if _, err := read(t, s, "", 9); schedctl.CodeOf(err) != tt.code || len(s.resume) != tt.requests {
					t.Errorf("got %v after %d requests", err, len(s.resume))
				}
			})
		})
	}
}

func TestEventsOfADaemonThatIsNotThere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &streams{connections: []connection{{err: errors.New("refused")}}}
		_, err := read(t, s, "", 1)
		var unreachable *client.UnreachableError
		if !errors.As(err, &unreachable) || len(s.resume) != 1 {
			t.Errorf("got %v after %d requests", err, len(s.resume))
		}
	})
}

func TestEventsPauseLonger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gone := connection{err: errors.New("refused")}
		s := &streams{connections: []connection{{text: eventStream("a")}, gone, gone, gone, gone, gone, gone, gone, gone, gone, {text: eventStream("b")}}}
		if ids, err := read(t, s, "", 2); err != nil || strings.Join(ids, "") != "ab" {
			t.Errorf("got %v and %v", ids, err)
		}
		first, last := s.at[1].Sub(s.at[0]), s.at[10].Sub(s.at[9])
		if first > 2*time.Second || last < 15*time.Second || last > 30*time.Second {
			t.Errorf("the first pause takes %s, the last %s", first, last)
		}
	})
}

func TestEventsEndWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]connection{"while it is quiet": {text: eventStream("a"), hold: time.Hour}, "in a pause": {text: eventStream("a")}} {
			ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Millisecond, errors.New("enough"))
			cl := newClient(t, client.Config{URL: "http://daemon", Transport: &streams{connections: []connection{c}}})
			var last error
			n := 0
			for _, err := range cl.Events(ctx, "") {
				last = err
				n++
			}
			if n != 2 || last == nil || last.Error() != "enough" {
				t.Errorf("%s: %d steps, then %v", name, n, last)
			}
			cancel()
		}
	})
}

func TestFollowTellsSinceWhenNothingIsMissed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &streams{connections: []connection{{text: eventStream("a")}, {err: errors.New("reset by peer")}, {text: eventStream("b")}}}
		c := newClient(t, client.Config{URL: "http://daemon", Key: secret, Transport: s})
		var order []string
		for e, err := range c.Follow(t.Context(), "", func() { order = append(order, "opened") }) {
			if err != nil {
				t.Fatal(err)
			}
			if order = append(order, e.ID); e.ID == "b" {
				break
			}
		}
		if diff := cmp.Diff([]string{"opened", "a", "opened", "b"}, order); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
