package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/schedctl/schedctl/client/apiv1"
)

// TestNoTextControlsATerminal guards that texts of posts and networks cannot send
// control sequences to the terminals of people who view them.
func TestNoTextControlsATerminal(t *testing.T) {
	t.Parallel()
	p := newPlanted(t, plantedSecrets())
	const evil = "evil \x1b]0;pwned\a \x1b[31mred \u009b32mgreen \x1b]52;c;ZXZpbA==\x1b\\ \x1bP$q\x1b\\ \u202ertl"
	refusals := p.parrot.Config.Handler
	p.parrot.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/hook/") {
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprint(w, "no "+evil)
			return
		}
		refusals.ServeHTTP(w, r)
	})
	var added apiv1.AccountEnvelope
	p.call("POST", "/api/v1/social-accounts", apiv1.AddAccount{Platform: "http", Name: "here", Credentials: map[string]string{"url": p.parrot.URL + "/hook/"}}, &added)
	p.accounts = []string{added.SocialAccount.ID}
	p.publish(evil)
	p.call("POST", "/api/v1/posts", map[string]any{"content": evil, "social_account_ids": p.accounts, "publish_at": "2036-06-02T15:00:00Z", "allow_duplicate": true}, nil)
	var posts apiv1.PostList
	p.call("GET", "/api/v1/posts", nil, &posts)
	post := posts.Results[0].ID
	for _, args := range [][]string{
		{"post", "list"}, {"post", "list", "--json"}, {"post", "list", "--json=content", "--jq", ".[].content"}, {"post", "list", "--template", "{{range .}}{{.content}}{{end}}"},
		{"post", "show", post}, {"post", "timeline", post}, {"post", "export", "-", "--status", "failed"}, {"post", "export", "--format", "jsonl"}, {"post", "export", "--format", "ics"},
		{"post", "retry", post}, {"calendar"}, {"api", "GET", "/posts"}, {"post", "create", evil, "--to", evil}, {"account", "list"}, {evil},
	} {
		wantTame(t, args, p.onTerminal(nil, args...))
	}
	wantTame(t, []string{"tui"}, p.browse("evil"))
}

// wantTame looks for what the text would do to a terminal.
func wantTame(t *testing.T, args []string, shown string) {
	t.Helper()
	for _, wild := range []string{"\x1b]0;pwned", "\x1b[31mred", "\u009b", "\x1b]52", "\x1bP", "\u202e"} {
		if strings.Contains(shown, wild) {
			t.Errorf("%q lets %q through: %q", args, wild, shown)
		}
	}
}
