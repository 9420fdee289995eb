package mcp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/api"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestHTTPRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *api.Config) { c.PublicURL = "https://posts.example" })
	agent := f.agent()
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	method := func(name string) func(*http.Request) { return func(r *http.Request) { r.Method = name } }
	for name, tt := range map[string]struct {
		key, body string
		change    func(*http.Request)
		status    int
		want      string
	}{
		"nothing":              {agent, ping, header("X-Test", "1"), 200, `"result":{}`},
		"the public host":      {agent, ping, host("posts.example"), 200, `"result":{}`},
		"localhost":            {agent, ping, host("localhost:1"), 200, `"result":{}`},
		"another host":         {agent, ping, host("evil.example"), 403, "Host"},
		"another origin":       {agent, ping, header("Sec-Fetch-Site", "cross-site"), 403, "cross-origin"},
		"an Origin":            {agent, ping, header("Origin", "https://evil.example"), 403, "cross-origin"},
		"no key":               {"", ping, header("Authorization", ""), 401, "AUTHENTICATION_REQUIRED"},
		"a wrong key":          {"sctl_no", ping, header("X-Test", "1"), 401, "INVALID_API_KEY"},
		"GET":                  {agent, "", method("GET"), 405, "METHOD_NOT_ALLOWED"},
		"DELETE":               {agent, "", method("DELETE"), 405, "METHOD_NOT_ALLOWED"},
		"a text":               {agent, ping, header("Content-Type", "text/plain"), 415, "application/json"},
		"no JSON":              {agent, "{", header("X-Test", "1"), 400, "-32700"},
		"a batch":              {agent, "[" + ping + "]", header("X-Test", "1"), 400, "-32600"},
		"too large":            {agent, `{"a":"` + strings.Repeat("x", 4<<20) + `"}`, header("X-Test", "1"), 413, "-32600"},
		"too deep":             {agent, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}`, header("X-Test", "1"), 400, "-32600"},
		"a key that approves":  {f.key(schedctl.ScopePostsRead, schedctl.ScopePostsApprove), ping, header("X-Test", "1"), 403, "KEY_NOT_ALLOWED"},
		"a key for keys":       {f.key(schedctl.ScopeKeysWrite), ping, header("X-Test", "1"), 403, "schedctl key create --agent"},
		"a key for accounts":   {f.key(schedctl.ScopeAccountsWrite), ping, header("X-Test", "1"), 403, "KEY_NOT_ALLOWED"},
		"a key for webhooks":   {f.key(schedctl.ScopeWebhooksWrite), ping, header("X-Test", "1"), 403, "KEY_NOT_ALLOWED"},
		"a key for workspaces": {f.key(schedctl.ScopeWorkspacesWrite), ping, header("X-Test", "1"), 403, "KEY_NOT_ALLOWED"},
	} {
		status, text, h := f.send(tt.key, tt.body, tt.change)
		if status != tt.status || !strings.Contains(text, tt.want) {
			t.Errorf("%s: status %d: %.200s", name, status, text)
		}
		if h.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: a session", name)
		}
	}
}

// One request to /mcp spends one token, however many requests to the API follow.
func TestRateLimitOfCalls(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *api.Config) { c.RateLimit = api.RateLimit{PerSecond: 0.001, Burst: 3} })
	key := f.agent()
	const whoami = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}`
	for range 3 {
		if status, text, _ := f.send(key, whoami); status != 200 || !strings.Contains(text, "scopes") {
			t.Errorf("status %d: %s", status, text)
		}
	}
	status, text, h := f.send(key, whoami)
	if status != 429 || h.Get("Retry-After") == "" {
		t.Errorf("status %d: %s", status, text)
	}
}

// The stateless revision has its version in each request.
func TestStatelessRevision(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	send := func(method, params string) (int, string) {
		status, text, _ := f.send(f.agent(), `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+meta+`}}`, func(r *http.Request) {
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", method)
			r.Header.Set("Mcp-Name", "whoami")
		})
		return status, text
	}
	for method, want := range map[string]string{"server/discover": "2026-07-28", "tools/list": `"cacheScope":"private"`} {
		if status, text := send(method, ""); status != 200 || !strings.Contains(text, want) || strings.Contains(text, `"logging"`) {
			t.Errorf("%s: status %d: %.300s", method, status, text)
		}
	}
	if status, text := send("tools/call", `"name":"whoami",`); status != 200 || !strings.Contains(text, "posts:draft") {
		t.Errorf("status %d: %.300s", status, text)
	}
}

func TestResourcesAndPrompt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	key := f.agent()
	p := f.call(key, "create_draft", map[string]any{"content": "a text"}).post(t).Post
	for uri, want := range map[string]string{
		"schedctl://posts/" + p.ID: "a text", "schedctl://posts/post_01K2M4N6P8QARCTDVEWFXGYHZ1": "not found", "schedctl://posts/..%2fapi-keys": "not found", "file:///etc/passwd": "not found",
	} {
		_, text, _ := f.send(key, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`"}}`)
		if !strings.Contains(text, want) {
			t.Errorf("%s: %s", uri, text)
		}
	}
	_, text, _ := f.send(key, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"plan-the-week","arguments":{"topic":"boats"}}}`)
	if !strings.Contains(text, "boats") {
		t.Error(text)
	}
}
