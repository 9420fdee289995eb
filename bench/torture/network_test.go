package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

func testNetwork(t *testing.T) *network {
	t.Helper()
	n, err := newNetwork(rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.stop)
	return n
}

// send makes a call for a target and returns its status, or 0 without a response.
func (n *network) send(t *testing.T, k kind, target string, attempt int) (status int, answer string) {
	t.Helper()
	url, body := n.url+"/"+string(k)+"/1", fmt.Sprintf(`{"content":"hello","attempt":%d}`, attempt)
	if k == readable {
		url, body = url+"/chat.postMessage", fmt.Sprintf(`{"text":"hello","metadata":{"event_payload":{"id":%q}}}`, target)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.GetBody = nil // the transport must not repeat it
	req.Header.Set("Idempotency-Key", target)
	resp, err := new(http.Transport).RoundTrip(req)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text)
}

func TestOnlyIdempotentNetworksRecognizeRepeats(t *testing.T) {
	t.Parallel()
	n := testNetwork(t)
	for _, k := range kinds {
		target, want := "pt_"+string(k), 2
		if k == idempotent {
			want = 1
		}
		n.send(t, k, target, 1)
		n.send(t, k, target, 2)
		if d := n.seen()[target]; d.calls != 2 || d.posts != want {
			t.Errorf("%s: %d posts of %d calls, want %d of 2", k, d.posts, d.calls, want)
		}
	}
}

// Calls that overlap still get a post of their own.
func TestPostsOfOverlappingCallsDiffer(t *testing.T) {
	t.Parallel()
	n := testNetwork(t)
	first, second := post{readable, "1", "pt_1", "hello", true}, post{readable, "1", "pt_2", "hello", true}
	n.receive(first)
	n.receive(second)
	if a, b := n.accept(first), n.accept(second); a == b {
		t.Errorf("two posts have the id %s", a)
	}
}

func TestReadableNetworkListsItsPosts(t *testing.T) {
	t.Parallel()
	n := testNetwork(t)
	for i := range 3 {
		n.send(t, readable, fmt.Sprintf("pt_%d", i), 1)
	}
	var seen strings.Builder
	for cursor := range 2 {
		resp, err := http.Get(fmt.Sprintf("%s/readable/1/conversations.history?limit=2&cursor=%d", n.url, 2*cursor))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(&seen, resp.Body)
		resp.Body.Close()
	}
	for i := range 3 {
		if n := strings.Count(seen.String(), fmt.Sprintf(`"id":"pt_%d"`, i)); n != 1 {
			t.Errorf("message %d appears %d times in the history:\n%s", i, n, &seen)
		}
	}
}

func TestModesApplyToFirstCallsOnly(t *testing.T) {
	t.Parallel()
	for m, want := range map[networkMode]struct{ status, posts int }{
		accepting: {200, 1}, acceptingLate: {200, 1}, refusing: {422, 0}, rateLimiting: {429, 0}, unavailableMode: {503, 0}, droppingConnection: {0, 1},
	} {
		n := testNetwork(t)
		n.setModes(blind, m)
		if status, _ := n.send(t, blind, "pt_1", 1); status != want.status || n.seen()["pt_1"].posts != want.posts {
			t.Errorf("mode %d: status %d with %d posts, want %d with %d", m, status, n.seen()["pt_1"].posts, want.status, want.posts)
		}
		if status, _ := n.send(t, blind, "pt_1", 2); status != http.StatusOK {
			t.Errorf("mode %d: the repeat got status %d", m, status)
		}
		if status, _ := n.send(t, blind, "pt_2", 2); status != http.StatusOK {
			t.Errorf("mode %d: a second attempt got status %d", m, status)
		}
	}
}

// A hanging call has published, and is cut off by acceptAll.
func TestHangingCallsEnd(t *testing.T) {
	t.Parallel()
	n := testNetwork(t)
	accept := make(chan killPoint, 8)
	n.at = func(m killPoint, _ string) { accept <- m }
	n.setModes(idempotent, hanging)
	ended := make(chan int)
	go func() {
		status, _ := n.send(t, idempotent, "pt_1", 1)
		ended <- status
	}()
	for m := range accept {
		if m == callAccepted {
			break
		}
	}
	n.acceptAll()
	if status := <-ended; status != 0 || n.seen()["pt_1"].posts != 1 {
		t.Errorf("status %d with %d posts", status, n.seen()["pt_1"].posts)
	}
}
