package all_test

import (
	"errors"
	"maps"
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

// TestNoTokenGoesOutUnencrypted: without --allow-private-networks no account is
// connected to an http address, and none that was is published to. The networks
// named are those whose credentials are sent with each call; http posts are signed
// at most.
func TestNoTokenGoesOutUnencrypted(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { calls.Add(1) }))
	t.Cleanup(server.Close)
	// The client would connect to any address: what refuses the call is not the address.
	public := all.Publishers(all.Config{Client: outbound.Client(outbound.AllowPrivate), Outbound: outbound.PublicOnly, Version: "test"})
	private := all.Publishers(all.Config{Client: outbound.Client(outbound.AllowPrivate), Outbound: outbound.AllowPrivate, Version: "test"})
	for _, platform := range []string{"bluesky", "discord", "facebook", "googlechat", "instagram", "linkedin", "mastodon", "matrix", "slack", "telegram", "threads", "wordpress", "x"} {
		credentials := addressed(platform, strings.Replace(server.URL, "127.0.0.1", "localhost", 1))
		connection := publish.Connection{Name: "x", Credentials: credentials}
		request := publish.Request{
			TargetID: "pt_01JX0000000000000000000001", PostID: "post_01JX0000000000000000000002", Attempt: 1,
			Key: "3l6oveex3ii2l", Stage: "18000000000001", Content: "x", Credentials: credentials, Account: schedctl.Account{Platform: platform},
		}
		request.Credentials = withSession(credentials)
		_, err := public[platform].Connect(t.Context(), connection)
		if e := publish.AsError(err); err == nil || e.Kind != schedctl.KindContent || !strings.Contains(e.Message, "https://") {
			t.Errorf("%s: connect: %v", platform, err)
		}
		_, err = public[platform].Publish(t.Context(), request)
		if e := publish.AsError(err); err == nil || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, "https://") {
			t.Errorf("%s: publish: %v", platform, err)
		}
		if n := calls.Swap(0); n > 0 {
			t.Errorf("%s: %d calls were made", platform, n)
		}
		private[platform].Publish(t.Context(), request)
		if calls.Swap(0) == 0 {
			t.Errorf("%s: with --allow-private-networks no call was made", platform)
		}
	}
}

// TestPlainHTTPWaitsForTheAccount: posts to an account that was connected over http
// by an earlier version are not burnt.
func TestPlainHTTPWaitsForTheAccount(t *testing.T) {
	t.Parallel()
	registry := all.Publishers(all.Config{Client: outbound.Client(outbound.PublicOnly), Outbound: outbound.PublicOnly, Version: "test"})
	for _, platform := range []string{"bluesky", "mastodon"} {
		_, err := registry[platform].Publish(t.Context(), publish.Request{
			TargetID: "pt_01JX0000000000000000000001", PostID: "post_01JX0000000000000000000002", Attempt: 1,
			Key: "3l6oveex3ii2l", Content: "x", Credentials: withSession(addressed(platform, "http://social.example")), Account: schedctl.Account{Platform: platform},
		})
		if e := publish.AsError(err); e == nil || e.Kind != schedctl.KindAuth || !errors.Is(err, outbound.ErrPlainHTTP) {
			t.Errorf("%s: %v", platform, err)
		}
	}
}

// withSession returns credentials with the session that Bluesky publishes with.
func withSession(c publish.Credentials) publish.Credentials {
	out := publish.Credentials{"did": "did:plc:alice", "access_jwt": "access", "author": "urn:li:person:alice", "refresh_jwt": "refresh"}
	maps.Copy(out, c)
	return out
}
