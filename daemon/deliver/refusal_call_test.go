package deliver_test

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/daemon/publish/publishtest/networks"
	"github.com/schedctl/schedctl/storage"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// refusedCall is a request of an account other than the one that publishes, and what becomes
// of a post for which the network refuses it.
type refusedCall struct {
	account, request string // a part of "POST /path?query"
	purpose          publish.Purpose
	kind             schedctl.ErrorKind // empty if the post is published all the same
	done             int                // parts of a failed post that are published
	file             string             // the MIME type of the file of the post; empty for a picture
	page             bool               // a firewall responds to the first of these requests
}

const video = "video/mp4"

// refusedCalls are the requests next to the one that publishes. The other networks send alt
// texts with the file or with the post, so only X can refuse one alone.
var refusedCalls = []refusedCall{
	{"linkedin, person", "/comments", publish.PurposeComment, schedctl.KindContent, 1, "", false},
	{"linkedin, organization", "/comments", publish.PurposeComment, schedctl.KindContent, 1, "", false},
	{"linkedin, person", "/comments", publish.PurposePart, schedctl.KindContent, 1, "", false},
	{"x", "POST /2/media/upload/initialize", publish.PurposeFile, schedctl.KindMedia, 0, "", false},
	{"linkedin, person", "/rest/images?action=initializeUpload", publish.PurposeFile, schedctl.KindMedia, 0, "", false},
	{"facebook", "/photos", publish.PurposeFile, schedctl.KindMedia, 0, "", false},
	{"mastodon", "POST /api/v2/media", publish.PurposeFile, schedctl.KindMedia, 0, "", false},
	{"bluesky", "uploadBlob", publish.PurposeFile, schedctl.KindMedia, 0, "", false},
	{"matrix", "/upload", publish.PurposeFile, schedctl.KindMedia, 0, "", false},
	{"slack, bot", "getUploadURLExternal", publish.PurposeFile, schedctl.KindMedia, 0, "", false},
	{"wordpress", "POST /wp-json/wp/v2/media", publish.PurposeFile, schedctl.KindMedia, 0, "", false},
	{"linkedin, organization", "GET /rest/images/", publish.PurposeStatus, "", 0, "", false},
	{"threads", "fields=status", publish.PurposeStatus, "", 0, "", false},
	{"instagram", "fields=status_code", publish.PurposeStatus, "", 0, "", false},
	{"x", "/finalize", publish.PurposeFile, schedctl.KindMedia, 0, video, false},
	{"linkedin, person", "/rest/videos?action=finalizeUpload", publish.PurposeFile, schedctl.KindMedia, 0, video, false},
	{"x", "/append", publish.PurposeFile, schedctl.KindMedia, 0, "", false},
	{"linkedin, person", "/dms-uploads/", "the bytes", schedctl.KindMedia, 0, "", false},
	{"slack, bot", "/upload/", "the bytes", schedctl.KindMedia, 0, "", false},
	{"slack, bot", "completeUploadExternal", publish.PurposeFile, schedctl.KindMedia, 0, "", false},
	{"x", "GET /2/media/upload?command=STATUS", publish.PurposeStatus, "", 0, video, false},
	{"linkedin, person", "GET /rest/videos/", publish.PurposeStatus, "", 0, video, false},
	{"linkedin, organization", "GET /rest/videos/", publish.PurposeStatus, "", 0, video, false},
	{"slack, bot", "files.info", publish.PurposeStatus, "", 0, "", false},
	{"x", "POST /2/media/metadata", "alt text", "", 0, "", false},
	{"threads", "fields=permalink", "permalink", "", 0, "", false},
	{"instagram", "fields=permalink", "permalink", "", 0, "", false},
}

// says returns how the network refuses the call.
func (c refusedCall) says(platform string) *publishtest.Recorded {
	list := publishtest.Recordings[platform].Refuses
	if i := slices.IndexFunc(list, func(r publishtest.Recorded) bool { return r.Purpose == c.purpose }); i >= 0 {
		return &list[i]
	}
	return &publishtest.Recorded{Body: `{"error":{"message":"not allowed"}}`}
}

