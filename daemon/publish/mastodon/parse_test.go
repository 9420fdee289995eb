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
		if u, err := server(text); err != nil || u.String() != want {
			t.Errorf("%q: got %v, %v; want %s", text, u, err, want)
		}
	}
}

func FuzzParseInstance(f *testing.F) {
	f.Add([]byte(`{"configuration":{"statuses":{"max_characters":500,"characters_reserved_per_url":23}}}`))
	f.Add([]byte(`{"max_toot_chars":5000,"configuration":null}`))
	f.Add([]byte(`{"configuration":{"statuses":{"max_characters":1e308}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		l, ok := parseInstance(outbound.Answer{Status: 200, Body: body})
		if ok != (l.MaxCharacters > 0) || l.MaxCharacters < 0 || l.URLCharacters < 0 || l.URLCharacters > 1000 {
			t.Errorf("%q: got %+v, %v", body, l, ok)
		}
	})
}

func FuzzParseAccount(f *testing.F) {
	f.Add([]byte(`{"acct":"alice","username":"alice","display_name":"Alice","url":"https://social.example/@alice"}`))
	f.Add([]byte(`{"acct":"\u0000\u202e","display_name":{"a":1}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		profile, ok := parseAccount(outbound.Answer{Status: 200, Body: body}, "social.example")
		if ok != strings.Contains(profile.Username, "@") {
			t.Errorf("%q: got %+v, %v", body, profile, ok)
		}
		for _, text := range []string{profile.Username, profile.DisplayName, profile.URL} {
			if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) || len(text) > 2048 {
				t.Errorf("%q: got %q", body, text)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(200, []byte(`{"id":"1","url":"https://social.example/@a/1"}`))
	f.Add(422, []byte(`{"error":"Validation failed: Text character limit of 500 exceeded"}`))
	f.Add(400, []byte(`{"error":{"issues":[{"message":"x"}]}}`))
	f.Add(503, []byte("\xff"))
	f.Fuzz(func(t *testing.T, code int, body []byte) {
		receipt, err := read(outbound.Answer{Status: code, Body: body}, publish.Request{Content: "the content of a post"}, time.Unix(1780412400, 0))
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
	})
}

func FuzzParseMetadata(f *testing.F) {
	f.Add([]byte(`{"authorization_endpoint":"https://social.example/oauth/authorize","token_endpoint":"https://social.example/oauth/token","scopes_supported":["read"],"code_challenge_methods_supported":["S256"]}`))
	f.Add([]byte(`{"token_endpoint":"https://social.example@evil.example/","code_challenge_methods_supported":"S256"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		u := &url.URL{Scheme: "https", Host: "social.example"}
		m := parseMetadata(outbound.Answer{Status: 200, Body: body}, u, metadata{authorization: "https://social.example/a", token: "https://social.example/t"})
		for _, endpoint := range []string{m.authorization, m.token} {
			if got, err := url.Parse(endpoint); err != nil || got.Scheme != "https" || !strings.EqualFold(got.Host, "social.example") || got.User != nil {
				t.Errorf("%q: endpoint %q", body, endpoint)
			}
		}
	})
}

func FuzzReadCode(f *testing.F) {
	f.Add("0123456789abcdef&state=s")
	f.Add("https://social.example/oauth/authorize/native?code=x&state=s#")
	f.Fuzz(func(t *testing.T, pasted string) {
		l := &Login{state: "s"}
		code, err := l.readCode(pasted)
		if (err == nil) != (code != "") || checkToken(code) != nil {
			t.Errorf("%q: got %q, %v", pasted, code, err)
		}
		if err != nil && len(pasted) > 20 && strings.Contains(err.Error(), pasted) {
			t.Errorf("%q is in %q", pasted, err)
		}
	})
}
