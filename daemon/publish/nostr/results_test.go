package nostr_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/nostr"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/cost"
)

var _ publish.ResultsReader = (*nostr.Publisher)(nil)

// id returns the id of an event with a number.
func id(n int) string { return fmt.Sprintf("%064x", n) }

// other is the public key of a reader.
var other = strings.Repeat("ab", 32)

// event returns the nth event of a reader.
func event(n, kind int, content string, tags ...[]string) publishtest.RelayEvent {
	return publishtest.RelayEvent{ID: id(n), PubKey: other, CreatedAt: int64(1_780_000_000 + n), Kind: kind, Content: content, Tags: tags}
}

func e(of int, more ...string) []string { return append([]string{"e", id(of)}, more...) }

// counting returns a relay with the notes 1 and 2, what readers did with them, and the note 3,
// which its author deleted.
func counting() *publishtest.FakeRelay {
	f := &publishtest.FakeRelay{}
	for n := 1; n <= 3; n++ {
		note := event(n, 1, "a note")
		note.PubKey = public
		f.Store(note)
	}
	deletion := event(4, 5, "", e(3))
	deletion.PubKey = public
	f.Store(deletion)
	f.Store(event(5, 5, "", e(1))) // someone else cannot delete it
	n := 100
	add := func(kind int, content string, tags ...[]string) {
		n++
		f.Store(event(n, kind, content, tags...))
	}
	for range 31 {
		add(7, "+", e(2), e(1)) // the last tag is the note
	}
	add(7, "-", e(1))
	add(7, "🔥", e(1))
	add(6, "", e(1))
	add(16, "", e(1))
	add(1, "quoted", []string{"q", id(1)})
	add(1, "a reply", e(1, "", "root"))
	add(1, "a reply to a reply", e(1, "", "root"), e(108, "", "reply"))
	add(1, "a reply in the older form", e(9), e(1))
	add(1, "a mention", e(1, "", "mention"))
	add(1, "broken", []string{"e"}, []string{})
	return f
}

func readCredentials(urls ...string) publish.Credentials {
	return request(urls...).Credentials
}

func wantNotes() map[string]schedctl.Metrics {
	n := func(v int64) *int64 { return &v }
	return map[string]schedctl.Metrics{
		id(1): {Reactions: n(32), Reposts: n(2), Quotes: n(1), Replies: n(2)},
		id(2): {Reactions: n(0), Reposts: n(0), Quotes: n(0), Replies: n(0)},
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	small, private := counting(), counting()
	small.Page = 7
	private.Challenge, private.Private = "a challenge", true
	for name, relay := range map[string]*publishtest.FakeRelay{"relay": counting(), "relay with login": private} {
		for _, gone := range []string{id(3), id(77)} {
			t.Run(name, func(t *testing.T) {
				publishtest.RunResults(t, publishtest.ResultsSuite{
					New:         func(c *http.Client) publish.Publisher { return nostr.New(c, outbound.AllowPrivate, "test") },
					Credentials: func(url string) publish.Credentials { return readCredentials("ws" + strings.TrimPrefix(url, "http")) },
					Network:     relay, Want: wantNotes(), Gone: gone, Counted: true, NoHTTP: true,
				})
			})
		}
	}
	// A relay that lists few events at once is asked for older ones, up to a limit.
	reading, err := newPublisher(t).Results(t.Context(), publish.ResultsRequest{Credentials: readCredentials(serve(t, small)), IDs: []string{id(1)}})
	if got := reading.Results[id(1)].Metrics.Reactions; err != nil || got == nil || *got < 15 || *got > 32 || !reading.Results[id(1)].Estimated {
		t.Errorf("%+v, %v", reading, err)
	}
}

// TestResultsOfSeveralRelays guards that an event on several relays counts once, that a relay
// that is away does not hide what the others have, and that a note is gone only if every
// relay says so.
func TestResultsOfSeveralRelays(t *testing.T) {
	t.Parallel()
	away := &publishtest.FakeRelay{Status: http.StatusServiceUnavailable}
	more := &publishtest.FakeRelay{}
	more.Store(event(900, 7, "+", e(1)))
	p := newPublisher(t)
	want := map[string]publish.Result{}
	for id, m := range wantNotes() {
		want[id] = publish.Result{Metrics: m}
	}
	want[id(1)] = publish.Result{Metrics: schedctl.Metrics{Reactions: new(int64(33)), Reposts: new(int64(2)), Quotes: new(int64(1)), Replies: new(int64(2))}}
	relays := []string{serve(t, counting()), serve(t, counting()), serve(t, more)}
	reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: readCredentials(relays...), IDs: []string{id(1), id(2)}})
	if diff := cmp.Diff(want, reading.Results); diff != "" || err != nil || reading.Requests != 3 {
		t.Errorf("%v, %d requests, results (-want +got):\n%s", err, reading.Requests, diff)
	}
	want[id(3)] = publish.Result{Gone: true}
	relays = append(relays, serve(t, away))
	reading, err = p.Results(t.Context(), publish.ResultsRequest{Credentials: readCredentials(relays...), IDs: []string{id(1), id(2), id(3), id(77), "no id"}})
	if diff := cmp.Diff(want, reading.Results); diff != "" || err != nil {
		t.Errorf("%v, with one relay away (-want +got):\n%s", err, diff)
	}
	reading, err = p.Results(t.Context(), publish.ResultsRequest{Credentials: readCredentials(serve(t, away)), IDs: []string{id(1)}})
	if err == nil || len(reading.Results) > 0 {
		t.Errorf("all relays away: %+v, %v", reading, err)
	}
}