// post returns a post that needs the call.
func (c refusedCall) post(n *refusingNetwork, a schedctl.Account) schedctl.NewPost {
	post := schedctl.NewPost{Content: schedctl.Content{Text: "the first post"}, Accounts: []schedctl.Account{a}, Now: true}
	part := schedctl.Part{Content: "the part after it"}
	switch c.purpose {
	case publish.PurposeComment:
		post.FirstComment = &part
	case publish.PurposePart:
		post.Thread = []schedctl.Part{part}
	default:
		file := n.files.assetOf("the first picture", cmp.Or(c.file, "image/jpeg"))
		file.AltText = "a cat"
		post.Media = []schedctl.PostMedia{file}
	}
	return post
}

// slackFiles takes files as Slack does, in front of a network that takes messages.
type slackFiles struct{ messages http.Handler }

func (s slackFiles) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const id = "F0123456789"
	switch method := path.Base(r.URL.Path); {
	case method == "files.getUploadURLExternal":
		fmt.Fprintf(w, `{"ok":true,"upload_url":"https://%s/upload/v1/secret","file_id":%q}`, r.Host, id)
	case strings.HasPrefix(r.URL.Path, "/upload/"):
	case method == "files.completeUploadExternal":
		fmt.Fprintf(w, `{"ok":true,"files":[{"id":%q}]}`, id)
	case method == "files.info":
		fmt.Fprintf(w, `{"ok":true,"file":{"id":%q,"mimetype":"image/jpeg"}}`, id)
	default:
		s.messages.ServeHTTP(w, r)
	}
}

// A network that refuses a comment, a part, a file, its state, its description or the address
// of a post has refused neither the account nor the next post.
func TestRefusedCallsHoldNothing(t *testing.T) {
	t.Parallel()
	for _, c := range refusedCalls {
		t.Run(c.account+" "+c.request+" "+string(c.purpose), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { c.test(t) })
		})
	}
}

// firewallPage is what a firewall on the way to a network responds.
var firewallPage = publishtest.Recorded{
	Status: http.StatusForbidden, Header: map[string]string{"Content-Type": "text/html; charset=UTF-8", "Server": "cloudflare", "Cf-Mitigated": "challenge"},
	Body: "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>",
}

// wantBlockedOnce checks that the first attempt of a part published it, or that something on
// the way to the network stopped it.
func (r *rig) wantBlockedOnce(p schedctl.Post) {
	r.Helper()
	var first map[int]schedctl.Attempt
	r.view(func(tx storage.Reader) error {
		attempts, err := tx.Attempts(p.Targets[0].ID)
		first = map[int]schedctl.Attempt{}
		for _, a := range slices.Backward(attempts) {
			first[a.Part] = a
		}
		return err
	})
	for part, a := range first {
		if a.Outcome != schedctl.OutcomePublished && (a.Error == nil || a.Error.Kind != schedctl.KindPlatform || a.Error.Code != publish.CodeBlockedOnTheWay || a.Error.Outcome != no) {
			r.Errorf("part %d: %s, error %+v", part, a.Outcome, a.Error)
		}
	}
}

// A firewall's page in place of any of these responses is temporary, and holds nothing.
func TestFirewallPagesHoldNothing(t *testing.T) {
	t.Parallel()
	for _, c := range refusedCalls {
		t.Run(c.account+" "+c.request+" "+string(c.purpose), func(t *testing.T) {
			t.Parallel()
			c.page = true
			synctest.Test(t, func(t *testing.T) { c.test(t) })
		})
	}
}

func (c refusedCall) test(t *testing.T) {
	n := newRefusingNetwork(networks.Named(c.account))
	switch n.Platform {
	case "linkedin":
		fake := publishtest.NewFakeLinkedIn()
		fake.Person = "alice"
		n.Handler = fake
	case "facebook":
		n.Handler = publishtest.NewFakeFacebook()
	case "slack":
		n.Handler = slackFiles{n.Handler}
	case "x":
		n.Handler.(*publishtest.FakeX).Asynchronous = true
	}
	refused := 0
	n.refuse = func(r *http.Request, _ int) *publishtest.Recorded {
		if !strings.Contains(r.Method+" "+r.URL.RequestURI(), c.request) {
			return nil
		}
		if refused++; !c.page {
			return c.says(n.Platform)
		}
		if refused > 1 {
			return nil
		}
		return &firewallPage
	}
	wire := newWire(n)
	defer wire.cut()
	r := newRig(t, storagetest.NewMemory())
	defer r.kill()
	n.files = r.withMedia()
	a := r.connect(n.platform, wire.client)
	r.start()
	first := r.create(c.post(n, a))
	r.after(time.Hour)
	second := r.newPost(n, a, "the second post")
	r.after(time.Hour)
	if refused == 0 {
		t.Error("the account has sent no such request")
	}
	status := schedctl.Failed
	if c.kind == "" || c.purpose == publish.PurposeComment { // a post does not fail for its comment
		status = schedctl.Published
	}
	if c.page {
		r.wantBlockedOnce(first)
	} else if target := r.wantStatus(first, status); c.kind != "" && (target.Error == nil || target.Error.Kind != c.kind || target.Error.Outcome != no || len(target.Done) != c.done) {
		t.Errorf("%d parts, error %+v", len(target.Done), target.Error)
	}
	r.wantStatus(second, schedctl.Published)
	if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
		t.Errorf("the account is held for %+v", got.Error)
	}
}

