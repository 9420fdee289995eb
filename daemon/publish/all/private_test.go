package all_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
)

// attemptKey returns a valid key of an attempt.
func attemptKey(platform string) string {
	if platform == "nostr" {
		return "01780412345123456"
	}
	return "3l6oveex3ii2l"
}

// nostrKey is the key of an example in NIP-19.
const nostrKey = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"

// addressed are credentials for a network at an address, by platform. Those
// that are missing here have no address of the user's choice.
func addressed(platform, address string) publish.Credentials {
	switch platform {
	case "bluesky":
		return publish.Credentials{"service_url": address, "identifier": "alice.example.org", "app_password": "abcd-efgh-ijkl-mnop"}
	case "discord":
		return publish.Credentials{"webhook_url": address + "/api/webhooks/123456789012345678/token-of-the-webhook"}
	case "facebook":
		return publish.Credentials{"access_token": "token-of-the-account", "page_id": "102030405060708", "api_url": address}
	case "googlechat":
		return publish.Credentials{"webhook_url": address + "/v1/spaces/AAAAbcdEFGh/messages?key=key-of-the-webhook&token=token-of-the-webhook"}
	case "http":
		return publish.Credentials{"url": address + "/hook"}
	case "instagram":
		return publish.Credentials{"access_token": "token-of-the-account", "api_url": address}
	case "linkedin":
		return publish.Credentials{"access_token": "token-of-the-account", "organization": "5515715", "api_url": address}
	case "mastodon":
		return publish.Credentials{"instance_url": address, "access_token": "token-of-the-account"}
	case "matrix":
		return publish.Credentials{"homeserver_url": address, "access_token": "token-of-the-account", "room_id": "!room:example.org"}
	case "nostr":
		return publish.Credentials{"nsec": nostrKey, "relays": strings.Replace(address, "http", "ws", 1)}
	case "slack":
		return publish.Credentials{"webhook_url": address + "/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"}
	case "telegram":
		return publish.Credentials{"bot_token": "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11", "chat_id": "@channel", "api_url": address}
	case "threads":
		return publish.Credentials{"access_token": "token-of-the-account", "api_url": address}
	case "wordpress":
		return publish.Credentials{"site_url": address, "username": "alice", "application_password": "abcd efgh ijkl mnop qrst uvwx"}
	case "x":
		return publish.Credentials{
			"api_key": "key-of-the-app", "api_secret": "secret-of-the-app", "access_token": "token-of-the-account", "access_token_secret": "secret-of-the-token", "api_url": address,
		}
	}
	return nil
}

// No platform can be made to call an address that is not public, whether the
// address is given, comes out of a name, or out of a redirect.
func TestNoPlatformCallsAPrivateAddress(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	t.Cleanup(server.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	registry := all.Publishers(all.Config{Client: outbound.Client(outbound.PublicOnly), Outbound: outbound.PublicOnly, Version: "test"})
	for platform, p := range registry {
		for _, address := range []string{
			"http://127.0.0.1:" + port, "http://localhost:" + port, "http://[::1]:" + port, "http://0.0.0.0:" + port,
			"http://169.254.169.254", "https://10.0.0.1", "https://[fd00::1]",
		} {
			credentials := addressed(platform, address)
			if credentials == nil {
				continue
			}
			_, err := p.Connect(t.Context(), publish.Connection{Name: "x", Credentials: credentials})
			if e := publish.AsError(err); err == nil || e.Outcome != schedctl.OutcomeNotPublished || e.Kind != schedctl.KindContent {
				t.Errorf("%s: connect to %s: %v", platform, address, err)
			}
			// An account that was connected before its name came to point there.
			_, err = p.Publish(t.Context(), publish.Request{
				TargetID: "pt_01JX0000000000000000000001", PostID: "post_01JX0000000000000000000002", Attempt: 1,
				Key: attemptKey(platform), Stage: "18000000000001", Content: "x", Credentials: credentials, Account: schedctl.Account{Platform: platform},
			})
			if e := publish.AsError(err); err == nil || e.Outcome != schedctl.OutcomeNotPublished {
				t.Errorf("%s: publish to %s: %v", platform, address, err)
			}
		}
	}
	if n := calls.Load(); n > 0 {
		t.Errorf("%d calls were made", n)
	}
}

func TestEveryPlatformWithAnAddressIsTried(t *testing.T) {
	t.Parallel()
	for platform := range all.Publishers(all.Config{}) {
		if addressed(platform, "http://example.org") == nil && platform != "feed" {
			t.Errorf("no credentials to try %s with", platform)
		}
	}
}

// A redirect is never followed, so none leads to another address either.
func TestNoPlatformFollowsARedirect(t *testing.T) {
	t.Parallel()
	var followed atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, status)
		}))
		t.Cleanup(server.Close)
		registry := all.Publishers(all.Config{Client: outbound.Client(outbound.AllowPrivate), Outbound: outbound.AllowPrivate, Version: "test"})
		for platform, p := range registry {
			if credentials := addressed(platform, server.URL); credentials != nil {
				p.Connect(t.Context(), publish.Connection{Name: "x", Credentials: credentials})
				_, err := p.Publish(t.Context(), publish.Request{
					TargetID: "pt_01JX0000000000000000000001", PostID: "post_01JX0000000000000000000002", Attempt: 1,
					Key: attemptKey(platform), Stage: "18000000000001", Content: "x", Credentials: credentials, Account: schedctl.Account{Platform: platform},
				})
				if err == nil {
					t.Errorf("%s: a redirect with status %d counts as accepted", platform, status)
				}
			}
		}
	}
	if n := followed.Load(); n > 0 {
		t.Errorf("%d redirects were followed", n)
	}
}
