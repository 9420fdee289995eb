package api_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
	"github.com/schedctl/schedctl/daemon/api"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// external is where the proxies of these tests serve the daemon.
const external = "https://posts.example/team/sched"

// reverseProxy returns a proxy that serves the daemon below the path of external. Some
// proxies keep the Host of requests, as Caddy does, and some send the address of the daemon,
// as nginx does without proxy_set_header.
func (f *fixture) reverseProxy(keepHost bool) http.Handler {
	target, _ := url.Parse("http://127.0.0.1:7733")
	return http.StripPrefix("/team/sched", &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if keepHost {
				r.Out.Host = r.In.Host
				r.SetXForwarded()
			}
		},
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			r.RemoteAddr = "127.0.0.1:4000"
			if r.Body == nil {
				r.Body = http.NoBody
			}
			f.server.ServeHTTP(w, r)
			return w.Result(), nil
		}),
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestBelowThePathOfAProxy guards that every address in a response leads back to the daemon
// when a proxy serves it below a path.
func TestBelowThePathOfAProxy(t *testing.T) {
	t.Parallel()
	for name, keepHost := range map[string]bool{"a proxy that keeps Host": true, "a proxy that sends its own Host": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) { c.PublicURL, c.External = external, external })
			proxy := f.reverseProxy(keepHost)
			ask := func(method, at, key string, body any) *httptest.ResponseRecorder {
				t.Helper()
				text, err := json.Marshal(body)
				if err != nil {
					t.Fatal(err)
				}
				r := httptest.NewRequest(method, resolve(t, external+"/", at), bytes.NewReader(text))
				r.Header.Set("Authorization", "Bearer "+f.mine.key)
				r.Header.Set("Content-Type", "application/json")
				if key != "" {
					r.Header.Set("Idempotency-Key", key)
				}
				w := httptest.NewRecorder()
				proxy.ServeHTTP(w, r)
				return w
			}
			var doc struct{ Servers []struct{ URL string } }
			if err := json.Unmarshal(ask("GET", "openapi.json", "", nil).Body.Bytes(), &doc); err != nil || len(doc.Servers) != 1 || doc.Servers[0].URL != external {
				t.Errorf("servers %+v, %v", doc.Servers, err)
			}
			post := body{"content": "x", "external_id": "a"}
			for what, w := range map[string]*httptest.ResponseRecorder{
				"a created post":  ask("POST", "api/v1/posts", "k", post),
				"a repeat":        ask("POST", "api/v1/posts", "k", post),
				"an existing one": ask("POST", "api/v1/posts", "", post),
			} {
				location := w.Header().Get("Location")
				if !strings.HasPrefix(location, "/team/sched/api/v1/posts/post_") {
					t.Errorf("%s: status %d, Location %q", what, w.Code, location)
				} else if got := ask("GET", location, "", nil); got.Code != http.StatusOK {
					t.Errorf("%s: GET %s is %d", what, location, got.Code)
				}
			}
			var feed struct{ URL string }
			w := ask("POST", "api/v1/calendar-feeds", "", body{"name": "team"})
			if err := json.Unmarshal(w.Body.Bytes(), &feed); err != nil || !strings.HasPrefix(feed.URL, external+"/calendar/") {
				t.Fatalf("calendar %d %q, %v", w.Code, feed.URL, err)
			}
			if got := ask("GET", feed.URL, "", nil); got.Code != http.StatusOK {
				t.Errorf("GET %s is %d", feed.URL, got.Code)
			}
			root := ask("GET", "", "", nil)
			var paths map[string]string
			if err := json.Unmarshal(root.Body.Bytes(), &paths); err != nil {
				t.Fatal(err)
			}
			for _, at := range []string{resolve(t, external+"/", root.Header().Get("Location")), paths["docs"], paths["openapi"], paths["api"] + "/me", "docs/start.js"} {
				if got := ask("GET", at, "", nil); got.Code != http.StatusOK {
					t.Errorf("GET %s is %d", at, got.Code)
				}
			}
		})
	}
}

// resolve returns the address of a reference in a document at base.
func resolve(t *testing.T, base, reference string) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	if u, err = u.Parse(reference); err != nil {
		t.Fatal(err)
	}
	return u.String()
}

// TestUploadAddressBehindAProxy guards that a client on the machine of the daemon uploads
// directly, and that a client of a trusted proxy does not get the address of the daemon.
func TestUploadAddressBehindAProxy(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		host, peer, want string
	}{
		"direct":            {"127.0.0.1:7733", "127.0.0.1:4000", "http://127.0.0.1:7733/api/"},
		"by the public URL": {"posts.example", "192.0.2.1:4000", external + "/api/"},
		"a trusted proxy":   {"127.0.0.1:7733", "10.0.0.1:4000", external + "/api/"},
	} {
		f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) {
			c.PublicURL, c.External, c.TrustedProxies = external, external, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		})
		r := f.do(func(r *http.Request) { r.Host, r.RemoteAddr = tt.host, tt.peer }, "POST", "/media/uploads",
			body{"file_name": "a.png", "mime_type": "image/png", "size_bytes": 10}).want(http.StatusCreated)
		got := decodeAs[apiv1.UploadEnvelope](t, r)
		if !strings.HasPrefix(got.Upload.URL, tt.want) {
			t.Errorf("%s: %s", name, got.Upload.URL)
		}
	}
}

