package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/storage"
)

// live serves a fixture with its background work, like the daemon, over unbuffered
// connections in memory: while the client does not read, the server cannot write.
// It runs in a synctest bubble.
type live struct {
	*fixture
	client  *http.Client
	stop    func() // ends Server.Run and waits for it
	serving atomic.Int64
}

// streaming returns the number of running requests.
func (l *live) streaming() int64 { return l.serving.Load() }

func (f *fixture) goLive() *live {
	f.t.Helper()
	listener := &pipes{dialed: make(chan net.Conn), closed: make(chan struct{})}
	transport := &http.Transport{DialContext: listener.dial}
	l := &live{fixture: f, client: &http.Client{Transport: transport}}
	server := &http.Server{ReadTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.serving.Add(1)
		defer l.serving.Add(-1)
		f.handler.ServeHTTP(w, r)
	})}
	ctx, cancel := context.WithCancel(context.Background())
	var running, serving sync.WaitGroup
	running.Go(func() { f.server.Run(ctx) })
	serving.Go(func() { server.Serve(listener) })
	l.stop = func() { cancel(); running.Wait() }
	f.t.Cleanup(func() {
		l.stop()
		transport.CloseIdleConnections()
		server.Close()
		serving.Wait()
	})
	return l
}

// pipes is a listener for connections in memory.
type pipes struct {
	dialed chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.dialed <- far:
		return near, nil
	case <-p.closed:
	case <-ctx.Done():
	}
	return nil, net.ErrClosed
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialed:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// follower reads a stream of events.
type follower struct {
	live   *live
	res    *http.Response
	lines  *bufio.Reader
	cancel context.CancelFunc

	position string // the resume position before the first event
}

// follow opens a stream with my key, changed by options. The request must succeed.
func (l *live) follow(options ...option) *follower {
	l.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://memory/api/v1/events", nil)
	if err != nil {
		l.t.Fatal(err)
	}
	all(as(l.mine.key), header("Accept", "text/event-stream"), all(options...))(r)
	res, err := l.client.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	w := &follower{live: l, res: res, lines: bufio.NewReader(res.Body), cancel: cancel}
	l.t.Cleanup(w.leave)
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(res.Body)
		l.t.Fatalf("a stream has the status %d: %s", res.StatusCode, body)
	}
	first := w.block()
	if _, ok := schedctl.ParseID(schedctl.EventPrefix, first["id"]); !ok || first["retry"] != "2000" || len(first) != 2 {
		l.t.Fatalf("the stream starts with %v", first)
	}
	w.position = first["id"]
	return w
}

// leave closes the connection.
func (w *follower) leave() {
	w.cancel()
	w.res.Body.Close()
}

// block reads up to the next empty line: fields by name, a comment under ":".
// It is nil at the end of the stream.
func (w *follower) block() map[string]string {
	w.live.t.Helper()
	fields := map[string]string{}
	for {
		line, err := w.lines.ReadString('\n')
		switch {
		case errors.Is(err, io.EOF) && line == "" && len(fields) == 0:
			return nil
		case err != nil:
			w.live.t.Fatalf("the stream broke off: %v after %q", err, line)
		case line == "\n":
			return fields
		}
		name, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		if !found {
			w.live.t.Fatalf("the stream has the line %q", line)
		}
		if name == "" {
			name = ":"
		}
		fields[name] = strings.TrimPrefix(value, " ")
	}
}

// next returns the next event, and the comments before it.
func (w *follower) next() (e apiv1.Event, comments []string) {
	w.live.t.Helper()
	for {
		b := w.block()
		if b == nil {
			w.live.t.Fatalf("the stream has ended; comments %q", comments)
		}
		if b["id"] == "" {
			comments = append(comments, b[":"])
			continue
		}
		if err := json.Unmarshal([]byte(b["data"]), &e); err != nil || e.ID != b["id"] || string(e.Type) != b["event"] {
			w.live.t.Fatalf("an event is %v: %v", b, err)
		}
		answer := &response{t: w.live.t, method: http.MethodGet, path: "/events", status: http.StatusOK, header: w.res.Header, body: []byte("data: " + b["data"] + "\n")}
		checkDocumented(w.live.t, httptest.NewRequest(http.MethodGet, "/api/v1/events", nil), nil, answer)
		return e, comments
	}
}

// nextID returns the id of the next event. It avoids work that would take time.
func (w *follower) nextID() string {
	w.live.t.Helper()
	for {
		switch b := w.block(); {
		case b == nil:
			w.live.t.Error("the stream has ended")
			return ""
		case b["id"] != "":
			return b["id"]
		}
	}
}

// upTo reads events up to the given id and returns their types.
func (w *follower) upTo(id string) string {
	w.live.t.Helper()
	var types []string
	for {
		e, _ := w.next()
		types = append(types, string(e.Type))
		if e.ID == id {
			return strings.Join(types, " ")
		}
		if e.ID > id {
			w.live.t.Fatalf("%s was passed over; there was %v", id, types)
		}
	}
}

// ended reads to the end of the stream and returns its last comment.
func (w *follower) ended() (comment string) {
	w.live.t.Helper()
	for b := w.block(); b != nil; b = w.block() {
		if b["id"] != "" {
			w.live.t.Errorf("an unexpected event: %v", b)
		}
		comment = b[":"]
	}
	return comment
}

// lastEvent returns the id of the newest stored event.
func (f *fixture) lastEvent() (id string) {
	f.t.Helper()
	err := f.store.View(f.t.Context(), func(r storage.Reader) (err error) {
		id, err = r.LastEvent()
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return id
}

// addEvents stores events of my workspace and returns their ids.
func (f *fixture) addEvents(n int) (ids []string) {
	f.t.Helper()
	f.update(func(tx storage.Tx) error {
		ids = nil
		events := make([]schedctl.Event, n)
		for i := range events {
			events[i] = schedctl.WebhookDisabledEvent(schedctl.Webhook{ID: "wh_01K2M4N6P8QARCTDVEWFXGYHZ1", WorkspaceID: f.mine.workspace}, time.Now())
			ids = append(ids, events[i].ID)
		}
		return tx.AddEvents(events...)
	})
	return ids
}

// resume is the header that resumes after an event.
func resume(id string) option { return header("Last-Event-ID", id) }
