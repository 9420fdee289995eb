package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

var testKeys = apiv1.APIKeyList{Results: []apiv1.APIKey{
	{ID: "key_1", Name: "admin", Scopes: schedctl.Scopes(), LastUsedAt: at(-2 * time.Hour)},
	{ID: "key_2", Name: "ci", Scopes: []schedctl.Scope{"posts:read"}, ExpiresAt: at(-time.Minute)},
	{ID: "key_3", Name: "ci", Scopes: []schedctl.Scope{"posts:read"}, ExpiresAt: at(49 * time.Hour), RevokedAt: at(-time.Hour)},
}}

func TestKeyListOnATerminal(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /api-keys": testKeys}).terminals().noColorEnv()
	m.want(t, 0, `ID     STATUS   EXPIRES  USED    NAME   SCOPES
key_1  active   never    2h ago  admin  posts:read,posts:write,posts:draft,posts:approve,accounts:r…
key_2  expired  1m ago   never   ci     posts:read
key_3  revoked  in 2d    never   ci     posts:read
`, "", "key", "list")
}

// A name means the key that is still good, also when others had it before.
func TestKeyRevokeByName(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{
		"GET /api-keys": testKeys, "DELETE /api-keys/key_2": nil,
		"DELETE /api-keys/key_1": refused{http.StatusBadRequest, "VALIDATION_FAILED"},
	})
	m.want(t, 0, "key_2\n", "", "key", "revoke", "ci")
	m.want(t, 5, "", "schedctl: the daemon says no\n", "key", "revoke", "key_1")
}

func TestKeyRevokeAsksAlsoWhoseKeyItIs(t *testing.T) {
	t.Parallel()
	for key, question := range map[string]string{
		"key_1": "Revoke admin (key_1) for good? It is the key that you use now. [y/N] ",
		"key_2": "Revoke ci (key_2) for good? [y/N] ",
	} {
		m := newMachine(t, routes{"GET /api-keys": testKeys, "GET /me": apiv1.Me{APIKey: apiv1.APIKey{ID: "key_1"}}}).terminals()
		m.In = strings.NewReader("n\n")
		m.want(t, 130, "", question+"schedctl: no changes were made\n", "key", "revoke", key)
	}
}

func TestKeyCompletion(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /api-keys": testKeys, "GET /social-accounts": list["GET /social-accounts"]})
	for line, want := range map[string]string{
		"key revoke ":           "key_1\tadmin\nkey_2\tci\n:",
		"key revoke key_1 ":     ":",
		"key create --scope ":   "posts:read\nposts:write\n",
		"key create --account ": "demo\tfeed\n",
		"workspace add --tz eu": "Europe/Amsterdam\n",
		"workspace add ":        ":",
	} {
		args := append([]string{"__complete"}, strings.Split(line, " ")...)
		if status := m.run(t, args...); status != 0 || !strings.HasPrefix(m.out.String(), want) {
			t.Errorf("%q: exit status %d, got %q, want it to start with %q", line, status, &m.out, want)
		}
	}
}

// auditLog has n entries, one a minute. A page has as many as the request asks for.
func auditLog(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from := len(r.URL.Query().Get("cursor"))
		size := 100
		if r.URL.Query().Get("limit") == "2" {
			size = 2
		}
		var page apiv1.AuditList
		for i := from; i < min(n, from+size); i++ {
			page.Results = append(page.Results, apiv1.AuditEntry{ID: "aud_" + strings.Repeat("x", i), CreatedAt: at(-time.Duration(i) * time.Minute), Action: "createPost"})
		}
		if next := from + size; next < n {
			page.NextCursor = ptr(strings.Repeat("c", next))
		}
		routes{"GET /audit": page}.ServeHTTP(w, r)
	}
}

func TestAuditSelects(t *testing.T) {
	t.Parallel()
	m := newMachine(t, routes{"GET /audit": auditLog(130)})
	for args, want := range map[string]int{
		"":                      130,
		"--limit 2":             2,
		"--all --limit 2":       2,
		"--limit 120":           120,
		"--all":                 130,
		"--after=2h_ago --all":  121, // two hours ago itself counts
		"--before=2h_ago":       9,
		"--before=2h_ago --all": 9,
		"--after=5m_ago --all":  6,
		"--after=-1m_ago --all": -1,
		"--before=1h_ago --after=90m_ago --limit 5": 5,
	} {
		words := []string{"audit", "-q"}
		for _, w := range strings.Fields(args) {
			words = append(words, strings.ReplaceAll(w, "_", " "))
		}
		status := m.run(t, words...)
		got := strings.Count(m.out.String(), "\n")
		if want < 0 {
			if status != 2 {
				t.Errorf("%q: exit status %d, want 2", args, status)
			}
			continue
		}
		if status != 0 || got != want {
			t.Errorf("%q: exit status %d and %d entries, want %d: %s", args, status, got, want, &m.err)
		}
	}
	m.terminals()
	m.run(t, "audit", "--limit", "2")
	if got := m.err.String(); got != "there are more; use --limit or --all\n" {
		t.Errorf("told %q", got)
	}
}
