package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/cmd/schedctl/cli"
	"github.com/schedctl/schedctl/cmd/schedctl/webhook"
	"github.com/schedctl/schedctl/daemon/publish/signing"
)

// world is a daemon whose events have happened already, and a receiver at
// localhost:3000.
type world struct {
	events  []string // of each connection; the last one is held
	receive func(*http.Request) (*http.Response, error)

	mu     sync.Mutex // mu guards resume
	resume []string   // Last-Event-ID of each connection
}

func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "localhost:3000" {
		return w.receive(r)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resume = append(w.resume, r.Header.Get("Last-Event-ID"))
	n := len(w.resume) - 1
	out, in := io.Pipe()
	go func() {
		defer in.Close()
		if n < len(w.events) {
			io.WriteString(in, w.events[n])
		}
		if n >= len(w.events)-1 {
			<-r.Context().Done()
		}
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: out, Request: r}, nil
}

func happened(types ...schedctl.EventType) string {
	var b strings.Builder
	for i, typ := range types {
		fmt.Fprintf(&b, "id: evt_%d\ndata: {\"id\":\"evt_%d\",\"type\":%q,\"created_at\":\"2026-11-21T12:00:00Z\",\"data\":{\"workspace_id\":\"ws_1\",\"post_id\":\"post_%d\"}}\n\n", i, i, typ, i)
	}
	return b.String()
}

func answering(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}
}

// listenUntil runs "schedctl listen" until ctx ends, on a machine whose receiver
// responds to the calls in their order; the first call without a response ends it.
func listenUntil(t *testing.T, m *machine, events string, answers []*http.Response, args ...string) (calls []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m.Transport = &world{events: []string{events}, receive: func(r *http.Request) (*http.Response, error) {
		if len(calls) == len(answers) {
			cancel()
			return nil, context.Canceled
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		calls = append(calls, checkSigned(t, r.Header, body)+" "+r.URL.String())
		if answer := answers[len(calls)-1]; answer != nil {
			return answer, nil
		}
		return nil, io.ErrUnexpectedEOF
	}}
	if status := run(ctx, m.System, append([]string{"listen", "--forward-to", "localhost:3000/hooks"}, args...)); status != 130 {
		t.Errorf("exit status %d, want 130: %s", status, &m.err)
	}
	return calls
}

const receiverSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// checkSigned checks a call as a receiver does, and returns the id of its event.
func checkSigned(t *testing.T, h http.Header, body []byte) string {
	t.Helper()
	key, err := signing.ParseSecret(receiverSecret)
	if err != nil {
		t.Fatal(err)
	}
	var seconds int64
	fmt.Sscan(h.Get("webhook-timestamp"), &seconds)
	id := h.Get("webhook-id")
	if want := key.Sign(id, time.Unix(seconds, 0), body); h.Get("webhook-signature") != want {
		t.Errorf("%s is signed with %q, want %q", id, h.Get("webhook-signature"), want)
	}
	if !strings.Contains(string(body), `{"id":"`+id+`"`) || h.Get("Content-Type") != "application/json" {
		t.Errorf("%s has the body %s of type %s", id, body, h.Get("Content-Type"))
	}
	return id
}

// TestListenForwardsInOrder guards that a failing receiver is reported and still
// receives the next event.
func TestListenForwardsInOrder(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	m.env["SCHEDCTL_SECRET"] = receiverSecret
	events := happened("post.created", "post.queued", "post.published", "post.failed", "post.completed", "post.created")
	calls := listenUntil(t, m, events, []*http.Response{answering(204, ""), answering(500, "no"), nil, answering(200, strings.Repeat("é", 3000))},
		"--event", "post.created,post.published", "--event", "post.failed,post.completed", "--json=id,triggered,forward_to,status,http_status,error")
	const to = " http://localhost:3000/hooks"
	if diff := cmp.Diff([]string{"evt_0" + to, "evt_2" + to, "evt_3" + to, "evt_4" + to}, calls); diff != "" {
		t.Errorf("calls, -want +got:\n%s", diff)
	}
	const rest = `"triggered":false,"forward_to":"http://localhost:3000/hooks","status":`
	want := `{"id":"evt_0",` + rest + `"delivered","http_status":204,"error":null}
{"id":"evt_2",` + rest + `"failed","http_status":500,"error":null}
{"id":"evt_3",` + rest + `"failed","http_status":null,"error":"cannot connect to localhost"}
{"id":"evt_4",` + rest + `"delivered","http_status":200,"error":null}
`
	if diff := cmp.Diff(want, m.out.String()); diff != "" {
		t.Errorf("standard output, -want +got:\n%s", diff)
	}
	// A secret that was given is not shown.
	wantErr := "forwarding post.created, post.published, post.failed, post.completed of http://daemon.test to http://localhost:3000/hooks; end with Ctrl-C\n" +
		`{"error":{"code":"INTERRUPTED","message":"interrupted","details":null,"request_id":""}}` + "\n"
	if diff := cmp.Diff(wantErr, m.err.String()); diff != "" {
		t.Errorf("standard error, -want +got:\n%s", diff)
	}
}

func TestListenShowsLinesToPeople(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil).terminals().noColorEnv()
	m.env["SCHEDCTL_SECRET"] = receiverSecret
	listenUntil(t, m, happened("post.created", "post.failed", "post.created"), []*http.Response{nil, nil})
	want := "12:00:00  post.created          post_0                           cannot connect to localhost\n" +
		"12:00:00  post.failed           post_1                           cannot connect to localhost\n"
	if diff := cmp.Diff(want, m.out.String()); diff != "" {
		t.Errorf("standard output, -want +got:\n%s", diff)
	}
	listenUntil(t, m, happened("post.created", "post.failed"), []*http.Response{nil}, "-q")
	if got := strings.TrimPrefix(m.out.String(), want); got != "evt_0\n" {
		t.Errorf("with -q: %q", got)
	}
}

