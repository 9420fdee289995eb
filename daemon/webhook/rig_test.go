package webhook_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/clock"
	"github.com/schedctl/schedctl/daemon/seal"
	"github.com/schedctl/schedctl/daemon/webhook"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

const (
	secretOne = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	secretTwo = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
)

// rig is a store with a workspace, endpoints in memory and, once started, a
// dispatcher.
type rig struct {
	clock *clock.Clock // of the next start; nil to believe the wall clock
	testing.TB
	store     storage.Store
	client    *http.Client
	endpoints *endpoints
	courier   courier // sends the messages of notifications
	sealer    *seal.Sealer
	workspace string
	logs      logBuffer

	mu       sync.Mutex // mu guards what follows
	running  *run
	attempts []webhook.Attempt
	commits  int
}

// run is one start of a rig's dispatcher.
type run struct {
	*webhook.Dispatcher
	stop context.CancelFunc
	fail context.CancelCauseFunc
	done chan error
}

// bubble runs a test in a synctest bubble, on a rig with a store in memory.
func bubble(t *testing.T, test func(*rig)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, storagetest.NewMemory())
		defer r.stop()
		test(r)
	})
}

func newRig(t testing.TB, store storage.Store) *rig {
	t.Helper()
	sealer, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	all := &endpoints{byHost: make(map[string]*endpoint)}
	r := &rig{
		TB: t, store: store, endpoints: all, sealer: sealer, workspace: newWorkspaceID(),
		client: &http.Client{
			Transport:     all,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	store.Notify(r.committed)
	r.putWorkspace(r.workspace)
	return r
}

func newWorkspaceID() string { return schedctl.NewID(schedctl.WorkspacePrefix, time.Now()) }

func (r *rig) putWorkspace(id string) {
	r.Helper()
	r.update(func(tx storage.Tx) error {
		return tx.PutWorkspace(schedctl.Workspace{ID: id, Name: id, Timezone: "UTC", CreatedAt: schedctl.Millis(time.Now())})
	})
}

func (r *rig) committed(c storage.Commit) {
	r.mu.Lock()
	r.commits++
	running := r.running
	r.mu.Unlock()
	if running != nil {
		running.Committed(c)
	}
}

// start runs a new dispatcher, as after a start of its process.
func (r *rig) start() *run {
	r.Helper()
	ctx, fail := context.WithCancelCause(context.Background())
	x := &run{stop: func() { fail(nil) }, fail: fail, done: make(chan error, 1)}
	x.Dispatcher = webhook.New(webhook.Config{
		Store: r.store, Client: r.client, Sealer: r.sealer, Version: "test", Clock: r.clock, Notifier: &r.courier,
		Logger: slog.New(slog.NewTextHandler(&r.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Observe: func(a webhook.Attempt) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.attempts = append(r.attempts, a)
		},
	})
	r.mu.Lock()
	r.running = x
	r.mu.Unlock()
	go func() { x.done <- x.Run(ctx) }()
	return x
}

// stop ends the run, if there is one, and waits for it.
func (r *rig) stop() {
	r.Helper()
	r.endFor(nil)
}

// endFor ends the run, if there is one, for a reason, and waits for it.
func (r *rig) endFor(why error) {
	r.Helper()
	r.mu.Lock()
	x := r.running
	r.running = nil
	r.mu.Unlock()
	if x == nil {
		return
	}
	x.fail(why)
	if err := <-x.done; err != nil {
		r.Errorf("Run: %v", err)
	}
}

// after waits in a bubble until time has passed and all goroutines are idle.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// update and view bypass the injected faults of a store.
func (r *rig) update(fn func(storage.Tx) error) {
	r.Helper()
	if err := r.sound().Update(r.Context(), fn); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) view(fn func(storage.Reader) error) {
	r.Helper()
	if err := r.sound().View(r.Context(), fn); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) sound() storage.Store {
	if faulty, ok := r.store.(*storagetest.Faulty); ok {
		return faulty.Store
	}
	return r.store
}

// hook stores an enabled webhook for https://HOST/hook, which wants
// post.published and the other named types from now on.
func (r *rig) hook(host string, also ...schedctl.EventType) schedctl.Webhook {
	r.Helper()
	return r.hookIn(r.workspace, host, also...)
}

func (r *rig) hookIn(workspace, host string, also ...schedctl.EventType) (w schedctl.Webhook) {
	r.Helper()
	r.update(func(tx storage.Tx) error {
		now := schedctl.Millis(time.Now())
		w = schedctl.Webhook{
			ID: schedctl.NewID(schedctl.WebhookPrefix, now), WorkspaceID: workspace, URL: "https://" + host + "/hook", Enabled: true,
			EventTypes: append([]schedctl.EventType{schedctl.EventPostPublished}, also...),
			CreatedAt:  now, UpdatedAt: now, Cursor: schedctl.NewID(schedctl.EventPrefix, now),
		}
		w.Secret = r.sealer.Seal([]byte(secretOne), w.ID)
		return tx.PutWebhook(w)
	})
	return w
}

// edit changes a webhook as the API does.
func (r *rig) edit(w schedctl.Webhook, change func(*schedctl.Webhook)) {
	r.Helper()
	r.update(func(tx storage.Tx) error {
		now, err := tx.Webhook(w.WorkspaceID, w.ID)
		if err != nil {
			return err
		}
		change(&now)
		now.UpdatedAt = schedctl.Millis(time.Now())
		return tx.PutWebhook(now)
	})
}

// enable enables a webhook from now on, as the API does.
func (r *rig) enable(w schedctl.Webhook) {
	r.Helper()
	r.edit(w, func(w *schedctl.Webhook) {
		w.Enabled, w.DisabledReason, w.FailingSince = true, "", time.Time{}
		w.Cursor = schedctl.NewID(schedctl.EventPrefix, time.Now())
	})
}

func (r *rig) readHook(w schedctl.Webhook) (now schedctl.Webhook) {
	r.Helper()
	r.view(func(reader storage.Reader) (err error) {
		now, err = reader.Webhook(w.WorkspaceID, w.ID)
		return err
	})
	return now
}

// emit stores one event of each type.
func (r *rig) emit(types ...schedctl.EventType) []string {
	r.Helper()
	return r.emitIn(r.workspace, types...)
}

func (r *rig) emitIn(workspace string, types ...schedctl.EventType) (ids []string) {
	r.Helper()
	r.update(func(tx storage.Tx) error {
		ids = nil
		now := schedctl.Millis(time.Now())
		events := make([]schedctl.Event, len(types))
		for i, typ := range types {
			events[i] = schedctl.Event{
				ID: schedctl.NewID(schedctl.EventPrefix, now), Type: typ, CreatedAt: now, WorkspaceID: workspace,
				PostID: schedctl.NewID(schedctl.PostPrefix, now), Status: schedctl.Published,
			}
			ids = append(ids, events[i].ID)
		}
		return tx.AddEvents(events...)
	})
	return ids
}

// publish emits n events that every webhook wants.
func (r *rig) publish(n int) []string {
	r.Helper()
	return r.emit(slices.Repeat([]schedctl.EventType{schedctl.EventPostPublished}, n)...)
}

// ping stores a test of a webhook, as the API does.
func (r *rig) ping(w schedctl.Webhook) (event string) {
	r.Helper()
	r.update(func(tx storage.Tx) error {
		now := schedctl.Millis(time.Now())
		hook, err := tx.Webhook(w.WorkspaceID, w.ID)
		e := schedctl.WebhookTestEvent(hook, now)
		event = e.ID
		return errors.Join(err, tx.AddEvents(e), tx.PutWebhook(hook), tx.PutDelivery(schedctl.Delivery{
			ID: schedctl.NewID(schedctl.DeliveryPrefix, now), WebhookID: w.ID, EventID: e.ID, EventType: e.Type,
			Status: schedctl.DeliveryPending, NextAttemptAt: now, CreatedAt: now,
		}))
	})
	return event
}

// replay queues a delivery again, as the API does.
func (r *rig) replay(w schedctl.Webhook, delivery string) {
	r.Helper()
	r.update(func(tx storage.Tx) error {
		hook, err := tx.Webhook(w.WorkspaceID, w.ID)
		d, err2 := tx.Delivery(w.ID, delivery)
		d.Status, d.NextAttemptAt, d.RetriesFrom = schedctl.DeliveryPending, schedctl.Millis(time.Now()), d.Attempt
		return errors.Join(err, err2, tx.PutDelivery(d), tx.PutWebhook(hook))
	})
}

// deliveries returns those of a webhook, the oldest first.
func (r *rig) deliveries(w schedctl.Webhook) (all []schedctl.Delivery) {
	r.Helper()
	r.view(func(reader storage.Reader) (err error) {
		all, err = reader.Deliveries(w.ID, "", 1e6)
		return err
	})
	slices.Reverse(all)
	return all
}

// delivery returns the only delivery of a webhook.
func (r *rig) delivery(w schedctl.Webhook) schedctl.Delivery {
	r.Helper()
	all := r.deliveries(w)
	if len(all) != 1 {
		r.Fatalf("%d deliveries, want one", len(all))
	}
	return all[0]
}

func (r *rig) events(typ schedctl.EventType) (found []schedctl.Event) {
	r.Helper()
	r.view(func(reader storage.Reader) error {
		all, err := reader.Events("", 1e6)
		found = slices.DeleteFunc(all, func(e schedctl.Event) bool { return e.Type != typ })
		return err
	})
	return found
}

// endpoints is the HTTP transport of a rig. It responds by host.
type endpoints struct {
	mu     sync.Mutex // mu guards byHost
	byHost map[string]*endpoint
}

// at returns the endpoint of a host. By default it responds with 204.
func (e *endpoints) at(host string) *endpoint {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.byHost[host] == nil {
		e.byHost[host] = &endpoint{always: status(http.StatusNoContent)}
	}
	return e.byHost[host]
}

func (e *endpoints) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return nil, err
	}
	return e.at(req.URL.Host).answer(req, body)
}

// responder responds to a call.
type responder func(*http.Request) (*http.Response, error)

// endpoint records its calls.
type endpoint struct {
	mu     sync.Mutex // mu guards what follows
	calls  []call
	next   []responder
	always responder
}

type call struct {
	at     time.Time
	header http.Header
	body   string
}

// event returns the id of the event in a call.
func (c call) event() string { return c.header.Get("webhook-id") }

func (e *endpoint) answer(req *http.Request, body []byte) (*http.Response, error) {
	e.mu.Lock()
	e.calls = append(e.calls, call{at: time.Now(), header: req.Header, body: string(body)})
	answer := e.always
	if len(e.next) > 0 {
		answer, e.next = e.next[0], e.next[1:]
	}
	e.mu.Unlock()
	return answer(req)
}

// fromNow sets the responder for calls after those of then.
func (e *endpoint) fromNow(a responder) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.always = a
}

