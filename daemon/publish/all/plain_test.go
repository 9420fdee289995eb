package all_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/all"
	"github.com/schedctl/schedctl/daemon/publish/outbound"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
)

// TestNoTokenGoesOutUnencrypted: without --allow-private-networks no account is
// connected to an http address, and none that was is published to, unless no
// request contains its credentials.
func TestNoTokenGoesOutUnencrypted(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { calls.Add(1) }))
	t.Cleanup(server.Close)
	// The client would connect to any address: what refuses the call is not the address.
	public := all.Publishers(all.Config{Client: outbound.Client(outbound.AllowPrivate), Outbound: outbound.PublicOnly, Version: "test"})
	private := all.Publishers(all.Config{Client: outbound.Client(outbound.AllowPrivate), Outbound: outbound.AllowPrivate, Version: "test"})
	for _, a := range networks.Accounts() {
		if a.Unencrypted {
			continue
		}
		platform, url := a.Platform, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
		connection, request := publish.Connection{Name: "x", Credentials: a.At(url)}, request(a, a.StoredAt(url))
		_, err := public[platform].Connect(t.Context(), connection)
		if e := publish.AsError(err); err == nil || e.Kind != schedctl.KindContent || !strings.Contains(e.Message, "https://") {
			t.Errorf("%s: connect: %v", a.Name, err)
		}
		_, err = public[platform].Publish(t.Context(), request)
		if e := publish.AsError(err); err == nil || e.Outcome != schedctl.OutcomeNotPublished || !strings.Contains(e.Message, "https://") {
			t.Errorf("%s: publish: %v", a.Name, err)
		}
		if n := calls.Swap(0); n > 0 {
			t.Errorf("%s: %d calls were made", a.Name, n)
		}
		private[platform].Publish(t.Context(), request)
		if calls.Swap(0) == 0 {
			t.Errorf("%s: with --allow-private-networks no call was made", a.Name)
		}
	}
}

// TestPlainHTTPWaitsForTheAccount: posts to an account that was connected over http
// by an earlier version are not burnt.
func TestPlainHTTPWaitsForTheAccount(t *testing.T) {
	t.Parallel()
	registry := all.Publishers(all.Config{Client: outbound.Client(outbound.PublicOnly), Outbound: outbound.PublicOnly, Version: "test"})
	for _, platform := range []string{"bluesky", "mastodon"} {
		a := networks.Named(platform)
		_, err := registry[platform].Publish(t.Context(), request(a, a.StoredAt("http://social.example")))
		if e := publish.AsError(err); e == nil || e.Kind != schedctl.KindAuth || !errors.Is(err, outbound.ErrPlainHTTP) {
			t.Errorf("%s: %v", platform, err)
		}
	}
}
