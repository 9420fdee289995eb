package nostr_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/nostr"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var (
	_ publish.Publisher  = (*nostr.Publisher)(nil)
	_ publish.Idempotent = (*nostr.Publisher)(nil)
	_ publish.Keyer      = (*nostr.Publisher)(nil)
	_ publish.Threader   = (*nostr.Publisher)(nil)
	_ publish.Uploader   = (*nostr.Publisher)(nil)
)

// The key pair of NIP-19's example.
const (
	nsec    = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
	key     = "01780412345123456"
	content = "Version 2 is out 🙂"
)

var public, _ = nostr.Public(nsec)

func newPublisher(t *testing.T) *nostr.Publisher {
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(client.CloseIdleConnections)
	return nostr.New(client, outbound.AllowPrivate, "test")
}

// serve serves a relay and returns its address.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "http", "ws", 1)
}

func request(relays ...string) publish.Request {
	return publish.Request{
		TargetID: publishtest.TargetID, Key: key, Content: content, Attempt: 1,
		Credentials: publish.Credentials{"nsec": nsec, "relays": strings.Join(relays, ", ")}, Account: schedctl.Account{Options: schedctl.Options{}},
	}
}

// The id of the suite's request. It must never change: a repeat after an update of
// schedctl has to send the same event.
const noteID = "277e026dc1ec5e49eff696892e5d62ecca73062db63d0fb9c849feeaadf76ba1"

func TestConformance(t *testing.T) {
	t.Parallel()
	media := httptest.NewServer(&blossom{})
	t.Cleanup(media.Close)
	for _, options := range []schedctl.Options{nil, {"media_server": media.URL, "relays_required": "2"}} {
		address := serve(t, &publishtest.FakeRelay{}) + "," + serve(t, &publishtest.FakeRelay{})
		suite := publishtest.Suite{
			New: func(*http.Client) publish.Publisher { return newPublisher(t) },
			Connection: func(string) publish.Connection {
				return publish.Connection{Credentials: publish.Credentials{"nsec": nsec, "relays": address}, Options: options}
			},
			RequestKey: key,
			Receipt:    schedctl.Receipt{ID: noteID, URL: "nostr:" + nostr.Nevent(noteID, public, "", 1)},
			Threads:    &publishtest.ThreadSuite{Reference: func(schedctl.Receipt) string { return "" }}, // checked by TestThread
		}
		if options != nil {
			suite.Media = &publishtest.MediaSuite{Upload: func(*http.Request) bool { return false }, Varies: true}
		}
		t.Run(fmt.Sprint(len(options)), func(t *testing.T) { publishtest.Run(t, suite) })
	}
}

