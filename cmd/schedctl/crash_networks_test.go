package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/scripts/testsize"
)

// kills is how often the daemon is killed.
const kills = 25

// askedLater is how long it may take until the network was asked about an attempt: the
// daemon gives it a minute to show the post.
const askedLater = 4 * time.Minute

func TestKilledAfterSnacAccepted(t *testing.T) {
	t.Parallel()
	snac := publishtest.StartSnac(t)
	killedAfterAcceptance(t, newKillingProxy(t, snac.URL, "/api/v1/statuses"),
		func(proxy string) apiv1.AddAccount {
			return apiv1.AddAccount{Platform: "mastodon", Credentials: map[string]string{
				"instance_url": proxy, "access_token": snac.AccessToken,
			}}
		},
		func() []string { return snacStatuses(t, snac) })
}

// snacStatuses returns the texts of the user's statuses, read from the server.
func snacStatuses(t *testing.T, snac publishtest.Snac) (texts []string) {
	t.Helper()
	var account struct{ ID string }
	fetch(t, snac.URL+"/api/v1/accounts/verify_credentials", snac.AccessToken, &account)
	var list []struct{ ID, Text string }
	for before := ""; ; before = "&max_id=" + list[len(list)-1].ID {
		fetch(t, snac.URL+"/api/v1/accounts/"+account.ID+"/statuses?limit=100"+before, snac.AccessToken, &list)
		if len(list) == 0 {
			return texts
		}
		for _, s := range list {
			texts = append(texts, s.Text)
		}
		if len(list) < 100 {
			return texts
		}
	}
}

func TestKilledAfterPDSAccepted(t *testing.T) {
	t.Parallel()
	pds := publishtest.StartPDS(t)
	killedAfterAcceptance(t, newKillingProxy(t, pds.URL, "/xrpc/com.atproto.repo.putRecord"),
		func(proxy string) apiv1.AddAccount {
			return apiv1.AddAccount{Platform: "bluesky", Credentials: map[string]string{
				"service_url": proxy, "identifier": pds.Handle, "app_password": pds.AppPassword,
			}}
		},
		func() (texts []string) {
			for _, record := range pds.Posts(t) {
				var post struct{ Text string }
				if err := json.Unmarshal(record.Value, &post); err != nil {
					t.Fatal(err)
				}
				texts = append(texts, post.Text)
			}
			return texts
		})
}

func TestKilledAfterWordPressAccepted(t *testing.T) {
	t.Parallel()
	site := publishtest.StartWordPress(t)
	killedAfterAcceptance(t, newKillingProxy(t, site.URL, "/wp-json/wp/v2/posts"),
		func(proxy string) apiv1.AddAccount {
			return apiv1.AddAccount{Platform: "wordpress", Credentials: map[string]string{
				"site_url": proxy, "username": "alice", "application_password": site.Passwords["alice"],
			}}
		},
		func() (texts []string) {
			for _, post := range site.Posts(t) {
				texts = append(texts, post.Title.Raw)
			}
			return texts
		})
}

func TestKilledAfterRelayAccepted(t *testing.T) {
	t.Parallel()
	relay := publishtest.StartRelay(t, "")
	killedAfterAcceptance(t, newKillingRelay(t, relay.URL),
		func(proxy string) apiv1.AddAccount {
			return apiv1.AddAccount{Platform: "nostr", Credentials: map[string]string{
				"nsec": "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5", "relays": strings.Replace(proxy, "http", "ws", 1),
			}}
		},
		func() (texts []string) {
			for _, e := range relay.Events(t, "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e") {
				texts = append(texts, e.Content)
			}
			return texts
		})
}

