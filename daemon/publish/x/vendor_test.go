package x_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/x"
)

// A spending limit holds until X says that it ends.
func TestSpendingLimit(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	p, r := start(t, fake)
	fake.Respond(func(*http.Request) publishtest.Mishap {
		return publishtest.Mishap{Status: 403, Body: `{"title":"SpendCapReached","detail":"Your enrolled account [id] has reached its billing cycle spend cap. API requests will be blocked until the next cycle begins on 2026-04-14.","reset_date":"2026-04-14","type":"https://api.x.com/2/problems/credits"}`}
	})
	_, err := p.Publish(t.Context(), r)
	e := publish.AsError(err)
	until := time.Date(2026, 4, 14, 0, 0, 0, 0, time.UTC)
	if e.Kind != schedctl.KindAuth || e.Code != string(publish.HoldCredits) || !e.RetryAt.Equal(until) || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("got %+v", e)
	}
	if !regexp.MustCompile(`2026-04-14.*https://console\.x\.com`).MatchString(e.Message) {
		t.Errorf("message %q", e.Message)
	}
}

// A monthly limit is not a limit of requests, although it has the same status.
func TestUsageCap(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	p, r := start(t, fake)
	fake.Respond(func(*http.Request) publishtest.Mishap {
		return publishtest.Mishap{
			Status: 429, Header: map[string]string{"X-Rate-Limit-Remaining": "99", "X-Rate-Limit-Reset": "1"},
			Body: `{"title":"UsageCapExceeded","detail":"Usage cap exceeded: Monthly product cap","type":"https://api.twitter.com/2/problems/usage-capped"}`,
		}
	})
	_, err := p.Publish(t.Context(), r)
	if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != string(publish.HoldCredits) || e.Outcome != schedctl.OutcomeNotPublished {
		t.Errorf("got %+v", e)
	}
}

func TestCashtags(t *testing.T) {
	t.Parallel()
	for text, refused := range map[string]bool{
		"$AAPL is up": false, "$AAPL and $GOOG": true, "$AAPL $AAPL": true, "($A), $b": true, "US$AB and A$CD": false, "costs $5 or $10": false, "$TOOLONGNAME $A": false, "$$A $B": false,
	} {
		c := x.New(nil, outbound.AllowPrivate, "test").Check(schedctl.Account{}, publish.Text(text))
		found := false
		for _, problem := range c.Problems {
			found = found || problem.Code == "too_many_cashtags"
		}
		if found != refused {
			t.Errorf("%q: refused %v, want %v", text, found, refused)
		}
		fake := publishtest.NewFakeX()
		request := httptest.NewRequest(http.MethodPost, "/2/tweets", strings.NewReader(string(outbound.EncodeJSON(map[string]string{"text": text}))))
		request.Header.Set("Authorization", "Bearer "+fake.OAuth2("")["access_token"])
		response := httptest.NewRecorder()
		fake.ServeHTTP(response, request)
		if says := strings.Contains(response.Body.String(), "Posts are limited to a maximum of one cashtag"); says != refused || (response.Code == http.StatusForbidden) != refused {
			t.Errorf("%q: X responds %d %s", text, response.Code, response.Body)
		}
	}
}

// The documents allow four photos, one GIF or one video, and no mixture.
func TestMediaMixtures(t *testing.T) {
	t.Parallel()
	p := x.New(nil, outbound.AllowPrivate, "test")
	png, gif, mp4 := "image/png", "image/gif", "video/mp4"
	for _, tt := range []struct {
		types   []string
		refused bool
	}{
		{[]string{png, png, png, png}, false}, {[]string{gif}, false}, {[]string{mp4}, false},
		{[]string{gif, gif}, true}, {[]string{png, gif}, true}, {[]string{png, mp4}, true}, {[]string{mp4, mp4}, true}, {[]string{png, png, png, png, png}, true},
	} {
		var media []publish.Media
		for i, mimeType := range tt.types {
			media = append(media, publishtest.TestFile(mimeType, i).Media)
		}
		var c publish.Check
		publish.CheckMedia(&c, p, schedctl.Account{}, media, func(publish.Media, publish.ClassRules) bool { return true })
		if (len(c.Problems) > 0) != tt.refused {
			t.Errorf("%v: %v", tt.types, c.Problems)
		}
	}
}

var nonce = regexp.MustCompile(`oauth_nonce="([^"]+)"`)

