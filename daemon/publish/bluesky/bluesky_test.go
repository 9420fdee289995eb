package bluesky_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/bluesky"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
)

var (
	_ publish.Publisher     = (*bluesky.Publisher)(nil)
	_ publish.Idempotent    = (*bluesky.Publisher)(nil)
	_ publish.Keyer         = (*bluesky.Publisher)(nil)
	_ publish.Refresher     = (*bluesky.Publisher)(nil)
	_ publish.Uploader      = (*bluesky.Publisher)(nil)
	_ publish.Threader      = (*bluesky.Publisher)(nil)
	_ publish.CardPublisher = (*bluesky.Publisher)(nil)
	_ publish.PartKeyer     = (*bluesky.Publisher)(nil)
	_ publish.Finder        = (*bluesky.Publisher)(nil)
)

func TestConformance(t *testing.T) {
	t.Parallel()
	publishtest.Run(t, publishtest.Suite{
		New:        func(c *http.Client) publish.Publisher { return bluesky.New(c, nil, "test") },
		Connection: connection,
		Network:    newNetwork(),
		Receipt: schedctl.Receipt{
			ID:  "at://" + did + "/app.bsky.feed.post/" + key,
			URL: "https://bsky.app/profile/" + did + "/post/" + key,
		},
		Key:        rkey,
		RequestKey: key,
		ConnectCalls: []string{
			"POST /xrpc/com.atproto.server.createSession",
			"POST /xrpc/com.atproto.server.refreshSession",
		},
		Preflight: func(r *http.Request) bool {
			return r.URL.Path == "/xrpc/com.atproto.repo.getRecord" && r.FormValue("collection") == "app.bsky.feed.post"
		},
		Threads: &publishtest.ThreadSuite{Network: func() http.Handler { return newNetwork() }},
		Media: &publishtest.MediaSuite{
			Upload:    func(r *http.Request) bool { return r.URL.Path == "/xrpc/com.atproto.repo.uploadBlob" },
			Reference: func(u publish.Upload) string { cid, _, _ := strings.Cut(u.ID, " "); return cid },
		},
	})
}

func ExamplePublisher_Fields() {
	for _, f := range bluesky.New(nil, nil, "").Fields() {
		fmt.Printf("%s: %s\n", f.Name, f.Help)
	}
	// Output:
	// service_url: the account's server; default https://bsky.social
	// identifier: the handle, such as alice.bsky.social, or the DID or e-mail address of the account
	// app_password: from Settings, Privacy and security, App passwords
	// langs: language codes of the posts, at most three, such as en,pt-BR; default none
}