// TestResultsOfACutConnection guards that a relay that ends the connection says nothing.
func TestResultsOfACutConnection(t *testing.T) {
	t.Parallel()
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		c.Read(r.Context())
		c.Write(r.Context(), websocket.MessageText, []byte(`["EVENT","schedctl-results",{"id":"`+id(1)+`"`))
		c.CloseNow()
	}))
	reading, err := newPublisher(t).Results(t.Context(), publish.ResultsRequest{Credentials: readCredentials(url), IDs: []string{id(1)}})
	if err == nil || len(reading.Results) > 0 {
		t.Errorf("%+v, %v", reading, err)
	}
}

// testRelayResults reads what a real relay has: reactions, a repost and a reply of another
// key, and then a deletion.
func testRelayResults(t *testing.T, relay publishtest.Relay, p *nostr.Publisher, r publish.Request) {
	t.Helper()
	r.Content, r.Key, r.Part = "How many like this?", key+"-9", 0
	r.Kind, r.Root, r.Parent = schedctl.PartPost, nil, nil
	receipt, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	read := func(want publish.Result) {
		t.Helper()
		reading, err := p.Results(t.Context(), publish.ResultsRequest{Credentials: r.Credentials, IDs: []string{receipt.ID}})
		if diff := cmp.Diff(map[string]publish.Result{receipt.ID: want}, reading.Results); diff != "" || err != nil {
			t.Errorf("%v, results (-want +got):\n%s", err, diff)
		}
	}
	n := func(v int64) *int64 { return &v }
	read(publish.Result{Metrics: schedctl.Metrics{Reactions: n(0), Reposts: n(0), Quotes: n(0), Replies: n(0)}})
	now := time.Now()
	for i, send := range []struct {
		kind    int
		content string
		tag     []string
	}{
		{7, "+", []string{"e", receipt.ID}}, {7, "🔥", []string{"e", receipt.ID}}, {7, "-", []string{"e", receipt.ID}}, {6, "", []string{"e", receipt.ID}},
		{1, "quoted", []string{"q", receipt.ID}}, {1, "a reply", []string{"e", receipt.ID, "", "root"}},
	} {
		relay.Send(t, nostr.SignEvent(r.Credentials["nsec"], send.kind, now.Add(time.Duration(i)*time.Second), [][]string{send.tag}, send.content))
	}
	read(publish.Result{Metrics: schedctl.Metrics{Reactions: n(2), Reposts: n(1), Quotes: n(1), Replies: n(1)}})
	relay.Send(t, nostr.SignEvent(r.Credentials["nsec"], 5, now, [][]string{{"e", receipt.ID}}, ""))
	read(publish.Result{Gone: true})
}

// FuzzEvents counts any events about a note.
func FuzzEvents(f *testing.F) {
	f.Add(`[{"id":"` + id(5) + `","kind":7,"tags":[["e","` + id(1) + `"]],"content":"+"}]`)
	f.Add(`[{"id":"` + id(5) + `","kind":1,"tags":[["e","` + id(1) + `","","reply"],["q","` + id(1) + `"],["e"],[]]},{"id":"` + id(6) + `","kind":5,"pubkey":"` + public + `","tags":[["e","` + id(1) + `"]]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		m, has, _ := nostr.CountEvents(id(1), public, []byte(text))
		for _, n := range m.Named() {
			if *n.Value != nil && (**n.Value < 0 || **n.Value > int64(len(text))) {
				t.Errorf("%s is %d", n.Name, **n.Value)
			}
		}
		if has && !strings.Contains(text, id(1)) {
			t.Error("the relay has a note that it did not send")
		}
	})
}