// newKillingRelay is [newKillingProxy] before a relay of Nostr.
func newKillingRelay(t *testing.T, relay string) *killingProxy {
	p := &killingProxy{done: make(chan struct{}, 1), prompt: true}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			return // it has no information document
		}
		daemon, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer daemon.CloseNow()
		network, _, err := websocket.Dial(r.Context(), relay, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer network.CloseNow()
		var fatal atomic.Pointer[armed]
		go func() {
			defer network.CloseNow()
			for {
				kind, message, err := daemon.Read(r.Context())
				if err != nil {
					return
				}
				if a := p.armed.Load(); a != nil && bytes.Contains(message, []byte(a.text)) && p.armed.CompareAndSwap(a, nil) {
					fatal.Store(a)
				}
				network.Write(r.Context(), kind, message)
			}
		}()
		for {
			kind, message, err := network.Read(r.Context())
			if err != nil {
				return
			}
			if a := fatal.Load(); a != nil && bytes.HasPrefix(message, []byte(`["OK"`)) {
				if err := a.kill(); err != nil || !bytes.Contains(message, []byte("true")) {
					t.Errorf("the relay responds %s, %v", message, err)
				}
				p.done <- struct{}{}
				return
			}
			daemon.Write(r.Context(), kind, message)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

func fetch(t *testing.T, url, token string, into any) {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", url, resp.StatusCode, err)
	}
}

// killedAfterAcceptance kills the daemon each time a real network has accepted a
// post, before it can note that, and asks at the end that the network has each
// post once and that the daemon knows it.
//
// Each round has an account of its own, all for the same identity, because one
// that waits for its network to be asked sends nothing else.
func killedAfterAcceptance(t *testing.T, proxy *killingProxy, account func(proxy string) apiv1.AddAccount, posted func() []string) {
	d := newCrashDaemon(t)
	d.start()
	accounts := make([]string, kills)
	for i := range accounts {
		a := account(proxy.URL)
		a.Name = fmt.Sprintf("account %d", i)
		accounts[i] = d.connectAccount(a)
	}
	var want, posts []string
	for i, id := range accounts {
		text := fmt.Sprintf("In round %d the daemon is killed", i)
		want = append(want, text)
		proxy.arm(text, d.cmd.Process.Kill)
		r := &request{
			key: fmt.Sprintf("round-%d", i), body: fmt.Sprintf(`{"content":%q,"social_account_ids":[%q],"publish_at":"now"}`, text, id),
		}
		d.tryCreate(r) // it may be killed before it responds
		proxy.wait(t)
		d.kill()
		d.start()
		posts = append(posts, d.tryCreate(r))
		if proxy.prompt {
			d.settledWithin(posts[i], time.Minute)
		}
	}
	for i, id := range posts {
		p := d.settledWithin(id, askedLater)
		if target := p.Targets[0]; target.Status != schedctl.Published || target.PlatformPostID == nil {
			t.Errorf("round %d: the post is %s: %+v", i, target.Status, target.Error)
		}
	}
	got := posted()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the network has %d posts, want %d:\n%q", len(got), len(want), got)
	}
}

// killingProxy sits between the daemon and a real network. When it is armed with a
// text, it kills the daemon as soon as the network has accepted a post with that text,
// and drops the response. Repeats of earlier posts pass.
type killingProxy struct {
	*httptest.Server
	armed atomic.Pointer[armed]
	done  chan struct{}

	// prompt means that the network is so fast, and its posts are repeated so soon, that
	// the kills of the next rounds would interrupt every attempt of a post.
	prompt bool
}

type armed struct {
	text string
	kill func() error
}

func newKillingProxy(t *testing.T, network, publishes string) *killingProxy {
	target, err := url.Parse(network)
	if err != nil {
		t.Fatal(err)
	}
	p := &killingProxy{done: make(chan struct{}, 1)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		a := p.armed.Load()
		fatal := a != nil && r.Method == http.MethodPost && r.URL.Path == publishes &&
			bytes.Contains(body, []byte(a.text)) && p.armed.CompareAndSwap(a, nil)
		// Servers close connections that are idle, which must not be mistaken for the kill.
		transport := &http.Transport{DisableKeepAlives: true}
		proxy := httputil.ReverseProxy{Transport: transport, ErrorLog: log.New(t.Output(), "proxy: ", 0), Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target) // with the network's own name as Host, which it puts into its responses
		}}
		if fatal {
			proxy.ModifyResponse = func(resp *http.Response) error { return p.killAfter(t, resp, a.kill) }
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// killAfter kills the daemon when the network has done all it does.
func (p *killingProxy) killAfter(t *testing.T, resp *http.Response, kill func() error) error {
	if _, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated {
		t.Errorf("the network responds %s, %v", resp.Status, err)
	}
	if err := kill(); err != nil {
		t.Error(err)
	}
	p.done <- struct{}{}
	panic(http.ErrAbortHandler)
}

// arm makes the acceptance of a post with the text the daemon's last.
func (p *killingProxy) arm(text string, kill func() error) { p.armed.Store(&armed{text, kill}) }

// wait waits until the daemon was killed.
func (p *killingProxy) wait(t *testing.T) {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(testsize.Patience):
		t.Fatal("the network has accepted nothing")
	}
}
