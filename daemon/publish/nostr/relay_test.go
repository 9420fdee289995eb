package nostr_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/nostr"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/cost"
)

const (
	notPublished = schedctl.OutcomeNotPublished
	unknown      = schedctl.OutcomeUnknown
)

// respond is a relay that responds in the same way to every event.
func respond(response publishtest.RelayResponse) *publishtest.FakeRelay {
	return &publishtest.FakeRelay{Respond: func(int, publishtest.RelayEvent) publishtest.RelayResponse { return response }}
}

// TestRelayResponses lists every response of one relay, and what it means.
func TestRelayResponses(t *testing.T) {
	t.Parallel()
	refuse := func(text string) *publishtest.FakeRelay { return respond(publishtest.RelayResponse{Refusal: text}) }
	for _, tt := range []struct {
		name    string
		relay   http.Handler
		kind    schedctl.ErrorKind // empty for accepted
		outcome schedctl.Outcome
		code    string
		says    string
	}{
		{"accepted", &publishtest.FakeRelay{}, "", "", "", ""},
		{"refused as a duplicate", refuse("duplicate: already have this event"), "", "", "", ""},
		{"blocked", refuse("blocked: you are banned"), schedctl.KindAuth, notPublished, "blocked", "you are banned"},
		{"restricted", refuse("restricted: members only"), schedctl.KindAuth, notPublished, "restricted", "members"},
		{"auth-required without a challenge", refuse("auth-required: log in"), schedctl.KindAuth, notPublished, "auth-required", "login"},
		{"rate-limited", refuse("rate-limited: slow down"), schedctl.KindRateLimited, notPublished, "rate-limited", "fewer posts"},
		{"invalid", refuse("invalid: created_at is too old"), schedctl.KindContent, notPublished, "invalid", "created_at is too old"},
		{"pow", refuse("pow: difficulty 28"), schedctl.KindContent, notPublished, "pow", "proof of work"},
		{"error", refuse("error: the database is down"), schedctl.KindPlatform, unknown, "error", "the database is down"},
		{"another reason", refuse("no thanks"), schedctl.KindPlatform, notPublished, "", "no thanks"},
		{"no reason", refuse(" "), schedctl.KindPlatform, notPublished, "", "refused the post"},
		{"dropped", respond(publishtest.RelayResponse{Drop: true}), schedctl.KindNetwork, unknown, "", "closed the connection"},
		{"dropped after it was stored", respond(publishtest.RelayResponse{Drop: true, Store: true}), schedctl.KindNetwork, unknown, "", "closed the connection"},
		{"401", &publishtest.FakeRelay{Status: 401}, schedctl.KindAuth, notPublished, "", "refuses connections"},
		{"403", &publishtest.FakeRelay{Status: 403}, schedctl.KindPlatform, notPublished, "blocked_on_the_way", "firewall"},
		{"404", &publishtest.FakeRelay{Status: 404}, schedctl.KindPlatform, notPublished, "", "no relay"},
		{"a web page", &publishtest.FakeRelay{Status: 200}, schedctl.KindPlatform, notPublished, "", "no relay"},
		{"429", &publishtest.FakeRelay{Status: 429}, schedctl.KindRateLimited, notPublished, "", "fewer requests"},
		{"500", &publishtest.FakeRelay{Status: 500}, schedctl.KindPlatform, notPublished, "", "HTTP 500"},
		{"503", &publishtest.FakeRelay{Status: 503}, schedctl.KindPlatform, notPublished, "", "HTTP 503"},
		{"301", &publishtest.FakeRelay{Status: 301, Header: http.Header{"Location": {"/x"}}}, schedctl.KindContent, notPublished, "redirected", "redirect"},
		{"dropped handshake", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), schedctl.KindNetwork, notPublished, "", "127.0.0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := newPublisher(t).Publish(t.Context(), request(serve(t, tt.relay)))
			e := publish.AsError(err)
			switch {
			case (err == nil) != (tt.kind == ""):
				t.Errorf("got %v", err)
			case err != nil && (e.Kind != tt.kind || e.Outcome != tt.outcome || e.Code != tt.code || !strings.Contains(e.Message, tt.says)):
				t.Errorf("got %s, %s, %q: %s", e.Kind, e.Outcome, e.Code, e.Message)
			}
		})
	}
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	for _, fault := range publishtest.Recordings["nostr"].Faults(nil, func(response publishtest.Recorded) *publish.Error {
		isPart := response.Purpose == publish.PurposePart
		p, r := newPublisher(t), request(serve(t, &publishtest.FakeRelay{Respond: func(n int, _ publishtest.RelayEvent) publishtest.RelayResponse {
			if isPart && n == 1 { // the post to which it replies
				return publishtest.RelayResponse{}
			}
			return publishtest.RelayResponse{Refusal: response.Body}
		}}))
		if isPart {
			root, err := p.Publish(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			r.Part, r.Kind, r.Key, r.Root, r.Parent = 1, schedctl.PartReply, publish.PartKey(p, key, 1), &root, &root
		}
		_, err := p.Publish(t.Context(), r)
		return publish.AsError(err)
	}) {
		t.Error(fault)
	}
}

