package mastodon

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// fediverse is a server with an instance document and, unless the software is
// empty, nodeinfo.
func fediverse(t *testing.T, version, software string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	reply := func(path, body string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(path, "nodeinfo") && r.Header.Get("Authorization") != "" {
				t.Errorf("%s was sent the access token", path)
			}
			io.WriteString(w, body)
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	reply("/api/v1/accounts/verify_credentials", `{"id":"1","acct":"alice","url":"https://social.example/@alice"}`)
	reply("/api/v1/instance", fmt.Sprintf(`{"version":%q,"configuration":{"statuses":{"max_characters":500,"characters_reserved_per_url":25}}}`, version))
	if software != "" {
		reply("/.well-known/nodeinfo", fmt.Sprintf(`{"links":[{"rel":"other","href":"%[1]s/x"},{"rel":"http://nodeinfo.diaspora.software/ns/schema/2.0","href":"%[1]s/nodeinfo/2.0"}]}`, server.URL))
		reply("/nodeinfo/2.0", fmt.Sprintf(`{"version":"2.0","software":{"name":%q,"version":"1"}}`, software))
	}
	return server
}

// TestSoftwareDecidesTheCounting guards that a server which counts in another way
// than Mastodon is counted for as it does, whatever it claims.
func TestSoftwareDecidesTheCounting(t *testing.T) {
	t.Parallel()
	asMastodon := schedctl.Limits{MaxCharacters: 500, Unit: "graphemes", URLCharacters: 25}
	asPleroma := schedctl.Limits{MaxCharacters: 500, Unit: "graphemes"}
	inFull := schedctl.Limits{MaxCharacters: 500, Unit: "characters"}
	asSnac := inFull
	asSnac.Polls.None = true
	for _, tt := range []struct {
		version, software string
		want              schedctl.Limits
	}{
		{"4.5.0", "mastodon", asMastodon},
		{"4.5.0+glitch", "Mastodon", asMastodon},
		{"4.2.10+hometown-1.1.1", "hometown", asMastodon},
		{"4.5.0-rc.1+glitch", "", asMastodon},
		{"", "", asMastodon},
		{"2.7.2 (compatible; Pleroma 2.9.1)", "pleroma", asPleroma},
		{"2.7.2 (compatible; Akkoma 3.15.2)", "akkoma", asPleroma},
		{"0.20.1+git-3c8b2a3", "gotosocial", inFull},
		{"3.5.3+0.20.1-git-3c8b2a3", "gotosocial", inFull}, // instance-inject-mastodon-version
		{"0.20.1+git-3c8b2a3", "", inFull},
		{"4.0.0 (not true; really snac/2.75)", "snac", asSnac},
		{"0.6.12", "hollo", inFull},
		{"2.7.2 (compatible; Pleroma 2.9.1)", "", inFull},
		{"4.2.1 (compatible; Something 1.0)", "", inFull},
		{"4.5.0", "something", inFull},
	} {
		server := fediverse(t, tt.version, tt.software)
		profile, err := New(outbound.Client(outbound.AllowPrivate), "test").Connect(t.Context(), publish.Connection{
			Credentials: publish.Credentials{"instance_url": server.URL, "access_token": "t0ken"},
		})
		if err != nil || profile.Limits != tt.want {
			t.Errorf("%q %q: got %+v, %v; want %+v", tt.version, tt.software, profile.Limits, err, tt.want)
		}
	}
}

// goToSocialRefuses is GoToSocial's own check of a new status: the code points of
// text and content warning (internal/api/client/statuses, since 0.1).
func goToSocialRefuses(content, spoiler string, limit int) bool {
	return len([]rune(content))+len([]rune(spoiler)) > limit
}

// TestGoToSocialRefusesNothingAccepted guards that what Check accepts for a
// GoToSocial server is not refused by it when its time has come.
func TestGoToSocialRefusesNothingAccepted(t *testing.T) {
	t.Parallel()
	limits := countingLimits(schedctl.Limits{MaxCharacters: 100, Unit: "graphemes", URLCharacters: 25}, "gotosocial")
	p := New(nil, "test")
	for _, unit := range []string{
		"x", "👩‍👩‍👧‍👦", "क्षि", "e\u0301", "🇩🇪", "https://example.com/a/rather/long/path ", "@bob@a.rather.long.name.example ", "あ", "\r\n",
	} {
		for _, spoiler := range []string{"", "careful 👍🏽"} {
			for n := 1; n <= 101; n++ {
				content := strings.Repeat(unit, n) + "."
				a := schedctl.Account{Limits: limits, Options: schedctl.Options{"spoiler_text": spoiler}}
				check := p.Check(a, publish.Text(content))
				if accepted, refused := check.Err() == nil, goToSocialRefuses(content, spoiler, 100); accepted == refused {
					t.Errorf("%d × %q with %q: %d of %d %s, accepted %v; the server refuses: %v", n, unit, spoiler, check.Length, check.Limit, check.Unit, accepted, refused)
				}
			}
		}
	}
}

// TestServersThatCountInFull guards how Pleroma counts: user-perceived characters,
// but nothing shortened.
func TestServersThatCountInFull(t *testing.T) {
	t.Parallel()
	limits := countingLimits(schedctl.Limits{MaxCharacters: 500, Unit: "graphemes"}, "pleroma")
	for text, want := range map[string]int{
		"https://example.com/long": 24,
		"@alice@social.example":    21,
		"👩‍👩‍👧‍👦🇩🇪👍🏽":              3,
	} {
		if got := statusLength(text, "cw", limits); got != want+2 {
			t.Errorf("%q: got %d, want %d", text, got, want+2)
		}
	}
}
