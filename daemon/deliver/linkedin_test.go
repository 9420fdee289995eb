package deliver_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/schedctl/schedctl"
	"github.com/schedctl/schedctl/daemon/publish/publishtest"
	"github.com/schedctl/schedctl/storage/storagetest"
)

// LinkedIn lets no one read the state of the pictures of a person: the post waits some
// seconds and is published. A first comment that LinkedIn refuses leaves it published.
func TestLinkedInPersonPublishesPictures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := publishtest.NewFakeLinkedIn()
		fake.Person, fake.NoComments = "alice", http.StatusForbidden
		var polls atomic.Int32
		fake.Respond(func(r *http.Request) publishtest.Mishap {
			if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/rest/images/") {
				polls.Add(1)
			}
			return publishtest.Mishap{}
		})
		wire := newWire(fake)
		defer wire.cut()
		r := newRig(t, storagetest.NewMemory())
		defer r.kill()
		files := r.withMedia()
		a := r.connect(platformOf("linkedin, person"), wire.client)
		r.start()
		post := schedctl.NewPost{
			Content: schedctl.Content{Text: secret, FirstComment: &schedctl.Part{Content: "a comment"}}, Accounts: []schedctl.Account{a}, Now: true,
		}
		post.Media = []schedctl.PostMedia{files.assetOf("a", "image/jpeg")}
		first := r.create(post)
		r.after(2 * time.Minute)
		target := r.wantStatus(first, schedctl.Published)
		if target.CommentStatus != schedctl.Failed || target.Error == nil || !strings.Contains(target.Error.Message, "LinkedIn lets only approved apps comment") {
			t.Errorf("comment %s, error %+v", target.CommentStatus, target.Error)
		}
		if polls.Load() != 0 || len(fake.Posts()) != 1 || r.readAccount(a.ID).Status != schedctl.AccountConnected {
			t.Errorf("%d polls, %d posts, account %s", polls.Load(), len(fake.Posts()), r.readAccount(a.ID).Status)
		}
	})
}

// Everyone may read the state of a video of LinkedIn. If LinkedIn refuses that, it is asked
// once, and the post is sent 30 seconds after the upload.
func TestLinkedInVideoWithoutState(t *testing.T) {
	t.Parallel()
	for _, account := range []string{"linkedin, person", "linkedin, organization"} {
		t.Run(account, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				fake := publishtest.NewFakeLinkedIn()
				fake.Person = "alice"
				var asked atomic.Int32
				var uploaded time.Time
				fake.Respond(func(r *http.Request) publishtest.Mishap {
					switch {
					case r.URL.Query().Get("action") == "finalizeUpload":
						uploaded = time.Now()
					case r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/rest/videos/"):
						asked.Add(1)
						return publishtest.Mishap{Status: http.StatusForbidden, Body: `{"status":403,"serviceErrorCode":100}`}
					}
					return publishtest.Mishap{}
				})
				wire := newWire(fake)
				defer wire.cut()
				r := newRig(t, storagetest.NewMemory())
				defer r.kill()
				files := r.withMedia()
				a := r.connect(platformOf(account), wire.client)
				r.start()
				post := schedctl.NewPost{Content: schedctl.Content{Text: secret}, Accounts: []schedctl.Account{a}, Now: true}
				post.Media = []schedctl.PostMedia{files.assetOf("film", "video/mp4")}
				first := r.create(post)
				r.after(2 * time.Minute)
				r.wantStatus(first, schedctl.Published)
				if in := fake.Posts()[0].Created.Sub(uploaded); asked.Load() != 1 || in < 30*time.Second || in > 40*time.Second {
					t.Errorf("asked %d times, published %s after the upload", asked.Load(), in)
				}
				if got := r.readAccount(a.ID); got.Status != schedctl.AccountConnected {
					t.Errorf("the account is held for %+v", got.Error)
				}
			})
		})
	}
}