// TestClientsOfTrustedProxies guards that the audit log has the address of the client when a
// trusted proxy names it, and of the peer otherwise.
func TestClientsOfTrustedProxies(t *testing.T) {
	t.Parallel()
	blocks := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32"), api.TrustUnix()}
	for name, tt := range map[string]struct {
		trusted   []netip.Prefix
		peer      string
		forwarded []string
		want      string
	}{
		"no proxy is trusted":          {nil, "10.0.0.1:4000", []string{"192.0.2.1"}, "10.0.0.1"},
		"another peer":                 {blocks, "192.0.2.9:4000", []string{"192.0.2.1"}, "192.0.2.9"},
		"a proxy":                      {blocks, "10.0.0.1:4000", []string{"192.0.2.1"}, "192.0.2.1"},
		"a proxy in IPv6":              {blocks, "[2001:db8::1]:4000", []string{"2001:db9::7"}, "2001:db9::7"},
		"a mapped proxy":               {blocks, "[::ffff:10.0.0.1]:4000", []string{"192.0.2.1"}, "192.0.2.1"},
		"a proxy on a socket":          {blocks, "@", []string{"192.0.2.1"}, "192.0.2.1"},
		"a socket that is not trusted": {blocks[:2], "@", []string{"192.0.2.1"}, "unix"},
		"two proxies":                  {blocks, "10.0.0.1:4000", []string{"192.0.2.1, 10.2.3.4"}, "192.0.2.1"},
		"two headers":                  {blocks, "10.0.0.1:4000", []string{"192.0.2.1", "10.2.3.4"}, "192.0.2.1"},
		"what the client wrote":        {blocks, "10.0.0.1:4000", []string{"198.51.100.1, 192.0.2.1"}, "192.0.2.1"},
		"a client with a port":         {blocks, "10.0.0.1:4000", []string{"192.0.2.1:5000"}, "192.0.2.1"},
		"a client in brackets":         {blocks, "10.0.0.1:4000", []string{"[2001:db9::7]:5000"}, "2001:db9::7"},
		"proxies only":                 {blocks, "10.0.0.1:4000", []string{"10.9.9.9, 10.2.3.4"}, "10.9.9.9"},
		"no header":                    {blocks, "10.0.0.1:4000", nil, "10.0.0.1"},
		"nonsense":                     {blocks, "10.0.0.1:4000", []string{"192.0.2.1, unknown"}, "10.0.0.1"},
		"nonsense before a proxy":      {blocks, "10.0.0.1:4000", []string{"<script>, 10.2.3.4"}, "10.2.3.4"},
		"more than anyone needs":       {blocks, "10.0.0.1:4000", []string{"192.0.2.1," + strings.Repeat("10.2.3.4,", 40) + "10.2.3.4"}, "10.2.3.4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) { c.TrustedProxies = tt.trusted })
			from := func(r *http.Request) { r.RemoteAddr, r.Header["X-Forwarded-For"] = tt.peer, tt.forwarded }
			f.do(from, "POST", "/posts", body{"content": "x"}).want(http.StatusCreated)
			log := f.auditPage("?action=createPost")
			if len(log.Results) != 1 || log.Results[0].RemoteAddr == nil || *log.Results[0].RemoteAddr != tt.want {
				t.Errorf("the audit log has %+v, want %s", log.Results, tt.want)
			}
		})
	}
}

// TestLimitsBehindATrustedProxy guards that a client without a valid key does not use up the
// limit of the others behind the same proxy, and cannot evade its own with a header.
func TestLimitsBehindATrustedProxy(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storagetest.NewMemory(), func(c *api.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")} })
	from := func(forwarded string) option {
		return func(r *http.Request) {
			r.RemoteAddr = "10.0.0.1:4000"
			r.Header.Set("X-Forwarded-For", forwarded)
			r.Header.Set("Authorization", "Bearer nonsense")
		}
	}
	refused := false
	for i := range 30 {
		forged := netip.AddrFrom4([4]byte{198, 51, 100, byte(i)}).String()
		refused = f.do(from(forged+", 192.0.2.1"), "GET", "/me", nil).status == http.StatusTooManyRequests || refused
	}
	if !refused {
		t.Error("a client evades the limit with addresses that it makes up")
	}
	f.do(from("192.0.2.2"), "GET", "/me", nil).refused(schedctl.InvalidAPIKey)
}
