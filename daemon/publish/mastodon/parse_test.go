package mastodon

import (
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/scripts/cost"
)

func TestServer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"mastodon.social":           "https://mastodon.social",
		" Mastodon.Social ":         "https://mastodon.social",
		"https://mastodon.social/":  "https://mastodon.social",
		"https://mastodon.social//": "https://mastodon.social",
		"mastodon.social:8443":      "https://mastodon.social:8443",
		"http://127.0.0.1:8001":     "http://127.0.0.1:8001",
		"HTTP://localhost":          "http://localhost",
		"[::1]:8001":                "https://[::1]:8001",
	} {
		if u, err := parseServer(text); err != nil || u.String() != want {
			t.Errorf("%q: got %v, %v; want %s", text, u, err, want)
		}
	}
}

func checkParseInstance(t *testing.T, body []byte) {
	i, ok := parseInstance(outbound.Response{Status: 200, Body: body})
	l := i.limits
	if (!ok && i != (instance{})) || l.MaxCharacters < 0 || l.URLCharacters < 0 || l.URLCharacters > 1000 {
		t.Errorf("%q: got %+v, %v", body, l, ok)
	}
}

func checkNodeinfo(t *testing.T, body []byte) {
	u := &url.URL{Scheme: "https", Host: "social.example"}
	a := outbound.Response{Status: 200, Body: body}
	if link := nodeinfoLink(a, u); link != "" {
		if got, err := url.Parse(link); err != nil || got.Scheme != "https" || !strings.EqualFold(got.Host, u.Host) || got.User != nil {
			t.Errorf("%q: got the link %q", body, link)
		}
	}
	if name := nodeinfoSoftware(a); name != strings.ToLower(name) || utf8.RuneCountInString(name) > 2*100 {
		t.Errorf("%q: got the name %q", body, name)
	}
}

func checkParseAccount(t *testing.T, body []byte) {
	profile, ok := parseAccount(outbound.Response{Status: 200, Body: body}, "social.example")
	if ok != strings.Contains(profile.Username, "@") {
		t.Errorf("%q: got %+v, %v", body, profile, ok)
	}
	for _, text := range []string{profile.Username, profile.DisplayName, profile.URL} {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || len(text) > 2048 {
			t.Errorf("%q: got %q", body, text)
		}
	}
}

func checkRead(t *testing.T, code int, body []byte) {
	receipt, err := readResponse(outbound.Response{Status: code, Body: body}, publish.Request{Content: "the content of a post"}, time.Unix(1780412400, 0))
	if (err == nil) != (receipt.ID != "") {
		t.Fatalf("%d %q: got %+v and %v", code, body, receipt, err)
	}
	if err == nil {
		return
	}
	e := publish.AsError(err)
	if len(e.Message) > 500 || !utf8.ValidString(e.Message) || strings.ContainsFunc(e.Message, unicode.IsControl) || e.Outcome == "" || e.Kind == "" {
		t.Errorf("%d %q: got %+v", code, body, e)
	}
}

func checkParseMetadata(t *testing.T, body []byte) {
	u := &url.URL{Scheme: "https", Host: "social.example"}
	m := parseMetadata(outbound.Response{Status: 200, Body: body}, u, metadata{authorization: "https://social.example/a", token: "https://social.example/t"})
	for _, endpoint := range []string{m.authorization, m.token} {
		if got, err := url.Parse(endpoint); err != nil || got.Scheme != "https" || !strings.EqualFold(got.Host, "social.example") || got.User != nil {
			t.Errorf("%q: endpoint %q", body, endpoint)
		}
	}
}

func checkReadCode(t *testing.T, pasted string) {
	l := &Login{state: "s"}
	code, err := l.readCode(pasted)
	if (err == nil) != (code != "") || !outbound.ValidToken(code) {
		t.Errorf("%q: got %q, %v", pasted, code, err)
	}
	if err != nil && len(pasted) > 20 && strings.Contains(err.Error(), pasted) {
		t.Errorf("the error for %q contains it: %q", pasted, err)
	}
}