// A connection that breaks off is made again where it was.
func TestListenResumes(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := newMachine(t, nil)
	m.env["SCHEDCTL_SECRET"] = receiverSecret
	calls := 0
	w := &world{events: []string{"retry: 1\n" + happened("post.created", "post.queued"), happened("post.updated")}, receive: func(*http.Request) (*http.Response, error) {
		if calls++; calls == 3 {
			cancel()
		}
		return answering(200, ""), nil
	}}
	m.Transport = w
	status := run(ctx, m.System, []string{"listen", "--forward-to", "localhost:3000", "-q", "--last-event", "evt_01KAK3R9ZC4VBX1D2E3F4G5H6J"})
	if diff := cmp.Diff([]string{"evt_01KAK3R9ZC4VBX1D2E3F4G5H6J", "evt_1"}, w.resume); diff != "" || status != 130 {
		t.Errorf("exit status %d, resumed at -want +got:\n%s", status, diff)
	}
	if !strings.Contains(m.err.String(), "\nconnected to http://daemon.test again\n") {
		t.Errorf("told %q", &m.err)
	}
}

func TestListenEndsWithARefusal(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /events": refused{http.StatusForbidden, "INSUFFICIENT_SCOPE"}})
	m.want(t, 4, "", "schedctl: the daemon says no\n", "listen", "--forward-to", "localhost:3000")
	m = newMachine(t, nil)
	if status := m.run(t, "listen", "--forward-to", "localhost:3000"); status != 7 || strings.Contains(m.err.String(), "forwarding") {
		t.Errorf("without a daemon: exit status %d: %s", status, &m.err)
	}
}

