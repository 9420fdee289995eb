package publishtest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// scriptedResponse is a response of the network and the error that it must cause.
type scriptedResponse struct {
	name    string
	status  int
	header  map[string]string
	body    string
	kind    schedctl.ErrorKind
	outcome schedctl.Outcome
	retryAt time.Time     // exact
	retryIn time.Duration // after the request
}

const (
	notPublished = schedctl.OutcomeNotPublished
	unknown      = schedctl.OutcomeUnknown
)

// firewallPage is what a firewall responds with.
const firewallPage = "<!DOCTYPE html>\n<html><head><title>Attention Required! | Cloudflare</title></head><body>Sorry, you have been blocked</body></html>"

// refusals are the responses that mean the same on every network.
func refusals() []scriptedResponse {
	at := time.Now().UTC().Add(10 * time.Minute).Truncate(time.Second)
	type h = map[string]string
	return []scriptedResponse{
		{name: "400", status: 400, body: `{"error":"no"}`, kind: schedctl.KindContent, outcome: notPublished},
		{name: "401", status: 401, body: `{"error":"The access token is invalid"}`, kind: schedctl.KindAuth, outcome: notPublished},
		{name: "403 without a body", status: 403, kind: schedctl.KindPlatform, outcome: notPublished},
		{name: "403 of a firewall", status: 403, body: firewallPage, kind: schedctl.KindPlatform, outcome: notPublished},
		{name: "403 of a firewall in plain text", status: 403, body: "error code: 1010", kind: schedctl.KindPlatform, outcome: notPublished},
		{name: "503 of a firewall", status: 503, header: h{"Cf-Mitigated": "challenge"}, body: firewallPage, kind: schedctl.KindPlatform, outcome: notPublished},
		{name: "503 with a page", status: 503, body: firewallPage, kind: schedctl.KindPlatform, outcome: unknown},
		{name: "404", status: 404, body: "not found", kind: schedctl.KindPlatform, outcome: notPublished},
		{name: "409", status: 409, kind: schedctl.KindDuplicate, outcome: notPublished},
		{name: "413", status: 413, kind: schedctl.KindContent, outcome: notPublished},
		{name: "422", status: 422, body: `{"error":"Validation failed"}`, kind: schedctl.KindContent, outcome: notPublished},
		{name: "422 with a huge body", status: 422, body: `{"error":"` + strings.Repeat("é", 3<<20), kind: schedctl.KindContent, outcome: notPublished},
		{name: "422 with a long message", status: 422, body: `{"error":"` + strings.Repeat("é", 10<<10) + `"}`, kind: schedctl.KindContent, outcome: notPublished},
		{name: "422 with odd types", status: 422, body: `{"error":{"code":[1,null]},"message":17}`, kind: schedctl.KindContent, outcome: notPublished},
		{name: "429", status: 429, kind: schedctl.KindRateLimited, outcome: notPublished},
		{name: "429 with seconds", status: 429, header: h{"Retry-After": "90"}, kind: schedctl.KindRateLimited, outcome: notPublished, retryIn: 90 * time.Second},
		{name: "429 with a date", status: 429, header: h{"Retry-After": at.Format(http.TimeFormat)}, kind: schedctl.KindRateLimited, outcome: notPublished, retryAt: at},
		{name: "429 with a Unix time", status: 429, header: h{"Retry-After": fmt.Sprint(at.Unix())}, kind: schedctl.KindRateLimited, outcome: notPublished, retryAt: at},
		{name: "429 with an ISO 8601 reset", status: 429, header: h{"X-RateLimit-Reset": at.Format(time.RFC3339Nano)}, kind: schedctl.KindRateLimited, outcome: notPublished, retryAt: at},
		{name: "429 with a Unix reset", status: 429, header: h{"X-RateLimit-Reset": fmt.Sprint(at.Unix())}, kind: schedctl.KindRateLimited, outcome: notPublished, retryAt: at},
		{name: "429 with nonsense", status: 429, header: h{"Retry-After": "soon", "X-RateLimit-Reset": "later"}, kind: schedctl.KindRateLimited, outcome: notPublished},
		{name: "500", status: 500, kind: schedctl.KindPlatform, outcome: unknown},
		{name: "500 with HTML", status: 500, body: "<html>oops</html>", kind: schedctl.KindPlatform, outcome: unknown},
		{name: "502", status: 502, kind: schedctl.KindPlatform, outcome: unknown},
		{name: "503", status: 503, kind: schedctl.KindPlatform, outcome: unknown},
		{name: "503 with Retry-After", status: 503, header: h{"Retry-After": "90"}, kind: schedctl.KindPlatform, outcome: notPublished, retryIn: 90 * time.Second},
		{name: "504", status: 504, kind: schedctl.KindPlatform, outcome: unknown},
		{name: "307", status: 307, header: h{"Location": "/elsewhere"}, kind: schedctl.KindContent, outcome: notPublished},
		{name: "303", status: 303, header: h{"Location": "/thanks"}, kind: schedctl.KindContent, outcome: unknown},
	}
}

// unusableBodies are responses of success without a usable body.
var unusableBodies = []scriptedResponse{
	{name: "200 without a body", status: 200},
	{name: "200 with half a body", status: 200, body: `{"id":"1`},
	{name: "200 with a list", status: 200, body: `[]`},
	{name: "200 with null", status: 200, body: `null`},
	{name: "200 with odd types", status: 200, body: `{"id":{"a":1},"url":[]}`},
	{name: "200 with HTML", status: 200, body: "<!doctype html><title>Welcome</title>"},
	{name: "200 with a huge body", status: 200, body: strings.Repeat(" ", outbound.MaxBody+1)},
	{name: "200 with bad UTF-8", status: 200, body: "\xff\xfe"},
}

