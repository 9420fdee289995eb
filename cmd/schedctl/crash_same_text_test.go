package main_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

// TestSameTextTwiceOnSnac publishes the same text twice within a second, to one
// account and to two that log in as the same user, and cuts the second request before
// the server. The server ignores the Idempotency-Key and has one status then, which
// once counted for both posts.
func TestSameTextTwiceOnSnac(t *testing.T) {
	t.Parallel()
	snac := publishtest.StartSnac(t)
	d := newCrashDaemon(t)
	d.start()
	proxy := newCuttingProxy(t, snac.URL)
	connect := func(name string) string {
		return d.connectAccount(apiv1.AddAccount{Platform: "mastodon", Name: name, Credentials: map[string]string{
			"instance_url": proxy.URL, "access_token": snac.AccessToken,
		}})
	}
	publish := func(text, account, key string) string {
		id := d.tryCreate(&request{key: key, body: fmt.Sprintf(`{"content":%q,"social_account_ids":[%q],"publish_at":"now"}`, text, account)})
		if id == "" {
			t.Fatalf("%s was not created", key)
		}
		return id
	}
	one, two, three := connect("one"), connect("two"), connect("three")
	pairs := map[string][2]string{"Twice to one account": {one, one}, "Once to each account": {two, three}}
	posts := map[string][]string{}
	for i, text := range []string{"Twice to one account", "Once to each account"} {
		first := publish(text, pairs[text][0], fmt.Sprint("first-", i))
		d.settledWithin(first, askedLater)
		cuts := proxy.cuts.Load()
		proxy.cut.Store(&text)
		posts[text] = []string{first, publish(text, pairs[text][1], fmt.Sprint("second-", i))}
		for end := time.Now().Add(askedLater); proxy.cuts.Load() == cuts; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("no request was cut")
			}
		}
	}
	owners := map[string]string{}
	for text, ids := range posts {
		for _, id := range ids {
			target := d.settledWithin(id, askedLater).Targets[0]
			if target.Status != schedctl.Published || target.PlatformPostID == nil {
				t.Errorf("%s: %s is %s: %+v", text, id, target.Status, target.Error)
				continue
			}
			if other := owners[*target.PlatformPostID]; other != "" {
				t.Errorf("%s: %s and %s are both published as %s", text, other, id, *target.PlatformPostID)
			}
			owners[*target.PlatformPostID] = id
		}
	}
	counts := map[string]int{}
	for _, text := range snacStatuses(t, snac) {
		counts[text]++
	}
	for text := range posts {
		if counts[text] != 2 {
			t.Errorf("the server has %q %d times, want 2", text, counts[text])
		}
	}
	if n := proxy.cuts.Load(); n != 2 {
		t.Errorf("%d requests were cut, want 2", n)
	}
}

// cuttingProxy stands between the daemon and a server. It cuts the next request
// that publishes a certain text before the server sees it.
type cuttingProxy struct {
	*httptest.Server
	cut  atomic.Pointer[string]
	cuts atomic.Int64
}

func newCuttingProxy(t *testing.T, network string) *cuttingProxy {
	target, err := url.Parse(network)
	if err != nil {
		t.Fatal(err)
	}
	p := &cuttingProxy{}
	// snac closes connections that are idle, which must not be mistaken for a cut.
	transport := &http.Transport{DisableKeepAlives: true}
	proxy := &httputil.ReverseProxy{Transport: transport, ErrorLog: log.New(t.Output(), "proxy: ", 0), Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		text := p.cut.Load()
		if text != nil && r.Method == http.MethodPost && r.URL.Path == "/api/v1/statuses" && bytes.Contains(body, []byte(*text)) && p.cut.CompareAndSwap(text, nil) {
			p.cuts.Add(1)
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}