// FuzzResponses tests all parsers of responses and user input. The first number
// selects the parser.
func FuzzResponses(f *testing.F) {
	f.Add(byte(0), 200, `{"configuration":{"statuses":{"max_characters":500,"characters_reserved_per_url":23}}}`, "")
	f.Add(byte(0), 200, `{"max_toot_chars":5000,"configuration":null}`, "")
	f.Add(byte(0), 200, `{"configuration":{"statuses":{"max_characters":1e308}}}`, "")
	f.Add(byte(1), 200, `{"acct":"alice","username":"alice","display_name":"Alice","url":"https://social.example/@alice"}`, "")
	f.Add(byte(1), 200, `{"acct":"\u0000\u202e","display_name":{"a":1}}`, "")
	f.Add(byte(2), 200, `{"id":"1","url":"https://social.example/@a/1"}`, "")
	f.Add(byte(2), 422, `{"error":"Validation failed: Text character limit of 500 exceeded"}`, "")
	f.Add(byte(2), 400, `{"error":{"issues":[{"message":"x"}]}}`, "")
	f.Add(byte(2), 503, "\xff", "")
	f.Add(byte(3), 200, `{"authorization_endpoint":"https://social.example/oauth/authorize","token_endpoint":"https://social.example/oauth/token","scopes_supported":["read"],"code_challenge_methods_supported":["S256"]}`, "")
	f.Add(byte(3), 200, `{"token_endpoint":"https://social.example@evil.example/","code_challenge_methods_supported":"S256"}`, "")
	f.Add(byte(4), 200, "0123456789abcdef&state=s", "")
	f.Add(byte(4), 200, "https://social.example/oauth/authorize/native?code=x&state=s#", "")
	f.Add(byte(5), 200, `<p>Read <a href="https://example.com/x"><span class="invisible">https://</span>example.com/x</a> &amp; <br></p>`, "")
	f.Add(byte(5), 200, `<table><a><p><a href=://>…`, "")
	f.Add(byte(6), 200, "Hi @bob@other.example https://a.com/x", "hi")
	f.Add(byte(6), 200, "", "\u200d")
	f.Add(byte(7), 200, `[{"id":"1","content":"<p>x</p>","created_at":"2026-06-02T15:00:00.000Z","visibility":"public","reblog":null,"edited_at":null}]`, "")
	f.Add(byte(7), 200, `[{"id":1,"text":7,"created_at":"x"},{"id":"2","text":"a"}]`, "")
	f.Add(byte(7), 200, `[null]`, "")
	f.Add(byte(8), 200, `{"id":"1","text":"x","spoiler_text":""}`, "")
	f.Add(byte(8), 200, `{"text":null}`, "")
	f.Add(byte(9), 200, "see https://a.com/a_(b)). @alice@social.example", "careful")
	f.Add(byte(9), 200, "http://)))", "")
	f.Add(byte(9), 200, "https://例え.みんなで/(()", "\xff")
	f.Add(byte(9), 200, "@a@b@c_.d-e", "")
	for _, text := range []string{"social.example", "https://Social.Example:8443/", "http://a@b", "https://a/b?c#d", "[::1]", "//x", "ftp://x", "https://x:y"} {
		f.Add(byte(10), 200, text, "")
	}
	f.Add(byte(11), 200, `{"links":[{"rel":"http://nodeinfo.diaspora.software/ns/schema/2.0","href":"https://social.example/nodeinfo/2.0"}]}`, "")
	f.Add(byte(11), 200, `{"version":"2.0","software":{"name":"GoToSocial","version":"0.20.1+git-3c8b2a3"}}`, "")
	f.Add(byte(12), 200, `{"descendants":[{"id":"1","in_reply_to_id":7,"poll":{"options":[{}]},"account":{"id":"1"}}]}`, "")
	f.Add(byte(12), 200, `{"descendants":null,"configuration":{"polls":{"max_options":1e9,"min_expiration":-1}}}`, "")
	f.Fuzz(func(t *testing.T, reader byte, status int, text, more string) {
		defer cost.Check(t, len(text)+len(more))()
		switch reader % 13 {
		case 12:
			checkReplies(t, []byte(text))
		case 0:
			checkParseInstance(t, []byte(text))
		case 1:
			checkParseAccount(t, []byte(text))
		case 2:
			checkRead(t, status, []byte(text))
		case 3:
			checkParseMetadata(t, []byte(text))
		case 4:
			checkReadCode(t, text)
		case 5:
			checkPlainText(t, text)
		case 6:
			checkCompare(t, text, more)
		case 7:
			checkParseStatuses(t, []byte(text))
		case 8:
			checkParseSource(t, []byte(text))
		case 9:
			checkLength(t, text, more)
		case 10:
			checkServer(t, text)
		case 11:
			checkNodeinfo(t, []byte(text))
		}
	})
}

// checkServer checks that an accepted address is only a server and is parsed again
// unchanged.
func checkServer(t *testing.T, text string) {
	u, err := parseServer(text)
	if err != nil {
		return
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		t.Errorf("%q: got %v", text, u)
	}
	if again, err := parseServer(u.String()); len(u.String()) <= 2048 && (err != nil || *again != *u) {
		t.Errorf("%q: %v parsed again is %v, %v", text, u, again, err)
	}
}

// checkReplies checks that replies have ids and that limits of polls are positive.
func checkReplies(t *testing.T, body []byte) {
	replies, _ := parseReplies(outbound.Response{Status: 200, Body: body})
	for _, reply := range replies {
		if reply.ID == "" || reply.hasReply && reply.replyTo == unknownReply {
			t.Errorf("%q: got %+v", body, reply)
		}
	}
	i, _ := parseInstance(outbound.Response{Status: 200, Body: body})
	if l := i.limits.Polls; min(l.MaxOptions, l.MaxOption) < 0 || min(l.MinTime, l.MaxTime) < 0 {
		t.Errorf("%q: got %+v", body, l)
	}
}