// then sets responders for the next calls, one each.
func (e *endpoint) then(answers ...responder) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.next = append(e.next, answers...)
}

func (e *endpoint) all() []call {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.calls)
}

// eventIDs returns the ids of the received events, with repeats.
func (e *endpoint) eventIDs() (ids []string) {
	for _, c := range e.all() {
		ids = append(ids, c.event())
	}
	return ids
}

func status(code int) responder { return respond(code, "") }

func respond(code int, body string) responder {
	return streamed(code, func() io.Reader { return strings.NewReader(body) })
}

func streamed(code int, body func() io.Reader) responder {
	return func(req *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
			Header: http.Header{"Location": {"https://elsewhere.example/"}}, Body: io.NopCloser(body()),
		}, nil
	}
}

var errRefused = errors.New("connection refused")

func refused(*http.Request) (*http.Response, error) { return nil, errRefused }

// hanging never responds.
func hanging(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// slow responds after a delay, unless the caller gives up.
func slow(wait time.Duration, then responder) responder {
	return func(req *http.Request) (*http.Response, error) {
		select {
		case <-req.Context().Done():
			return nil, req.Context().Err()
		case <-time.After(wait):
			return then(req)
		}
	}
}

// logBuffer is a log that tests can read while it is written.
type logBuffer struct {
	mu  sync.Mutex // mu guards buf
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