func TestRetryTimeOfARelay(t *testing.T) {
	t.Parallel()
	relay := &publishtest.FakeRelay{Status: 429, Header: http.Header{"Retry-After": {"90"}}}
	_, err := newPublisher(t).Publish(t.Context(), request(serve(t, relay)))
	if e := publish.AsError(err); time.Until(e.RetryAt) < 80*time.Second {
		t.Errorf("got %+v", e)
	}
}

// TestSilence ends the context while a relay does not respond.
func TestSilence(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	relay := &publishtest.FakeRelay{Respond: func(int, publishtest.RelayEvent) publishtest.RelayResponse {
		cancel()
		return publishtest.RelayResponse{Silent: true}
	}}
	_, err := newPublisher(t).Publish(ctx, request(serve(t, relay)))
	if e := publish.AsError(err); err == nil || e.Kind != schedctl.KindNetwork || e.Outcome != unknown {
		t.Errorf("got %+v", e)
	}
}

// TestSeveralRelays checks what follows from the responses of two relays.
func TestSeveralRelays(t *testing.T) {
	t.Parallel()
	good := publishtest.RelayResponse{}
	blocked, invalid := publishtest.RelayResponse{Refusal: "blocked: no"}, publishtest.RelayResponse{Refusal: "invalid: no"}
	limited, dropped := publishtest.RelayResponse{Refusal: "rate-limited: no"}, publishtest.RelayResponse{Drop: true}
	for _, tt := range []struct {
		name          string
		first, second publishtest.RelayResponse
		required      string
		kind          schedctl.ErrorKind
		outcome       schedctl.Outcome
	}{
		{"one is enough", blocked, good, "1", "", ""},
		{"one drops the connection", dropped, good, "1", "", ""},
		{"both accept", good, good, "2", "", ""},
		{"one of two", good, blocked, "2", schedctl.KindAuth, unknown},
		{"one of two may come", good, limited, "2", schedctl.KindRateLimited, unknown},
		{"none", blocked, invalid, "1", schedctl.KindAuth, notPublished},
		{"none, one later", invalid, limited, "1", schedctl.KindRateLimited, notPublished},
		{"one may have it", dropped, limited, "1", schedctl.KindNetwork, unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := request(serve(t, respond(tt.first)), serve(t, respond(tt.second)))
			r.Account.Options["relays_required"] = tt.required
			_, err := newPublisher(t).Publish(t.Context(), r)
			e := publish.AsError(err)
			if (err == nil) != (tt.kind == "") || err != nil && (e.Kind != tt.kind || e.Outcome != tt.outcome) {
				t.Errorf("got %+v", e)
			}
			if tt.required == "2" && err != nil && !strings.HasPrefix(e.Message, "1 of 2 relays") {
				t.Errorf("message %q", e.Message)
			}
		})
	}
}