// X's limit of spending holds until its date, and the monthly limit until a person verifies
// the account. Neither uses up tries or fails posts.
func TestXHoldsForCredits(t *testing.T) {
	for name, tt := range map[string]struct {
		says  publishtest.Recorded
		dated bool
	}{
		"spending": {publishtest.Recorded{Body: `{"title":"SpendCapReached","detail":"Your enrolled account [id] has reached its billing cycle spend cap. API requests will be blocked until the next cycle begins on 2000-01-02.","reset_date":"2000-01-02","type":"https://api.x.com/2/problems/credits"}`}, true},
		"usage": {publishtest.Recorded{
			Status: http.StatusTooManyRequests, Header: map[string]string{"X-Rate-Limit-Remaining": "99", "X-Rate-Limit-Reset": "1"},
			Body: `{"title":"UsageCapExceeded","detail":"Usage cap exceeded: Monthly product cap","type":"https://api.twitter.com/2/problems/usage-capped"}`,
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // which starts on 2000-01-01
				n := newRefusingNetwork(networks.Named("x"))
				limited := true
				n.refuse = func(r *http.Request, _ int) *publishtest.Recorded {
					if limited && n.publishes(r) {
						return &tt.says
					}
					return nil
				}
				wire := newWire(n)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				a := r.connect(n.platform, wire.client)
				r.start()
				r.after(6 * time.Hour)
				first, second := r.newPost(n, a, "the first post"), r.newPost(n, a, "the second post")
				r.after(17 * time.Hour)
				if n.calls != 1 {
					t.Errorf("%d posts were tried", n.calls)
				}
				got := r.readAccount(a.ID)
				if got.Status != schedctl.AccountError || got.Error.Code != string(publish.HoldCredits) || got.PausedUntil.Equal(time.Date(2000, 1, 2, 0, 0, 0, 0, time.UTC)) != tt.dated {
					t.Errorf("the account is %s until %v for %+v", got.Status, got.PausedUntil, got.Error)
				}
				if target := r.wantStatus(first, schedctl.Publishing); target.Tries() != target.Unreached {
					t.Errorf("%d of %d tries are used up", target.Tries()-target.Unreached, target.Tries())
				}
				n.mu.Lock()
				limited = false
				n.mu.Unlock()
				r.after(2 * time.Hour)
				r.reconnect(a.ID)
				r.after(time.Hour)
				r.wantStatus(first, schedctl.Published)
				r.wantStatus(second, schedctl.Published)
			})
		})
	}
}

// A token of Threads without the permission to reply publishes all but the replies. Its
// quota of replies, which it may not read either, holds nothing.
func TestThreadsTokenThatCannotReply(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wire := newWire(&publishtest.FakeContainers{API: publishtest.ThreadsAPI, Scopes: []string{"threads_basic", "threads_content_publish"}})
		defer wire.cut()
		r := newRig(t, storagetest.NewMemory())
		defer r.kill()
		a := r.connect(platformOf("threads"), wire.client)
		r.start()
		thread := threadOf(3, a)
		thread.Now = true
		first, second := r.create(thread), r.publishNow(a)
		r.after(time.Hour)
		target := r.wantStatus(first, schedctl.Failed)
		if len(target.Done) != 1 || target.Error.Kind != schedctl.KindContent || target.Error.Code != "10" || target.Error.Outcome != no {
			t.Errorf("%d parts, error %+v", len(target.Done), target.Error)
		}
		r.wantStatus(second, schedctl.Published)
		if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
			t.Errorf("the account is held for %+v", got.Error)
		}
	})
}