func TestPublish(t *testing.T) {
	t.Parallel()
	relay := &publishtest.FakeRelay{}
	p, r := newPublisher(t), request(serve(t, relay))
	r.Content = "Hello #Nostr and #nostr #日本 #1 (#x)"
	r.ContentWarning, r.Language = "war", "en-US"
	receipt, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := publishtest.RelayEvent{
		ID: receipt.ID, PubKey: public, CreatedAt: 1780412345, Kind: 1, Content: r.Content, Signature: relay.Events()[0].Signature,
		Tags: [][]string{
			{"t", "nostr"}, {"t", "日本"}, {"t", "x"}, {"content-warning", "war"}, {"L", "ISO-639-1"}, {"l", "en", "ISO-639-1"}, {"nonce", "1780412345123456", "0"},
		},
	}
	if diff := cmp.Diff([]publishtest.RelayEvent{want}, relay.Events()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if !nostr.Verify(public, receipt.ID, want.Signature) {
		t.Error("the signature is not valid")
	}
	// The relays and the options of the account do not change the event.
	other := &publishtest.FakeRelay{}
	r.Credentials["relays"] = r.Credentials["relays"] + "," + serve(t, other)
	r.Account.Options["relays_required"], r.Attempt = "2", 2
	again, err := p.Publish(t.Context(), r)
	if err != nil || again.ID != receipt.ID || len(relay.Events()) != 1 || len(other.Events()) != 1 {
		t.Errorf("again: %+v, %v; %d and %d events", again, err, len(relay.Events()), len(other.Events()))
	}
}

func TestThread(t *testing.T) {
	t.Parallel()
	relay := &publishtest.FakeRelay{}
	p, r := newPublisher(t), request(serve(t, relay))
	root, err := p.Publish(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	root.Ref = "wss://relay.example.org"
	parent := root
	for part := 1; part <= 2; part++ {
		r.Part, r.Kind, r.Root, r.Parent = part, schedctl.PartReply, &root, &parent
		r.Key = publish.PartKey(p, key, part)
		receipt, err := p.Publish(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		parent = receipt
	}
	events := relay.Events()
	for i, want := range [][][]string{
		{{"nonce", "1780412345123456", "0"}},
		{{"e", root.ID, "wss://relay.example.org", "root", public}, {"p", public}, {"nonce", "1780412345123457", "0"}},
		{{"e", root.ID, "wss://relay.example.org", "root", public}, {"e", events[1].ID, "", "reply", public}, {"p", public}, {"nonce", "1780412345123458", "0"}},
	} {
		if diff := cmp.Diff(want, events[i].Tags); diff != "" || events[i].CreatedAt != 1780412345+int64(i) {
			t.Errorf("part %d, created at %d (-want +got):\n%s", i, events[i].CreatedAt, diff)
		}
	}
}

func TestTheSameTextTwice(t *testing.T) {
	t.Parallel()
	relay := &publishtest.FakeRelay{}
	p, r := newPublisher(t), request(serve(t, relay))
	now := time.Date(2026, 6, 2, 15, 0, 0, 0, time.UTC)
	for range 2 {
		r.Key = p.NewKey(now)
		if _, err := p.Publish(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if events := relay.Events(); len(events) != 2 || events[0].CreatedAt != now.Unix() || events[1].CreatedAt != now.Unix() {
		t.Errorf("got %+v", events)
	}
}

func TestDeletedParent(t *testing.T) {
	t.Parallel()
	gone, kept := &publishtest.FakeRelay{Forgetful: true}, &publishtest.FakeRelay{}
	p, r := newPublisher(t), request(serve(t, gone))
	root := schedctl.Receipt{ID: noteID}
	r.Part, r.Kind, r.Root, r.Parent, r.Key = 1, schedctl.PartReply, &root, &root, key+"-1"
	_, err := p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Code != publish.CodeParentMissing || e.Outcome != schedctl.OutcomeNotPublished || gone.Calls() != 0 {
		t.Errorf("got %+v after %d calls", e, gone.Calls())
	}
	// One relay that has it is enough.
	kept.Store(publishtest.RelayEvent{ID: noteID})
	r.Credentials["relays"] += "," + serve(t, kept)
	if receipt, err := p.Publish(t.Context(), r); err != nil || len(kept.Events()) != 2 || gone.Calls() != 0 {
		t.Errorf("got %+v, %v", receipt, err)
	}
	root.ID = "x"
	if _, err = p.Publish(t.Context(), r); publish.AsError(err).Code != publish.CodeParentMissing {
		t.Errorf("a parent without an id: %v", err)
	}
}

func TestConnect(t *testing.T) {
	t.Parallel()
	small := &publishtest.FakeRelay{Document: `{"limitation":{"max_content_length":5000}}`}
	small.Store(publishtest.RelayEvent{ID: "x", PubKey: public, Kind: 0, Content: `{"name":"alice","display_name":"Alice"}`})
	large := &publishtest.FakeRelay{Document: `{"limitation":{"max_content_length":100000}}`}
	p, r := newPublisher(t), request(serve(t, small), serve(t, large), serve(t, &publishtest.FakeRelay{Status: 502}))
	got, err := p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials, Options: schedctl.Options{"relays_required": "2"}})
	npub := nostr.Npub(public)
	want := publish.Profile{
		Username: npub, DisplayName: "Alice", URL: "nostr:" + npub, Identity: public, Limits: schedctl.Limits{MaxCharacters: 5000, Unit: "characters"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	_, err = p.Connect(t.Context(), publish.Connection{Credentials: r.Credentials, Options: schedctl.Options{"relays_required": "3"}})
	if e := publish.AsError(err); err == nil || e.Kind != schedctl.KindPlatform || e.HTTPStatus != 502 {
		t.Errorf("a relay that is needed is down: %+v", e)
	}
}

func TestConnectChecksTheFields(t *testing.T) {
	t.Parallel()
	p := nostr.New(nil, outbound.PublicOnly, "test")
	for _, tt := range []struct {
		field, value, says string
	}{
		{"nsec", "x", "nsec1"},
		{"nsec", nostr.Npub(public), "public key"},
		{"nsec", nsec[:len(nsec)-1] + "q", "copy it again"},
		{"nsec", nostr.Encode("nsec", make([]byte, 32)), "not a valid secret key"},
		{"nsec", nostr.Encode("nsec", make([]byte, 31)), "63 characters"},
		{"relays", " , ", "1 to 20"},
		{"relays", "https://relay.example.org", "wss://"},
		{"relays", "ws://relay.example.org", "wss://"},
		{"relays", "wss://user:pass@relay.example.org", "password"},
		{"relays", "wss://localhost", "--allow-private-networks"},
		{"relays", "wss://10.0.0.1", "--allow-private-networks"},
		{"relays", "wss://relay.example.org," + manyRelays(), "1 to 20"},
		{"relays_required", "0", "from 1 to 1"},
		{"relays_required", "2", "from 1 to 1"},
		{"media_server", "http://blossom.example.org", "https://"},
		{"media_server", "https://127.0.0.1", "--allow-private-networks"},
	} {
		c := publish.Connection{Credentials: publish.Credentials{"nsec": nsec, "relays": "relay.example.org"}, Options: schedctl.Options{}}
		if strings.Contains(tt.field, "_") {
			c.Options[tt.field] = tt.value
		} else {
			c.Credentials[tt.field] = tt.value
		}
		_, err := p.Connect(t.Context(), c)
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != tt.field || !strings.Contains(e.Message, tt.says) || strings.Contains(e.Message, nsec[5:20]) {
			t.Errorf("%s=%s: got %+v", tt.field, tt.value, e)
		}
	}
}

func manyRelays() string {
	var list []string
	for i := range 20 {
		list = append(list, fmt.Sprintf("wss://relay%d.example.org", i))
	}
	return strings.Join(list, ",")
}

func TestCheck(t *testing.T) {
	t.Parallel()
	p := nostr.New(nil, outbound.PublicOnly, "test")
	limited := schedctl.Account{Limits: schedctl.Limits{MaxCharacters: 5}}
	for _, tt := range []struct {
		name    string
		account schedctl.Account
		content publish.Content
		codes   []string
	}{
		{"no limit", schedctl.Account{}, publish.Text(strings.Repeat("🙂", 50000)), nil},
		{"at the limit", limited, publish.Text("12345"), nil},
		{"over the limit", limited, publish.Text("123456"), []string{"too_long"}},
		{"empty", schedctl.Account{}, publish.Text(" "), []string{"empty"}},
		{"an option", schedctl.Account{Options: schedctl.Options{"relays_required": true}}, publish.Text("x"), []string{"relays_required"}},
		{"a visibility", schedctl.Account{}, publish.Content{Text: "x", Extras: publish.Extras{Presentation: schedctl.Presentation{Visibility: schedctl.VisibilityUnlisted}}}, []string{"visibility"}},
	} {
		var codes []string
		for _, problem := range p.Check(tt.account, tt.content).Problems {
			codes = append(codes, problem.Code)
		}
		if diff := cmp.Diff(tt.codes, codes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func ExamplePublisher_Fields() {
	for _, f := range nostr.New(nil, outbound.PublicOnly, "").Fields() {
		fmt.Printf("%s: %s\n", f.Name, f.Help)
	}
	// Output:
	// nsec: the secret key, nsec1…; your Nostr app shows it in its settings
	// relays: the relays to publish to, separated by commas, such as wss://relay.example.org,wss://relay.example.net
	// relays_required: how many relays must accept a post; default 1
	// media_server: the Blossom server that stores files, such as https://blossom.example.org; without one, posts have no files
}