func TestAuthentication(t *testing.T) {
	t.Parallel()
	relay := &publishtest.FakeRelay{Challenge: "a challenge"}
	receipt, err := newPublisher(t).Publish(t.Context(), request(serve(t, relay)))
	if err != nil || len(relay.Events()) != 1 || receipt.ID != relay.Events()[0].ID {
		t.Errorf("got %+v, %v", receipt, err)
	}
}

// TestLease checks that no event is sent after the daemon has lost its lease.
func TestLease(t *testing.T) {
	t.Parallel()
	relay := &publishtest.FakeRelay{}
	ctx := publish.WithGuard(t.Context(), func() bool { return false })
	_, err := newPublisher(t).Publish(ctx, request(serve(t, relay)))
	if e := publish.AsError(err); e.Code != publish.CodeLeaseLapsed || e.Outcome != notPublished || relay.Calls() != 0 {
		t.Errorf("got %+v after %d calls", e, relay.Calls())
	}
}

func TestPrivateRelay(t *testing.T) {
	t.Parallel()
	relay := &publishtest.FakeRelay{}
	address := strings.Replace(serve(t, relay), "127.0.0.1", "localhost", 1)
	// The policy would allow the address; the client refuses it when the name is resolved.
	p := nostr.New(outbound.Client(outbound.PublicOnly), outbound.AllowPrivate, "test")
	_, err := p.Connect(t.Context(), publish.Connection{Credentials: request(address).Credentials})
	if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != "relays" || !strings.Contains(e.Message, "--allow-private-networks") {
		t.Errorf("connect: %+v", e)
	}
	_, err = p.Publish(t.Context(), request(address))
	if e := publish.AsError(err); e.Kind != schedctl.KindNetwork || e.Outcome != notPublished || relay.Calls() != 0 {
		t.Errorf("publish: %+v", e)
	}
}

// TestEcho checks that errors repeat neither the post nor the key.
func TestEcho(t *testing.T) {
	t.Parallel()
	for _, text := range []string{content, nsec, "invalid: " + content, "blocked: the key " + nsec} {
		_, err := newPublisher(t).Publish(t.Context(), request(serve(t, respond(publishtest.RelayResponse{Refusal: text}))))
		if e := publish.AsError(err); strings.Contains(e.Message, content) || strings.Contains(e.Message, nsec) || e.Message == "" {
			t.Errorf("got %q", e.Message)
		}
	}
}

// FuzzMessages parses messages and documents of relays.
func FuzzMessages(f *testing.F) {
	for _, text := range []string{
		`["OK","` + noteID + `",true,""]`, `["OK","` + noteID + `",false,"blocked: no"]`, `["OK",1,"x"]`, `["OK","x",true]`, `["AUTH","challenge"]`,
		`["EVENT","schedctl",{"id":"x","pubkey":"y","kind":0,"content":"{\"name\":\"a\"}","tags":[["a"]]}]`, `["EVENT","schedctl",[]]`, `["EOSE","schedctl"]`,
		`["CLOSED","schedctl","error: no"]`, `["NOTICE","hello"]`, `["NOTICE",[]]`, `[]`, `{}`, "null", "", `{"limitation":{"max_content_length":1e300}}`, `{"display_name":"\u202e\u0000x"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer cost.Check(t, len(text))()
		_, label, id, message, accepted, malformed := nostr.ParseMessage([]byte(text))
		if accepted && (label != "OK" || malformed && id == "") {
			t.Errorf("%q is accepted", text)
		}
		if p := nostr.Prefix(message); p != "" && !strings.HasPrefix(message, p+":") {
			t.Errorf("prefix %q of %q", p, message)
		}
		if limit := nostr.Limit([]byte(text)); limit < 0 || limit > 1e9 {
			t.Errorf("limit %d", limit)
		}
		if name := nostr.Name(text); !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("name %q", name)
		}
	})
}