func (s Suite) testResponses(t *testing.T) {
	t.Parallel()
	for _, r := range refusals() {
		if s.Doubts && r.kind != schedctl.KindRateLimited {
			r.outcome = unknown
		}
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			s.testRefusal(t, r)
		})
	}
	for _, r := range unusableBodies {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			r.kind, r.outcome = schedctl.KindPlatform, unknown
			if s.AcceptsAnyBody {
				s.testAcceptance(t, r)
			} else {
				s.testRefusal(t, r)
			}
		})
	}
}

func (a scriptedResponse) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	io.WriteString(w, a.body)
}

func (s Suite) testRefusal(t *testing.T, a scriptedResponse) {
	n := s.start(t)
	r := n.connect(t)
	n.respondWith(a.ServeHTTP)
	before := time.Now()
	_, err := n.publisher.Publish(t.Context(), r)
	after := time.Now()
	e := n.checkError(t, a.name, err)
	if e.Kind != a.kind || e.Outcome != a.outcome || e.HTTPStatus != a.status {
		t.Errorf("got %s, %s, status %d; want %s, %s, %d (%s)", e.Kind, e.Outcome, e.HTTPStatus, a.kind, a.outcome, a.status, e.Message)
	}
	if a.status == http.StatusTooManyRequests && a.retryIn == 0 && a.retryAt.IsZero() && s.RetryAt != nil {
		a.retryAt = s.RetryAt(before)
	}
	if a.body == firewallPage && !strings.Contains(e.Message, "Attention Required! | Cloudflare") {
		t.Errorf("the message does not show the title of the page: %s", e.Message)
	}
	if e.Kind == schedctl.KindPlatform && strings.Contains(e.Message, "reconnect") {
		t.Errorf("the message advises to reconnect the account: %s", e.Message)
	}
	switch {
	case a.retryIn > 0:
		if e.RetryAt.Before(before.Add(a.retryIn)) || e.RetryAt.After(after.Add(a.retryIn)) {
			t.Errorf("retry at %v, want %v after the call at %v", e.RetryAt, a.retryIn, before)
		}
	case !e.RetryAt.Equal(a.retryAt):
		t.Errorf("retry at %v, want %v", e.RetryAt, a.retryAt)
	}
	n.checkCalls(t, a.name, r, 1)
}

func (s Suite) testAcceptance(t *testing.T, a scriptedResponse) {
	n := s.start(t)
	r := n.connect(t)
	n.respondWith(a.ServeHTTP)
	if _, err := n.publisher.Publish(t.Context(), r); err != nil {
		t.Errorf("got %v, want it accepted", err)
	}
	n.checkCalls(t, a.name, r, 1)
}

// testDropped breaks connections at each point where they can break.
func (s Suite) testDropped(t *testing.T) {
	t.Parallel()
	drop := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	t.Run("dropped after the request", func(t *testing.T) {
		t.Parallel()
		n := s.start(t)
		r := n.connect(t)
		n.respondWith(drop)
		_, err := n.publisher.Publish(t.Context(), r)
		n.checkDropped(t, err, unknown)
		n.checkCalls(t, "dropped", r, 1)
	})
	t.Run("dropped on a reused connection", func(t *testing.T) {
		t.Parallel()
		n := s.start(t)
		r := n.connect(t)
		if _, err := n.publisher.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		n.respondWith(drop)
		_, err := n.publisher.Publish(t.Context(), r)
		n.checkDropped(t, err, unknown)
		n.checkCalls(t, "dropped on a reused connection", r, 2)
	})
	t.Run("no response before the context ends", func(t *testing.T) {
		t.Parallel()
		n := s.start(t)
		r := n.connect(t)
		ctx, cancel := context.WithCancel(t.Context())
		n.respondWith(func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		_, err := n.publisher.Publish(ctx, r)
		n.checkDropped(t, err, unknown)
		n.checkCalls(t, "no response", r, 1)
	})
	t.Run("connection refused", func(t *testing.T) {
		t.Parallel()
		n := s.start(t)
		r := n.connect(t)
		n.stop()
		_, err := n.publisher.Publish(t.Context(), r)
		n.checkDropped(t, err, notPublished)
		n.checkCalls(t, "connection refused", r, 0)
	})
}

func (n *network) checkDropped(t *testing.T, err error, outcome schedctl.Outcome) {
	t.Helper()
	e := n.checkError(t, "dropped", err)
	if e.Kind != schedctl.KindNetwork || e.Outcome != outcome || e.HTTPStatus != 0 {
		t.Errorf("got %s, %s, status %d; want network, %s, 0", e.Kind, e.Outcome, e.HTTPStatus, outcome)
	}
}

// testEcho has the network repeat everything it received in its error message.
func (s Suite) testEcho(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 422, 429, 500} {
		n := s.start(t)
		r := n.connect(t)
		n.respondWith(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.WriteHeader(status)
			fmt.Fprintf(w, "cannot accept %s %s %v", body, r.URL, r.Header)
		})
		_, err := n.publisher.Publish(t.Context(), r)
		n.checkError(t, "echo of the request", err)
		n.respondWith(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":"cannot accept %s"}`, content)
		})
		_, err = n.publisher.Publish(t.Context(), r)
		n.checkError(t, "echo of the content", err)
		for _, secret := range n.secrets() {
			n.respondWith(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"error":{"message":"token %s is dead"}}`, secret)
			})
			_, err = n.publisher.Publish(t.Context(), r)
			n.checkError(t, "echo of a secret", err)
		}
	}
}
