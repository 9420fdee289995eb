package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/client/apiv1"
)

// wireOverride is an override of a text and options in a request.
func wireOverride(id string, content, options any) map[string]any {
	return map[string]any{
		"social_account_id": id, "content": content, "options": options, "media": nil, "thread": nil, "poll": nil,
		"content_warning": nil, "visibility": nil, "language": nil,
	}
}

func TestPostCreateWithTextsForSingleAccounts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "short.txt")
	if err := os.WriteFile(file, []byte("From a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		overrides []string
		want      []any
	}{
		"a text": {[]string{"hook=In short"}, []any{wireOverride(hookID, "In short", nil)}},
		"a file, and a text with an equals sign": {[]string{"http:hook=@" + file, demoID + "=a=b"}, []any{
			wireOverride(hookID, "From a file", nil),
			wireOverride(demoID, "a=b", nil),
		}},
		"a text with a mention": {[]string{"hook=@@alice, hello"}, []any{wireOverride(hookID, "@alice, hello", nil)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent capture
			m := newMachine(t, routes{"GET /social-accounts": twoAccounts, "POST /posts": sent.answer(apiv1.PostEnvelope{Post: apiv1.Post{ID: "post_1"}})})
			args := []string{"post", "create", "Hello", "--to", "all", "-q"}
			for _, o := range tc.overrides {
				args = append(args, "--override", o)
			}
			m.want(t, 0, "post_1\n", "", args...)
			if diff := cmp.Diff(tc.want, sent.body["target_overrides"]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestOverridesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, `--override "hook": write ACCOUNT=TEXT or ACCOUNT=@FILE`, []string{"hook"}},
		{2, `--override "=x": write ACCOUNT=TEXT or ACCOUNT=@FILE`, []string{"=x"}},
		{2, "--override http:hook: the account has a text already; give one", []string{"hook=a", "http:hook=b"}},
		{5, "--override demo: the post does not go to that account; add --to demo", []string{"demo=a"}},
		{5, "the text for hook is empty: a post needs a text", []string{"hook= "}},
		{1, "read the text for hook: open no-such-file: no such file or directory; write @@ for a text that starts with @", []string{"hook=@no-such-file"}},
	} {
		t.Run(tc.want, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, routes{"GET /social-accounts": twoAccounts})
			args := []string{"post", "create", "Hello", "--to", "hook"}
			for _, o := range tc.args {
				args = append(args, "--override", o)
			}
			m.want(t, tc.status, "", "schedctl: "+tc.want+"\n", args...)
		})
	}
}

// An edit names one account, and the texts and options of the others stay.
func TestPostEditKeepsTheOtherOverrides(t *testing.T) {
	t.Parallel()
	before := apiv1.Post{
		ID: "post_1", Status: schedctl.Draft, Version: 7, SocialAccountIDs: []string{demoID, hookID},
		TargetOverrides: []apiv1.Override{
			{SocialAccountID: demoID, Content: ptr("for demo"), Options: map[string]any{}},
			{SocialAccountID: hookID, Content: ptr("for hook"), Options: map[string]any{"visibility": "unlisted"}},
		},
	}
	demo := wireOverride(demoID, "for demo", map[string]any{})
	hook := func(content any) map[string]any {
		return wireOverride(hookID, content, map[string]any{"visibility": "unlisted"})
	}
	for name, tc := range map[string]struct {
		args []string
		want []any
	}{
		"another text":              {[]string{"--override", "hook=anew"}, []any{demo, hook("anew")}},
		"no text, but the options":  {[]string{"--override", "hook="}, []any{demo, hook(nil)}},
		"neither text nor options":  {[]string{"--override", "demo="}, []any{hook("for hook")}},
		"an account that goes away": {[]string{"--to", "hook", "--override", "hook=anew"}, []any{hook("anew")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sent capture
			m := newMachine(t, routes{
				"GET /social-accounts": twoAccounts, "GET /posts/post_1": apiv1.PostEnvelope{Post: before},
				"PATCH /posts/post_1": sent.answer(apiv1.PostEnvelope{Post: before}),
			})
			m.want(t, 0, "post_1\n", "", append([]string{"post", "edit", "post_1", "-q"}, tc.args...)...)
			if diff := cmp.Diff(tc.want, sent.body["target_overrides"]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := sent.header.Get("If-Match"); got != `"7"` {
				t.Errorf("If-Match %s, want the version that was read", got)
			}
		})
	}
}

func TestPostShowTellsTheTextsOfSingleAccounts(t *testing.T) {
	t.Parallel()
	p := apiv1.Post{
		ID: "post_1", Status: schedctl.Draft, Content: "Hello", SocialAccountIDs: []string{demoID, hookID},
		TargetOverrides: []apiv1.Override{{SocialAccountID: hookID, Content: ptr("In\nshort"), Options: map[string]any{"sensitive": true}}},
	}
	daemon := routes{"GET /social-accounts": twoAccounts, "GET /posts/post_1": apiv1.PostEnvelope{Post: p}}
	m := newMachine(t, daemon)
	m.run(t, "post", "show", "post_1")
	if want := "\noverride\t" + hookID + "\thook\tIn short\t{\"sensitive\":true}\n"; !strings.Contains(m.out.String(), want) {
		t.Errorf("it does not show %q:\n%s", want, &m.out)
	}
	m = newMachine(t, daemon).terminals()
	m.env["NO_COLOR"] = "1"
	m.run(t, "post", "show", "post_1")
	if want := "\n  Hello\n\nfor hook: {\"sensitive\":true}\n  In\n  short\n\n"; !strings.Contains(m.out.String(), want) {
		t.Errorf("it does not show %q:\n%s", want, &m.out)
	}
}

// Several faults are a line each; one of them is the first line no longer.
func TestRefusalsOfSeveralAccountsAreALineEach(t *testing.T) {
	t.Parallel()
	details := []apiv1.Detail{
		{Field: "content", Code: schedctl.ContentTooLong, Message: `mastodon account "me": the post has 512 characters and the network allows 500; shorten it`, SocialAccountID: "acct_1", Length: 512, Limit: 500, Unit: "characters"},
		{Field: "content", Code: schedctl.ContentTooLong, Message: `bluesky account "me": too long`, SocialAccountID: "acct_2", Length: 512, Limit: 300, Unit: "graphemes"},
	}
	refuse := func(details ...apiv1.Detail) routes {
		return routes{"POST /posts": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			answerError(w, apiv1.Error{Code: schedctl.ContentTooLong, Message: details[0].Message, Details: details})
		})}
	}
	newMachine(t, refuse(details...)).want(t, 5, "", "schedctl: the post is refused for 2 accounts\n"+
		"  mastodon account \"me\": the post has 512 characters and the network allows 500; shorten it\n"+
		"  bluesky account \"me\": too long (512 of 300 graphemes)\n", "post", "create", "Hello")
	newMachine(t, refuse(details[0])).want(t, 5, "", "schedctl: "+details[0].Message+"\n", "post", "create", "Hello")
	newMachine(t, refuse(apiv1.Detail{Field: "a", Message: "first"}, apiv1.Detail{Field: "b", Message: "second"})).want(t, 5, "",
		"schedctl: the daemon refuses this for several reasons\n  a: first\n  b: second\n", "post", "create", "Hello")
}