func TestListenSecretIsKept(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	secrets := make([]string, 4)
	var made sync.WaitGroup
	for i := range secrets {
		made.Go(func() {
			secret, err := webhook.KeptSecret(&cli.App{System: m.System})
			if secrets[i] = secret; err != nil {
				t.Error(err)
			}
		})
	}
	made.Wait()
	m.want(t, 0, secrets[0]+"\n", "", "listen", "--print-secret")
	m.want(t, 0, secrets[3]+"\n", "", "listen", "--print-secret", "-q")
	path := filepath.Join(m.ConfigHome, "schedctl", "listen.secret")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.WriteFile(path, []byte("whsec_nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.want(t, 1, "", "schedctl: "+path+": the secret must be whsec_ followed by the base64 of 24 to 64 bytes; remove the file to get a new one\n", "listen", "--print-secret")
	m.env["SCHEDCTL_SECRET"] = receiverSecret
	m.want(t, 0, receiverSecret+"\n", "", "listen", "--print-secret")
}

func TestListenFlags(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{})
	for want, args := range map[string]string{
		"schedctl listen needs --forward-to, which says where to send events; give it with --forward-to http://localhost:3000/hooks; see events alone with: schedctl post watch": "",
		"--forward-to: the URL contains a user name or password; remove it; give it as http://localhost:3000/hooks":                                                              "--forward-to me:secret@localhost",
		"--forward-to: the URL is not valid; use the form https://host/path; give it as http://localhost:3000/hooks":                                                             "--forward-to http://[::1",
		"--last-event takes the id of an event, evt_…, not \"post_1\"":                                                                                                           "--forward-to localhost --last-event post_1",
		"--print-secret prints the secret and nothing else: leave out --forward-to and --json":                                                                                   "--forward-to localhost --print-secret",
	} {
		m.want(t, 2, "", "schedctl: "+want+"\n", append([]string{"listen"}, strings.Fields(args)...)...)
	}
	for _, args := range []string{"--forward-to ftp://localhost", "--forward-to localhost --event post.lost", "--forward-to localhost x", "--event post.created"} {
		if status := m.run(t, append([]string{"listen"}, strings.Fields(args)...)...); status != 2 {
			t.Errorf("%q: exit status %d, want 2", args, status)
		}
	}
	m.env["SCHEDCTL_SECRET"] = "nonsense"
	if status := m.run(t, "listen", "--forward-to", "localhost"); status != 5 {
		t.Errorf("an invalid secret: exit status %d", status)
	}
}

// An event that is triggered takes the way of all others, and who triggered it
// learns what came of it.
func TestTriggerAndListen(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := newMachine(t, nil)
	m.env["SCHEDCTL_SECRET"] = receiverSecret
	var types []string
	m.Transport = &world{receive: func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		checkSigned(t, r.Header, body)
		_, typ, _ := strings.Cut(string(body), `"type":"`)
		typ, _, _ = strings.Cut(typ, `"`)
		if types = append(types, typ); typ == "post.failed" {
			return answering(http.StatusTeapot, "no"), err
		}
		return answering(http.StatusOK, ""), err
	}}
	ended := make(chan int)
	go func() {
		ended <- run(ctx, m.System, []string{"listen", "--forward-to", "localhost:3000", "--event", "post.created", "--jq", `.type + " " + .status + " " + (.triggered | tostring)`})
	}()
	other := newMachine(t, nil)
	other.ConfigHome = m.ConfigHome
	var want, shown []string
	for _, typ := range append(schedctl.EventTypes(), schedctl.EventWebhookTest) {
		wanted, outcome := 0, "delivered"
		if typ == schedctl.EventPostFailed {
			wanted, outcome = 9, "failed"
		}
		status := other.run(t, "trigger", string(typ))
		for status == 7 && want == nil && t.Context().Err() == nil { // it does not listen yet
			status = other.run(t, "trigger", string(typ))
		}
		if status != wanted || !strings.Contains(other.out.String(), "\t"+outcome+"\t"+string(typ)+"\thttp://localhost:3000\t") {
			t.Errorf("%s: exit status %d, printed %q and %q", typ, status, &other.out, &other.err)
		}
		want = append(want, string(typ))
		shown = append(shown, string(typ)+" "+outcome+" true")
	}
	cancel()
	if status := <-ended; status != 130 {
		t.Errorf("listen ended with %d: %s", status, &m.err)
	}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Errorf("received, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(strings.Join(shown, "\n")+"\n", m.out.String()); diff != "" {
		t.Errorf("shown, -want +got:\n%s", diff)
	}
	if status := other.run(t, "trigger", "post.created"); status != 7 {
		t.Errorf("after the end: exit status %d: %s", status, &other.err)
	}
}

func TestTriggerAlone(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil)
	const nobody = "schedctl: no schedctl listen is running that could forward the event; start one with: schedctl listen --forward-to URL\n"
	m.want(t, 7, "", nobody, "trigger", "post.created")
	stale := filepath.Join(m.ConfigHome, "schedctl", "listen-1.sock")
	if err := os.MkdirAll(filepath.Dir(stale), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m.want(t, 7, "", nobody, "trigger", "post.created")
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("the socket of a killed listener still exists: %v", err)
	}
	m.want(t, 2, "", "schedctl: schedctl trigger needs the type of an event; see: schedctl trigger --help\n", "trigger")
	if status := m.run(t, "trigger", "post.publishd"); status != 2 || !strings.Contains(m.err.String(), `event "post.publishd" is not known; use one of post.created,`) {
		t.Errorf("exit status %d: %s", status, &m.err)
	}
	m.run(t, "__complete", "trigger", "")
	if !strings.HasPrefix(m.out.String(), "post.created\n") || !strings.Contains(m.out.String(), "webhook.test\n") {
		t.Errorf("completed %q", &m.out)
	}
}