// X closes connections that were kept, and refuses a nonce that it has seen. Each try is
// signed again.
func TestClosedConnectionsAreNotTakenForRevokedKeys(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	var mu sync.Mutex // mu guards the fields below
	seen, requests, closed := map[string]bool{}, map[string]int{}, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		used := nonce.FindStringSubmatch(r.Header.Get("Authorization"))[1]
		mu.Lock()
		requests[r.RemoteAddr]++
		again, drop := seen[used], requests[r.RemoteAddr] > 1
		seen[used] = true
		if drop {
			closed++
		}
		mu.Unlock()
		if drop {
			panic(http.ErrAbortHandler)
		}
		if again {
			w.WriteHeader(401)
			return
		}
		fake.ServeHTTP(w, r)
	}))
	client := outbound.Client(outbound.AllowPrivate)
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.Close()
	})
	p := x.New(client, outbound.AllowPrivate, "test")
	for range 5 {
		if _, err := p.Connect(t.Context(), publish.Connection{Credentials: fake.OAuth1(server.URL)}); err != nil {
			t.Fatal(err)
		}
	}
	if closed == 0 {
		t.Error("no connection was kept and closed")
	}
}

// A token that may not describe files uploads them nevertheless.
func TestRefusedAltText(t *testing.T) {
	t.Parallel()
	fake := publishtest.NewFakeX()
	p, r := start(t, fake)
	fake.Respond(func(r *http.Request) publishtest.Mishap {
		if r.URL.Path == "/2/media/metadata" {
			return publishtest.Mishap{Status: 403, Body: `{"title":"Forbidden","detail":"You are not permitted to perform this action.","type":"about:blank","status":403}`}
		}
		return publishtest.Mishap{}
	})
	if u, err := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1)); err != nil || !u.Ready {
		t.Errorf("got %+v, %v", u, err)
	}
}

// A refusal that is listed holds the account on each request of an upload, whichever way it is
// authorized, and names no scope that X did not name.
func TestUploadsThatHold(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"reason":"client-not-enrolled","title":"Client Forbidden","type":"https://api.x.com/2/problems/client-forbidden"}`,
		`{"title":"Client Forbidden","type":"https://api.x.com/2/problems/client-forbidden"}`,
		`{"title":"Unsupported Authentication","type":"https://api.x.com/2/problems/unsupported-authentication"}`,
		`{"title":"Forbidden","type":"https://api.x.com/2/problems/oauth1-permissions"}`,
	} {
		for _, call := range []string{"/2/media/upload/initialize", "/append", "/2/media/metadata"} {
			for _, session := range []bool{false, true} {
				fake := publishtest.NewFakeX()
				p, r := start(t, fake)
				if session {
					r.Credentials = fake.OAuth2(r.Credentials["api_url"])
					r.Credentials["user_id"] = fake.UserID
				}
				fake.Respond(func(r *http.Request) publishtest.Mishap {
					if !strings.HasSuffix(r.URL.Path, call) {
						return publishtest.Mishap{}
					}
					return publishtest.Mishap{Status: http.StatusForbidden, Body: body}
				})
				_, err := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
				if e := publish.AsError(err); e.Kind != schedctl.KindAuth || e.Code != "missing_scope" || e.Outcome != schedctl.OutcomeNotPublished || strings.Contains(e.Message, "media.write") {
					t.Errorf("%s of %s, OAuth 2.0 %v: got %+v", body, call, session, err)
				}
			}
		}
	}
}

// A session without one of the scopes does what the others allow.
func TestSessionsThatLackAScope(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string][2]schedctl.ErrorKind{ // of a post and of a file; empty if X takes it
		"tweet.write": {schedctl.KindContent, ""}, "media.write": {"", schedctl.KindMedia}, "users.read": {"", ""},
	} {
		fake := publishtest.NewFakeX()
		fake.Scopes = slices.DeleteFunc(publishtest.ScopesOf("x"), func(s string) bool { return s == scope })
		p, r := start(t, fake)
		url := r.Credentials["api_url"]
		r.Credentials = fake.OAuth2(url)
		r.Credentials["user_id"] = fake.UserID
		_, posting := p.Publish(t.Context(), r)
		_, uploading := p.Upload(t.Context(), r, publishtest.TestFile("image/png", 1))
		_, connecting := p.Connect(t.Context(), publish.Connection{Credentials: fake.OAuth2(url)})
		for i, err := range []error{posting, uploading} {
			if (err == nil) != (want[i] == "") || err != nil && publish.AsError(err).Kind != want[i] {
				t.Errorf("without %s, request %d: %v", scope, i, err)
			}
		}
		if refused := connecting != nil && publish.AsError(connecting).Kind == schedctl.KindAuth; refused != (scope == "users.read") {
			t.Errorf("without %s, connecting: %v", scope, connecting)
		}
	}
}
