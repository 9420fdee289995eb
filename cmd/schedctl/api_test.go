package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl/client/apiv1"
)

func TestAPI(t *testing.T) {
	t.Parallel()
	var seen []string
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, r.Method+" "+r.URL.RequestURI()+" "+string(body)+" "+r.Header.Get("Idempotency-Key"))
		w.Write([]byte(`{"b":1,  "a":"\u001b"}`))
	})
	m := newMachine(t, routes{"GET /posts": echo, "POST /posts": echo, "DELETE /posts": echo})
	m.want(t, 0, `{"b":1,  "a":"\u001b"}`, "", "api", "GET", "/posts?status=draft")
	m.want(t, 0, `{"b":1,  "a":"\u001b"}`, "", "api", "get", "/api/v1/posts")
	m.want(t, 0, "1\n", "", "api", "GET", "/posts", "--jq", ".b")
	m.In = strings.NewReader(`{"content": "Hello"}`)
	m.want(t, 0, `{"b":1,  "a":"\u001b"}`, "", "api", "POST", "/posts", "-F", "-", "--idempotency-key", "mine")
	m.want(t, 1, "", "schedctl: read the body: open /no/such/file: no such file or directory\n", "api", "POST", "/posts", "-F", "/no/such/file")
	if diff := cmp.Diff([]string{"GET /api/v1/posts?status=draft  ", "GET /api/v1/posts  ", "GET /api/v1/posts  ", `POST /api/v1/posts {"content": "Hello"} mine`}, seen); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	m.want(t, 2, "", "schedctl: method \"FETCH\" is not known; use one of DELETE, GET, HEAD, PATCH, POST, PUT\n", "api", "fetch", "/posts")
	m.want(t, 2, "", "schedctl: GET has no body, and --file is given\n", "api", "GET", "/posts", "-F", "x")
	m.want(t, 2, "", "schedctl: this is not a path of the daemon's API: \"http://elsewhere.test/\"; try /posts or /posts?status=draft\n", "api", "GET", "http://elsewhere.test/")
	m.want(t, 2, "", `{"error":{"code":"USAGE","message":"--json: unknown field \"id\"; schedctl api prints no object","details":null,"request_id":""}}`+"\n", "api", "GET", "/posts", "--json=id")
	m.terminals().want(t, 0, "{\n  \"b\": 1,\n  \"a\": \"\\u001b\"\n}\n", "", "api", "GET", "/posts")
}

func TestAPIRefusals(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /posts": refused{404, "NOT_FOUND"}, "GET /me": refused{429, "RATE_LIMITED"}})
	body := func(code string) string {
		return `{"error":{"code":"` + code + `","message":"the daemon says no","details":null,"request_id":"req_1"}}` + "\n"
	}
	m.want(t, 3, body("NOT_FOUND"), "schedctl: the daemon says no\n", "api", "GET", "/posts")
	m.want(t, 10, body("RATE_LIMITED"), "schedctl: the daemon says no\n", "api", "GET", "/me")
	m.want(t, 3, "", body("NOT_FOUND"), "api", "GET", "/posts", "--json")
	m.want(t, 3, "", "schedctl: the daemon says no\n", "api", "GET", "/posts", "--jq", ".id")
	m.terminals().noColorEnv()
	m = newMachine(t, routes{"GET /docs": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<p>\x1b[31m")) })}).terminals()
	m.want(t, 0, "<p>\ufffd[31m\n", "", "api", "GET", "/docs")
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	rate := 20.0
	m := newMachine(t, routes{"GET /capabilities": apiv1.Capabilities{
		Workspace: apiv1.Workspace{Name: "default"}, APIKey: apiv1.APIKey{Name: "admin"}, Features: map[string]bool{"webhooks": true, "events": true},
		Limits: apiv1.ServiceLimits{ContentCharacters: 5000, AccountsPerPost: 100, BodyBytes: 1 << 20, PageSize: 100, Webhooks: 20, IdempotencySeconds: 86400, RequestsPerSecond: &rate},
		Platforms: map[string]apiv1.PlatformEntry{
			"feed": {Name: "feed"},
			"http": {Name: "http", Credentials: []apiv1.PlatformField{{Name: "url", Required: true}, {Name: "secret", Secret: true}}, Options: []apiv1.PlatformField{{Name: "idempotent"}}},
		},
	}})
	m.want(t, 0, "workspace\tdefault\nkey\tadmin\nfeatures\tevents webhooks\ntext\t5000 characters\naccounts\t100 in a post\nrequest\t1.0 MB\npage\t100 results\nwebhooks\t20\n"+
		"idempotency\tresponses are kept for 1 day\nrate_limit\t20 requests a second for each key\nplatform\tfeed\t\t\nplatform\thttp\turl [secret]\t[idempotent]\n", "", "capabilities")
	m.want(t, 0, "feed\nhttp\n", "", "capabilities", "-q")
	m.want(t, 0, "100\n", "", "capabilities", "--jq", ".limits.page_size")
}
