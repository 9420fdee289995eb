package publishtest

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Relay is a running relay of Nostr.
type Relay struct {
	URL string `json:"url"` // ws://…
}

// RelayEvent is an event that a relay has.
type RelayEvent struct {
	ID        string     `json:"id"`
	PubKey    string     `json:"pubkey"`
	CreatedAt int64      `json:"created_at"`
	Kind      int        `json:"kind"`
	Tags      [][]string `json:"tags"`
	Content   string     `json:"content"`
	Signature string     `json:"sig"`
}

// StartRelay starts a relay on loopback. It runs until the test ends. If hostname is not
// empty, clients must authenticate themselves to it under that name. If the relay is not
// installed, the test is skipped; with SCHEDCTL_REQUIRE_ALL=1 in the environment it fails.
func StartRelay(t *testing.T, hostname string) Relay {
	t.Helper()
	requireServer(t, "relay")
	var r Relay
	startServer(t, "relay", 1, []string{"AUTH=" + hostname}, &r)
	return r
}

// Events returns the events of a public key, newest first.
func (r Relay) Events(t *testing.T, public string) (events []RelayEvent) {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), r.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	c.SetReadLimit(-1)
	request, _ := json.Marshal([]any{"REQ", "all", map[string]any{"authors": []string{public}, "limit": 1000}})
	if err := c.Write(t.Context(), websocket.MessageText, request); err != nil {
		t.Fatal(err)
	}
	for {
		_, text, err := c.Read(t.Context())
		var message []json.RawMessage
		if err != nil || json.Unmarshal(text, &message) != nil {
			t.Fatalf("%v: %s", err, text)
		}
		switch string(message[0]) {
		case `"EOSE"`:
			return events
		case `"EVENT"`:
			var e RelayEvent
			if err := json.Unmarshal(message[2], &e); err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		}
	}
}

// Send sends a signed event, and fails the test unless the relay accepts it.
func (r Relay) Send(t *testing.T, event json.RawMessage) {
	t.Helper()
	c, _, err := websocket.Dial(t.Context(), r.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	message, _ := json.Marshal([]any{"EVENT", event})
	if err := c.Write(t.Context(), websocket.MessageText, message); err != nil {
		t.Fatal(err)
	}
	for {
		_, text, err := c.Read(t.Context())
		var response []any
		if err != nil || json.Unmarshal(text, &response) != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if len(response) > 2 && response[0] == "OK" {
			if response[2] != true {
				t.Fatalf("the relay refused the event: %s", text)
			}
			return
		}
	}
}

// RelayResponse is how a [FakeRelay] responds to one event.
type RelayResponse struct {
	Refusal string        // the text of a refusal; empty to accept the event
	Store   bool          // with Refusal, Drop or Silent: the relay has the event anyway
	Drop    bool          // close the connection without a response
	Silent  bool          // never respond
	After   time.Duration // how long the relay takes
}

// FakeRelay is a relay of Nostr in memory. It reports an event that it has as accepted. It
// verifies neither ids nor signatures. All methods may be called from any goroutine.
type FakeRelay struct {
	// Respond returns the response to the nth event that the relay receives, from 1. Nil
	// accepts all.
	Respond func(n int, e RelayEvent) RelayResponse

	// Status refuses connections with this HTTP status, if it is not 0.
	Status int

	// Header is sent with Status.
	Header http.Header

	// Challenge demands authentication, if it is not empty.
	Challenge string

	// Document is the information document (NIP-11).
	Document string

	// Forgetful means that queries find nothing.
	Forgetful bool

	// Page is the most events that a filter finds at once; 0 for any number. Private means
	// that queries need authentication, too.
	Page    int
	Private bool

	mu     sync.Mutex // mu guards the fields below
	events []RelayEvent
	calls  int
}

// Events returns the events that the relay has, in order.
func (f *FakeRelay) Events() []RelayEvent {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.events)
}

// Calls returns how many events were sent to the relay.
func (f *FakeRelay) Calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// ServeHTTP implements [http.Handler].
func (f *FakeRelay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.Contains(r.Header.Get("Accept"), "nostr+json") {
		w.Write([]byte(f.Document))
		return
	}
	if f.Status != 0 {
		for name, values := range f.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(f.Status)
		return
	}
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	f.serve(r.Context(), c)
}

