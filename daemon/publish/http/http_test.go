package httppost_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	httppost "github.com/schedctl/schedctl/daemon/publish/http"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/signing"
)

var (
	_ publish.Publisher      = (*httppost.Publisher)(nil)
	_ publish.MediaPublisher = (*httppost.Publisher)(nil)
	_ publish.Threader       = (*httppost.Publisher)(nil)
	_ publish.CardPublisher  = (*httppost.Publisher)(nil)
	_ publish.Poller         = (*httppost.Publisher)(nil)
	_ publish.Idempotent     = (*httppost.Publisher)(nil)
	_ publish.Pacer          = (*httppost.Publisher)(nil)
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func TestConformance(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New: func(c *http.Client) publish.Publisher { return httppost.New(c, outbound.AllowPrivate, "test") },
		Connection: func(url string) publish.Connection {
			return publish.Connection{Name: "bot", Credentials: publish.Credentials{"url": url + "/hooks/k3y-in-the-path", "secret": secret}}
		},
		Network: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			io.WriteString(w, `{"id":"m1","url":"https://bot.example/m1","parts":[{"id":"m2","url":"https://bot.example/m2"},{"id":"m3"},{}]}`)
		}),
		Receipt:        schedctl.Receipt{ID: "m1", URL: "https://bot.example/m1"},
		Key:            func(r *http.Request, _ []byte) string { return r.Header.Get("Idempotency-Key") },
		AcceptsAnyBody: true,
		Media:          &publishtest.MediaSuite{},
		Threads:        &publishtest.ThreadSuite{},
	})
}

// request returns a request for an account with these credentials.
func request(c publish.Credentials) publish.Request {
	return publish.Request{
		TargetID: "pt_1", PostID: "post_1", Key: "pt_1", Attempt: 2, Credentials: c,
		Content:   "1 < 2 & \"quotes\" 🙂\n",
		PublishAt: time.Date(2026, 6, 2, 17, 0, 0, 250e6, time.FixedZone("", 7200)),
		Account:   schedctl.Account{ID: "acct_1", Name: "bot", Username: "other"},
	}
}

// sent publishes a request and returns what the receiver got.
func sent(t *testing.T, c publish.Credentials) (http.Header, []byte) {
	t.Helper()
	var header http.Header
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
	}))
	defer server.Close()
	c["url"] = server.URL
	if _, err := httppost.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "1.2.3").Publish(t.Context(), request(c)); err != nil {
		t.Fatal(err)
	}
	return header, body
}

func TestRequest(t *testing.T) {
	t.Parallel()
	header, body := sent(t, publish.Credentials{})
	const want = `{"id":"pt_1","post_id":"post_1","content":"1 < 2 & \"quotes\" 🙂\n","publish_at":"2026-06-02T15:00:00.25Z","attempt":2,"account":{"id":"acct_1","name":"bot"}}`
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "User-Agent": "schedctl/1.2.3", "Idempotency-Key": "pt_1",
		"Webhook-Id": "", "Webhook-Timestamp": "", "Webhook-Signature": "",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestASecretSignsTheBody(t *testing.T) {
	t.Parallel()
	before := time.Now().Truncate(time.Second)
	header, body := sent(t, publish.Credentials{"secret": secret})
	unix, err := strconv.ParseInt(header.Get("Webhook-Timestamp"), 10, 64)
	at := time.Unix(unix, 0)
	if err != nil || at.Before(before) || at.After(time.Now()) {
		t.Errorf("timestamp %q is not the time of the request", header.Get("Webhook-Timestamp"))
	}
	key, _ := signing.ParseSecret(secret)
	if got, want := header.Get("Webhook-Signature"), key.Sign("pt_1", at, body); got != want {
		t.Errorf("signature: got %q, want %q", got, want)
	}
	if header.Get("Webhook-Id") != "pt_1" {
		t.Errorf("webhook-id: got %q", header.Get("Webhook-Id"))
	}
}

func TestConnectChecksValues(t *testing.T) {
	t.Parallel()
	p := httppost.New(nil, outbound.AllowPrivate, "test")
	for _, tt := range []struct {
		url, secret string
		option      any
		field       string
	}{
		{"https://bot.example/hook?x=1", secret, true, ""},
		{"http://127.0.0.1:8080", "", false, ""},
		{"ftp://bot.example", "", nil, "url"},
		{"bot.example/hook", "", nil, "url"},
		{"https://", "", nil, "url"},
		{"https:///hook", "", nil, "url"},
		{"https://user:k3y@bot.example", "", nil, "url"},
		{"https://bot.example/\x00k3y", "", nil, "url"},
		{"https://bot.example/" + strings.Repeat("x", 2048), "", nil, "url"},
		{"https://bot.example", "whsec_k3y", nil, "secret"},
		{"https://bot.example", "k3y", nil, "secret"},
		{"https://bot.example", "", "true", "idempotent"},
		{"https://bot.example", "", nil, "idempotent"},
	} {
		c := publish.Connection{Credentials: publish.Credentials{"url": tt.url, "secret": tt.secret}, Options: schedctl.Options{}}
		if tt.option != nil || tt.field == "idempotent" {
			c.Options["idempotent"] = tt.option
		}
		profile, err := p.Connect(t.Context(), c)
		if tt.field == "" {
			if err != nil || strings.Contains(profile.URL, "hook") || profile.Username == "" {
				t.Errorf("%s: got %+v, %v", tt.url, profile, err)
			}
			continue
		}
		if e := publish.AsError(err); e.Kind != schedctl.KindContent || e.Code != tt.field || strings.Contains(e.Message, "k3y") {
			t.Errorf("%s, %s: got %+v, want field %s", tt.url, tt.secret, e, tt.field)
		}
	}
}

func TestConnectRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	for host, refused := range map[string]bool{"127.0.0.1": true, "[::1]": true, "bot.example": false, "192.0.2.300": false} {
		p := httppost.New(nil, outbound.PublicOnly, "test")
		_, err := p.Connect(t.Context(), publish.Connection{Credentials: publish.Credentials{"url": "http://" + host + ":8080/k3y"}})
		if !refused {
			if err != nil {
				t.Errorf("%s: %v", host, err)
			}
			continue
		}
		e := publish.AsError(err)
		if e.Kind != schedctl.KindContent || e.Code != "url" || !strings.Contains(e.Message, "--allow-private-networks") || strings.Contains(e.Message, "k3y") {
			t.Errorf("%s: got %+v", host, e)
		}
	}
}

func TestIdempotentByOption(t *testing.T) {
	t.Parallel()
	p := httppost.New(nil, outbound.AllowPrivate, "test")
	for _, option := range []bool{true, false} {
		if got := p.Idempotent(schedctl.Account{Options: schedctl.Options{"idempotent": option}}); got != option {
			t.Errorf("option %v: got %v", option, got)
		}
	}
	if p.Idempotent(schedctl.Account{}) {
		t.Error("idempotent without the option")
	}
	if p.Pacing() != 0 {
		t.Errorf("pacing %v", p.Pacing())
	}
}

func TestAReceiversPathIsNotShown(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "nothing at "+r.URL.Path, http.StatusNotFound)
	}))
	defer server.Close()
	p := httppost.New(outbound.Client(outbound.AllowPrivate), outbound.AllowPrivate, "test")
	_, err := p.Publish(t.Context(), request(publish.Credentials{"url": server.URL + "/k3y"}))
	if e := publish.AsError(err); strings.Contains(e.Message, "k3y") {
		t.Errorf("the message contains the path: %q", e.Message)
	}
}
