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
		{"facebook", "pages_manage_posts", false, schedctl.Publishing, schedctl.KindAuth, true},
		{"facebook", "pages_read_engagement", false, schedctl.Published, "", false},
		{"facebook", "pages_show_list", false, schedctl.Published, "", false},
		{"threads", "threads_content_publish", false, schedctl.Publishing, schedctl.KindAuth, true},
		{"threads", "threads_basic", false, schedctl.Published, "", false},
		{"linkedin, person", "w_member_social", false, schedctl.Publishing, schedctl.KindAuth, true},
		{"linkedin, person", "openid", false, schedctl.Published, "", false},
		{"linkedin, organization", "w_organization_social", false, schedctl.Publishing, schedctl.KindAuth, true},
	} {
		t.Run(tt.account+" "+tt.lacks, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := newRefusingNetwork(networks.Named(tt.account))
				n.withoutScope(t, tt.lacks)
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

// withoutScope lets the token of the network lack a scope.
func (n *refusingNetwork) withoutScope(t *testing.T, scope string) {
	t.Helper()
	without := func(scopes []string) []string {
		if !slices.Contains(scopes, scope) {
			t.Fatalf("the scopes are %q", scopes)
		}
		return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return s == scope })
	}
	n.refuse = func(*http.Request, int) *publishtest.Recorded { return nil }
	switch n.Platform {
	case "facebook":
		fake := publishtest.NewFakeFacebook()
		for _, token := range fake.Tokens {
			token.Scopes = without(token.Scopes)
		}
		n.Handler = fake
	case "linkedin":
		fake := publishtest.NewFakeLinkedIn()
		fake.Person, fake.Scopes = "alice", without(fake.Scopes)
		n.Handler = fake
	case "threads":
		n.Handler.(*publishtest.FakeContainers).Scopes = without([]string{"threads_basic", "threads_content_publish", "threads_manage_replies"})
	case "instagram":
		n.Handler.(*publishtest.FakeContainers).Scopes = without(publishtest.ScopesOf(n.Platform))
	default:
		token := publishtest.TokenScopes{Platform: n.Platform, Scopes: without(publishtest.ScopesOf(n.Platform))}
		n.refuse = func(r *http.Request, _ int) *publishtest.Recorded { return token.Denies(r) }
	}
}