// serve handles the messages of a connection.
func (f *FakeRelay) serve(ctx context.Context, c *websocket.Conn) {
	send := func(message ...any) {
		text, _ := json.Marshal(message)
		_ = c.Write(ctx, websocket.MessageText, text)
	}
	known := f.Challenge == ""
	if !known {
		send("AUTH", f.Challenge)
	}
	for {
		_, text, err := c.Read(ctx)
		var message []json.RawMessage
		if err != nil || json.Unmarshal(text, &message) != nil || len(message) < 2 {
			return
		}
		var e RelayEvent
		switch label := string(message[0]); {
		case label == `"REQ"` && !known && f.Private:
			send("CLOSED", message[1], "auth-required: log in first")
		case label == `"REQ"`:
			f.find(message, send)
		case label == `"CLOSE"`:
		case json.Unmarshal(message[1], &e) != nil:
			return
		case label == `"AUTH"`:
			known = slices.ContainsFunc(e.Tags, func(tag []string) bool { return slices.Equal(tag, []string{"challenge", f.Challenge}) })
			send("OK", e.ID, known, "")
		case !known:
			send("OK", e.ID, false, "auth-required: log in first")
		case !f.receive(ctx, e, send):
			return
		}
	}
}

// relayFilter selects events of a [FakeRelay] (NIP-01). Members that are missing match all.
type relayFilter struct {
	IDs     []string `json:"ids"`
	Authors []string `json:"authors"`
	Kinds   []int    `json:"kinds"`
	E       []string `json:"#e"`
	Q       []string `json:"#q"`
	Until   *int64   `json:"until"`
	Limit   *int     `json:"limit"`
}

func (f relayFilter) matches(e RelayEvent) bool {
	tagged := func(name string, values []string) bool {
		return values == nil || slices.ContainsFunc(e.Tags, func(tag []string) bool { return len(tag) > 1 && tag[0] == name && slices.Contains(values, tag[1]) })
	}
	return (f.IDs == nil || slices.Contains(f.IDs, e.ID)) && (f.Authors == nil || slices.Contains(f.Authors, e.PubKey)) &&
		(f.Kinds == nil || slices.Contains(f.Kinds, e.Kind)) && (f.Until == nil || e.CreatedAt <= *f.Until) && tagged("e", f.E) && tagged("q", f.Q)
}

// find responds to a query with any of some filters, the newest events first.
func (f *FakeRelay) find(message []json.RawMessage, send func(...any)) {
	events := f.Events()
	slices.SortStableFunc(events, func(a, b RelayEvent) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) })
	sent := map[string]bool{}
	for _, raw := range message[2:] {
		var filter relayFilter
		_ = json.Unmarshal(raw, &filter)
		most := f.Page
		if filter.Limit != nil && (most == 0 || *filter.Limit < most) {
			most = *filter.Limit
		}
		n := 0
		for _, e := range events {
			if f.Forgetful || !filter.matches(e) || sent[e.ID] || most > 0 && n == most {
				continue
			}
			n++
			sent[e.ID] = true
			send("EVENT", message[1], e)
		}
	}
	send("EOSE", message[1])
}

// receive handles an event, and reports whether the connection stays open.
func (f *FakeRelay) receive(ctx context.Context, e RelayEvent, send func(...any)) bool {
	f.mu.Lock()
	f.calls++
	n := f.calls
	f.mu.Unlock()
	var response RelayResponse
	if f.Respond != nil {
		response = f.Respond(n, e)
	}
	if response.After > 0 {
		select {
		case <-time.After(response.After):
		case <-ctx.Done():
			return false
		}
	}
	accepts := response.Refusal == "" && !response.Drop && !response.Silent
	isNew := true
	if accepts || response.Store {
		isNew = f.Store(e)
	}
	switch {
	case response.Drop:
		return false
	case response.Silent:
	case response.Refusal != "":
		send("OK", e.ID, false, response.Refusal)
	case isNew:
		send("OK", e.ID, true, "")
	default:
		send("OK", e.ID, true, "duplicate: already have this event")
	}
	return true
}

// Store adds an event and reports whether the relay did not have it.
func (f *FakeRelay) Store(e RelayEvent) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.ContainsFunc(f.events, func(o RelayEvent) bool { return o.ID == e.ID }) {
		return false
	}
	f.events = append(f.events, e)
	return true
}
