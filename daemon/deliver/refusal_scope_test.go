package deliver_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// A token that lacks one scope does everything else, and only a scope without which nothing
// can be published holds the account.
func TestTokensThatLackAScope(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		account, lacks string
		picture        bool
		status         schedctl.Status
		kind           schedctl.ErrorKind // of the post, empty if it is published
		held           bool
	}{
		{"x", "media.write", true, schedctl.Failed, schedctl.KindMedia, false},
		{"x", "tweet.write", false, schedctl.Failed, schedctl.KindContent, false}, // X does not say that it is the scope
		{"mastodon", "write:media", true, schedctl.Failed, schedctl.KindMedia, false},
		{"mastodon", "write:statuses", false, schedctl.Publishing, schedctl.KindAuth, true},
		{"slack, bot", "files:write", true, schedctl.Failed, schedctl.KindMedia, false},
		{"slack, bot", "channels:history", false, schedctl.Published, "", false},
		{"slack, bot", "chat:write", false, schedctl.Publishing, schedctl.KindAuth, true},
		{"instagram", "instagram_business_content_publish", true, schedctl.Publishing, schedctl.KindAuth, true},
		{"instagram", "instagram_business_basic", true, schedctl.Published, "", false},
	} {
		t.Run(tt.account+" "+tt.lacks, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newRefusingNetwork(networks.Named(tt.account))
				scopes := publishtest.ScopesOf(n.Platform)
				if !slices.Contains(scopes, tt.lacks) {
					t.Fatalf("the scopes are %q", scopes)
				}
				token := publishtest.TokenScopes{Platform: n.Platform, Scopes: slices.DeleteFunc(scopes, func(s string) bool { return s == tt.lacks })}
				n.refuse = func(r *http.Request, _ int) *publishtest.Recorded { return token.Denies(r) }
				if fake, ok := n.Handler.(*publishtest.FakeContainers); ok {
					fake.Scopes = token.Scopes
					n.refuse = func(*http.Request, int) *publishtest.Recorded { return nil }
				}
				wire := newWire(n)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				n.files = r.withMedia()
				a := r.connect(n.platform, wire.client)
				r.start()
				call := refusedCall{purpose: publish.PurposePart}
				if tt.picture {
					call.purpose = publish.PurposeFile
				}
				wanted := call.post(n, a)
				wanted.Thread = nil
				post := r.create(wanted)
				r.after(time.Hour)
				if target := r.wantStatus(post, tt.status); tt.kind != "" && (target.Error == nil || target.Error.Kind != tt.kind || target.Error.Outcome != no) {
					t.Errorf("error %+v", target.Error)
				}
				if got := r.readAccount(a.ID); (got.Status == schedctl.AccountError) != tt.held {
					t.Errorf("the account is %s for %+v", got.Status, got.Error)
				}
			})
		})
	}
}
