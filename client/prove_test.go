package client_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/schedctl/schedctl/client"
	"github.com/schedctl/schedctl/client/apiv1"
)

// listener is a server that responds to challenges as a test says, and to any other
// request with a workspace. It notes the keys that it is sent.
type listener struct {
	*httptest.Server
	mu    sync.Mutex // mu guards what follows
	prove func(challenge string) string
	asked int // how many challenges there were
	keys  []string
}

func newListener(t *testing.T) *listener {
	l := &listener{}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if key := r.Header.Get("Authorization"); key != "" {
		l.keys = append(l.keys, key)
	}
	if challenge := r.Header.Get(apiv1.ChallengeHeader); challenge != "" && l.prove != nil {
		l.asked++
		w.Header().Set(apiv1.ProofHeader, l.prove(challenge))
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write([]byte(`{"workspace":{"id":"ws_1"},"api_key":{"id":"key_1"}}`))
}

func announcing(a *apiv1.Announced) func() (apiv1.Announced, error) {
	return func() (apiv1.Announced, error) { return *a, nil }
}

// TestKeyGoesToTheAnnouncedDaemonAlone: whatever else listens at its address is sent
// no key.
func TestKeyGoesToTheAnnouncedDaemonAlone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		prove  func(real apiv1.Announced, challenge string) string
		secret string // announced
		good   bool
	}{
		"the daemon":                   {func(a apiv1.Announced, c string) string { return a.Proof(c) }, "s3cret", true},
		"another server":               {nil, "s3cret", false},
		"an empty proof":               {func(apiv1.Announced, string) string { return "" }, "s3cret", false},
		"an echo":                      {func(_ apiv1.Announced, c string) string { return c }, "s3cret", false},
		"a daemon with another secret": {func(a apiv1.Announced, c string) string { a.Secret = "other"; return a.Proof(c) }, "s3cret", false},
		"a daemon at another URL":      {func(a apiv1.Announced, c string) string { a.URL = "http://127.0.0.1:1"; return a.Proof(c) }, "s3cret", false},
		"a proof of something else":    {func(a apiv1.Announced, _ string) string { return a.Proof("0123456789abcdef") }, "s3cret", false},
		"no secret is announced":       {func(a apiv1.Announced, c string) string { return a.Proof(c) }, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newListener(t)
			said := apiv1.Announced{URL: l.URL, Secret: tt.secret}
			if tt.prove != nil {
				l.prove = func(challenge string) string { return tt.prove(said, challenge) }
			}
			c, err := client.New(client.Config{URL: l.URL, Key: "sctl_key", Announced: announcing(&said)})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, err = c.Me(t.Context())
			var unreachable *client.UnreachableError
			switch {
			case tt.good && (err != nil || len(l.keys) != 1):
				t.Errorf("%v, keys %q", err, l.keys)
			case !tt.good && (!errors.Is(err, client.ErrUnproven) || !errors.As(err, &unreachable) || len(l.keys) > 0):
				t.Errorf("%v, keys %q", err, l.keys)
			}
		})
	}
}

// TestEveryConnectionIsProved, and only once: what listens at an address changes
// while a client runs.
func TestEveryConnectionIsProved(t *testing.T) {
	t.Parallel()
	l := newListener(t)
	said := apiv1.Announced{URL: l.URL, Secret: "first"}
	l.prove = func(challenge string) string { return apiv1.Announced{URL: l.URL, Secret: "first"}.Proof(challenge) }
	c, err := client.New(client.Config{URL: l.URL, Key: "sctl_key", Announced: announcing(&said)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 3 {
		if _, err := c.Me(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if l.asked != 1 || len(l.keys) != 3 {
		t.Errorf("%d challenges, %d requests with a key", l.asked, len(l.keys))
	}

	l.CloseClientConnections()
	l.mu.Lock()
	l.prove = func(string) string { return "" } // the daemon is gone, and something else there
	l.mu.Unlock()
	if _, err := c.Me(t.Context()); !errors.Is(err, client.ErrUnproven) || len(l.keys) != 3 {
		t.Errorf("after the daemon: %v, %d requests with a key", err, len(l.keys))
	}

	said.Secret = "second" // a new daemon announces itself
	l.mu.Lock()
	l.prove = func(challenge string) string { return said.Proof(challenge) }
	l.mu.Unlock()
	if _, err := c.Me(t.Context()); err != nil || len(l.keys) != 4 {
		t.Errorf("with a new daemon: %v, %d requests with a key", err, len(l.keys))
	}
}
